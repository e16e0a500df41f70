import CProcess
import CReadline
import Glibc

/// Reads keys for readline: with a deadline, and redrawing after a stop or a change of the window.
enum KeyReader {
    /// Longer between the bytes of one key, and it was Escape followed by another key.
    private static let withinKey: Int32 = 50
    /// The longest wait where the question may be taken back, in milliseconds.
    private static let pause: Int32 = 100
    /// The longest wait between two looks at how many other processes wait, in milliseconds.
    private static let glance: Int32 = 1000

    /// - Returns: a byte, or `EOF` when the line has ended without Enter.
    static func read(from descriptor: Int32) -> Int32 {
        while let byte = CurrentLine.with({ $0.takePushedBack() }) ?? nil {
            if CurrentLine.with({ $0.takes(byte) }) == true { return Int32(byte) }
        }
        while let left = CurrentLine.with(\.millisecondsLeft), left > 0 {
            let isCancelled = CurrentLine.with(\.question.isCancelled) ?? nil
            if isCancelled?() == true {
                CurrentLine.with { $0.end(.cancelled) }
                return EOF
            }
            let beside = CurrentLine.with(\.beside) ?? nil
            LineDisplay.show(waiting: Int(cprocess_terminal_waiting()))
            let seen = wait(min(left, isCancelled == nil ? glance : pause), beside)
            respond(to: seen)
            if seen & Int32(CPROCESS_READABLE) == 0, seen & Int32(CPROCESS_OTHER) != 0 || beside?.isDue == true {
                CurrentLine.with { $0.end(.interrupted) }
                return EOF
            }
            guard seen & Int32(CPROCESS_READABLE) != 0 else { continue }
            let byte = readByte(from: descriptor)
            // Of what is pasted, some is no key.
            if byte == EOF || CurrentLine.with({ $0.takes(UInt8(truncatingIfNeeded: byte)) }) == true { return byte }
        }
        CurrentLine.with { $0.end(.expired) }
        return EOF
    }

    /// Keys go first: who is waited for beside them has time.
    private static func wait(_ milliseconds: Int32, _ beside: OtherWait?) -> Int32 {
        guard let beside else { return cprocess_terminal_wait(milliseconds, nil, 0) }
        return beside.descriptors.withUnsafeBufferPointer {
            cprocess_terminal_wait(min(milliseconds, beside.millisecondsLeft), $0.baseAddress, $0.count)
        }
    }

    /// Whether more has been typed already, so that drawing can wait.
    static func isMoreWaiting(on descriptor: Int32) -> Bool { waitForInput([descriptor], milliseconds: 0) > 0 }

    /// The next byte of what one key sends, without which it is not whole.
    /// - Parameter longest: the longest wait, in milliseconds.
    fileprivate static func byteWithinKey(from descriptor: Int32, longest: Int32 = withinKey) -> UInt8? {
        guard let left = CurrentLine.with(\.millisecondsLeft), left > 0 else { return nil }
        let seen = cprocess_terminal_wait(min(left, longest), nil, 0)
        respond(to: seen)
        guard seen & Int32(CPROCESS_READABLE) != 0 else { return nil }
        let byte = readByte(from: descriptor)
        CurrentLine.with { $0.lastKey = .now }
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
        if seen & Int32(CPROCESS_RESUMED) != 0 {
            CurrentLine.with {
                $0.restartClock()
                $0.screen.write(Screen.bracketsPastes)
            }
        }
        LineDisplay.drawAgain()
    }
}

/// Bytes that a terminal sends after an Escape: an arrow or function key, a mouse, or an answer to a question that another program
/// has asked (ECMA-48, sections 5.3 to 5.6). None of it is text of the person's.
struct EscapeSequence {
    /// The longest sequence of a key, in bytes.
    private static let longestKey = 32
    /// Of the terminal.
    let descriptor: Int32

    /// - Returns: the sequence without the Escape if it is one of a key, else nothing.
    func read() -> [UInt8] {
        guard let kind = next() else { return restOfMark() }
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
        return restOfMark(after: sequence)
    }

    /// Waits for the rest of a mark of a paste, which a slow connection may cut in two. What turns out to be none was typed.
    private func restOfMark(after begun: [UInt8] = []) -> [UInt8] {
        var sequence = begun
        let isMark = { Paste.marks.contains { $0.utf8.starts(with: sequence) } }
        guard isMark(), CurrentLine.with(\.pushedBack.isEmpty) == true else { return [] }
        while let byte = KeyReader.byteWithinKey(from: descriptor, longest: Paste.longestCut) {
            sequence.append(byte)
            guard isMark() else { break }
            if byte == UInt8(ascii: "~") { return sequence }
        }
        CurrentLine.with { $0.pushedBack += sequence.dropFirst(begun.count) }
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
