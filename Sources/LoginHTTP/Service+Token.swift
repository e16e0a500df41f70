public import LoginCore
import Secrets

extension Service {
    /// Whether the profile says how to renew such a session.
    public func canRefresh(_ session: Session) -> Bool {
        guard case .token(let token) = session else { return false }
        return token.refreshToken != nil && profile.refresh != nil
    }

    /// What a renewal brought, and whose it is as far as the answer tells.
    public struct RefreshedSession {
        /// In the place of the old one.
        public let session: Session
        /// Without a further request.
        public let owner: RefreshOwner
    }

    public func refresh(_ session: Session, username: String) throws(LoginError) -> Session? {
        try refresh(of: session, username: username)?.session
    }

    /// The same as `refresh`, with whose session the service says that it is.
    public func refresh(of session: Session, username: String) throws(LoginError) -> RefreshedSession? {
        hidden.add(session.secrets, username: username)
        return try shielded { () throws(LoginError) in try refreshed(session, username) }
    }

    private func refreshed(_ session: Session, _ username: String) throws(LoginError) -> RefreshedSession? {
        guard case .token(let token) = session, token.refreshToken != nil, let rule = profile.refresh else {
            return nil
        }
        let answer = rule.response.completed(by: profile.loginResponse)
        let facts = try send(rule, values(session, username: username), session: nil, readBy: answer)
        switch judge(facts, by: answer, at: .refresh) {
        case .accepted:
            let new = try self.token(facts, answer, at: .refresh, replacing: token)
            let owner = RefreshOwner(
                named: answer.username.flatMap { facts.text(at: $0) },
                subjects: RefreshOwner.Subjects(
                    old: JSONWebToken(token.value)?.subject, new: JSONWebToken(new.value)?.subject))
            return RefreshedSession(session: .token(new), owner: owner)
        case .refused(let refusal), .forbidden(let refusal):
            throw .rejected(refusal)
        case .needsSecondFactor, .pending:
            throw .rejected(Refusal(status: facts.status))
        case .unclear(let error):
            throw error
        }
    }

    /// Asks the verify endpoint without any credential.
    /// - Returns: what its answer was taken for, and the challenges in it.
    public func probeAnonymously() throws(LoginError) -> (evidence: Evidence, offered: [AuthenticateChallenge]) {
        guard let verify = profile.verify else { throw .usage(.nothingToVerify(profile: profile.name)) }
        let facts = try send(verify.anonymous, SlotValues(), session: nil, over: anonymous)
        let offered = AuthenticateChallenge.parse(facts.response.values(of: "WWW-Authenticate"))
        return (facts.evidence(by: verify.response, at: .verify), offered)
    }

    /// The token in an answer.
    /// - Parameter old: what stays where the answer is silent; refresh tokens need not be sent anew (RFC 6749, section 6).
    func token(
        _ facts: ParsedResponse, _ answer: ResponseRule, at step: Step = .login, replacing old: Token? = nil
    ) throws(LoginError) -> Token {
        let place = answer.token ?? .json(.root)
        guard let value = facts.secret(at: place), !value.isEmpty else {
            if let redirect = facts.response.redirect {
                throw .failure(.redirected(step: step.rawValue, status: facts.status, target: redirect.target))
            }
            throw .failure(.missingInResponse(place: place.description, step: step.rawValue))
        }
        // Empty is none: it would take the place of one that is good.
        let supplied = answer.refreshToken.flatMap { facts.secret(at: $0) }
        let refreshToken = supplied.flatMap { $0.isEmpty ? nil : $0 } ?? old?.refreshToken
        hidden.add([value, refreshToken])
        try checkType(facts)
        guard value.isHeaderSafe, refreshToken?.isHeaderSafe != false else {
            throw .network(.brokenResponse("the token in the response contains a control character"))
        }
        let expires = ExpiryReader(now: clock.now()).expiry(facts, answer, token: value)
        clockDifference = ClockDifference(of: facts.response, bringing: expires, at: clock)
        return Token(value: value, refreshToken: refreshToken, expires: expires)
    }

    /// A token of a type that is not understood must not be used (RFC 6749, section 7.1). A profile that says how its
    /// token is sent knows better.
    private func checkType(_ facts: ParsedResponse) throws(LoginError) {
        guard profile.session == nil, let type = JSONPointer("/token_type").flatMap({ facts.json?[$0]?.text }),
            type.lowercased() != "bearer"
        else { return }
        throw .failure(
            .other("the server returned a token of type \(SafeText.quoted(type)); only Bearer is supported"))
    }
}

extension ResponseRule {
    /// What `refresh` does not say is as in `login`.
    fileprivate func completed(by login: ResponseRule?) -> ResponseRule {
        var rule = self
        rule.token = token ?? login?.token
        rule.refreshToken = refreshToken ?? login?.refreshToken
        rule.expiry = expiry ?? login?.expiry
        rule.message = message ?? login?.message
        return rule
    }
}
