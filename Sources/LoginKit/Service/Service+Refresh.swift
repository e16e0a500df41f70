import Secrets

extension Service {
    /// Whether the profile says how to refresh such a session.
    func canRefresh(_ session: Session) -> Bool {
        guard case .token(let token) = session else { return false }
        return token.refreshToken != nil && (profile.refresh != nil || token.terms != nil)
    }

    /// The result of a refresh, and its owner as far as the response tells.
    struct RefreshedSession {
        /// The new session.
        let session: Session
        /// Without a further request.
        let owner: RefreshOwner
    }

    /// Exchanges a session for a new one; the old one may be used up then.
    /// - Returns: `nil` if there is nothing to refresh it with.
    /// - Throws: `LoginFault.rejected` only if the server refused to refresh it.
    func refresh(_ session: Session, username: String) throws(LoginFault) -> RefreshedSession? {
        client.hide(session.secrets, username: username)
        return try client.hiding { () throws(LoginFault) in
            guard case .token(let token) = session, token.refreshToken != nil else { return nil }
            return if let grant = Grant(token) { try refreshed(grant) } else { try refreshed(token, username) }
        }
    }

    /// Seconds that a server has for a refresh, whatever the settings say: a response that is not read may cost the login.
    static let leastTime = 15

    /// By the profile's `refresh`.
    private func refreshed(_ token: Token, _ username: String) throws(LoginFault) -> RefreshedSession? {
        guard let rule = profile.refresh else { return nil }
        let answer = rule.response.completed(by: profile.loginResponse)
        let values = SlotValues(.token(token), username: username)
        let patiently: ServiceClient.Way = { [client] (request) throws(LoginFault) in
            try client.plainly(request.lasting(Self.leastTime))
        }
        let facts = try client.send(
            rule, values, session: nil, readBy: answer, carrying: token.cookies, by: patiently
        ).facts
        client.hide(whatIsIn: facts, by: answer)
        let body = OAuthBody(facts.response)
        // It judges the profile's client, and not the refresh token.
        if rule.response.refused == nil, body.code == .invalidClient {
            throw .busy(facts.doubtful(body.words ?? "invalid_client"))
        }
        switch client.judge(facts, by: answer, at: .refresh) {
        case .accepted where facts.lacksToken(of: answer):
            throw .busy(facts.doubtful(nil))
        case .accepted:
            let (new, difference) = try TokenReader(client: client, clock: clock)
                .token(facts, answer, at: .refresh, replacing: token)
            result.clockDifference = difference
            try client.take(rule.response, from: facts, keepingOld: true)
            let owner = RefreshOwner(
                named: answer.username.flatMap { facts.text(at: $0) },
                subjects: RefreshOwner.Subjects(
                    old: JSONWebToken(token.value)?.subject, new: JSONWebToken(new.value)?.subject))
            let cookies = profile.sessionRule.cookies ? facts.response.cookies : []
            return RefreshedSession(session: .token(new.with(cookies)), owner: owner)
        case .refused(let refusal):
            throw .rejected(refusal)
        case .forbidden(let refusal) where refusal.status == 401:
            throw .rejected(refusal)
        case .needsSecondFactor, .pending:
            throw .rejected(Refusal(status: facts.status))
        case .forbidden(let refusal):
            throw .busy(facts.doubtful(refusal.words))
        case .unclear(.failure(.unexpectedStatus(_, _, let words))):
            // As of an authorization server, only the form of RFC 6749, section 5.2 refuses where no rule says more.
            if rule.response.refused == nil, body.busy == nil, body.refusesRefresh {
                throw .rejected(Refusal(status: facts.status, words: words))
            }
            throw .busy(facts.doubtful(words))
        case .unclear where (300..<400).contains(facts.status):
            throw .busy(facts.doubtful(nil))
        case .unclear(let error):
            throw error
        }
    }
}

extension ParsedResponse {
    /// The response to a refresh that no rule takes for a refusal.
    fileprivate func doubtful(_ words: String?) -> BusyFault {
        BusyFault(status: status, retryAfter: response.retryAfter, words: words, isDoubtful: true)
    }

    /// Whether it is a page without a token, which a gateway or a portal may have answered.
    fileprivate func lacksToken(of rule: ResponseRule) -> Bool {
        response.isPage && token(at: rule.token ?? .json(.root)) == nil
    }
}

extension HTTPRequest {
    /// The request with at least so many seconds for its response.
    func lasting(_ seconds: Int) -> HTTPRequest {
        var request = self
        request.leastTime = seconds
        return request
    }
}
