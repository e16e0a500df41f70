import LoginCore

/// Bytes that a terminal sends after an Escape: an arrow or function key, a mouse, or an answer to a question that another program
/// has asked (ECMA-48, sections 5.3 to 5.6). None of it is text of the person's.
struct EscapeSequence {
    /// The longest sequence of a key, in bytes.
    private static let longestKey = 32
    private let descriptor: Int32

    /// - Parameter descriptor: of the terminal.
    init(from descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: the sequence without the Escape if it is one of a key, else nothing.
    func read() -> [UInt8] {
        guard let kind = next() else { return [] }
        switch kind {
        case UInt8(ascii: "["): return readControlSequence()
        case UInt8(ascii: "O"): return next().map { [kind, $0] } ?? []
        case UInt8(ascii: "N"): _ = next()
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"): skipString()
        // Another key together with Alt.
        default: break
        }
        return []
    }

    /// Reads what follows the second byte of a C1 control character, which stands for an Escape and a letter.
    func swallow(after second: UInt8) {
        switch second {
        case 0x9B: _ = readControlSequence()
        case 0x8E, 0x8F: _ = next()
        case 0x90, 0x98, 0x9D, 0x9E, 0x9F: skipString()
        default: break
        }
    }

    /// A control character is a key of its own: Enter after a lone Escape is still Enter.
    private func next() -> UInt8? {
        guard let byte = KeyReader.byteWithinKey(from: descriptor) else { return nil }
        if byte >= 0x20 { return byte }
        CurrentLine.with { $0.pushedBack.append(byte) }
        return nil
    }

    private func readControlSequence() -> [UInt8] {
        var sequence = [UInt8(ascii: "[")]
        while let byte = next() {
            // The function keys of the Linux console have one letter more.
            if sequence.count == 1, byte == UInt8(ascii: "[") {
                _ = next()
                return []
            }
            // Of one that is longer than any key's, nothing must be left to be taken for typed text.
            if sequence.count < Self.longestKey { sequence.append(byte) }
            guard byte >= 0x40 else { continue }
            // A mouse: its button, column and row are one byte each.
            if sequence == Array("[M".utf8) { for _ in 0..<3 where next() == nil { break } }
            return sequence.count < Self.longestKey ? sequence : []
        }
        return []
    }

    /// Up to a BEL or ST, Escape and backslash or U+009C.
    private func skipString() {
        var before: UInt8 = 0
        while let byte = KeyReader.byteWithinKey(from: descriptor) {
            switch (before, byte) {
            case (_, 0x07), (0x1B, UInt8(ascii: "\\")), (0xC2, 0x9C): return
            case (_, 0x1B): break
            case (_, 0..<0x20):
                CurrentLine.with { $0.pushedBack.append(byte) }
                return
            default: break
            }
            before = byte
        }
    }
}
