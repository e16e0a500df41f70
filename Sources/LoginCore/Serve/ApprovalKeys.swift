/// The keys of an answer to a question of `authctl approve`: `y`, `a` or `n`, then Return. Anything pasted answers nothing.
package struct ApprovalKeys: Equatable, Sendable {
    /// What a key has led to.
    package enum Outcome: Equatable, Sendable {
        /// Nothing, or what is typed has changed.
        case none
        case answered(ServeAnswer)
        /// Ctrl-D.
        case cancelled
        /// Something else than an answer was typed, or was pasted.
        case unclear
    }

    /// Return that comes sooner after the letter was not typed by a person, in milliseconds.
    package static let quickest = 20

    /// The letter that was typed.
    package private(set) var letter: Character?
    private var isUnclear = false
    /// The end of the keys: an escape sequence as it comes in.
    private var sequence: [UInt8] = []
    private var isPasting = false

    package init() {}

    /// - Parameter milliseconds: since the key before.
    package mutating func take(_ byte: UInt8, after milliseconds: Int) -> Outcome {
        // The end of a paste was lost: Return has to be Return again.
        if milliseconds > 1000 { isPasting = false }
        if !sequence.isEmpty || byte == 0x1B { return takeSequence(byte) }
        if isPasting {
            isUnclear = true
            return .none
        }
        switch byte {
        case 0x04: return .cancelled
        case 0x0D, 0x0A: return end(after: milliseconds)
        case 0x08, 0x7F, 0x15: (letter, isUnclear) = (nil, false)
        default:
            let typed = Character(Unicode.Scalar(byte | 0x20))
            if letter == nil, !isUnclear, "yan".contains(typed) { letter = typed } else { isUnclear = true }
        }
        return .none
    }

    /// CSI and SS3 sequences (ECMA-48, section 5.4) are no keys here; two of them bracket what is pasted (xterm, mode 2004).
    private mutating func takeSequence(_ byte: UInt8) -> Outcome {
        sequence.append(byte)
        let isOpen =
            switch sequence.count {
            case 1: true
            case 2: byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")
            default: !(0x40...0x7E).contains(byte) && sequence.count < 32
            }
        if isOpen { return .none }
        if sequence.dropFirst().elementsEqual("[200~".utf8) { isPasting = true }
        if sequence.dropFirst().elementsEqual("[201~".utf8) { isPasting = false }
        sequence = []
        return .none
    }

    private mutating func end(after milliseconds: Int) -> Outcome {
        defer { (letter, isUnclear) = (nil, false) }
        guard !isUnclear else { return .unclear }
        guard let letter else { return .answered(.no) }
        guard letter == "n" || milliseconds >= Self.quickest else { return .unclear }
        switch letter {
        case "y": return .answered(.yes)
        case "a": return .answered(.yesForRule)
        default: return .answered(.no)
        }
    }
}
