import ArgumentParser
import LoginCore

/// The root of the command tree.
struct Authctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authctl",
        abstract: "One login command for every HTTP service.",
        version: "authctl 0.1.0",
        subcommands: [
            LoginCommand.self, WhoamiCommand.self, LogoutCommand.self, SwitchCommand.self, StatusCommand.self,
            TokenCommand.self, ProfileCommand.self, StoreCommand.self, CompletionCommand.self, ExitCodesCommand.self,
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

    private static var table: String {
        ExitCode.allCases.map { code in
            let number = String(code.rawValue)
            let padding = String(repeating: " ", count: 3 - number.count)
            return "\(padding)\(number)  \(code.name)\n"
                + "\(code.meaning); what to do: \(code.advice)".wrapped(to: 70, indent: 5)
        }.joined(separator: "\n")
    }
}

extension String {
    /// Lines of so many letters at most, broken at blanks, each after so many blanks.
    fileprivate func wrapped(to width: Int, indent: Int) -> String {
        var lines: [String] = [""]
        for word in split(separator: " ") {
            let line = lines[lines.count - 1]
            if !line.isEmpty && line.count + 1 + word.count > width { lines.append(String(word)) } else {
                lines[lines.count - 1] = line.isEmpty ? String(word) : "\(line) \(word)"
            }
        }
        return lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }
}

/// `authctl completion SHELL`
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script for a shell.")

    @Argument(help: "bash, zsh or fish.")
    var shell: String

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else {
            throw ValidationError("There is no completion for '\(shell)'; there is bash, zsh and fish.")
        }
        throw CleanExit.message(Authctl.completionScript(for: shell))
    }
}
