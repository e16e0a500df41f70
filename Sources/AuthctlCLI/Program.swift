import ArgumentParser
import Glibc
import LoginCore
import LoginKit

/// Ours, not the argument parser's.
typealias ExitCode = LoginCore.ExitCode

/// The whole program behind `main`: parses, runs one command, turns whatever ends it into words and one exit code.
package struct Program {
    private let dependencies: Dependencies
    private var console: Console

    init(_ dependencies: Dependencies, _ console: Console) {
        self.dependencies = dependencies
        self.console = console
    }

    /// - Parameter arguments: without the program's own name.
    func run(_ arguments: [String]) -> Ending {
        var program = self
        program.console.streams = console.streams.seen(in: dependencies, ColorChoice(arguments))
        let ending = program.perform(ExecCredential.Version.completed(arguments))
        return arguments.first == ExecCommand.name ? ending.ofExec : ending
    }

    private func perform(_ arguments: [String]) -> Ending {
        if arguments.first == Completer.name { return complete(arguments) }
        if VersionReport.isAskedFor(by: arguments) { return print(VersionReport.text) }
        var command: any ParsableCommand
        do {
            try ArgumentGuard.check(arguments)
            try CommandNames.check(arguments)
            try ExecCommand.checkTerminator(arguments)
            if let parsed = CommandNames.parsed(arguments) {
                command = parsed
            } else {
                command = try Authctl.parseAsRoot(arguments)
            }
        } catch let error as LoginFault {
            return .code(end(error, printsJSON: ArgumentGuard.wantsJSON(arguments)))
        } catch {
            return endParsing(error, arguments)
        }
        do {
            try command.run()
            // Help, completion scripts and the like, which need no world.
            return .code(.ok)
        } catch let ready as ReadyCommand {
            return run(ready.command)
        } catch {
            return endParsing(error, arguments)
        }
    }

    /// For a shell, which has no use for words of ours.
    private func complete(_ arguments: [String]) -> Ending {
        do throws(LoginFault) {
            try Completer(dependencies: dependencies, streams: console.streams).answer(arguments)
            return .code(.ok)
        } catch {
            return .code(error.exitCode)
        }
    }

    private func run(_ command: any EndingCommand) -> Ending {
        var topic = ErrorContext()
        do throws(LoginFault) {
            let invocation = try Invocation(
                dependencies, console, command.global, mayAsk: type(of: command).mayAsk,
                mayUnlock: type(of: command).mayUnlock
            )
            defer { topic = invocation.typedTopic }
            return try command.end(invocation)
        } catch  where error.isClosedPipe {
            return .signal(SIGPIPE)
        } catch {
            command.tell(error, about: topic, to: console.streams)
            return .code(error.exitCode)
        }
    }

    /// Usage errors, and what the parser throws to print help or a version.
    private func endParsing(_ error: any Error, _ arguments: [String]) -> Ending {
        if Authctl.exitCode(for: error).isSuccess { return print(help(error, arguments)) }
        let words = ParserWords(arguments: arguments), message = Authctl.message(for: error)
        if arguments.first == ExecCommand.name, words.repeats(message) {
            return .code(end(ExecCommand.strayArgument, printsJSON: false))
        }
        if let fault = CurlHabits(arguments: arguments).fault { return .code(end(fault, printsJSON: false)) }
        if ArgumentGuard.wantsJSON(arguments) {
            let fault = LoginFault.usage(.other(words.message(message)))
            return .code(end(fault, printsJSON: true))
        }
        console.streams.say(styled: words.told(message, in: Authctl.fullMessage(for: error)))
        return .code(.usage)
    }

    private func print(_ text: String) -> Ending {
        do throws(LoginFault) {
            try console.streams.result(text)
            return .code(.ok)
        } catch  where error.isClosedPipe {
            return .signal(SIGPIPE)
        } catch {
            return .code(end(error, printsJSON: false))
        }
    }

    private func help(_ error: any Error, _ arguments: [String]) -> String {
        let page = { (columns: Int?) in
            HelpTopics.page(Authctl.fullMessage(for: error, columns: columns), of: arguments)
        }
        return console.streams.results.columns.map { HelpLayout(columns: $0).text(page) } ?? page(nil)
    }

    /// Before there is a command that could say it.
    private func end(_ error: LoginFault, printsJSON: Bool) -> ExitCode {
        console.streams.tell(error, about: ErrorContext(), printsJSON: printsJSON)
        return error.exitCode
    }
}

extension LoginFault {
    /// Whoever reads standard output has seen enough, as `head` has: no fault to be told of.
    fileprivate var isClosedPipe: Bool {
        if case .failure(.system("write", EPIPE)) = self { true } else { false }
    }
}

/// Checks the arguments before a parser can repeat a password in a message.
enum ArgumentGuard {
    /// Passwords do not belong on a command line, where every user of the machine can read them.
    static func check(_ arguments: [String]) throws(LoginFault) {
        for argument in arguments.prefix(while: { $0 != "--" }) {
            let isShort = hasShortPassword(argument)
            if isShort || argument == "--password" || argument.hasPrefix("--password=") {
                throw .usage(
                    .badValue(
                        option: isShort ? "-p" : "--password",
                        problem: "no option takes a password, since other users could read it; use --password-stdin"))
            }
            if let option = ["--otp", "--code"].first(where: { argument == $0 || argument.hasPrefix("\($0)=") }) {
                throw .usage(
                    .badValue(
                        option: option,
                        problem: """
                            no option takes a code, since other users could read it; use --otp-stdin, --otp-command or \
                            AUTHCTL_OTP
                            """))
            }
        }
    }

    /// `-p`, also among other short flags, as in `-qpSECRET`; behind `-u` and `-P` stands their value.
    private static func hasShortPassword(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return false }
        return argument.dropFirst().prefix { $0 != "u" && $0 != "P" }.contains("p")
    }

    static func wantsJSON(_ arguments: [String]) -> Bool {
        // In some commands it is another option, or none.
        let isOther = [RequestCommand.self, ExecCommand.self, GitCredentialCommand.self, DockerCredentialCommand.self]
            .contains { ($0 as any ParsableCommand.Type)._commandName == arguments.first }
        return !isOther && arguments.prefix(while: { $0 != "--" }).contains("--json")
    }
}
