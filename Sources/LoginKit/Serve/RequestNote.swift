import LoginCore

/// What the log says of one request: a line before it is sent, and one when it has ended.
struct RequestNote: Sendable {
    let id = RequestNote.newID()
    private let log: any ServeLog
    private let start = ContinuousClock.now

    /// The largest number of a query's names.
    private static let mostNames = 100
    /// Stands for what would repeat a secret.
    private static let placeholder = "***"

    init(_ log: any ServeLog) {
        self.log = log
    }

    /// Different for each request, also of other runs.
    static func newID() -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// - Parameter target: path and query.
    /// - Returns: whether it was noted.
    func begin(
        _ method: String, _ target: String, _ decision: ServeLogEntry.Decision, _ rule: String?, _ further: [String],
        hidden: RepeatedSecrets
    ) -> Bool {
        let query = target.drop { $0 != "?" }.dropFirst().split(separator: "&").prefix(Self.mostNames)
        // Without a value it may be one.
        let names = query.map { $0.contains("=") ? String($0.prefix { $0 != "=" && $0 != "%" }) : Self.placeholder }
        let entry = ServeLogEntry(
            id: id, method: method, path: Self.path(String(target.prefix { $0 != "?" }), without: hidden),
            query: names.map { hidden.stand(in: $0) ? Self.placeholder : $0 }, decision: decision, rule: rule,
            further: further.map { hidden.stand(in: $0) ? Self.placeholder : $0 })
        do throws(LoginFault) {
            try log.began(entry)
            return true
        } catch {
            return false
        }
    }

    /// - Parameters:
    ///   - status: of the response; `nil` if there is none.
    ///   - sent: the bytes of its body; and of the response's, `received`.
    func end(_ status: Int?, sent: Int64, received: Int64) {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        let end = ServeLogEnd(
            id: id, status: status, sent: sent, received: received,
            milliseconds: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        do throws(LoginFault) {
            try log.ended(end)
        } catch {
            // The request is over; the next one is refused if there still is no log.
        }
    }

    func end(_ answer: ServedResponse, of call: ServerCall) {
        end(answer.status, sent: call.body.readCount, received: answer.received)
    }

    /// A path without the segments that repeat a secret.
    private static func path(_ path: String, without hidden: RepeatedSecrets) -> String {
        guard hidden.stand(in: path) else { return path }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map {
            hidden.stand(in: String($0)) ? placeholder : String($0)
        }
        let rest = segments.joined(separator: "/")
        return hidden.stand(in: rest) ? "/\(placeholder)" : rest
    }
}
