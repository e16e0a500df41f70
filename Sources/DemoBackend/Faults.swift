import Foundation

/// An answer that goes wrong on request.
struct Fault: Decodable, Sendable {
    /// The request that it is for; without one, the next.
    var path: String?
    /// The status to answer with; without one, the usual answer follows.
    var status: Int?
    /// The body; without one, an error in JSON.
    var body: String?
    var headers: [String: String]?
    /// Seconds, for the header `Retry-After`.
    var retryAfter: Int?
    /// Seconds to wait before answering.
    var delay: Double?
    /// Whether the connection breaks in the middle of the body.
    var cutShort: Bool?
    /// Whether the connection closes without an answer, after the request was dealt with.
    var reset: Bool?

    /// What the client gets, from what it would have got.
    func applied(to usual: () -> Reply) -> Reply {
        var reply: Reply
        if let status {
            reply = .json(status, ErrorWords(error: "This went wrong on request"))
        } else {
            reply = usual()
        }
        if let body { reply.body = Data(body.utf8) }
        for (name, value) in headers ?? [:] { reply.headers[name] = value }
        if let retryAfter { reply.headers["Retry-After"] = "\(retryAfter)" }
        reply.delay = delay ?? 0
        reply.cutShort = cutShort ?? false
        reply.reset = reset ?? false
        return reply
    }
}

/// The faults that were ordered: by `POST /demo/faults` for requests to come, by `?fault=STATUS` for the request
/// itself.
struct Faults: Sendable {
    private struct Order: Decodable {
        let next: [Fault]?
        /// Faults by chance from now on.
        let chance: Mishaps?
    }

    private var queue: [Fault] = []
    private var mishaps: Mishaps?

    /// - Parameter every: one answer in so many goes wrong, from the beginning; nothing for none.
    init(every: UInt64?) {
        mishaps = every.map { Mishaps(every: $0) }
    }

    /// Takes an order for faults to come; the answer says how many wait.
    mutating func order(_ call: Call) -> Reply {
        guard let order = try? JSONDecoder().decode(Order.self, from: call.body),
            order.next != nil || order.chance != nil
        else {
            return .json(400, ErrorWords(error: "{\"next\": [{\"status\": 429, \"retryAfter\": 5}, …]} is needed"))
        }
        queue += order.next ?? []
        mishaps = order.chance ?? mishaps
        return .json(200, ["waiting": queue.count])
    }

    /// The fault for this request, if one was ordered; it is used up.
    mutating func take(for call: Call) -> Fault? {
        if let text = call.query["fault"], let status = Int(text), (200...599).contains(status) {
            return Fault(status: status)
        }
        guard let index = queue.firstIndex(where: { $0.path == nil || $0.path == call.path }) else { return nil }
        return queue.remove(at: index)
    }

    /// What befalls this request by chance.
    mutating func mishap(for call: Call) -> Mishaps.Kind? { mishaps?.next(for: call) }

    /// How old an access token is, in seconds, before it may be over.
    var youngest: Double { mishaps?.youngest ?? 0 }
}
