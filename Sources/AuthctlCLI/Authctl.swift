import ArgumentParser
import LoginCore

/// The root of the command tree.
struct Authctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authctl",
        abstract: "One login command for every HTTP service.",
        discussion: """
            authctl login https://HOST/PATH   log in where that URL answers who is logged in
            authctl whoami                    print the user name; the exit code says the rest
            authctl help exit-codes           the codes that scripts rely on

            The manual: man authctl; profiles: man authctl-config
            """,
        version: "authctl 0.1.0",
        subcommands: [
            LoginCommand.self, WhoamiCommand.self, LogoutCommand.self, SwitchCommand.self, StatusCommand.self,
            TokenCommand.self, RequestCommand.self, ExecCommand.self, ProfileCommand.self, StoreCommand.self,
            TrustCommand.self, GitCredentialCommand.self, DockerCredentialCommand.self, CompletionCommand.self,
            ExitCodesCommand.self, ConfigHelpCommand.self,
        ])
}
