import ArgumentParser
import LoginKit

/// The root of the command tree.
struct Authctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authctl",
        abstract: "One login command for every HTTP service.",
        discussion: """
            Examples:
              authctl login https://wiki.example/api/me
              authctl whoami
              authctl request https://wiki.example/api/pages
              authctl help exit-codes

            Topics of help: config, environment, exit-codes
            Manual: man authctl; profiles: man authctl-config
            """,
        version: "authctl \(Version.number)",
        subcommands: [
            LoginCommand.self, WhoamiCommand.self, LogoutCommand.self, SwitchCommand.self, StatusCommand.self,
            DiscoverCommand.self, TokenCommand.self, RequestCommand.self, ExecCommand.self, ApproveCommand.self,
            LogCommand.self, ProfileCommand.self, StoreCommand.self, KeyCommand.self,
            TrustCommand.self, GitCredentialCommand.self, DockerCredentialCommand.self, CompletionCommand.self,
            ExitCodesCommand.self, ConfigHelpCommand.self, EnvironmentHelpCommand.self,
        ])
}
