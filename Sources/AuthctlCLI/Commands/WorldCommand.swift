import ArgumentParser
import LoginCore

/// A command that works in a `World`: options, then one step that receives the invocation.
protocol WorldCommand: ParsableCommand {
    var global: GlobalOptions { get }
    /// Whether it prints JSON.
    var printsJSON: Bool { get }
    /// Whether it may ask a person.
    static var mayAsk: Bool { get }

    /// - Returns: the exit code of a run that has said itself what there was to say.
    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode
}

extension WorldCommand {
    static var mayAsk: Bool { false }
}
