package import LoginCore

extension Service {
    /// The result of a logout request.
    package enum LogoutOutcome: Equatable, Sendable {
        case notConfigured
        /// The authorization server revokes nothing, or not for this client.
        case notOffered
        case ended(status: Int)
        /// The server did not know the session any more.
        case alreadyEnded(status: Int)
        /// The verify endpoint takes the session all the same.
        case stillAccepted(status: Int)
        /// The response proves nothing, and there is no verify endpoint.
        case unproven(status: Int)
    }

    /// The time that a server gets to forget a session before it is asked about it, in seconds.
    static let forgetting = 2

    /// Ends a session at the server, where the profile says how.
    package func logout(_ session: Session, username: String) throws(LoginFault) -> LogoutOutcome {
        client.hide(session.secrets, username: username)
        return try client.shielded { () throws(LoginFault) in try sendLogout(session, username) }
    }

    private func sendLogout(_ session: Session, _ username: String) throws(LoginFault) -> LogoutOutcome {
        guard let rule = profile.logout else {
            if case .token(let token) = session, let grant = Grant(token) { return try revoke(grant) }
            return .notConfigured
        }
        let facts = try send(rule, with: session, username: username).facts
        // The rules of verify are about its own answers: a logout may well end on the page that anonymous clients get.
        let isSaid = facts.matches(any: rule.response.loggedOut ?? [])
        if facts.status == 401 || isSaid {
            // The token was over anyway, and the refresh token beside it may be good.
            if !isSaid, !rule.namesRefreshToken, clock.isOver(session.expires), canRefresh(session) {
                return .unproven(status: facts.status)
            }
            let ended = LogoutOutcome.alreadyEnded(status: facts.status)
            return rule.namesRefreshToken ? proven(ended, facts.status, of: session, username) : ended
        }
        switch client.judge(facts, by: rule.response, at: .logout) {
        case .accepted:
            let ended = LogoutOutcome.ended(status: facts.status)
            // It may be a question whether the person wants to log out.
            if rule.method == "GET" || facts.isPage {
                return proven(ended, facts.status, of: session, username, after: Self.forgetting)
            }
            guard facts.isRedirect || rule.namesRefreshToken else { return ended }
            return proven(ended, facts.status, of: session, username)
        case .refused(let refusal), .forbidden(let refusal):
            throw .failure(.unexpectedStatus(refusal.status, step: Step.logout.rawValue, words: refusal.words))
        case .needsSecondFactor(let words):
            throw .failure(.unexpectedStatus(facts.status, step: Step.logout.rawValue, words: words))
        case .pending:
            throw .failure(.unexpectedStatus(facts.status, step: Step.logout.rawValue, words: nil))
        case .unclear(let error):
            throw error
        }
    }

    /// Where the answer may mean something else, or is about the refresh token, the session itself tells whether it has ended. What
    /// the verify endpoint sets by then is nobody's session, and is thrown away.
    /// - Parameter seconds: that the server is given to forget the session.
    private func proven(
        _ outcome: LogoutOutcome, _ status: Int, of session: Session, _ username: String, after seconds: Int = 0
    ) -> LogoutOutcome {
        // A password is taken whatever was ended.
        guard let verify = profile.verify, session.credential == nil else { return .unproven(status: status) }
        if seconds > 0 { clock.wait(seconds) }
        let facts: ParsedResponse
        do throws(LoginFault) {
            facts = try send(verify, with: session, username: username).facts
        } catch {
            return .unproven(status: status)
        }
        switch client.judge(facts, by: verify.response, at: .verify) {
        case .refused: return outcome
        // It was accepted once, or it would not be stored.
        case .forbidden(let refusal) where refusal.mayMeanLoggedOut: return outcome
        case .accepted, .forbidden: return .stillAccepted(status: status)
        case .needsSecondFactor, .pending, .unclear: return .unproven(status: status)
        }
    }
}

extension RequestRule {
    /// Whether its answer may be about the refresh token, and not about the session.
    fileprivate var namesRefreshToken: Bool { slots.contains(.refreshToken) }
}

extension ParsedResponse {
    /// A service answers the end of a session so, and what it did not do just as well.
    fileprivate var isRedirect: Bool { (300..<400).contains(status) }

    /// Whether it is a page for people.
    fileprivate var isPage: Bool {
        let type = response.values(of: "Content-Type").first?.lowercased() ?? ""
        return isSuccess && type.contains("html")
    }
}
