/// One character as it stands on the screen.
struct Cell: Equatable, Sendable {
    let text: String
    /// In columns.
    let width: Int

    init(_ text: String, width: Int? = nil) {
        self.text = text
        self.width = width ?? text.first.map { TextWidth.of($0) } ?? 0
    }
}

/// The part of a line that is being typed which is on the screen now.
///
/// Works out the fewest characters that turn what is shown into what shall be shown: a new mark costs one mark. It uses
/// backspace and blanks alone, so any terminal will do, and it never touches the last column, where terminals differ.
struct ScreenLine: Sendable {
    private var shown: [Cell] = []
    private var cursor = 0

    /// Returns the text to write so that `cells` are shown with the cursor before the one at `cursor`. Of a line wider than
    /// `columns`, the part around the cursor is shown.
    mutating func update(to cells: [Cell], cursor: Int, columns: Int) -> String {
        let window = Self.window(of: cells, cursor: cursor, columns: columns)
        return change(to: Array(cells[window]), cursor: cursor - window.lowerBound)
    }

    /// Takes note that the screen was overwritten; the next update writes everything, beginning at the cursor.
    mutating func forget() {
        shown = []
        cursor = 0
    }

    private mutating func change(to cells: [Cell], cursor target: Int) -> String {
        defer { (shown, cursor) = (cells, target) }
        guard cells != shown else { return Self.step(from: cursor, to: target, in: cells) }
        let common = zip(shown, cells).prefix { $0 == $1 }.count
        let gap = max(0, Self.width(shown[common...]) - Self.width(cells[common...]))
        return Self.step(from: cursor, to: common, in: shown) + Self.text(cells[common...])
            + String(repeating: " ", count: gap)
            + String(repeating: "\u{8}", count: gap + Self.width(cells[target...]))
    }

    private static func step(from: Int, to: Int, in cells: [Cell]) -> String {
        from <= to ? text(cells[from..<to]) : String(repeating: "\u{8}", count: width(cells[to..<from]))
    }

    /// Leaves a third of the room for what follows the cursor.
    private static func window(of cells: [Cell], cursor: Int, columns: Int) -> Range<Int> {
        guard width(cells[...]) > columns else { return cells.indices }
        var start = min(cells.count, cursor + columns / 3)
        var room = columns
        while start > 0, cells[start - 1].width <= room {
            start -= 1
            room -= cells[start].width
        }
        start = min(start, cursor)
        var end = start
        room = columns
        while end < cells.count, cells[end].width <= room {
            room -= cells[end].width
            end += 1
        }
        return start..<max(end, cursor)
    }

    private static func width(_ cells: ArraySlice<Cell>) -> Int { cells.reduce(0) { $0 + $1.width } }
    private static func text(_ cells: ArraySlice<Cell>) -> String { cells.map(\.text).joined() }
}
