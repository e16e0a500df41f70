import ArgumentParser

/// `authctl trust …`
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Manage accepted certificates that do not verify.",
        discussion: """
            Examples:
              authctl trust list
              authctl trust remove https://wiki.example:8443
            """,
        subcommands: [TrustListCommand.self, TrustRemoveCommand.self])
}
