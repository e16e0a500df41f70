import ArgumentParser

/// `authctl profile …`
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Manage profiles.",
        subcommands: [
            ProfileListCommand.self, ProfileShowCommand.self, ProfileAddCommand.self, ProfileDefaultCommand.self,
            ProfileRemoveCommand.self, ProfileTestCommand.self, ProfilePresetsCommand.self,
        ])
}
