/// A stored session while it is judged: verified, refreshed if the server will not have it, and rejected if that does not
/// help. It is refreshed twice at most: what another process has refreshed may be over again by the time it is verified.
package struct StoredSession: Equatable, Sendable {
    /// The step that is under way; the raw value describes it.
    package enum Step: String, Equatable, Sendable {
        case verifying = "verifying the session"
        case refreshing = "renewing the session"
        case savingRefresh = "saving the renewed session"
        case rejecting = "rejecting the session"
    }

    var step = Step.verifying
    /// Whether there is a credential beside it, to earn another one with.
    let withCredential: Bool
    /// The number of refreshes in this login, those by other processes included.
    var refreshes = 0
    /// Whether the server has refused it.
    var isRefused = false

    init(withCredential: Bool) {
        self.withCredential = withCredential
    }
}

/// The part of the table that is about a stored session.
extension LoginFlow {
    mutating func judge(_ session: StoredSession) -> Effect {
        var session = session
        session.isRefused = policy.sessionWasRefused
        return policy.refreshesFirst || policy.sessionWasRefused
            ? proceed(to: .refreshing, session, .refreshSession) : proceed(to: .verifying, session, .verifySession)
    }

    mutating func handle(_ event: Event, judging session: StoredSession) -> Effect {
        var session = session
        switch (session.step, event) {
        case (.verifying, .confirmed(let identity, let isRefreshed)):
            if session.withCredential, replacement(by: identity) != nil { return authenticate(.stored) }
            return confirm(identity, isRefreshed, from: .stored)
        case (.verifying, .refused):
            session.isRefused = true
            if session.refreshes == 2 { return proceed(to: .rejecting, session, .reject(.session)) }
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
            session.isRefused = false
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

    /// Rejects a session that the server refused; one that is only near its end was not judged, and stays.
    private mutating func goOnWithoutRefresh(_ session: StoredSession) -> Effect {
        if session.isRefused { return proceed(to: .rejecting, session, .reject(.session)) }
        if session.withCredential { return authenticate(.stored) }
        if policy.provesItself { return endRefusedSession() }
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

/// A step that asked the server, and found a certificate that does not verify. Nothing of it has reached the server, so
/// that it can be taken again.
///
/// Those steps are left out that can only follow after another one has reached the server: a certificate that was good
/// a moment ago and is not any more is nothing to ask a person about, least of all with their password in hand.
package enum Interruption: Equatable, Sendable {
    case judging(StoredSession)
    case preparing(LoginFlow.Source)
    case authenticatingStored

    /// `nil` for a state that does not ask the server, or not first.
    init?(_ state: LoginFlow.State) {
        switch state {
        case .judging(let session) where session.step == .verifying || session.step == .refreshing:
            self = .judging(session)
        case .preparing(let source): self = .preparing(source)
        case .authenticating(.stored): self = .authenticatingStored
        case .starting, .lookingUp, .judging, .awaiting, .authenticating, .resuming, .waiting, .rejectingCredential,
            .saving, .trusting, .rememberingTrust, .finished:
            return nil
        }
    }
}

/// The certificate that a person or an option accepted for this login.
package struct TrustAcceptance: Equatable, Sendable {
    /// The certificate that is trusted from now on.
    package let exception: TrustedCertificate
    /// Whether it is to be remembered if the login succeeds.
    package let isLasting: Bool

    /// - Parameter isLasting: without it, it holds for this process.
    package init(_ exception: TrustedCertificate, isLasting: Bool) {
        self.exception = exception
        self.isLasting = isLasting
    }
}

extension TrustAnswer {
    /// Returns the certificate that an answer accepts; `nil` for a no.
    package func acceptance(of trust: ServerTrust) -> TrustAcceptance? {
        switch self {
        case .reject: nil
        case .once: TrustAcceptance(trust.exception, isLasting: false)
        case .always: TrustAcceptance(trust.exception, isLasting: true)
        }
    }
}

/// The part of the table that is about a server whose certificate does not verify.
extension LoginFlow {
    mutating func judge(_ trust: ServerTrust) -> Effect {
        // One question for a login: what comes after an answer is another server, or other faults.
        guard acceptance == nil, let interruption = Interruption(state) else {
            return finish(.failed(.untrusted(.certificate(trust))))
        }
        switch policy.trust.decision(on: trust) {
        case .ask: return ask(.certificate(trust), then: .retake(interruption))
        case .accept: return accept(TrustAcceptance(trust.exception, isLasting: true), interruption)
        case .refuse(let error): return finish(.failed(error))
        }
    }

    mutating func handleTrust(_ event: Event) -> Effect {
        switch (state, event) {
        case (.trusting(let interruption), .trusted):
            return resume(interruption)
        case (.rememberingTrust(let outcome), .saved):
            return finish(outcome)
        // The other states never come here; a new one has to be named before this builds.
        case (.trusting, _), (.rememberingTrust, _), (.starting, _), (.lookingUp, _), (.judging, _), (.preparing, _),
            (.awaiting, _), (.authenticating, _), (.resuming, _), (.waiting, _), (.rejectingCredential, _),
            (.saving, _), (.finished, _):
            return unexpected(event)
        }
    }

    mutating func take(_ answer: TrustAnswer, about trust: ServerTrust, then interruption: Interruption) -> Effect {
        guard let acceptance = answer.acceptance(of: trust) else {
            return finish(.failed(.untrusted(.certificateRejected)))
        }
        return accept(acceptance, interruption)
    }

    /// Ends with a login that the verify endpoint has confirmed.
    mutating func succeed(_ outcome: Outcome) -> Effect {
        guard let acceptance, acceptance.isLasting else { return finish(outcome) }
        return go(.rememberingTrust(outcome), .rememberTrust(acceptance.exception))
    }

    private mutating func accept(_ acceptance: TrustAcceptance, _ interruption: Interruption) -> Effect {
        self.acceptance = acceptance
        return go(.trusting(interruption), .trust(acceptance.exception))
    }

    private mutating func resume(_ interruption: Interruption) -> Effect {
        switch interruption {
        case .judging(let session):
            go(.judging(session), session.step == .refreshing ? .refreshSession : .verifySession)
        case .preparing(let source): go(.preparing(source), .prepare)
        case .authenticatingStored: authenticate(.stored)
        }
    }
}
