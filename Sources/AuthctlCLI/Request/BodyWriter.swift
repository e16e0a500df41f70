import Glibc
import LoginCore
import LoginKit

/// Where the bytes of an answer end up: standard output, exact in a pipe, readable and harmless on a terminal, or a file.
final class BodyWriter: ResponseReceiver {
    private let streams: Streams
    private var file: OutputFile?
    private var filter: TerminalFilter?
    /// Whether the terminal's last line has text: the prompt of a shell would stand behind it.
    private var isWithinLine = false
    /// Whether the person said by `-o -` that a terminal is to show whatever comes.
    private let isForced: Bool
    private var head: HTTPResponse?
    /// JSON for a terminal, until it is whole; `nil` for anything else.
    private var json: [UInt8]?

    /// Longer JSON is shown as it comes, in bytes.
    private static let longestJSON = 1 << 20

    /// - Parameters:
    ///   - path: of a file; nothing or `-` for standard output.
    ///   - isTerminal: whether standard output is one.
    ///   - patience: how long one wait for the reader of a named pipe may take, in seconds.
    /// - Throws: `usage` for a file that cannot be written to, which is better known before anything is sent.
    init(_ streams: Streams, path: String?, isTerminal: Bool, patience: Int) throws(LoginFault) {
        self.streams = streams
        if let path, path != "-" { file = try OutputFile(path, patience: patience) }
        filter = file?.isTerminal ?? isTerminal ? TerminalFilter() : nil
        isForced = path != nil
    }

    /// Whether a person sees the bytes as they come.
    var isShownOnTerminal: Bool { filter != nil }

    func begin(_ head: HTTPResponse) {
        self.head = head
        json = isShownOnTerminal && head.isJSON ? [] : nil
    }

    /// - Throws: `failure` for binary data at a terminal, unless `-o -` asks for it.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        guard filter != nil else { return try send(bytes) }
        if !isForced, bytes.contains(0) { throw refusal }
        guard let collected = json else { return try show(filter?.shown(bytes) ?? []) }
        json = nil
        let all = collected + bytes
        if all.count <= Self.longestJSON {
            json = all
        } else {
            try all.lend { (all) throws(LoginFault) in try write(all) }
        }
    }

    /// No text has a NUL in it.
    private var refusal: LoginFault {
        let status = head.map { " (status \($0.status))" } ?? ""
        return .failure(
            .other(
                """
                the request was sent, but its response\(status) is binary and is not shown on a terminal; to save the \
                response of another request, use -o FILE
                """))
    }

    private func showJSON() throws(LoginFault) {
        guard let body = json.take() else { return }
        try (JSONLayout.text(body) ?? body).lend { (bytes) throws(LoginFault) in try write(bytes) }
    }

    private func show(_ text: [UInt8]) throws(LoginFault) {
        guard let last = text.last else { return }
        isWithinLine = last != UInt8(ascii: "\n")
        try send(text)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        if let file { return try file.write(bytes) }
        try streams.write(STDOUT_FILENO, bytes)
    }

    private func send(_ bytes: [UInt8]) throws(LoginFault) {
        try bytes.lend { (bytes) throws(LoginFault) in try send(bytes) }
    }

    /// An answer without a byte makes an empty file too.
    func finish() throws(LoginFault) {
        try showJSON()
        try file?.write(UnsafeRawBufferPointer(start: nil, count: 0))
        if let rest = filter?.rest() { try show(rest) }
        try endLine()
    }

    /// Whether an answer has come or not. What is said next does not stand behind one that broke off.
    func close() {
        try? showJSON()
        try? endLine()
        file?.close()
    }

    private func endLine() throws(LoginFault) {
        if isWithinLine { try show([UInt8(ascii: "\n")]) }
    }
}

extension HTTPResponse {
    /// Whether the body is JSON by its media type (RFC 6838, section 4.2.8; RFC 8259).
    fileprivate var isJSON: Bool {
        guard let field = headers.first(where: { $0.name.lowercased() == "content-type" }) else { return false }
        let type = field.value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json")
    }
}
