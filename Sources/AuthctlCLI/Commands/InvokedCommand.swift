import ArgumentParser
import LoginKit

/// A command that works in a `Dependencies`: options, then one step that receives the invocation and decides how the program ends.
protocol EndingCommand: ParsableCommand {
    /// Its name and what `--help` says of it.
    static var outline: CommandConfiguration { get }
    var global: GlobalOptions { get }
    /// Whether it prints JSON.
    var printsJSON: Bool { get }
    /// Whether it may ask a person to log in, or for what else its own work needs.
    static var mayAsk: Bool { get }
    /// Whether it may ask a person to unlock a store.
    static var mayUnlock: Bool { get }

    func end(_ invocation: Invocation) throws(LoginFault) -> Ending

    /// Says why it failed, where its caller looks for that. It may have failed before there was an invocation.
    func tell(_ error: LoginFault, about topic: ErrorContext, to streams: Streams)
}

extension EndingCommand {
    /// With a command above it, the parser does not look for a completion script's option first, which costs two fifths of
    /// all that is done at a start.
    static var configuration: CommandConfiguration {
        var configuration = outline
        configuration._superCommandName = "authctl"
        if CommandNames.parsesAlone { configuration.helpNames = [] }
        return configuration
    }

    /// Throws the command with its type: casting the parser's value would search all conformances.
    func run() throws { throw ParsedCommand(command: self) }

    static var mayAsk: Bool { false }
    static var mayUnlock: Bool { true }
    var printsJSON: Bool { false }

    func tell(_ error: LoginFault, about topic: ErrorContext, to streams: Streams) {
        streams.tell(error, about: topic, printsJSON: printsJSON)
    }
}

/// Leaves ArgumentParser with the parsed command; `Program.parse` catches it.
struct ParsedCommand: Error {
    // It is caught where it was thrown, in the same thread.
    nonisolated(unsafe) let command: any EndingCommand
}

/// One that has `--json`.
protocol ReportingCommand {
    var json: Bool { get }
}

extension EndingCommand where Self: ReportingCommand {
    var printsJSON: Bool { json }
}

/// One that ends with a code of ours, as all do but `exec`.
protocol InvokedCommand: EndingCommand {
    /// - Returns: the exit code of a run that has said itself what there was to say.
    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode
}

/// One that ends with 0, unless it throws.
protocol PlainCommand: InvokedCommand {
    func perform(_ invocation: Invocation) throws(LoginFault)
}

extension PlainCommand {
    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        try perform(invocation)
        return .ok
    }
}

/// One that has no options of a login.
protocol BasicCommand: InvokedCommand {
    var basic: BasicOptions { get }
}

extension BasicCommand {
    var global: GlobalOptions { basic.all() }
}

extension InvokedCommand {
    func end(_ invocation: Invocation) throws(LoginFault) -> Ending {
        .code(try run(invocation))
    }
}
