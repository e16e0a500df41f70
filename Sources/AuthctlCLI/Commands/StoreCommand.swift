import ArgumentParser

/// `authctl store …`
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Where logins are kept.",
        subcommands: [
            StoreListCommand.self, StoreTestCommand.self, StoreInitCommand.self, StoreMoveCommand.self,
            StoreReadBackCommand.self,
        ])
}
