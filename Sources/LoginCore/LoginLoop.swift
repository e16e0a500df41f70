public import Secrets

/// Performs what a `LoginFlow` decides, through the ports, and tells it what came of it.
///
/// The one loop that owns the flow's state; its result cannot be dropped.
public struct LoginLoop {
    private let keeper: any LoginKeeper
    private let service: any Authenticator
    private let prompt: any Prompt
    private let given: Credential?
    private let further: [CredentialField: Secret]

    /// - Parameter further: what was asked for before, and is kept with the login.
    public init(
        keeper: any LoginKeeper, service: any Authenticator, prompt: any Prompt, given: Credential? = nil,
        further: [CredentialField: Secret] = [:]
    ) {
        self.keeper = keeper
        self.service = service
        self.prompt = prompt
        self.given = given
        self.further = further
    }

    /// Runs `flow` from its beginning to its end.
    public func run(_ flow: consuming LoginFlow) -> LoginFlow.Outcome {
        var stored = StoredLogin()
        var effect = flow.handle(.begun)
        while true {
            if case .finish(let outcome) = effect { return outcome }
            effect = flow.handle(perform(effect, &stored))
        }
    }

    private func perform(_ effect: LoginFlow.Effect, _ stored: inout StoredLogin) -> LoginFlow.Event {
        do throws(LoginError) {
            return try attempt(effect, &stored)
        } catch {
            return .failed(error)
        }
    }

    private func attempt(_ effect: LoginFlow.Effect, _ stored: inout StoredLogin) throws(LoginError) -> LoginFlow.Event
    {
        switch effect {
        case .lookUp:
            stored = try keeper.fill()
            service.hold(stored.further)
            return .lookedUp(stored.found)
        case .prepare:
            try keeper.prepare()
            prompt.showWaiting("Asking the server, please wait…")
            defer { prompt.showWaiting(nil) }
            return .prepared(try service.prepare())
        case .ask(let challenge):
            return .answered(try ask(challenge, stored))
        case .verifySession:
            return verify(stored)
        case .renewSession:
            return try renew(&stored)
        case .authenticateGiven:
            return authenticate(given, stored)
        case .authenticateStored:
            // A credential of HTTP authentication is its own session: sent at once, in one request.
            if case .credential = stored.session { return verify(stored) }
            return authenticate(stored.credential, stored)
        case .authenticate(let credential):
            return authenticate(credential, stored)
        case .authenticateTicket:
            return authenticate(Credential(username: nil, secret: nil), stored)
        case .askReplacement(let replacement, let login):
            return .answeredReplacement(login, accepts: try prompt.ask(about: replacement))
        case .save(let login, let approval):
            try keeper.approve(login, approval)
            stored = StoredLogin(
                session: login.session, credential: stored.credential, username: stored.username,
                further: stored.further)
            return .saved
        case .reject(let part):
            try keeper.reject(part)
            stored = stored.without(part)
            return .rejected
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

    /// What is stored beside the session is not asked for, unless something in it may have been refused.
    private func ask(_ challenge: Challenge, _ stored: StoredLogin) throws(LoginError) -> Answer {
        guard challenge.previousFailureCount == 0 else { return try prompt.ask(challenge) }
        let answer = try prompt.ask(challenge.without(Set(stored.further.keys)))
        guard case .credential(let credential) = answer else { return answer }
        return .credential(credential.completed(by: stored.further))
    }

    private func verify(_ stored: StoredLogin) -> LoginFlow.Event {
        guard let session = stored.session else { return .lookedUp(.nothing) }
        return judge(against: stored) { () throws(LoginError) in
            try service.verify(session, username: stored.username)
        }
    }

    private func renew(_ stored: inout StoredLogin) throws(LoginError) -> LoginFlow.Event {
        guard let session = stored.session else { return .notRenewable }
        do throws(LoginError) {
            if let next = try service.renew(session, username: stored.username) {
                return .renewed(Login(identity: Identity(username: stored.username, serverName: nil), session: next))
            }
        } catch .rejected(let refusal) {
            return .refused(refusal)
        }
        // Another process may have judged it meanwhile: what it erased or marked is not sent once more from memory.
        let now = try keeper.fill()
        if now.session == session && now.credential == stored.credential { return .notRenewable }
        stored = now
        service.hold(now.further)
        return .lookedUp(now.found)
    }

    private func authenticate(_ credential: Credential?, _ stored: StoredLogin) -> LoginFlow.Event {
        guard let credential else { return .lookedUp(.nothing) }
        let complete = credential.completed(by: further).completed(by: stored.further)
        return judge(against: stored) { () throws(LoginError) in try service.authenticate(complete) }
    }

    private func judge(
        against stored: StoredLogin, _ ask: () throws(LoginError) -> Login
    ) -> LoginFlow.Event {
        prompt.showWaiting("Authenticating, please wait…")
        defer { prompt.showWaiting(nil) }
        do throws(LoginError) {
            let login = try ask()
            return .confirmed(login, isRenewed: login.session != stored.session)
        } catch .rejected(let refusal) {
            return .refused(refusal)
        } catch {
            return .failed(error)
        }
    }
}

extension StoredLogin {
    /// What is left when the server has refused a part.
    fileprivate func without(_ part: Part) -> StoredLogin {
        switch part {
        case .session: StoredLogin(credential: credential, username: username, further: further)
        case .credential:
            StoredLogin(session: session, username: username, credentialWasRefused: true, further: further)
        }
    }
}

extension Challenge {
    /// The same without asking for some of the fields.
    fileprivate func without(_ known: Set<CredentialField>) -> Challenge {
        Challenge(
            profile: profile, protectionSpace: protectionSpace, fields: fields.filter { !known.contains($0) },
            proposedUsername: proposedUsername, previousFailureCount: previousFailureCount, maxAttempts: maxAttempts,
            reason: reason)
    }
}
