import LoginWords

/// Lines and columns for people: as wide as needed, two blanks between.
struct Table {
    let headings: [String]
    private(set) var rows: [[StyledText]] = []
    /// Less room is no column of sentences.
    private static let narrowest = 20

    init(headings: [String]) {
        self.headings = headings
    }

    mutating func add(_ row: [StyledText]) { rows.append(row) }

    /// As it fits: as a table; with the last column in several lines; or else each row as lines of its own.
    func text(for look: TextLook) -> StyledText {
        let widths = headings.indices.map { column in
            ([StyledText(headings[column])] + rows.map { $0[column] }).map { look.width(of: $0) }.max() ?? 0
        }
        let start = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        guard let columns = look.columns, start + (widths.last ?? 0) > columns else { return lines(widths, look) }
        guard columns - start >= Self.narrowest else { return blocks(look, columns) }
        return lines(widths, look) { last in last.wrapped(for: look, columns: columns - start, below: start) }
    }

    private func lines(
        _ widths: [Int], _ look: TextLook, last: (StyledText) -> StyledText = { $0 }
    ) -> StyledText {
        let all = [headings.map { StyledText($0) }] + rows
        return all.map { line in
            var text = StyledText("")
            for (column, cell) in line.dropLast().enumerated() {
                text += cell + StyledText(String(repeating: " ", count: widths[column] - look.width(of: cell) + 2))
            }
            return text + (line.last.map(last) ?? "")
        }.joined()
    }

    /// The first cell of a row, and each of the others that says something below it, behind the name of its column.
    private func blocks(_ look: TextLook, _ columns: Int) -> StyledText {
        let width = headings.dropFirst().map(\.count).max() ?? 0
        return rows.map { row in
            let others = zip(headings, row).dropFirst().filter { $0.1 != "-" }.map { heading, cell in
                let name = "  \(heading)" + String(repeating: " ", count: width - heading.count + 2)
                return StyledText(name) + cell.wrapped(for: look, columns: columns - name.count, below: name.count)
            }
            return ([row[0].inBold] + others).joined()
        }.joined()
    }
}
