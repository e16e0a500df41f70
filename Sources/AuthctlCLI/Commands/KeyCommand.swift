import ArgumentParser

/// `authctl key …`
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make the keys with which machines prove who they are.",
        discussion: """
            Examples:
              authctl key new ~/.config/authctl/nightly.pem
            """,
        subcommands: [KeyNewCommand.self])
}
