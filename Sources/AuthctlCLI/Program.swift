import ArgumentParser
import CProcess
import Glibc
import LoginKit
import Secrets

/// Ours, not the argument parser's.
typealias ExitCode = LoginKit.ExitCode

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
        program.console.streams = console.streams.styled(in: dependencies, ColorChoice(arguments))
        let ending = program.parse(arguments)
        return [ExecCommand.name, SSHCommand.name].contains(arguments.first) ? ending.ofExec : ending
    }

    /// Does what the arguments ask for: runs a command, or prints help or a usage error.
    private func parse(_ arguments: [String]) -> Ending {
        if arguments.first == Completer.name { return complete(arguments) }
        if VersionReport.isAskedFor(by: arguments) { return print(VersionReport.text) }
        do {
            try ArgumentGuard.check(arguments)
            if let search = HelpSearch(arguments, dependencies.environment) {
                return print(try search.page(for: console.streams.results))
            }
            try CommandNames.check(arguments)
            try ExecCommand.checkTerminator(arguments)
            var command: any ParsableCommand
            if let parsed = CommandNames.parsed(arguments) {
                command = parsed
            } else {
                command = try Authctl.parseAsRoot(arguments)
            }
            try command.run()
            // Help, completion scripts and the like, which need no invocation.
            return .code(.ok)
        } catch let parsed as ParsedCommand {
            // Each command throws itself (`EndingCommand.run`), and runs once parsing has ended.
            return run(parsed.command)
        } catch let error as LoginFault {
            return .code(end(error, printsJSON: ArgumentGuard.wantsJSON(arguments)))
        } catch {
            return endParsing(error, arguments)
        }
    }

    /// For a shell, which has no use for words of ours.
    private func complete(_ arguments: [String]) -> Ending {
        do {
            if let completer = Completer(arguments, dependencies) { try console.streams.result(completer.answer) }
            return .code(.ok)
        } catch {
            return .code(error.exitCode)
        }
    }

    private func run(_ command: any EndingCommand) -> Ending {
        var topic = ErrorContext()
        do {
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
        let strays = [ExecCommand.name: ExecCommand.strayArgument, SSHCommand.name: SSHCommand.strayArgument]
        if let stray = arguments.first.flatMap({ strays[$0] }), words.repeats(message) {
            return .code(end(stray, printsJSON: false))
        }
        if let fault = CurlHabits.fault(of: arguments) { return .code(end(fault, printsJSON: false)) }
        if ArgumentGuard.wantsJSON(arguments) {
            let fault = LoginFault.usage(words.message(message))
            return .code(end(fault, printsJSON: true))
        }
        console.streams.say(styled: words.told(message, in: Authctl.fullMessage(for: error)))
        return .code(.usage)
    }

    private func print(_ text: String) -> Ending {
        do {
            try console.streams.result(text)
            return .code(.ok)
        } catch  where error.isClosedPipe {
            return .signal(SIGPIPE)
        } catch {
            return .code(end(error, printsJSON: false))
        }
    }

    private func help(_ error: any Error, _ arguments: [String]) -> String {
        if arguments.isEmpty { return console.streams.results.text(StyledText(HelpTopics.brief)) }
        let page = { (columns: Int?) in
            HelpTopics.page(Authctl.fullMessage(for: error, columns: columns), of: arguments, columns: columns)
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

extension Program {
    /// The program in the real world, with the process protected before anything is opened.
    /// - Parameter arguments: with the name that the program was started by, which may be that of docker's helper.
    /// - Returns: the status to exit with.
    package static func main(_ arguments: [String]) -> Int32 {
        let isHelper = arguments.first?.split(separator: "/").last.map(String.init) == DockerCredentialCommand.program
        let command = isHelper ? [DockerCredentialCommand.name] : []
        switch cprocess_harden() {
        case .hardened:
            // The report of what is missing needs no secret.
            if let problem = Secret.memoryProblem(), !VersionReport.isAskedFor(by: command + arguments.dropFirst()) {
                Streams.standard.say(.failure(.libraryMissing(problem)), about: ErrorContext())
                return ExitCode.failure.rawValue
            }
            let ending = runAndForget(command + arguments.dropFirst())
            if cprocess_wipe_stack() == 0 { return finish(ending) }
            Streams.standard.say(
                "authctl: the memory of this run cannot be cleared of secrets, so nothing is done after it")
        case .privileged:
            // Whoever runs a set-uid copy could read its owner's secrets.
            Streams.standard.say("authctl: refusing to run set-uid, with the rights of another user")
        case .notHardened:
            Streams.standard.say("authctl: the process cannot be protected against debuggers and core dumps")
        }
        return ExitCode.failure.rawValue
    }

    /// A call of its own, so that nothing of the run is alive, and all of it below, when the stack is wiped.
    @inline(never)
    private static func runAndForget(_ arguments: [String]) -> Ending {
        Program(.real(), Console(streams: .standard)).run(arguments)
    }

    /// By now the run is over, and its secrets are wiped.
    private static func finish(_ ending: Ending) -> Int32 {
        ending.status { image in
            let absence = image.become()
            Streams.standard.say("authctl: the command cannot be run: \(absence.words)")
            return absence.status
        } dying: { number in
            die(of: number)
            return 128 + number
        }
    }
}

/// The argument parser's own words for a usage error, without the values that may be a password: those that stand where no
/// value belongs.
struct ParserWords {
    let arguments: [String]

    func redacted(_ text: String) -> String {
        let isRepeated = Self.repeating.contains { text.contains($0) }
        return values.reduce(text) { text, value in
            let safe = SafeText.escaped(value)
            // A line break in an argument is none of the message's own.
            let shown = safe == value || value.count < 2 ? text : text.replacing(value, with: safe)
            return isRepeated ? shown.replacing("'\(safe)'", with: "'…'") : shown
        }
    }

    /// Returns the parser's message in our style: a lowercase first letter, and no full stop.
    func message(_ text: String) -> String {
        let place = repeats(text) ? onePlace : ""
        let text = unknownOption(text) ?? redacted(text)
        return text.prefix(1).lowercased() + text.dropFirst().dropLast(text.hasSuffix(".") ? 1 : 0) + place
    }

    /// Advice for a second argument to a command that takes one; otherwise empty.
    private var onePlace: String {
        guard let (command, path) = CommandShape.root()?.command(of: arguments), !path.isEmpty,
            command.positionals.count == 1, let name = command.positionals[0].valueName,
            arguments.dropFirst(path.count + 1).contains(where: { !$0.hasPrefix("-") })
        else { return "" }
        if path == ["login"] {
            let isFile = arguments.contains("--netrc")
            return isFile ? "; use --netrc-file for a netrc file" : "; use -u for a user name"
        }
        return "; '\(path.joined(separator: " "))' takes one \(name), so run it once for each"
    }

    /// Returns the message for the person, with the program's name.
    /// - Parameters:
    ///   - message: the parser's.
    ///   - text: the parser's whole text, which begins with the message.
    func told(_ message: String, in text: String) -> StyledText {
        let opening = "Error: \(message)"
        guard text.hasPrefix(opening) else { return StyledText(redacted(text)) }
        let rest = UsageLine.short(redacted(String(text.dropFirst(opening.count))))
        return "\(isGood: false)authctl: \(self.message(message), .bold)\(rest)"
    }

    /// Whether it is about an argument for which there is no place.
    func repeats(_ text: String) -> Bool { text.contains(Self.repeating[0]) }

    /// The words of the parser before such a value.
    private static let repeating = [
        "nexpected argument", "does not take any value, but ",
    ]

    /// The longest first, since one may be part of another.
    private var values: [String] {
        let supplied = arguments.flatMap { argument in
            [argument]
                + argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().map(
                    String.init)
        }
        return supplied.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }
}

extension ParserWords {
    /// More commands than these are not listed.
    private static let mostCommands = 6

    /// Of an option that the command does not have: names the commands that have it, else the nearest option of this one. The parser
    /// names the nearest one, however far that is.
    /// - Returns: `nil` for a message about something else.
    private func unknownOption(_ message: String) -> String? {
        guard let match = message.firstMatch(of: /^Unknown option '([^'=]+)'/), let root = CommandShape.root() else {
            return nil
        }
        let option = String(match.1), (command, path) = root.command(of: arguments)
        let shown = "'\(SafeText.escaped(option, limit: 40))'"
        let having = root.paths { $0.options.contains { $0.isNamed(option) } }
        if !path.isEmpty, let last = having.last {
            let others =
                having.count > Self.mostCommands
                ? "other commands have it"
                : having.count == 1
                    ? "\(last) has it" : "\(having.dropLast().joined(separator: ", ")) and \(last) have it"
            return "'\(path.joined(separator: " "))' has no option \(shown); \(others)"
        }
        let known = command.options.flatMap { $0.names ?? [] }.map(\.text).filter { $0.hasPrefix("--") }
        // One that begins with the same letter and has the others in this order, such as `--username` for `--usr`. Then a near one; of a
        // short word, every other short one is near. Else the one whose words but for the last are nearly these, such as
        // `--password-stdin` for `--pasword`.
        let near =
            known.first { option.count > 4 && option.abbreviates($0) }
            ?? known.nearest(to: option).first {
                option.count > 6 || $0.dropFirst(2).first == option.dropFirst(2).first
            }
            ?? known.first { name in
                let words = name.split(separator: "-")
                return words.count > 1 && !["--" + words.dropLast().joined(separator: "-")].nearest(to: option).isEmpty
            }
        return "unknown option \(shown)\(near.map { "; did you mean '\($0)'?" } ?? "")"
    }
}

extension String {
    /// Whether it is another word with some of its letters left out, but not the first one behind two dashes.
    fileprivate func abbreviates(_ whole: String) -> Bool {
        guard whole.hasPrefix(prefix(3)) else { return false }
        var rest = whole[...]
        return allSatisfy { letter in
            guard let index = rest.firstIndex(of: letter) else { return false }
            rest = rest[index...].dropFirst()
            return true
        }
    }
}

extension CommandShape {
    /// The command that the first words name, and those words; this one for none.
    func command(of arguments: [String]) -> (command: CommandShape, path: [String]) {
        var command = self, path: [String] = []
        for word in arguments {
            guard let next = command.subcommands?.first(where: { $0.isNamed(word) }) else { break }
            command = next
            path.append(next.commandName)
        }
        return (command, path)
    }

    /// The names of the commands below for which this holds, such as `profile test`.
    fileprivate func paths(where holds: (CommandShape) -> Bool) -> [String] {
        shown.flatMap { child in
            (holds(child) ? [child.commandName] : []) + child.paths(where: holds).map { "\(child.commandName) \($0)" }
        }
    }
}
