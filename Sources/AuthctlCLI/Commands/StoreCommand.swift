import ArgumentParser

/// `authctl store …`
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Manage the stores for logins.",
        discussion: """
            Examples:
              authctl store list
              authctl store test
              authctl store init file
            """,
        subcommands: [
            StoreListCommand.self, StoreTestCommand.self, StoreInitCommand.self, StoreMoveCommand.self,
            StoreReadBackCommand.self,
        ])
}
