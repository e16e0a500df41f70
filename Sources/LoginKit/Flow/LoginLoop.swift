import Secrets

/// Performs what a `LoginFlow` decides, through the ports, and tells it what came of it.
///
/// The one loop that owns the flow's state; its result cannot be dropped.
struct LoginLoop {
    let keeper: any LoginKeeper
    let service: any Authenticator
    let prompt: any Prompt
    /// Whether a person is told that the server is asked.
    var showsNotice = true
    /// For logins at an authorization server.
    var consent: (any ConsentSource)?
    var supplied: Credential?
    /// The code of a second factor, given beforehand.
    var code: SuppliedCode?
    /// What was asked for before, and is kept with the login.
    var extraSecrets: [CredentialField: Secret] = [:]
    /// What the server has just refused: where it is a credential and still stored, it is not sent once more.
    var refused: RefusedLogin?

    /// Runs a flow from its beginning to its end. Where another process has logged in before a person is asked, it begins anew.
    /// - Parameter makeFlow: makes it of what is stored now.
    func run(_ makeFlow: @autoclosure () throws(LoginFault) -> LoginFlow) -> LoginFlow.Outcome {
        var hasTurn = false
        defer { if hasTurn { prompt.endTurn() } }
        do {
            anew: while true {
                var flow = try makeFlow(), held = Held(), effect = flow.handle(.begun)
                while true {
                    if case .finish(let outcome) = effect { return outcome }
                    if case .ask = effect, !hasTurn {
                        // Whoever has the turn may need the same lock before they give it back.
                        keeper.beginWaiting()
                        try prompt.takeTurn()
                        hasTurn = true
                        if try keeper.hasChanged(since: held.stored) { continue anew }
                    }
                    let event: LoginFlow.Event
                    do {
                        event = try perform(effect, &held)
                    } catch {
                        event = .failed(error)
                    }
                    effect = flow.handle(event)
                }
            }
        } catch {
            return .failed(error)
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

    private func perform(_ effect: LoginFlow.Effect, _ held: inout Held) throws(LoginFault) -> LoginFlow.Event {
        switch effect {
        case .lookUp:
            held.stored = try keeper.fill()
            service.hold(held.stored.extraSecrets)
            return lookedUp(held.stored)
        case .prepare:
            try keeper.prepareStore()
            showWaiting(Self.contactNotice)
            // The end is told in any case: a terminal is without echo until then.
            defer { prompt.showWaiting(nil) }
            return .prepared(try service.prepare())
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
        return judge(&held) { () throws(LoginFault) in .accepted(try keeper.verify(session, username: username)) }
    }

    private func refresh(_ held: inout Held) throws(LoginFault) -> LoginFlow.Event {
        let stored = held.stored
        guard let session = stored.session else { return .notRefreshable }
        do {
            if let next = try keeper.refresh(session, username: stored.username) {
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
    var found: LoginFlow.Found {
        switch (session, credential) {
        case (nil, nil): credentialWasRefused ? .refusedCredential : .nothing
        case (nil, _?), (.credential, _): .credential
        case (.token, nil), (.cookies, nil): .session
        case (.token, _?), (.cookies, _?): .both
        }
    }
}

extension LoginLoop {
    /// Hands a person's answer on without its secrets.
    func ask(_ question: Question, _ held: inout Held) throws(LoginFault) -> LoginFlow.Reply {
        switch try answer(question, held.stored) {
        case .credential(let credential, let code):
            var name = credential.username
            if case .credential(let challenge) = question { name = name ?? challenge.proposedUsername }
            held.typed = Credential(username: name, credential.kind, extraSecrets: credential.extraSecrets)
            held.code = code
            return .credential(username: name)
        case .code(let code):
            held.code = code
            return .code
        case .leftBlank(let field, let username): return .leftBlank(field, username: username)
        case .trust(let answer): return .trust(answer)
        case .yes: return .yes
        case .no: return .no
        case .continueWithout: return .continueWithout
        case .cancelled: return .cancelled
        case .declined: return .declined
        }
    }

    /// Asks for nothing that is stored beside the session, unless it may have been refused.
    private func answer(_ question: Question, _ stored: StoredLogin) throws(LoginFault) -> Answer {
        if case .replacement(let replacement) = question, consent?.mayAsk == false {
            throw .loginRequired(LoginNeed(why: .otherPerson(replacement)))
        }
        guard case .credential(let challenge) = question else { return try prompt.ask(question) }
        guard challenge.previousFailureCount == 0 else { return try credential(challenge) }
        var known = Set(stored.extraSecrets.keys)
        if let code, code.isSentAtOnce, code.isThere { known.insert(.code) }
        let answer = try credential(challenge.without(known))
        guard case .credential(let credential, let code) = answer else { return answer }
        return .credential(credential.completed(by: stored.extraSecrets), code: code)
    }

    /// Asks the person here, and then at the authorization server if the login is there.
    private func credential(_ challenge: Challenge) throws(LoginFault) -> Answer {
        guard let consent else {
            // Nothing to ask: the person logs in on a page that the service names.
            if challenge.fields.isEmpty { return .credential(Credential(username: nil, .noSecret)) }
            return try prompt.ask(.credential(challenge))
        }
        if challenge.fields.isEmpty { return .credential(try consent.credential(extraSecrets)) }
        let answer = try prompt.ask(.credential(challenge))
        guard case .credential(let credential, _) = answer else { return answer }
        return .credential(try consent.credential(credential.completed(by: extraSecrets).extraSecrets))
    }
}

extension Challenge {
    /// The challenge without some of its fields.
    fileprivate func without(_ known: Set<CredentialField>) -> Challenge {
        var rest = Challenge(
            profile: profile, protectionSpace: protectionSpace, fields: fields.filter { !known.contains($0) },
            proposedUsername: proposedUsername, previousFailureCount: previousFailureCount, attempt: attempt,
            maxAttempts: maxAttempts, reason: reason)
        (rest.signup, rest.asksForClientSecret) = (signup, asksForClientSecret)
        return rest
    }
}

extension LoginLoop {
    func begin(_ credential: Credential?, _ held: inout Held) throws(LoginFault) -> LoginFlow.Event {
        guard let credential else { return .lookedUp(.nothing) }
        var code = held.code
        if code == nil, let supplied = self.code, supplied.isSentAtOnce { code = try supplied.take() }
        let complete = credential.completed(by: extraSecrets).completed(by: held.stored.extraSecrets)
        return judge(&held) { () throws(LoginFault) in try keeper.begin(complete, code: code?.asOneTimeCode) }
    }

    func resume(
        from source: LoginFlow.CodeSource, _ held: inout Held
    ) throws(LoginFault) -> LoginFlow.Event {
        guard let partial = held.partial else { return .failed(.failure(.unexpectedEvent("nothing to go on with"))) }
        let code: Secret?
        switch source {
        case .supplied: code = try self.code?.take()
        case .typed: code = held.code
        case .none: code = nil
        }
        let event = judge(&held) { () throws(LoginFault) in try keeper.resume(partial, code: code?.asOneTimeCode) }
        if case .failed = event { return event }
        held.code = nil
        return event
    }

    func judge(_ held: inout Held, _ ask: () throws(LoginFault) -> LoginStep) -> LoginFlow.Event {
        showWaiting("Authenticating, please wait…")
        defer { prompt.showWaiting(nil) }
        do {
            switch try ask() {
            case .accepted(let login):
                (held.confirmed, held.partial) = (login, nil)
                return .confirmed(login.identity, isRefreshed: login.session != held.stored.session)
            case .refused(let refusal):
                return .refused(refusal)
            case .unconfirmed(let login):
                return .unconfirmed(login)
            case .needsCode(let words, let partial):
                held.partial = partial
                return .needsCode(words: words)
            case .pending(let seconds, let took, let partial):
                held.partial = partial
                return .pending(seconds: seconds, took: took)
            }
        } catch .rejected(let refusal) {
            return .refused(refusal)
        } catch {
            return .failed(error)
        }
    }

    private func showWaiting(_ notice: String) {
        if showsNotice { prompt.showWaiting(notice) }
    }

    /// Shown while the server is asked without a credential.
    static let contactNotice = "Contacting the service, please wait…"
}
