/// Joins the lines of a log to requests, in the order in which they began, and in bounded memory.
package struct ServeLogRows {
    /// A request with its end, if that is known.
    package struct Row: Equatable, Sendable {
        package let entry: ServeLogEntry
        package let time: Int64
        package let origin: ServeLogLine.Origin
        package fileprivate(set) var end: ServeLogEnd?
    }

    /// The requests at once whose end is still waited for; a killed run leaves some without one.
    private static let most = 2048

    private let since: Int64?
    private var rows: [Row] = []
    /// The place of each in `rows`, counted from the first of all.
    private var places: [String: Int] = [:]
    private var first = 0

    /// - Parameter since: Unix time before which nothing counts.
    package init(since: Int64? = nil) {
        self.since = since
    }

    /// - Returns: the requests about which no more will come.
    package mutating func take(_ line: ServeLogLine) -> [Row] {
        switch line {
        case .began(let entry, let time, let origin):
            if let since, time < since { return [] }
            places[entry.id] = first + rows.count
            rows.append(Row(entry: entry, time: time, origin: origin, end: nil))
        case .warned: return []
        case .ended(let end):
            if let place = places.removeValue(forKey: end.id), place >= first { rows[place - first].end = end }
        }
        let done = rows.prefix { $0.end != nil }.count
        return give(max(done, rows.count - Self.most))
    }

    /// - Returns: the others, at the end of the log.
    package mutating func rest() -> [Row] { give(rows.count) }

    private mutating func give(_ count: Int) -> [Row] {
        guard count > 0 else { return [] }
        let given = Array(rows[..<count])
        rows.removeFirst(count)
        for row in given where places[row.entry.id].map({ $0 < first + count }) == true { places[row.entry.id] = nil }
        first += count
        return given
    }
}

extension ServeLogEntry.Decision {
    /// Whether the service never saw the request.
    package var isRefusal: Bool {
        switch self {
        case .allowed, .askedYes: false
        case .askedNo, .refused: true
        }
    }
}
