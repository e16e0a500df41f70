import LoginCore

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

/// What `status` shows.
struct StatusTable {
    let rows: [StatusRow]
    let now: Int64

    var text: String {
        var table = Table(headings: ["PROFILE", "USER", "METHOD", "STORE", "ENDS IN", "STATE"])
        for row in rows {
            let marker = row.active ? "* " : ""
            table.rows.append([
                SafeText.escaped(row.profile), marker + (row.username.map { SafeText.escaped($0) } ?? "-"), row.method,
                row.store ?? "-", end(row), row.state,
            ])
        }
        return table.text
    }

    private func end(_ row: StatusRow) -> String {
        guard let expires = row.expires else { return "-" }
        return expires <= now ? "over" : Duration.inWords(expires - now)
    }
}
