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
              authctl help tasks

            Topics of help: config, environment, exit-codes, tasks
            Manual: man authctl; profiles: man authctl-config
            """,
        version: "authctl \(Version.number)",
        subcommands: [
            DockerCredentialCommand.self, TasksHelpCommand.self, ExitCodesCommand.self, ConfigHelpCommand.self,
            EnvironmentHelpCommand.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Log in",
                subcommands: [LoginCommand.self, LogoutCommand.self, SwitchCommand.self, DiscoverCommand.self]),
            CommandGroup(
                name: "Use a login",
                subcommands: [
                    RequestCommand.self, TokenCommand.self, ExecCommand.self, SSHCommand.self, MCPCommand.self,
                    ApproveCommand.self,
                ]),
            CommandGroup(name: "Look", subcommands: [WhoamiCommand.self, StatusCommand.self, LogCommand.self]),
            CommandGroup(
                name: "Manage",
                subcommands: [ProfileCommand.self, StoreCommand.self, TrustCommand.self, KeyCommand.self]),
            CommandGroup(
                name: "For other programs", subcommands: [GitCredentialCommand.self, CompletionCommand.self]),
        ])
}
