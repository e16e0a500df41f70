/// Lines and columns for people: as wide as needed, two blanks between.
struct Table {
    let headings: [String]
    var rows: [[String]] = []

    var text: String {
        let lines = [headings] + rows
        let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            var text = ""
            for (column, cell) in line.enumerated() {
                text += cell
                if column < line.count - 1 {
                    text += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            }
            return text
        }.joined(separator: "\n")
    }
}
