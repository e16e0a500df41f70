internal import CProcess
internal import CReadline
internal import Glibc

/// Reads keys for readline: with a deadline, and redrawing after a stop or a change of the window.
enum KeyReader {
    /// Longer between the bytes of one key, and it was Escape followed by another key.
    private static let withinKey: Int32 = 50
    private static let longestSequence = 32

    /// - Returns: a byte, or `EOF` when the line has ended without Enter.
    static func read(from descriptor: Int32) -> Int32 {
        if let byte = CurrentLine.with({ $0.takePushedBack() }) ?? nil { return Int32(byte) }
        while let left = CurrentLine.with(\.millisecondsLeft), left > 0 {
            let seen = cprocess_terminal_wait(left)
            respond(to: seen)
            if seen & Int32(CPROCESS_READABLE) != 0 { return readByte(from: descriptor) }
        }
        CurrentLine.with { $0.end(.expired) }
        return EOF
    }

    /// Whether more has been typed already, so that drawing can wait.
    static func isMoreWaiting(on descriptor: Int32) -> Bool {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }

    /// Reads what an arrow or function key sends after its Escape (ECMA-48, section 5.4).
    /// - Returns: the sequence without the Escape if it is one of a key, else nothing.
    static func readEscapeSequence(from descriptor: Int32) -> [UInt8] {
        guard let kind = byteWithinKey(from: descriptor) else { return [] }
        // A control character is a key of its own: Enter after a lone Escape is still Enter.
        if kind < 0x20 { CurrentLine.with { $0.pushedBack = kind } }
        guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return [] }
        var sequence = [kind]
        while let byte = byteWithinKey(from: descriptor) {
            if byte < 0x20 {
                CurrentLine.with { $0.pushedBack = byte }
                return []
            }
            // Of one that is longer than any key's, nothing must be left to be taken for typed text.
            if sequence.count < longestSequence { sequence.append(byte) }
            if byte >= 0x40 || kind == UInt8(ascii: "O") {
                return sequence.count < longestSequence ? sequence : []
            }
        }
        return []
    }

    private static func byteWithinKey(from descriptor: Int32) -> UInt8? {
        let seen = cprocess_terminal_wait(withinKey)
        respond(to: seen)
        guard seen & Int32(CPROCESS_READABLE) != 0 else { return nil }
        let byte = readByte(from: descriptor)
        return byte == EOF ? nil : UInt8(truncatingIfNeeded: byte)
    }

    private static func readByte(from descriptor: Int32) -> Int32 {
        var byte: UInt8 = 0
        var got = Glibc.read(descriptor, &byte, 1)
        while got < 0 && errno == EINTR { got = Glibc.read(descriptor, &byte, 1) }
        if got == 1 { return Int32(byte) }
        CurrentLine.with { $0.end(.hungUp) }
        return EOF
    }

    private static func respond(to seen: Int32) {
        guard seen & Int32(CPROCESS_RESUMED | CPROCESS_RESIZED) != 0 else { return }
        if seen & Int32(CPROCESS_RESUMED) != 0 { CurrentLine.with { $0.restartClock() } }
        LineDisplay.drawAgain()
    }
}

extension LineSession {
    fileprivate mutating func takePushedBack() -> UInt8? {
        defer { pushedBack = nil }
        return pushedBack
    }
}
