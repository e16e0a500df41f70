/// What a terminal can show.
package struct TerminalLook: Equatable, Sendable {
    /// Characters in a line.
    package let columns: Int
    /// Whether there is more than ASCII.
    package let isUnicode: Bool
    /// Whether it obeys escape sequences, of which colours are one.
    package let hasColors: Bool

    /// - Parameter hasColors: also where they are not wanted for words.
    package init(columns: Int = 80, isUnicode: Bool = Self.isUnicode, hasColors: Bool = false) {
        self.columns = columns
        self.isUnicode = isUnicode
        self.hasColors = hasColors
    }

    /// Of the controlling terminal; nothing if there is none.
    package static var current: TerminalLook? {
        guard let terminal = Terminal() else { return nil }
        return TerminalLook(columns: terminal.screen.columns, hasColors: Screen.understandsEscapes)
    }

    /// Sentences without a word that is broken at the edge. What is to be copied is no sentence.
    package func wrapped(_ lines: [String]) -> [String] {
        lines.flatMap { TextLine.wrapped($0, columns: columns) }
    }

    /// Whether the locale has more than ASCII.
    package static var isUnicode: Bool { Screen.isUnicode }

    /// A line with the ellipsis that the locale has.
    static func plain(_ line: String) -> String { isUnicode ? line : line.replacing("…", with: "...") }
}
