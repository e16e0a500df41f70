/// Text that the terminal brackets as pasted (xterm's mode 2004): in it nothing is a key, Enter least of all.
struct Paste: Sendable {
    /// The longest gap within a paste; bytes after it were typed.
    static let longestGap = Duration.seconds(1)

    var isOpen = false {
        didSet { lineEnd = .none }
    }
    /// Whether text follows a line break.
    var hasSeveralLines = false
    /// Whether line breaks are left out wherever they are: a terminal wraps a long address, and a mail does, too.
    var joinsLines = false

    private enum LineEnd { case none, one(UInt8), pair }
    private var lineEnd = LineEnd.none

    /// A line break is passed over: what is copied often ends with one.
    /// - Returns: whether the byte is one for the line.
    mutating func takes(_ byte: UInt8) -> Bool {
        guard isOpen, byte != 0x1B else { return true }
        if joinsLines, [UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte) { return false }
        switch (byte, lineEnd) {
        case (UInt8(ascii: "\n"), .one(UInt8(ascii: "\r"))):
            lineEnd = .pair
        case (UInt8(ascii: "\r"), .none), (UInt8(ascii: "\n"), .none):
            lineEnd = .one(byte)
        case (0..<0x20, .none), (0x7F, .none):
            break
        case (0..<0x20, _), (0x7F, _):
            hasSeveralLines = true
        case (_, .none):
            return true
        case (_, .one), (_, .pair):
            hasSeveralLines = true
            return true
        }
        return false
    }
}
