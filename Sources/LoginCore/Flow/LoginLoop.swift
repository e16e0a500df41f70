package import Secrets

/// Performs what a `LoginFlow` decides, through the ports, and tells it what came of it.
///
/// The one loop that owns the flow's state; its result cannot be dropped.
package struct LoginLoop {
    private let keeper: any LoginKeeper
    let service: any Authenticator
    let prompt: any Prompt
    let consent: (any ConsentSource)?
    private let supplied: Credential?
    let code: SuppliedCode?
    let extraSecrets: [CredentialField: Secret]
    private let refused: RefusedLogin?

    /// - Parameters:
    ///   - consent: for logins at an authorization server.
    ///   - code: of a second factor, given beforehand.
    ///   - extraSecrets: what was asked for before, and is kept with the login.
    ///   - refused: what the server has just refused: where it is a credential and still stored, it is not sent once more.
    package init(
        keeper: any LoginKeeper, service: any Authenticator, prompt: any Prompt, consent: (any ConsentSource)? = nil,
        supplied: Credential? = nil, code: SuppliedCode? = nil,
        extraSecrets: [CredentialField: Secret] = [:], refused: RefusedLogin? = nil
    ) {
        self.keeper = keeper
        self.service = service
        self.prompt = prompt
        self.consent = consent
        self.supplied = supplied
        self.code = code
        self.extraSecrets = extraSecrets
        self.refused = refused
    }

    /// Runs `flow` from its beginning to its end.
    package func run(_ flow: consuming LoginFlow) -> LoginFlow.Outcome {
        var held = Held()
        var effect = flow.handle(.begun)
        while true {
            if case .finish(let outcome) = effect { return outcome }
            effect = flow.handle(perform(effect, &held))
        }
    }

    /// The secrets, which no state, event or effect may hold.
    struct Held {
        var stored = StoredLogin()
        /// The typed credential, from its sending until it is judged.
        var typed: Credential?
        var code: Secret?
        /// A login that wants a second factor.
        var partial: (any PartialLogin)?
        /// The login that the service confirmed or refreshed last.
        var confirmed: Login?
    }

    private func perform(_ effect: LoginFlow.Effect, _ held: inout Held) -> LoginFlow.Event {
        do throws(LoginFault) {
            return try attempt(effect, &held)
        } catch {
            return .failed(error)
        }
    }

    private func attempt(_ effect: LoginFlow.Effect, _ held: inout Held) throws(LoginFault) -> LoginFlow.Event {
        switch effect {
        case .lookUp:
            held.stored = try keeper.fill()
            service.hold(held.stored.extraSecrets)
            return lookedUp(held.stored)
        case .prepare:
            try keeper.prepare()
            return .prepared(try whileWaiting(Self.contactNotice) { () throws(LoginFault) in try service.prepare() })
        case .ask(let question):
            return .answered(try ask(question, &held))
        case .verifySession:
            return verify(&held)
        case .refreshSession:
            return try refresh(&held)
        case .authenticate(let source):
            return try authenticate(from: source, &held)
        case .resume(let source):
            return try resume(from: source, &held)
        case .wait(let seconds):
            try prompt.wait(seconds: seconds)
            return .waited
        case .save(let approval):
            guard let login = held.confirmed else { return .failed(.failure(.unexpectedEvent("nothing to save"))) }
            try keeper.approve(login, approval)
            held.stored = held.stored.with(login.session)
            return .saved
        case .reject(let part):
            try keeper.reject(part)
            held.stored = held.stored.without(part)
            return .rejected
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

    /// Another process may have replaced the session that was refused.
    private func lookedUp(_ stored: StoredLogin) -> LoginFlow.Event {
        if let refused, case .credential = stored.session, stored.session == refused.session {
            return .foundRefused(refused.refusal)
        }
        return .lookedUp(stored.found, endedAt: stored.endedAt)
    }

    private func authenticate(
        from source: LoginFlow.Source, _ held: inout Held
    ) throws(LoginFault) -> LoginFlow.Event {
        switch source {
        case .supplied:
            return try begin(supplied, &held)
        case .stored:
            // A credential of HTTP authentication is its own session: sent at once, in one request.
            if case .credential = held.stored.session { return verify(&held) }
            return try begin(held.stored.credential, &held)
        case .ticket:
            return try begin(Credential(username: nil, .ticket), &held)
        case .typed:
            let event = try begin(held.typed, &held)
            // Only what a fault kept from being judged may be sent once more.
            if case .failed = event { return event }
            (held.typed, held.code) = (nil, nil)
            return event
        }
    }

    private func verify(_ held: inout Held) -> LoginFlow.Event {
        guard let session = held.stored.session else { return .lookedUp(.nothing) }
        let username = held.stored.username
        return judge(&held) { () throws(LoginFault) in .accepted(try service.verify(session, username: username)) }
    }

    private func refresh(_ held: inout Held) throws(LoginFault) -> LoginFlow.Event {
        let stored = held.stored
        guard let session = stored.session else { return .notRefreshable }
        do throws(LoginFault) {
            if let next = try service.refresh(session, username: stored.username) {
                let owner = Identity(username: stored.username, serverName: nil)
                held.confirmed = Login(identity: owner, session: next, extraSecrets: service.takenForLater)
                return .refreshed
            }
        } catch .rejected(let refusal) {
            return .refused(refusal)
        }
        // Another process may have judged it meanwhile: what it erased or marked is not sent once more from memory.
        let now = try keeper.fill()
        if now.session == session && now.credential == stored.credential { return .notRefreshable }
        held.stored = now
        service.hold(now.extraSecrets)
        return .lookedUp(now.found, endedAt: now.endedAt)
    }
}

extension StoredLogin {
    /// The stored login as facts for `LoginFlow`. A credential that is the session is judged as a credential.
    package var found: LoginFlow.Found {
        switch (session, credential) {
        case (nil, nil): credentialWasRefused ? .refusedCredential : .nothing
        case (nil, _?), (.credential, _): .credential
        case (.token, nil), (.cookies, nil): .session
        case (.token, _?), (.cookies, _?): .both
        }
    }
}
