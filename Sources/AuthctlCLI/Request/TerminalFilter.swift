import LoginKit

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

    /// An unfinished sequence at the end of the text.
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

    /// Counts the bytes at the end that begin an incomplete character (RFC 3629).
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
