import Glibc
import LoginCore
import LoginKit

/// Where the bytes of an answer end up: standard output, exact in a pipe and harmless on a terminal, or a file.
final class BodyWriter: ResponseReceiver {
    private let streams: Streams
    private var file: OutputFile?
    private var filter: TerminalFilter?
    /// Of what a terminal shows: whether the prompt of a shell would stand behind it.
    private var isWithinLine = false

    /// - Parameters:
    ///   - path: of a file; nothing or `-` for standard output.
    ///   - isTerminal: whether standard output is one.
    ///   - patience: how long one wait for the reader of a named pipe may take, in seconds.
    /// - Throws: `usage` for a file that cannot be written to, which is better known before anything is sent.
    init(_ streams: Streams, path: String?, isTerminal: Bool, patience: Int) throws(LoginError) {
        self.streams = streams
        if let path, path != "-" { file = try OutputFile(path, patience: patience) }
        filter = file?.isTerminal ?? isTerminal ? TerminalFilter() : nil
    }

    /// Whether a person sees the bytes as they come.
    var isShownOnTerminal: Bool { filter != nil }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginError) {
        guard filter != nil else { return try send(bytes) }
        try show(filter?.shown(bytes) ?? [])
    }

    private func show(_ text: [UInt8]) throws(LoginError) {
        guard let last = text.last else { return }
        isWithinLine = last != UInt8(ascii: "\n")
        try send(text)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws(LoginError) {
        if let file { return try file.write(bytes) }
        try streams.write(STDOUT_FILENO, bytes)
    }

    private func send(_ bytes: [UInt8]) throws(LoginError) {
        try bytes.lend { (bytes) throws(LoginError) in try send(bytes) }
    }

    /// An answer without a byte makes an empty file too.
    func finish() throws(LoginError) {
        try file?.write(UnsafeRawBufferPointer(start: nil, count: 0))
        if let rest = filter?.rest() { try show(rest) }
        try endLine()
    }

    /// Whether an answer has come or not. What is said next does not stand behind one that broke off.
    func close() {
        try? endLine()
        file?.close()
    }

    private func endLine() throws(LoginError) {
        if isWithinLine { try show([UInt8(ascii: "\n")]) }
    }
}

/// Bytes of others as a terminal may show them: text with its lines and tabs, everything that a terminal would obey escaped.
struct TerminalFilter {
    /// The beginning of a character whose end has not arrived.
    private var pending: [UInt8] = []

    /// - Returns: UTF-8.
    mutating func shown(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        pending += bytes
        let cut = pending.count - unfinished(pending)
        defer { pending.removeFirst(cut) }
        return Self.escaped(pending[..<cut])
    }

    /// What has no end, once nothing follows.
    mutating func rest() -> [UInt8] {
        defer { pending = [] }
        return Self.escaped(pending[...])
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar == "\n" || scalar == "\t" { text.unicodeScalars.append(scalar); continue }
            // The line end of others: CR LF is one.
            if scalar == "\r" { continue }
            text += SafeText.escape(for: scalar) ?? String(scalar)
        }
        return Array(text.utf8)
    }

    /// How many bytes at the end are the beginning of a character (RFC 3629).
    private func unfinished(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? back : 0
        }
        return 0
    }
}
