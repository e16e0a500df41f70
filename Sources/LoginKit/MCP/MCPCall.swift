import Synchronization

/// A client's message under way; a request stays until it is answered.
final class MCPCall: Sendable {
    private struct State {
        var isAnswered = false
        /// Whether the service may have it.
        var isSent = false
        /// The session that it was sent in; `nil` while none has it.
        var session: Int?
        /// Whether that session is lost.
        var isLost = false
        /// When its transfer ends, whatever is still to come.
        var deadline: ContinuousClock.Instant?
        /// Kept only for requests that authctl makes itself.
        var answer: MCPMessage?
        /// Whether the service has begun to answer it.
        var isTaken = false
        /// Of the last response; 0 if there was none.
        var status = 0
        /// The bytes of all responses.
        var received: Int64 = 0
    }

    let message: MCPMessage
    /// The call on whose behalf this one was made here; its answer is not for the client.
    let origin: MCPCall?
    /// The request that it cancels, if the service is to be told first.
    let cancelled: MCPCall?
    private let state = Mutex(State())

    /// The time that a service has for closing the response after the answer, or for saying that it does not know the session.
    private static let responseGrace = Duration.seconds(1)

    init(_ message: MCPMessage, for origin: MCPCall? = nil, cancelling cancelled: MCPCall? = nil) {
        (self.message, self.origin, self.cancelled) = (message, origin, cancelled)
    }

    /// The answer, kept only for requests that authctl makes itself.
    var kept: MCPMessage? { state.withLock { $0.answer } }

    /// The status of the last response, and the bytes of all of them.
    var responses: (status: Int?, received: Int64) { state.withLock { ($0.status > 0 ? $0.status : nil, $0.received) } }

    func note(_ reply: MCPReply) {
        state.withLock {
            ($0.status, $0.received) = (reply.status, $0.received + reply.received)
            if reply.isGood, !reply.lacksHeaders { $0.isTaken = true }
        }
    }

    /// Whether the service may have carried it out although it was not answered.
    /// - Parameter fault: that ended it.
    func isDoubtful(after fault: LoginFault) -> Bool {
        if message.isIdempotent { return false }
        if case .network(.unanswered) = fault { return true }
        return state.withLock { $0.isTaken || $0.isLost }
    }

    /// Whether its transfer is to end.
    var isOver: Bool {
        origin?.isOver == true || state.withLock { $0.deadline.map { $0 <= .now } ?? false }
    }

    /// Whether it is given up since its session is lost.
    var isLost: Bool { state.withLock { $0.isLost } }

    var isAnswered: Bool { state.withLock { $0.isAnswered } }

    /// The client wants no answer any more.
    func cancel() { state.withLock { ($0.isAnswered, $0.isLost, $0.deadline) = (true, false, .now) } }

    /// Marks it as sent, unless it was cancelled.
    /// - Returns: whether it is still wanted.
    func begin() -> Bool {
        state.withLock {
            $0.isSent = !$0.isAnswered
            return $0.isSent
        }
    }

    /// - Returns: whether it was given up, since the service does not have it yet.
    func cancelUnlessSent() -> Bool {
        state.withLock {
            if !$0.isSent { ($0.isAnswered, $0.deadline) = (true, .now) }
            return !$0.isSent
        }
    }

    /// Gives it up if it was sent in an earlier session and is not ending already.
    func lose(before session: Int) {
        state.withLock {
            guard let own = $0.session, own < session, $0.deadline == nil else { return }
            ($0.isLost, $0.deadline) = (true, .now + Self.responseGrace)
        }
    }

    /// Sets the session it is sent in; `nil` once that session has refused it.
    func belong(to session: Int?) {
        state.withLock {
            $0.session = session
            if $0.isLost { ($0.isLost, $0.deadline) = (false, nil) }
        }
    }

    /// - Returns: whether it was not answered before.
    func answer(with message: MCPMessage? = nil) -> Bool {
        state.withLock {
            if $0.isAnswered { return false }
            ($0.isAnswered, $0.isLost, $0.deadline) = (true, false, .now + Self.responseGrace)
            if origin != nil { $0.answer = message }
            return true
        }
    }
}
