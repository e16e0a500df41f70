import LoginKit

/// Prints the requests of a log, one after the other: as one JSON array, or as tables, each of so many rows that they fit in memory.
struct ServeLogOutput {
    private static let most = 1000
    private let streams: Streams
    private let printsJSON: Bool
    /// Whether the array has no element yet.
    private var isEmpty = true
    private var table = Self.empty

    init(_ streams: Streams, printsJSON: Bool) {
        (self.streams, self.printsJSON) = (streams, printsJSON)
    }

    private static var empty: Table {
        var table = Table(headings: ["TIME", "STATUS", "DECISION", "RULE", "MS", "METHOD", "PATH"])
        table.dispensable = ["RULE", "MS"]
        return table
    }

    mutating func add(_ row: ServeLogRows.Row) throws(LoginFault) {
        guard !printsJSON else {
            try streams.send((isEmpty ? "[\n" : ",\n") + row.json, to: 1)
            isEmpty = false
            return
        }
        let query = row.entry.query.isEmpty ? "" : "?" + row.entry.query.joined(separator: "&")
        let isGood = !row.entry.decision.isRefusal
        table.rows.append([
            StyledText(LocalTime.stamp(of: row.time)), StyledText(row.end?.status.map { "\($0)" } ?? "-"),
            "\(mark: isGood ? .good : .bad)\(row.entry.decision.rawValue)",
            StyledText(row.entry.rule.map { SafeText.line($0, limit: 60) } ?? "-"),
            StyledText(row.end.map { "\($0.milliseconds)" } ?? "-"),
            StyledText(SafeText.line(row.entry.method, limit: 20)),
            StyledText(SafeText.line(row.entry.path + query, limit: 2000)),
        ])
        if table.rows.count == Self.most { try flush() }
    }

    mutating func finish() throws(LoginFault) {
        if printsJSON { try streams.send(isEmpty ? "[]\n" : "\n]\n", to: 1) }
        if !table.rows.isEmpty { try flush() }
    }

    private mutating func flush() throws(LoginFault) {
        try streams.result(table)
        table = Self.empty
    }
}

extension ServeLogRows.Row {
    /// The members of both lines.
    fileprivate var json: String {
        let began = ServeLogLine.began(entry, time: time, origin: origin).text
        guard let end else { return began }
        let ended = ServeLogLine.ended(end).text.drop { $0 != "," }
        return "\(began.dropLast())\(ended)"
    }
}
