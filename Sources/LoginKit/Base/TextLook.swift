/// The look of text: on a terminal of some width, or in a pipe.
package struct TextLook: Equatable, Sendable {
    /// The width of the terminal; `nil` if lines have no end.
    package let columns: Int?
    /// Whether there are colours.
    let hasColors: Bool
    /// Whether there is more than ASCII.
    let isUnicode: Bool
    /// Whether a person reads it: only they get marks.
    let isSeen: Bool

    /// As it is, for a pipe.
    package static let plain = TextLook(columns: nil, hasColors: false, isUnicode: true, isSeen: false)

    /// The look of one stream.
    package init(columns: Int?, hasColors: Bool, isUnicode: Bool, isSeen: Bool) {
        self.columns = columns
        self.hasColors = hasColors
        self.isUnicode = isUnicode
        self.isSeen = isSeen
    }

    /// One character and how it stands out.
    struct Cell {
        let character: Character
        let style: StyledText.Style?
    }

    /// The text to write: escaped, wrapped, and coloured last.
    /// - Parameter wraps: whether it is sentences; what is laid out already, or is to be copied, is not.
    package func text(_ text: StyledText, wraps: Bool = true) -> String {
        guard isSeen else { return text.pieces.map { SafeText.lines(words(of: $0)) }.joined() }
        let lines = cells(of: text).split(separator: "\n", omittingEmptySubsequences: false)
        guard wraps, let columns else { return lines.map(painted).joined(separator: "\n") }
        return lines.flatMap { SentenceLayout(Array($0), columns: columns).lines }.map(painted).joined(separator: "\n")
    }

    /// The width of a text of one line.
    package func width(of text: StyledText) -> Int { TextWidth.of(cells(of: text).lazy.map(\.character)) }

    /// A mark: a symbol, or a word if the locale has no such symbol.
    private func sign(of mark: StyledText.Mark) -> String {
        switch mark {
        case .good: isUnicode ? "✓" : "[ok]"
        case .bad: isUnicode ? "✗" : "[failed]"
        case .warning: isUnicode ? "!" : "[warning]"
        case .absent: isUnicode ? "○" : "[none]"
        }
    }

    func cells(of text: StyledText) -> [Cell] {
        text.pieces.flatMap { piece in
            let style: StyledText.Style? =
                switch piece {
                case .text(_, let style): style
                case .mark(let mark, _): mark.style
                }
            return SafeText.lines(words(of: piece)).map { Cell(character: $0, style: style) }
        }
    }

    private func words(of piece: StyledText.Piece) -> String {
        switch piece {
        case .text(let text, _): text
        case .mark(let mark, let instead): isSeen ? sign(of: mark) + " " : instead
        }
    }

    /// The one place with escape sequences: about text that has none of its own any more.
    private func painted(_ cells: some Sequence<Cell>) -> String {
        var text = "", current: StyledText.Style?
        for cell in cells {
            if hasColors, cell.style != current {
                if current != nil { text += "\u{1B}[0m" }
                if let style = cell.style { text += style.sequence }
                current = cell.style
            }
            text.append(cell.character)
        }
        return current == nil ? text : text + "\u{1B}[0m"
    }
}

extension StyledText.Mark {
    /// The colour of a mark, and the separator behind it.
    package var style: StyledText.Style? {
        switch self {
        case .good: .good
        case .bad: .bad
        case .warning: .warning
        case .absent: nil
        }
    }
}

extension StyledText.Style {
    /// ECMA-48's SGR, in the colours that the person chose for the terminal.
    fileprivate var sequence: String {
        switch self {
        case .bold: "\u{1B}[1m"
        case .good: "\u{1B}[32m"
        case .bad: "\u{1B}[31m"
        case .warning: "\u{1B}[33m"
        }
    }
}

extension Sequence<TextLook.Cell> where Self: Collection {
    fileprivate func split(separator: Character, omittingEmptySubsequences: Bool) -> [SubSequence] {
        split(omittingEmptySubsequences: omittingEmptySubsequences) { $0.character == separator }
    }
}

/// The width of a text in columns of a terminal; the table is East Asian Width (UAX #11) by whole blocks.
enum TextWidth {
    /// The width of one character.
    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII, character.utf8.count == 1 { return 1 }
        if character.unicodeScalars.contains("\u{FE0F}") || first.properties.isEmojiPresentation { return 2 }
        switch first.value {
        case 0x1100..<0x1160, 0x2E80..<0x303F, 0x3041..<0xA4D0, 0xAC00..<0xD7A4, 0xF900..<0xFB00, 0xFE30..<0xFE70,
            0xFF00..<0xFF61, 0xFFE0..<0xFFE7, 0x20000..<0x3FFFE:
            return 2
        default: return 1
        }
    }

    /// The width of all characters.
    static func of(_ text: some Sequence<Character>) -> Int { text.reduce(0) { $0 + of($1) } }
}

/// The animation behind a notice while somebody waits.
struct Spinner: Equatable, Sendable {
    private let frames: [String]
    /// Seconds of waiting before the time is shown.
    private static let patience = 3.0

    /// - Parameter isUnicode: whether there is more than ASCII.
    init(isUnicode: Bool) {
        frames = isUnicode ? ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"] : ["|", "/", "-", "\\"]
    }

    /// After so many turns, with the time once it is long.
    func text(turns: Int, seconds: Double) -> String {
        let frame = frames[turns % frames.count]
        return seconds < Self.patience ? frame : "\(frame) \(Int(seconds)) s"
    }
}
