import Secrets

extension LoginLoop {
    func begin(_ credential: Credential?, _ held: inout Held) throws(LoginFault) -> LoginFlow.Event {
        guard let credential else { return .lookedUp(.nothing) }
        var code = held.code
        if code == nil, let supplied = self.code, supplied.isSentAtOnce { code = try supplied.take() }
        let complete = credential.completed(by: extraSecrets).completed(by: held.stored.extraSecrets)
        return judge(&held) { () throws(LoginFault) in try service.begin(complete, code: code?.asOneTimeCode) }
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
        let event = judge(&held) { () throws(LoginFault) in try service.resume(partial, code: code?.asOneTimeCode) }
        if case .failed = event { return event }
        held.code = nil
        return event
    }

    func judge(_ held: inout Held, _ ask: () throws(LoginFault) -> LoginStep) -> LoginFlow.Event {
        do throws(LoginFault) {
            switch try whileWaiting(Self.notice, ask) {
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

    /// Shown while the server is asked without a credential.
    package static var contactNotice: String { "Contacting the service, please wait…" }

    /// Shown while the server judges a credential or a session.
    package static var notice: String { "Authenticating, please wait…" }

    func whileWaiting<Result>(
        _ notice: String, _ ask: () throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        prompt.showWaiting(notice)
        defer { prompt.showWaiting(nil) }
        return try ask()
    }
}
