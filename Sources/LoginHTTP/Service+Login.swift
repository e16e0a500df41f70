import LoginCore
import Secrets

extension Service {
    /// Exchanges a credential for a session, with the profile's login request if it has one.
    func open(_ credential: Credential) throws(LoginError) -> Session {
        switch profile.kind {
        case .challenge, .certificate:
            guard let login = profile.login else { return .credential(credential) }
            return try exchange(credential, by: login, answering: credential)
        case .exchange:
            guard let login = profile.login else { return .credential(credential) }
            return try exchange(credential, by: login, answering: nil)
        case .pasted:
            return .token(Token(value: try token(in: credential), refreshToken: nil, expires: nil))
        }
    }

    /// - Parameter answer: the same credential where HTTP authentication carries it.
    private func exchange(
        _ credential: Credential, by login: RequestRule, answering answer: Credential?
    ) throws(LoginError) -> Session {
        var values = SlotValues()
        values.username = credential.username
        values.password = password(in: credential)
        let facts = try send(login, values, session: nil, credential: answer)
        switch judge(facts, by: login.response, at: .login) {
        case .accepted:
            let session = try session(facts, login.response)
            if case .loginResponse = profile.proof { try checkProof(facts, session) }
            return session
        case .refused(let refusal):
            throw .rejected(answer.map { refusal.ambiguous(true, $0) } ?? refusal)
        case .forbidden(let refusal):
            throw .forbidden(refusal)
        case .unclear(let error):
            throw error
        }
    }

    /// Where there is nothing else to ask, a redirect may lead anywhere, and a page of the service sets cookies of its own before
    /// anybody has logged in.
    private func checkProof(_ facts: ParsedResponse, _ session: Session) throws(LoginError) {
        guard facts.isSuccess else {
            let target = facts.response.redirect?.target ?? ""
            throw .failure(.redirected(step: Step.login.rawValue, status: facts.status, target: target))
        }
        guard case .cookies(let cookies) = session else { return }
        let before = lastVisit?.cookies ?? []
        if cookies.allSatisfy({ cookie in before.contains { $0.name == cookie.name && $0.value == cookie.value } }) {
            throw .failure(.noNewCookie)
        }
    }

    /// What is left of a credential that HTTP authentication cannot carry is refused before it is sent.
    ///
    /// RFC 7617, section 2 has no colon in a user name and no control characters in either.
    func check(_ credential: Credential) throws(LoginError) {
        switch profile.kind {
        case .exchange, .pasted, .certificate: return
        case .challenge:
            do throws(UsageFault) {
                try BasicCredential.check(username: credential.username ?? "")
                if let password = password(in: credential) { try BasicCredential.check(password: password) }
            } catch {
                throw .usage(error)
            }
        }
    }

    /// What goes into the slots of a request that carries `session`.
    func values(_ session: Session, username: String) -> SlotValues {
        var values = SlotValues()
        values.username = username
        switch session {
        case .credential: break
        case .token(let token):
            values.token = token.value
            values.refreshToken = token.refreshToken
        case .cookies(let cookies):
            values.cookies = cookies
        }
        return values
    }

    private func password(in credential: Credential) -> Secret? {
        switch credential.kind {
        case .password(let password): password
        case .token, .ticket, .certificate, .noSecret: nil
        }
    }

    private func token(in credential: Credential) throws(LoginError) -> Secret {
        switch credential.kind {
        case .token(let token): return token
        case .password, .ticket, .certificate, .noSecret: throw lacking
        }
    }

    /// The session in the answer to a login.
    private func session(_ facts: ParsedResponse, _ answer: ResponseRule) throws(LoginError) -> Session {
        if profile.sessionRule.cookies {
            return .cookies(ending(facts.response.cookies, at: answer.expiry.flatMap { _ in expiry(facts, answer) }))
        }
        return .token(try token(facts, answer))
    }

    private func expiry(_ facts: ParsedResponse, _ answer: ResponseRule) -> Int64? {
        ExpiryReader(now: clock.now()).expiry(facts, answer, token: Secret(""))
    }

    /// What a login's answer says of the end holds for its cookies. An end that is past is a clock that is wrong.
    private func ending(_ cookies: [Cookie], at end: Int64?) -> [Cookie] {
        guard let end, end > clock.now() else { return cookies }
        return cookies.map { CookieRecord.ending($0, at: end) }
    }

    /// The session with the cookies that hold after an answer, since a server may renew them each time. Those that do not
    /// tell their end keep the one that the login told.
    func refreshed(_ session: Session, by response: HTTPResponse) -> Session {
        guard case .cookies(let before) = session else { return session }
        guard profile.login?.response.expiry != nil else { return .cookies(response.cookies) }
        return .cookies(
            response.cookies.map { cookie in
                let end = before.first { $0.name == cookie.name }?.expires
                return cookie.expires == nil ? end.map { CookieRecord.ending(cookie, at: $0) } ?? cookie : cookie
            })
    }
}
