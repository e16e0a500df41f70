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
            ExitCodesCommand.self,
        ])
}

/// `authctl help exit-codes`: a page of the help, not a command.
struct ExitCodesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exit-codes",
        abstract: "The exit codes, and what a script should do about each.",
        discussion: table,
        shouldDisplay: false)

    func run() throws {
        throw CleanExit.helpRequest(self)
    }

    /// In lines that fit into 80 columns as they are: this is put together at every start, so it does no more than that.
    private static var table: String {
        var table = ""
        for code in ExitCode.allCases {
            table += code.rawValue < 10 ? "  " : " "
            table += "\(code.rawValue)  \(code.name)\n      \(code.meaning)\n      → \(code.advice)\n"
        }
        for (signal, name) in [(129, "SIGHUP"), (130, "SIGINT"), (143, "SIGTERM")] {
            table += "\(signal)  signal\n      died by \(name)\n"
        }
        table += """
            exec: the code of its command; 126 and 127 where that cannot be run or is not there;
            100 and the code above where the login failed, so that it never ran.

            """
        return table
    }
}

/// `authctl completion SHELL`
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script for a shell.")

    @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
    var shell: String

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else {
            throw ValidationError("There is no completion for '\(shell)'; there is bash, zsh and fish.")
        }
        throw CleanExit.message(Authctl.completionScript(for: shell))
    }
}
