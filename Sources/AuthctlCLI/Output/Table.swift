import LoginKit

/// Lines and columns for people: as wide as needed, two spaces apart.
struct Table {
    let headings: [String]
    var rows: [[StyledText]] = []
    /// Columns that are left out of a table that does not fit, in this order, by their headings.
    var dispensable: [String] = []
    /// The narrowest last column that still reads as sentences, in characters.
    private static let narrowest = 20

    /// As it fits: as a table; without dispensable columns; with the last column in several lines; or else each row as lines of its own.
    func text(for look: TextLook) -> StyledText {
        if let smaller = smaller(for: look) { return smaller.text(for: look) }
        let all = [headings.map { StyledText($0) }] + rows
        let measured = all.map { $0.map { look.width(of: $0) } }
        let widths = headings.indices.map { column in measured.map { $0[column] }.max() ?? 0 }
        // Of blanks, up to the next column.
        let gaps = measured.map { zip(widths, $0).map { $0 - $1 + 2 } }
        let start = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        guard let columns = look.columns, start + (widths.last ?? 0) > columns else { return lines(all, gaps) }
        let longest = rows.compactMap(\.last).map { wordWidth(of: $0, look) }.max() ?? 0
        guard columns - start >= max(Self.narrowest, longest) else { return blocks(look, columns) }
        return lines(all, gaps) { last in last.wrapped(for: look, columns: columns - start, below: start) }
    }

    /// The table without its first dispensable column, if it is too wide.
    private func smaller(for look: TextLook) -> Table? {
        guard let columns = look.columns, let heading = dispensable.first, let index = headings.firstIndex(of: heading)
        else { return nil }
        let all = [headings.map { StyledText($0) }] + rows
        let widths = headings.indices.map { column in all.map { look.width(of: $0[column]) }.max() ?? 0 }
        guard widths.reduce(0, +) + 2 * (widths.count - 1) > columns else { return nil }
        func others<Cell>(_ row: [Cell]) -> [Cell] { Array(row[..<index] + row[(index + 1)...]) }
        return Table(
            headings: others(headings), rows: rows.map { others($0) }, dispensable: Array(dispensable.dropFirst()))
    }

    private func lines(
        _ all: [[StyledText]], _ gaps: [[Int]], last: (StyledText) -> StyledText = { $0 }
    ) -> StyledText {
        zip(all, gaps).map { line, gaps in
            var text = StyledText("")
            for (cell, gap) in zip(line.dropLast(), gaps) {
                text += cell + StyledText(String(repeating: " ", count: gap))
            }
            return text + (line.last.map(last) ?? "")
        }.joined()
    }

    /// The columns that a cell of one word needs, such as a fingerprint; 0 for one that can be wrapped.
    private func wordWidth(of cell: StyledText, _ look: TextLook) -> Int {
        look.text(cell, wraps: false).contains(" ") ? 0 : look.width(of: cell)
    }

    /// The first cell of a row, and each of the others that says something below it, behind the name of its column.
    private func blocks(_ look: TextLook, _ columns: Int) -> StyledText {
        let width = headings.dropFirst().map(\.count).max() ?? 0
        return rows.map { row in
            let others = zip(headings, row).dropFirst().filter { $0.1 != "-" }.map { heading, cell in
                let name = "  \(heading)" + String(repeating: " ", count: width - heading.count + 2)
                // One that would be broken only beside its name stands below it.
                let word = wordWidth(of: cell, look)
                if word > columns - name.count, word + 2 <= columns {
                    return [StyledText("  \(heading)"), StyledText("  ") + cell].joined()
                }
                return StyledText(name) + cell.wrapped(for: look, columns: columns - name.count, below: name.count)
            }
            return ([row[0].inBold] + others).joined()
        }.joined()
    }
}
