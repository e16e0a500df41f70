import ArgumentParser
import LoginKit

/// The program `docker-credential-authctl`, which docker and its like run.
struct DockerCredentialCommand: BasicCommand {
    /// This program under its other name.
    static let program = "docker-credential-authctl"
    static let name = "docker-credential"

    static let outline = CommandConfiguration(
        commandName: name,
        abstract: "Credential helper for docker, run as \(program).",
        shouldDisplay: false)

    @Argument(help: ArgumentHelp("get, store, erase, list or version.", valueName: "action"))
    var action: String

    @OptionGroup var basic: BasicOptions

    /// Another program waits for the answer, and may have the terminal.
    static let mayUnlock = false

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let streams = invocation.streams
        if action == "version" {
            try streams.result("\(Self.program) (authctl) \(Version.number)")
            return .ok
        }
        guard let method = DockerHelper.Verb(rawValue: action) else {
            // docker's own helpers say so.
            try streams.result("Unknown credential action \(SafeText.quoted(action, limit: 40))")
            return .failure
        }
        guard let reply = try DockerHelper(invocation: invocation).answer(method) else { return .ok }
        try streams.result(reply.rawValue)
        return .failure
    }

    /// Prints one line on standard output, where clients of the protocol read it.
    func tell(_ error: LoginFault, about topic: ErrorContext, to streams: Streams) {
        let message = error.message(about: topic)
        let words = (["authctl: \(message.what)"] + message.details + [message.next]).filter { !$0.isEmpty }
        do {
            try streams.result(words.joined(separator: "; "))
        } catch {
            streams.say(error, about: topic)
        }
    }
}
