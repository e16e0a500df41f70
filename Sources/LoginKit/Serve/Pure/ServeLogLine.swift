/// The lines of a log: JSON Lines, one before a request is sent and one when it has ended; and one for a warning.
package enum ServeLogLine: Equatable, Sendable {
    case began(ServeLogEntry, time: Int64, origin: Origin)
    case ended(ServeLogEnd)
    case warned(String, time: Int64, origin: Origin)

    /// The login that was lent, and to whom.
    package struct Origin: Equatable, Sendable {
        let profile: String
        let account: String
        /// Of the authctl that serves.
        let pid: Int32
    }

    /// Without a line end.
    package var text: String {
        var line = JSONText()
        switch self {
        case .began(let entry, let time, let origin):
            line.add("id", entry.id)
            line.add(time, origin)
            line.add("method", entry.method)
            line.add("path", entry.path)
            line.add("query", entry.query)
            line.add("decision", entry.decision.rawValue)
            if let rule = entry.rule { line.add("rule", rule) }
            if !entry.further.isEmpty { line.add("further", entry.further) }
            if !entry.operations.isEmpty { line.add("operations", entry.operations) }
            if let reason = entry.reason { line.add("reason", reason) }
        case .ended(let end):
            line.add("id", end.id)
            if let status = end.status { line.add("status", Int64(status)) }
            line.add("sent", end.sent)
            line.add("received", end.received)
            line.add("ms", end.milliseconds)
        case .warned(let text, let time, let origin):
            line.add(time, origin)
            line.add("warning", text)
        }
        return line.finished
    }

    /// - Returns: `nil` for a line that is none of these, such as one that was cut. Members that are not known are passed over.
    init?(_ text: UnsafeRawBufferPointer) {
        guard let value = JSONReader.members(text) else { return nil }
        let origin = Origin(
            profile: value["profile"]?.text ?? "", account: value["account"]?.text ?? "",
            pid: Int32(clamping: value["pid"]?.integer ?? 0))
        if let warning = value["warning"]?.text, let time = value["time"]?.integer {
            self = .warned(warning, time: time, origin: origin)
            return
        }
        guard let id = value["id"]?.text else { return nil }
        if let method = value["method"]?.text {
            guard let time = value["time"]?.integer, let path = value["path"]?.text,
                let decision = value["decision"]?.text.flatMap({ ServeLogEntry.Decision(rawValue: $0) })
            else { return nil }
            let entry = ServeLogEntry(
                id: id, method: method, path: path, query: value["query"]?.texts ?? [], decision: decision,
                rule: value["rule"]?.text, further: value["further"]?.texts ?? [],
                operations: value["operations"]?.texts ?? [], reason: value["reason"]?.text)
            self = .began(entry, time: time, origin: origin)
        } else {
            guard let sent = value["sent"]?.integer, let received = value["received"]?.integer,
                let milliseconds = value["ms"]?.integer
            else { return nil }
            self = .ended(
                ServeLogEnd(
                    id: id, status: value["status"]?.integer.flatMap { Int(exactly: $0) }, sent: sent,
                    received: received, milliseconds: milliseconds))
        }
    }
}

extension JSONText {
    fileprivate mutating func add(_ time: Int64, _ origin: ServeLogLine.Origin) {
        add("time", time)
        add("profile", origin.profile)
        add("account", origin.account)
        add("pid", Int64(origin.pid))
    }
}

extension JSONValue {
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The elements that are scalars.
    var texts: [String]? { if case .array(let elements) = self { elements.compactMap(\.text) } else { nil } }
}

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
