import ArgumentParser

/// `authctl trust …`
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Manage accepted certificates that do not verify.",
        subcommands: [TrustListCommand.self, TrustRemoveCommand.self])
}
