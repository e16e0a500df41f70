/// A stored session while it is judged: verified, refreshed if the server will not have it, and rejected if that does not
/// help. One that has ended is refreshed first: a service that sees its token may take the refresh token for stolen. It is
/// refreshed twice at most: what another process has refreshed may be over again by the time it is verified.
struct StoredSession: Equatable, Sendable {
    /// The step that is under way; the raw value describes it.
    enum Step: String, Equatable, Sendable {
        case verifying = "verifying the session"
        case refreshing = "refreshing the session"
        case savingRefresh = "saving the refreshed session"
        case rejecting = "rejecting the session"
    }

    var step = Step.verifying
    /// Whether there is a credential beside it, to earn another one with.
    let withCredential: Bool
    /// The number of refreshes in this login, those by other processes included.
    var refreshes = 0
    /// Whether the server has refused it.
    var isRefused = false
    /// The response of verify to it, if that judges nothing.
    var doubt: Refusal?
}

/// The part of the table that is about a stored session.
extension LoginFlow {
    mutating func judge(_ session: StoredSession) -> Effect {
        var session = session
        session.doubt = policy.sessionRefusal.flatMap { $0.doubt == nil ? nil : $0 }
        session.isRefused = policy.sessionRefusal != nil && session.doubt == nil
        if let doubt = session.doubt, doubt.doubt == .forbidden { return self.doubt(doubt) }
        return policy.refreshesFirst || policy.sessionRefusal != nil || endedAt != nil
            ? proceed(to: .refreshing, session, .refreshSession) : proceed(to: .verifying, session, .verifySession)
    }

    mutating func handle(_ event: Event, judging session: StoredSession) -> Effect {
        var session = session
        switch (session.step, event) {
        case (.verifying, .confirmed(let identity, let isRefreshed)):
            if session.withCredential, replacement(by: identity) != nil { return authenticate(.stored) }
            return confirm(identity, isRefreshed, from: .stored)
        case (.verifying, .refused(let refusal)):
            session.doubt = refusal.doubt == nil ? nil : refusal
            session.isRefused = refusal.doubt == nil
            if session.refreshes == 2 { return goOnWithoutRefresh(session) }
            return proceed(to: .refreshing, session, .refreshSession)

        case (.refreshing, .refreshed):
            // The old refresh token may be used up: what takes its place is kept before anything else can go wrong.
            return proceed(to: .savingRefresh, session, .save(.refresh))
        case (.refreshing, .refused):
            return proceed(to: .rejecting, session, .reject(.session))
        case (.refreshing, .notRefreshable):
            return goOnWithoutRefresh(session)
        case (.savingRefresh, .saved):
            session.refreshes += 1
            (session.isRefused, session.doubt) = (false, nil)
            return proceed(to: .verifying, session, .verifySession)
        case (.refreshing, .lookedUp(let found, _)):
            return goOn(with: found, after: session)

        case (.rejecting, .rejected):
            if session.withCredential { return authenticate(.stored) }
            return endRefusedSession()

        case (.verifying, _), (.refreshing, _), (.savingRefresh, _), (.rejecting, _):
            return unexpected(event)
        }
    }

    /// Rejects a session that the server refused; one that is only near its end was not judged, and stays. Of one that has ended,
    /// the server has the last word, since the clock here may be wrong.
    private mutating func goOnWithoutRefresh(_ session: StoredSession) -> Effect {
        if session.isRefused { return proceed(to: .rejecting, session, .reject(.session)) }
        if session.withCredential { return authenticate(.stored) }
        if let refusal = session.doubt { return doubt(refusal) }
        if policy.provesItself { return endRefusedSession() }
        if !policy.refreshesFirst { return proceed(to: .verifying, session, .verifySession) }
        return finish(.failed(.loginRequired(need(.sessionExpired))))
    }

    /// Another process has judged the session meanwhile; this is what it left.
    private mutating func goOn(with found: Found, after session: StoredSession) -> Effect {
        switch found {
        case .nothing:
            return endRefusedSession()
        case .refusedCredential:
            return askOrEnd(.passwordRefusedBefore, why: .passwordRefusedBefore)
        case .credential:
            return authenticate(.stored)
        case .session, .both:
            var next = StoredSession(withCredential: found == .both)
            next.refreshes = session.refreshes + 1
            return proceed(to: .verifying, next, .verifySession)
        }
    }

    private mutating func proceed(to step: StoredSession.Step, _ session: StoredSession, _ effect: Effect) -> Effect {
        var next = session
        next.step = step
        return go(.judging(next), effect)
    }
}
