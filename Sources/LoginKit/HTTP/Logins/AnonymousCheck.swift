import LoginCore

/// Checks that the server refuses anonymous clients, before anybody is asked for a credential.
struct AnonymousCheck {
    let client: ServiceClient

    /// Sends what is guarded without a credential.
    /// - Returns: the response, and why it says nothing, where it does not.
    func send(
        _ rule: RequestRule, at step: Step, by way: ServiceClient.Way
    ) throws(LoginFault) -> (facts: ParsedResponse, doubt: LoginFault?) {
        client.anonymousResponse = nil
        let reply = try client.send(rule.anonymous, SlotValues(), session: nil, by: way)
        let facts = reply.facts
        let judgement = client.judge(facts, by: rule.response, at: step)
        // What another request than verify answers says nothing of a session.
        client.anonymousCookieNames = Set(facts.response.cookies.map(\.name))
        client.anonymousResponse = step == .verify ? AnonymousResponse(facts, readBy: rule.response) : nil
        switch judgement {
        case .accepted where step == .verify || facts.isSuccess:
            client.anonymousPasswordField = try? ResponsePage(facts.response, at: reply.url)?.passwordField
            throw .usage(.verifyProvesNothing(url: client.guardedURL))
        case .accepted, .refused, .forbidden, .needsSecondFactor, .pending: return (facts, nil)
        case .unclear(.busy(let fault)): throw .busy(fault)
        case .unclear(let error): return (facts, error)
        }
    }

    /// Asks for nothing but a response, be it what it may: a server that is not there, or whose certificate does not verify, is
    /// told before anybody types a password.
    func greet() throws(LoginFault) {
        _ = try client.transport.send(HTTPRequest(method: "HEAD", url: "\(client.endpoint.base)/"))
    }

    /// The protection space of a login that answers no challenge.
    /// - Parameter isKnown: sends no request if an earlier login has left the anonymous response. Only for a login that asks nobody: at a
    ///   prompt, a server that is down shows before a password is typed.
    func space(_ method: AuthenticationMethod, isKnown: Bool) throws(LoginFault) -> ProtectionSpace {
        let realm = isKnown && client.anonymousResponse != nil ? nil : try challenges().first?.realm
        return ProtectionSpace(origin: client.endpoint.origin, realm: realm, method: method)
    }

    /// The protection space of a login whose session is a token of an authorization server, and the service's challenge for one (RFC
    /// 6750, section 3).
    func bearer() throws(LoginFault) -> (space: ProtectionSpace, challenge: AuthenticateChallenge?) {
        let challenge = try challenges().first { $0.scheme == "bearer" }
        let space = ProtectionSpace(origin: client.endpoint.origin, realm: challenge?.realm, method: .oauth)
        return (space, challenge)
    }

    /// Returns the challenges for anonymous clients; empty if there is no endpoint to ask.
    func challenges() throws(LoginFault) -> [AuthenticateChallenge] {
        if let (rule, step) = client.profile.guarded {
            return try send(rule, at: step, by: client.plainly).facts.challenges
        }
        try greet()
        return []
    }
}
