import LoginCore
import Secrets

extension Service {
    /// What a person gave, where that is the session already.
    func ownSession(of credential: Credential) throws(LoginError) -> Session {
        switch profile.kind {
        case .challenge, .certificate, .exchange: .credential(credential)
        case .pasted: .token(Token(value: try token(in: credential), refreshToken: nil, expires: nil))
        }
    }

    /// Where there is nothing else to ask, a redirect may lead anywhere, and a page of the service sets cookies of its own before
    /// anybody has logged in.
    func checkProof(_ facts: ParsedResponse, _ session: Session) throws(LoginError) {
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

    func password(in credential: Credential) -> Secret? {
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

    func expiry(_ facts: ParsedResponse, _ answer: ResponseRule) -> Int64? {
        ExpiryReader(now: clock.now()).expiry(facts, answer, token: Secret(""))
    }

    /// What a login's answer says of the end holds for its cookies. An end that is past is a clock that is wrong.
    func ending(_ cookies: [Cookie], at end: Int64?) -> [Cookie] {
        guard let end, end > clock.now() else { return cookies }
        return cookies.map { CookieRecord.ending($0, at: end) }
    }

    /// The session with the cookies that hold after an answer, since a server may renew them each time. Those that do not
    /// tell their end keep the one that the login told.
    func refreshed(_ session: Session, by response: HTTPResponse) -> Session {
        guard case .cookies(let before) = session else { return session }
        guard profile.loginResponse?.expiry != nil else { return .cookies(response.cookies) }
        return .cookies(
            response.cookies.map { cookie in
                let end = before.first { $0.name == cookie.name }?.expires
                return cookie.expires == nil ? end.map { CookieRecord.ending(cookie, at: $0) } ?? cookie : cookie
            })
    }
}
