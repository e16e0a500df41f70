/// A step that asked the server, and found a certificate that does not verify. Nothing of it has reached the server, so
/// that it can be taken again.
///
/// Those steps are left out that can only follow after another one has reached the server: a certificate that was good
/// a moment ago and is not any more is nothing to ask a person about, least of all with their password in hand.
enum Interruption: Equatable, Sendable {
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
struct TrustAcceptance: Equatable, Sendable {
    /// The certificate that is trusted from now on.
    let exception: TrustedCertificate
    /// Whether it is to be remembered if the login succeeds.
    let isLasting: Bool

    /// - Parameter isLasting: without it, it holds for this process.
    init(_ exception: TrustedCertificate, isLasting: Bool) {
        self.exception = exception
        self.isLasting = isLasting
    }
}

extension TrustAnswer {
    /// Returns the certificate that an answer accepts; `nil` for a no.
    func acceptance(of trust: ServerTrust) -> TrustAcceptance? {
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
