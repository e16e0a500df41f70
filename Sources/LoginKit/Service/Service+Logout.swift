import Secrets

extension Service {
    /// The result of a logout at the server.
    struct LogoutOutcome: Equatable, Sendable {
        var facts: LogoutFacts
        /// The reason why the server did not do what it was told.
        var fault: LoginFault?
        /// The time at which the session ends by itself, in seconds of Unix time.
        var expires: Int64?
    }

    /// The time that a server gets to forget a session before it is asked once more, in seconds.
    private static let forgetting = 2
    /// The longest time for each question after a logout, in seconds.
    private static let longestCheck = 10

    /// Ends a session at the server, where the profile says how, and then asks verify whether it has ended.
    /// - Parameter checks: whether verify is asked.
    /// - Throws: a fault that keeps the request from the server; the server's response is in the outcome.
    func logout(_ session: Session, username: String, checks: Bool = true) throws(LoginFault) -> LogoutOutcome {
        client.hide(session.secrets, username: username)
        let expires = session.end
        let end = expires.map { clock.isOver($0) ? LogoutFacts.End.past : .later }
        var isToken = false
        if case .token = session { isToken = true }
        let facts = LogoutFacts(isToken: isToken, canBeRefreshed: canRefresh(session), end: end ?? .unknown)
        var outcome = LogoutOutcome(facts: facts, fault: nil, expires: expires)
        client.noted = profile.sessionRule.cookies ? [] : nil
        try client.hiding { () throws(LoginFault) in try tell(session, username, noting: &outcome) }
        let steps = client.noted.take() ?? []
        if checks, outcome.facts.wasSent { outcome.facts.check = check(session.sessions(after: steps), username) }
        outcome.fault = outcome.fault?.without(client.hidden)
        return outcome
    }

    private func tell(
        _ session: Session, _ username: String, noting outcome: inout LogoutOutcome
    ) throws(LoginFault) {
        guard let rule = profile.logout else {
            outcome.facts.request = .noLogout
            if case .token(let token) = session, let grant = Grant(token) { try revoke(grant, noting: &outcome) }
            return
        }
        outcome.facts.request = .logout
        let named = rule.slots.contains(.refreshToken) && outcome.facts.refreshToken != nil
        do {
            let facts = try send(rule, with: session, username: username).facts
            // The rules of verify are about its own answers: a logout may well end on the page that anonymous clients get.
            let isSaid = facts.matches(any: rule.response.loggedOut ?? [])
            outcome.facts.session = facts.status == 401 || isSaid ? .unknown : .accepted
            if outcome.facts.session == .accepted { try accept(facts, by: rule) }
            if named { outcome.facts.refreshToken = outcome.facts.session }
            if isSaid, outcome.facts.refreshToken != nil { outcome.facts.refreshToken = .accepted }
        } catch .cancelled {
            throw .cancelled
        } catch {
            (outcome.fault, outcome.facts.session) = (error, .failed)
            if named { outcome.facts.refreshToken = .failed }
        }
    }

    /// Throws where the answer to a logout is no success.
    private func accept(_ facts: ParsedResponse, by rule: RequestRule) throws(LoginFault) {
        switch client.judge(facts, by: rule.response, at: .logout) {
        case .accepted: return
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

    /// Whatever a logout is answered, only the old session itself tells whether it has ended: a page may ask for a confirmation, and a
    /// signed token is good until its end. It is refused only if each of its values is.
    private func check(_ sessions: [Session], _ username: String) -> LogoutFacts.Check {
        // A password is accepted whatever was ended.
        guard let verify = profile.verify, sessions.allSatisfy({ $0.credential == nil }) else { return .notAsked }
        var check = LogoutFacts.Check.refused
        for session in sessions {
            let first = answer(of: verify, to: session, username)
            var last = first
            if first.check == .accepted {
                clock.wait(Self.forgetting)
                last = answer(of: verify, to: session, username)
                // A service that rotates has given another value for it, and ended the old one alone.
                if last.check == .refused, !first.session.cookies.isEmpty, !first.session.hasValues(of: session) {
                    last = answer(of: verify, to: first.session, username)
                }
            }
            if last.check == .accepted { return .accepted }
            if last.check == .unclear { check = .unclear }
        }
        return check
    }

    /// Asks once.
    /// - Returns: with the session as the response has set it, which may live on in the place of the old one.
    private func answer(
        of verify: RequestRule, to session: Session, _ username: String
    ) -> (check: LogoutFacts.Check, session: Session) {
        let facts: ParsedResponse
        do {
            facts = try client.send(verify, SlotValues(session, username: username), session: session) {
                [client] (request) throws(LoginFault) in
                var request = request
                request.limit = min(request.limit ?? Self.longestCheck, Self.longestCheck)
                return try client.plainly(request)
            }.facts
        } catch {
            return (.unclear, session)
        }
        // A value that a page has set is somebody else's session, and was not to end.
        let named = RefreshOwner(named: verify.response.username.flatMap { facts.name(at: $0) })
        let check = LogoutFacts.Check(
            client.judge(facts, by: verify.response, at: .verify),
            isAnonymous: anonymousResponse?.includes(facts) ?? false,
            isOthers: owner.flatMap(named.otherPerson) != nil)
        return (check, client.refreshed(session, by: facts.response))
    }
}

extension Session {
    /// When it ends, as the service or the token itself says.
    fileprivate var end: Int64? {
        if case .token(let token) = self { token.expires ?? JSONWebToken.end(of: token.value) } else { expires }
    }

    /// The session, and what the responses to a logout have made of it one after the other: a page before it, or the logout itself,
    /// may have set another value, which lives on where only the old one has ended. A deleted cookie keeps its value, since a
    /// service may delete it at the client alone.
    fileprivate func sessions(after steps: [[Cookie]]) -> [Session] {
        var sessions = [self], cookies = cookies
        for step in steps {
            let places = Set(step.map(CookieRecord.place))
            cookies = step + cookies.filter { !places.contains(CookieRecord.place(of: $0)) }
            var next = self
            next.cookies = cookies
            if !next.hasValues(of: sessions[sessions.count - 1]) { sessions.append(next) }
        }
        return sessions
    }
}
