import ArgumentParser

/// `authctl profile …`
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Manage profiles.",
        discussion: """
            Examples:
              authctl profile list
              authctl profile add --preset forgejo --url https://git.example
              authctl profile test wiki
            """,
        subcommands: [
            ProfileListCommand.self, ProfileShowCommand.self, ProfileAddCommand.self, ProfileDefaultCommand.self,
            ProfileRemoveCommand.self, ProfileTestCommand.self, ProfilePresetsCommand.self,
            ProfileClientMetadataCommand.self,
        ])
}
