public import Secrets

/// Performs what a `LoginFlow` decides, through the ports, and tells it what came of it.
///
/// The one loop that owns the flow's state; its result cannot be dropped.
public struct LoginLoop {
    private let keeper: any LoginKeeper
    private let service: any Authenticator
    private let prompt: any Prompt
    private let supplied: Credential?
    private let extraSecrets: [CredentialField: Secret]
    private let refused: RefusedLogin?

    /// - Parameters:
    ///   - further: what was asked for before, and is kept with the login.
    ///   - refused: what the server has just refused: where it is a credential and still stored, it is not sent once more.
    public init(
        keeper: any LoginKeeper, service: any Authenticator, prompt: any Prompt, supplied: Credential? = nil,
        extraSecrets: [CredentialField: Secret] = [:], refused: RefusedLogin? = nil
    ) {
        self.keeper = keeper
        self.service = service
        self.prompt = prompt
        self.supplied = supplied
        self.extraSecrets = extraSecrets
        self.refused = refused
    }

    /// Runs `flow` from its beginning to its end.
    public func run(_ flow: consuming LoginFlow) -> LoginFlow.Outcome {
        var held = Held()
        var effect = flow.handle(.begun)
        while true {
            if case .finish(let outcome) = effect { return outcome }
            effect = flow.handle(perform(effect, &held))
        }
    }

    /// What no state may hold.
    private struct Held {
        var stored = StoredLogin()
        /// What a person typed, from when it is sent until it was judged.
        var typed: Credential?
    }

    private func perform(_ effect: LoginFlow.Effect, _ held: inout Held) -> LoginFlow.Event {
        do throws(LoginError) {
            return try attempt(effect, &held)
        } catch {
            return .failed(error)
        }
    }

    private func attempt(_ effect: LoginFlow.Effect, _ held: inout Held) throws(LoginError) -> LoginFlow.Event {
        let stored = held.stored
        switch effect {
        case .lookUp:
            held.stored = try keeper.fill()
            service.hold(held.stored.extraSecrets)
            return lookedUp(held.stored)
        case .prepare:
            try keeper.prepare()
            prompt.showWaiting("Authenticating, please wait…")
            defer { prompt.showWaiting(nil) }
            return .prepared(try service.prepare())
        case .ask(let challenge):
            return .answered(try ask(challenge, stored))
        case .verifySession:
            return verify(stored)
        case .refreshSession:
            return try refresh(&held.stored)
        case .authenticateSupplied:
            return authenticate(supplied, stored)
        case .authenticateStored:
            // A credential of HTTP authentication is its own session: sent at once, in one request.
            if case .credential = stored.session { return verify(stored) }
            return authenticate(stored.credential, stored)
        case .authenticate(let credential):
            held.typed = credential
            return authenticateTyped(&held)
        case .authenticateAgain:
            return authenticateTyped(&held)
        case .authenticateTicket:
            return authenticate(Credential(username: nil, secret: nil), stored)
        case .askReplacement(let replacement, let login):
            return .answeredReplacement(login, accepts: try prompt.ask(about: replacement))
        case .save(let login, let approval):
            try keeper.approve(login, approval)
            held.stored = stored.with(login.session)
            return .saved
        case .reject(let part):
            try keeper.reject(part)
            held.stored = stored.without(part)
            return .rejected
        case .askRetry(let error):
            return .answeredRetry(try prompt.ask(toRetryAfter: error))
        case .askTrust(let trust):
            return .answeredTrust(try prompt.ask(about: trust))
        case .trust(let exception):
            service.trust(exception)
            return .trusted
        case .rememberTrust(let exception):
            try keeper.remember(exception)
            return .saved
        case .finish(let outcome):
            return .failed(.failure(.unexpectedEvent("\(outcome) performed")))
        }
    }

    /// What was refused just before is not what another process may have put in its place since.
    private func lookedUp(_ stored: StoredLogin) -> LoginFlow.Event {
        if let refused, case .credential = stored.session, stored.session == refused.session {
            return .foundRefused(refused.refusal)
        }
        return .lookedUp(stored.found, endedAt: stored.endedAt)
    }

    private func authenticateTyped(_ held: inout Held) -> LoginFlow.Event {
        let event = authenticate(held.typed, held.stored)
        // Only what a fault kept from being judged may be sent once more.
        if case .failed = event { return event }
        held.typed = nil
        return event
    }

    /// What is stored beside the session is not asked for, unless something in it may have been refused.
    private func ask(_ challenge: Challenge, _ stored: StoredLogin) throws(LoginError) -> Answer {
        guard challenge.previousFailureCount == 0 else { return try prompt.ask(challenge) }
        let answer = try prompt.ask(challenge.without(Set(stored.extraSecrets.keys)))
        guard case .credential(let credential) = answer else { return answer }
        return .credential(credential.completed(by: stored.extraSecrets))
    }

    private func verify(_ stored: StoredLogin) -> LoginFlow.Event {
        guard let session = stored.session else { return .lookedUp(.nothing) }
        return judge(against: stored) { () throws(LoginError) in
            try service.verify(session, username: stored.username)
        }
    }

    private func refresh(_ stored: inout StoredLogin) throws(LoginError) -> LoginFlow.Event {
        guard let session = stored.session else { return .notRefreshable }
        do throws(LoginError) {
            if let next = try service.refresh(session, username: stored.username) {
                return .refreshed(Login(identity: Identity(username: stored.username, serverName: nil), session: next))
            }
        } catch .rejected(let refusal) {
            return .refused(refusal)
        }
        // Another process may have judged it meanwhile: what it erased or marked is not sent once more from memory.
        let now = try keeper.fill()
        if now.session == session && now.credential == stored.credential { return .notRefreshable }
        stored = now
        service.hold(now.extraSecrets)
        return .lookedUp(now.found, endedAt: now.endedAt)
    }

    private func authenticate(_ credential: Credential?, _ stored: StoredLogin) -> LoginFlow.Event {
        guard let credential else { return .lookedUp(.nothing) }
        let complete = credential.completed(by: extraSecrets).completed(by: stored.extraSecrets)
        return judge(against: stored) { () throws(LoginError) in try service.authenticate(complete) }
    }

    private func judge(
        against stored: StoredLogin, _ ask: () throws(LoginError) -> Login
    ) -> LoginFlow.Event {
        prompt.showWaiting("Authenticating, please wait…")
        defer { prompt.showWaiting(nil) }
        do throws(LoginError) {
            let login = try ask()
            return .confirmed(login, isRefreshed: login.session != stored.session)
        } catch .rejected(let refusal) {
            return .refused(refusal)
        } catch {
            return .failed(error)
        }
    }
}

extension Challenge {
    /// The same without asking for some of the fields.
    fileprivate func without(_ known: Set<CredentialField>) -> Challenge {
        var rest = Challenge(
            profile: profile, protectionSpace: protectionSpace, fields: fields.filter { !known.contains($0) },
            proposedUsername: proposedUsername, previousFailureCount: previousFailureCount, attempt: attempt,
            maxAttempts: maxAttempts, reason: reason)
        rest.signup = signup
        return rest
    }
}
