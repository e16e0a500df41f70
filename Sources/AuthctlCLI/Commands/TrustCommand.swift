import ArgumentParser

/// `authctl trust …`
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Certificates that you accepted although they do not verify.",
        subcommands: [TrustListCommand.self, TrustRemoveCommand.self])
}
