import FoundationEssentials
import Glibc
import LoginKit
import Secrets

/// Standard output for results, standard error for messages.
struct Streams: Sendable {
    /// Writes all of the bytes, or says why it cannot.
    let write: @Sendable (_ stream: Int32, _ bytes: UnsafeRawBufferPointer) throws(LoginFault) -> Void

    /// The styles of results and of messages.
    private(set) var results = TextLook.plain, messages = TextLook.plain

    static let standard = Streams { (stream, bytes) throws(LoginFault) in
        if let errno = bytes.writeAll(to: stream) { throw .failure(.system(call: "write", errno: errno)) }
    }

    /// The same streams, with the styles that the terminal behind each supports.
    func styled(in dependencies: Dependencies, _ choice: ColorChoice) -> Streams {
        var streams = self
        streams.results = choice.look(of: STDOUT_FILENO, in: dependencies)
        streams.messages = choice.look(of: STDERR_FILENO, in: dependencies)
        return streams
    }

    /// A result, as a line of its own.
    func result(_ text: String) throws(LoginFault) {
        try send(text + "\n", to: STDOUT_FILENO)
    }

    /// A result with words that stand out, in lines of its own.
    func result(styled text: StyledText) throws(LoginFault) {
        try result(results.text(text, wraps: false))
    }

    /// A result in sentences, whose words the edge of a terminal does not break.
    func result(sentences text: String) throws(LoginFault) {
        try result(results.text(StyledText(text)))
    }

    func result(_ table: Table) throws(LoginFault) {
        try result(styled: table.text(for: results))
    }

    /// Prints a secret: byte for byte to a program, without control sequences on a terminal.
    func result(_ secret: Secret, isTerminal: Bool = false) throws(LoginFault) {
        try secret.line.withUnsafeBytes { (buffer) throws(LoginFault) in
            guard isTerminal else { return try write(STDOUT_FILENO, buffer) }
            var filter = TerminalFilter()
            try write(STDOUT_FILENO, filter.shown(buffer))
        }
    }

    /// Prints a message on lines of its own; a terminal obeys nothing in it. A closed standard error is no reason to fail.
    func say(_ text: String) { say(styled: StyledText(text)) }

    /// The start of every warning.
    static let warning = "warning: "

    /// Prints a note after `authctl: `. A warning at a terminal has a mark instead, and its lines are indented below it.
    func say(note text: String) {
        guard text.hasPrefix(Self.warning) else { return say("authctl: \(text)") }
        say(styled: "\(mark: .warning, instead: "authctl: warning: ")\(text.dropFirst(Self.warning.count))")
    }

    /// The same with words that stand out.
    /// - Parameter wraps: whether its lines may be broken, as those of sentences are.
    func say(styled text: StyledText, wraps: Bool = true) {
        try? send(messages.text(text, wraps: wraps) + "\n", to: STDERR_FILENO)
    }

    /// Prints text to be copied; its lines are not wrapped.
    func say(asIs text: String) { say(styled: StyledText(text), wraps: false) }

    /// An error in its words: what happened, what is wrong in particular, what to do next.
    func say(_ error: LoginFault, about topic: ErrorContext) {
        let message = error.message(about: topic)
        say(styled: "\(isGood: false)authctl: \(message.what, .bold)")
        for line in message.details + [message.next] where !line.isEmpty { say("  \(line)") }
    }

    /// Text as it is.
    func send(_ text: String, to stream: Int32) throws(LoginFault) {
        try write(stream, Array(text.utf8))
    }

    func write(_ stream: Int32, _ bytes: [UInt8]) throws(LoginFault) {
        try bytes.lend { (bytes) throws(LoginFault) in try write(stream, bytes) }
    }
}

extension Secret {
    /// The secret and a line end, as a shell's `read` takes it.
    var line: Secret { Secret(joining: [self, Secret("\n")]) }
}

/// The streams and arguments of a command.
struct Console {
    var streams: Streams
    /// The environment for the command of an `exec`, taken before any library changes it.
    var inherited: () -> ProgramEnvironment = { .inherited() }
    /// The arguments of the program byte for byte, each with its NUL.
    var arguments: () -> [[CChar]] = { ProgramArguments.bytes }
}

extension Streams {
    /// Exactly one JSON value.
    func result(json value: some Encodable) throws(LoginFault) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            throw .failure("the result cannot be written as JSON")
        }
        try result(Self.harmless(String(decoding: data, as: UTF8.self)))
    }

    /// A failure in its words, and as the one JSON value where that is what is printed.
    func tell(_ error: LoginFault, about topic: ErrorContext, printsJSON: Bool) {
        say(error, about: topic)
        // A standard output that is gone cannot be told so; the exit code still says what happened.
        if printsJSON { try? result(json: ["error": ErrorReport(error, about: topic)]) }
    }

    /// Writes control characters as JSON escapes; the value stays the same.
    private static func harmless(_ json: String) -> String {
        json.unicodeScalars.reduce(into: "") { text, scalar in
            let isHarmful = scalar.value >= 0x7F && SafeText.escape(for: scalar) != nil
            text += isHarmful ? scalar.escapedForJSON : String(scalar)
        }
    }
}
