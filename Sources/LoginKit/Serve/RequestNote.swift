import LoginCore

/// What the log says of one request: a line before it is sent, and one when it has ended.
struct RequestNote: Sendable {
    let id = RequestNote.newID()
    private let log: any ServeLog
    private let start = ContinuousClock.now

    /// The largest number of a query's names, and of what a request may do beside its own method.
    private static let (mostNames, mostFurther) = (100, 16)
    /// In bytes: of a path, and of any other text that the command chooses. What is cut ends with an ellipsis.
    private static let (longestPath, longest) = (4096, 200)
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

    /// - Parameters:
    ///   - target: path and query.
    ///   - reason: why it is not sent.
    /// - Returns: whether it was noted.
    func begin(
        _ method: String, _ target: String, _ decision: ServeLogEntry.Decision, _ rule: String?, _ further: [String],
        _ reason: String? = nil, hidden: RepeatedSecrets
    ) -> Bool {
        func free(_ text: String) -> String {
            hidden.stand(in: text) ? Self.placeholder : Self.cut(text, Self.longest)
        }
        let query = target.drop { $0 != "?" }.dropFirst().split(separator: "&").prefix(Self.mostNames)
        // Without a value it may be one.
        let names = query.map { $0.contains("=") ? String($0.prefix { $0 != "=" && $0 != "%" }) : Self.placeholder }
        let path = Self.path(String(target.prefix { $0 != "?" }), without: hidden)
        let more = further.prefix(Self.mostFurther).map(free) + (further.count > Self.mostFurther ? ["…"] : [])
        let entry = ServeLogEntry(
            id: id, method: Self.cut(method, Self.longest), path: Self.cut(path, Self.longestPath),
            query: names.map(free), decision: decision, rule: rule, further: more, reason: reason.map(free))
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

    private static func cut(_ text: String, _ most: Int) -> String {
        text.utf8.count <= most ? text : String(decoding: text.utf8.prefix(most), as: UTF8.self) + "…"
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
