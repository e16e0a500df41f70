import ArgumentParser

/// `authctl store …`
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Manage the stores for logins.",
        subcommands: [
            StoreListCommand.self, StoreTestCommand.self, StoreInitCommand.self, StoreMoveCommand.self,
            StoreReadBackCommand.self,
        ])
}
