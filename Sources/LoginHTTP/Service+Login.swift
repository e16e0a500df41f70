import LoginCore
import Secrets

extension Service {
    /// Exchanges a credential for a session, with the profile's login request if it has one.
    func open(_ credential: Credential) throws(LoginError) -> Session {
        if profile.takesPastedToken {
            return .token(Token(value: try present(credential.secret), refreshToken: nil, expires: nil))
        }
        guard let login = profile.login else { return .credential(credential) }
        var values = SlotValues()
        values.username = credential.username
        values.password = credential.secret
        let basic = profile.answersChallenges && !profile.provesByCertificate ? try self.basic(credential) : nil
        let facts = try send(login, values, session: nil, basic: basic)
        switch facts.judged(by: login.answer, at: .login) {
        case .accepted:
            return try session(facts, login.answer)
        case .refused(let refusal):
            throw .rejected(refusal)
        case .forbidden(let refusal):
            throw .forbidden(refusal)
        case .unclear(let error):
            throw error
        }
    }

    /// What is left of a credential that HTTP authentication cannot carry is refused before it is sent.
    ///
    /// RFC 7617, section 2 has no colon in a user name and no control characters in either.
    func check(_ credential: Credential) throws(LoginError) {
        guard profile.answersChallenges, !profile.provesByCertificate else { return }
        do throws(UsageFault) {
            try BasicCredential.check(username: credential.username ?? "")
            if let password = credential.secret { try BasicCredential.check(password: password) }
        } catch {
            throw .usage(error)
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

    private func basic(_ credential: Credential) throws(LoginError) -> BasicCredential {
        BasicCredential(username: credential.username ?? "", password: try present(credential.secret))
    }

    private func present(_ secret: Secret?) throws(LoginError) -> Secret {
        guard let secret else { throw .loginRequired(LoginNeed(why: .nothingStored, missing: profile.fields)) }
        return secret
    }

    /// The session in the answer to a login.
    private func session(_ facts: AnswerFacts, _ answer: AnswerRule) throws(LoginError) -> Session {
        if profile.sessionRule.cookies { return .cookies(facts.response.cookies) }
        return .token(try token(facts, answer))
    }
}
