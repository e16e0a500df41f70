import Glibc
import LoginCore

/// Where the bytes of an answer end up: standard output, exact in a pipe and harmless on a terminal, or a file.
final class BodyWriter {
    private let streams: Streams
    private let path: String?
    private var file: Int32 = -1
    private var filter: TerminalFilter?

    /// - Parameters:
    ///   - path: of a file, made or emptied when the answer begins; nothing or `-` for standard output.
    ///   - isTerminal: whether standard output is one.
    init(_ streams: Streams, path: String?, isTerminal: Bool) {
        self.streams = streams
        self.path = path == "-" ? nil : path
        filter = self.path == nil && isTerminal ? TerminalFilter() : nil
    }

    deinit {
        if file >= 0 { close(file) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginError) {
        if let path { return try write(bytes, to: path) }
        guard filter != nil else { return try streams.write(STDOUT_FILENO, bytes) }
        let shown = filter?.shown(bytes) ?? []
        try send(shown)
    }

    /// An answer without a byte makes an empty file too.
    func finish() throws(LoginError) {
        if let path { try write(UnsafeRawBufferPointer(start: nil, count: 0), to: path) }
        if let rest = filter?.rest() { try send(rest) }
    }

    private func send(_ bytes: [UInt8]) throws(LoginError) {
        var fault: LoginError?
        bytes.withUnsafeBytes { bytes in
            do throws(LoginError) { try streams.write(STDOUT_FILENO, bytes) } catch { fault = error }
        }
        if let fault { throw fault }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(LoginError) {
        if file < 0 {
            file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o666)
            guard file >= 0 else {
                throw .usage(
                    .badValue(option: "-o", problem: "\(SafeText.quoted(path)): \(String(cString: strerror(errno)))"))
            }
        }
        if let errno = bytes.writeAll(to: file) {
            throw .failure(.system(call: "write to \(SafeText.quoted(path))", errno: errno))
        }
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
