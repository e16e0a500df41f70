/// What a person sees after a terminal got these bytes: as much of a terminal as authctl makes use of.
///
/// Columns are counted as code points, so it serves for text of width 1; lines wrap at the width.
struct RenderedScreen {
    private(set) var lines: [String]
    private(set) var cursorColumn: Int

    init(_ bytes: [UInt8], columns: Int = 80) {
        var rows: [[Unicode.Scalar]] = [[]], row = 0, column = 0
        var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.makeIterator()
        func newline() {
            row += 1
            if row == rows.count { rows.append([]) }
        }
        while let scalar = scalars.next() {
            switch scalar {
            case "\r": column = 0
            case "\n": newline()
            case "\u{8}": column = max(0, column - 1)
            case "\u{1B}":
                // Ours are ESC [ K, clear to the end of the line, and ESC [ ? 2004 h or l, which shows nothing.
                guard scalars.next() == "[" else { break }
                var last = scalars.next()
                while let parameter = last, parameter.value < 0x40 { last = scalars.next() }
                if last == "K" { rows[row].removeSubrange(min(column, rows[row].count)...) }
            default:
                if column == columns {
                    newline()
                    column = 0
                }
                while rows[row].count <= column { rows[row].append(" ") }
                rows[row][column] = scalar
                column += 1
            }
        }
        cursorColumn = column
        lines = rows.map { row in
            var view = String.UnicodeScalarView()
            view.append(contentsOf: row)
            let text = String(view)
            return String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
        }
    }

    var lastLine: String { lines.last { !$0.isEmpty } ?? "" }
}
