import LoginCore
import Secrets

extension Service {
    /// Sends one of the profile's requests with a session, in whatever way that is sent; and once more where the answer tells
    /// what guards it. Verify does not wait for that: it is asked where there is none.
    func send(
        _ rule: RequestRule, with session: Session, username: String
    ) throws(LoginFault) -> ServiceClient.Reply {
        let slots = rule == profile.verify ? [] : rule.slots.union(profile.sessionRule.slots(for: rule.method))
        let session = try fetchingCSRF(for: slots, session, username)
        let reply = try sendOnce(rule, with: session, username: username)
        guard client.learnsCSRF(from: reply.facts) else { return reply }
        return try sendOnce(rule, with: client.refreshed(session, by: reply.facts.response), username: username)
    }

    func sendOnce(
        _ rule: RequestRule, with session: Session, username: String
    ) throws(LoginFault) -> ServiceClient.Reply {
        let values = SlotValues(session, username: username)
        guard let credential = session.credential else {
            return try client.send(rule, values, session: session, by: client.plainly)
        }
        return try client.send(rule, values, session: session) { (request) throws(LoginFault) in
            try procedure.send(request, with: credential, answersOtherRealms: true)
        }
    }

    /// Fetches the value of `{csrf}` for a request with these slots, where the profile says from which page.
    /// - Returns: the session, with what that page has refreshed in it.
    /// - Throws: `noCSRF` where the page has no value, or means 'logged out': some services hand anonymous clients a value, too,
    ///   and then do as nobody what somebody has asked for.
    func fetchingCSRF(
        for slots: Set<Template.Slot>, _ session: Session, _ username: String
    ) throws(LoginFault) -> Session {
        guard let csrf = profile.sessionRule.csrf, let path = csrf.path, slots.contains(.csrf) else { return session }
        var rule = RequestRule(method: "GET", path: Template(literal: path), response: profile.proof.rules)
        (rule.response.token, rule.response.username, rule.response.loggedIn) = (csrf.value, nil, nil)
        let facts = try sendOnce(rule, with: session, username: username).facts
        client.hide(whatIsIn: facts, by: rule.response)
        switch facts.judged(by: rule.response, at: .verify, anonymous: anonymousResponse) {
        case .accepted:
            guard let value = facts.secret(at: csrf.value), !value.isEmpty else { break }
            client.csrf = value
            return client.refreshed(session, by: facts.response)
        case .unclear(.busy(let fault)): throw .busy(fault)
        case .refused, .forbidden, .needsSecondFactor, .pending, .unclear: break
        }
        throw .failure(.noCSRF(csrf.value))
    }

    /// Whether an answer tells a value of `{csrf}` that was not known, so that the request is to be sent once more.
    func learnsCSRF(from relayed: Relayed, body: Secret?) throws(LoginFault) -> Bool {
        guard relayed.session != nil, let rule = profile.sessionRule.csrf, !rule.stale.isEmpty else { return false }
        return client.learnsCSRF(from: try parsed(relayed, body, by: rule.response))
    }
}

extension ServiceClient {
    /// Takes note of a value of `{csrf}`.
    /// - Returns: whether it is a new one.
    func learnsCSRF(from facts: ParsedResponse) -> Bool {
        guard let value = profile.sessionRule.csrf.flatMap({ facts.told(by: $0) }), value != csrf else { return false }
        hide([value])
        csrf = value
        return true
    }
}
