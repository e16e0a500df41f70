import CProcess
import CReadline
import Glibc

/// Reads keys for readline: with a deadline, and redrawing after a stop or a change of the window.
enum KeyReader {
    /// Longer between the bytes of one key, and it was Escape followed by another key.
    private static let withinKey: Int32 = 50
    /// The longest wait where the question may be taken back, in milliseconds.
    private static let pause: Int32 = 100

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
            let seen = wait(isCancelled == nil ? left : min(left, pause), beside)
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
    static func isMoreWaiting(on descriptor: Int32) -> Bool {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }

    /// The next byte of what one key sends, without which it is not whole.
    static func byteWithinKey(from descriptor: Int32) -> UInt8? {
        guard let left = CurrentLine.with(\.millisecondsLeft), left > 0 else { return nil }
        let seen = cprocess_terminal_wait(min(left, withinKey), nil, 0)
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
        if seen & Int32(CPROCESS_RESUMED) != 0 {
            CurrentLine.with {
                $0.restartClock()
                $0.screen.write(Screen.bracketsPastes)
            }
        }
        LineDisplay.drawAgain()
    }
}
