import LoginKit

/// Prints the requests of a log, one after the other.
protocol ServeLogOutput {
    mutating func add(_ row: ServeLogRows.Row) throws(LoginFault)
    mutating func finish() throws(LoginFault)
}

/// As tables, each of so many rows that they fit in memory.
struct ServeLogTable: ServeLogOutput {
    private static let most = 1000
    private let streams: Streams
    private var table = Self.empty

    init(_ streams: Streams) {
        self.streams = streams
    }

    private static var empty: Table {
        var table = Table(headings: ["TIME", "STATUS", "DECISION", "RULE", "MS", "METHOD", "PATH"])
        table.dispensable = ["RULE", "MS"]
        return table
    }

    mutating func add(_ row: ServeLogRows.Row) throws(LoginFault) {
        let query = row.entry.query.isEmpty ? "" : "?" + row.entry.query.joined(separator: "&")
        let isGood = !row.entry.decision.isRefusal
        table.add([
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
        if !table.rows.isEmpty { try flush() }
    }

    private mutating func flush() throws(LoginFault) {
        try streams.result(table)
        table = Self.empty
    }
}

/// As one JSON array.
struct ServeLogArray: ServeLogOutput {
    private let streams: Streams
    private var isEmpty = true

    init(_ streams: Streams) {
        self.streams = streams
    }

    mutating func add(_ row: ServeLogRows.Row) throws(LoginFault) {
        try streams.send((isEmpty ? "[\n" : ",\n") + row.json, to: 1)
        isEmpty = false
    }

    mutating func finish() throws(LoginFault) { try streams.send(isEmpty ? "[]\n" : "\n]\n", to: 1) }
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
