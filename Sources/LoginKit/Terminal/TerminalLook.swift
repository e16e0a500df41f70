import Glibc

/// The abilities of a terminal.
struct TerminalLook: Equatable, Sendable {
    /// Characters in a line.
    package var columns: Int = 80
    /// Whether there is more than ASCII.
    var isUnicode: Bool = Self.isUnicode
    /// Whether it obeys escape sequences, colours among them, even where the person wants no coloured words.
    var hasColors: Bool = false

    /// The look of the controlling terminal; `nil` if there is none.
    static var current: TerminalLook? {
        guard let terminal = Terminal() else { return nil }
        return TerminalLook(columns: terminal.screen.columns, hasColors: Screen.understandsEscapes)
    }

    /// Sentences without a word that is broken at the edge. What is to be copied is no sentence.
    package func wrapped(_ lines: [String]) -> [String] {
        let look = TextLook(columns: columns, hasColors: false, isUnicode: isUnicode, isSeen: true)
        return lines.flatMap { look.text(StyledText($0)).split(separator: "\n", omittingEmptySubsequences: false) }
            .map { String($0) }
    }

    /// As much of a line as leaves the last column free: what wraps would stand at the left edge, where it could pass for a line of ours.
    func fitted(_ line: String) -> String { TextLine.fitted(line, columns: columns) }

    /// A line in as many as it needs, of which only the first begins at the left edge: what another began there could pass for a
    /// line of ours. Where blanks may mean something, it is left as it is.
    func hanging(_ line: String) -> String {
        let text = StyledText(line), look = TextLook.plain
        let indentation = line.prefix { $0 == " " }.count
        guard TextWidth.of(line) > columns, !line.dropFirst(indentation).contains("  ") else { return line }
        guard indentation == 0 else { return wrapped([line]).joined(separator: "\n") }
        return look.text(text.wrapped(for: look, columns: columns - 2, below: 2))
    }

    /// The width of the terminal behind a descriptor, as it reports them; 80 where it reports nothing.
    package static func columns(of descriptor: Int32) -> Int { size(of: descriptor).columns }

    /// Its height as well; 24 where it reports nothing.
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (80, 24) }
        return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Whether the locale has more than ASCII.
    static var isUnicode: Bool { Screen.isUnicode }

    /// A line with the ellipsis that the locale has.
    static func plain(_ line: String) -> String { isUnicode ? line : line.replacing("…", with: "...") }
}
