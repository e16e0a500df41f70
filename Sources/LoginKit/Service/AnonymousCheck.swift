/// Checks that the server refuses anonymous clients, before anybody is asked for a credential.
struct AnonymousCheck {
    let client: ServiceClient

    /// Sends what is guarded without a credential.
    /// - Returns: the response, and why it says nothing, where it does not.
    func send(
        _ rule: RequestRule, at step: Step, by way: ServiceClient.Way? = nil
    ) throws(LoginFault) -> (facts: ParsedResponse, doubt: LoginFault?) {
        client.anonymousResponse = nil
        let reply = try client.send(rule.anonymous, SlotValues(), session: nil, by: way)
        let facts = reply.facts
        let judgement = client.judge(facts, by: rule.response, at: step)
        client.anonymousCookies = facts.response.cookies
        // What another request than verify answers says nothing of a session.
        client.anonymousResponse = step == .verify ? AnonymousResponse(facts, readBy: rule.response) : nil
        return (facts, try doubt(judgement, of: reply, isProof: step == .verify || facts.isSuccess, withCookies: false))
    }

    /// Whether the last look has shown a user name to anybody, as of a guest: another name proves a session there. A password needs a
    /// challenge.
    private var showsGuest: Bool {
        !client.profile.traits.answersChallenges && client.anonymousResponse?.all.last?.name != nil
    }

    /// Returns why the response to an anonymous client is unclear; `nil` if it is clear, such as a refusal.
    /// - Throws: `verifyProvesNothing` if the client is accepted where that is a proof; `busy`.
    private func doubt(
        _ judgement: Judgement, of reply: ServiceClient.Reply, isProof: Bool, withCookies: Bool
    ) throws(LoginFault) -> LoginFault? {
        switch judgement {
        case .accepted where isProof && !showsGuest:
            client.anonymousPasswordField = try? ResponsePage(reply.facts.response, at: reply.url)?.passwordField
            throw .usage(.verifyProvesNothing(url: client.guardedURL, withCookies: withCookies))
        case .accepted, .refused, .forbidden, .needsSecondFactor, .pending: return nil
        case .unclear(.busy(let fault)): throw .busy(fault)
        case .unclear(let error): return error
        }
    }

    /// Asks verify with the cookies that anybody gets before a login, in a jar of its own, since a login page or verify itself
    /// may end the session of the client. A response to just any cookie proves no login.
    ///
    /// It does so once per login, before a password is sent, and only where the session is a cookie.
    /// - Throws: `verifyProvesNothing`.
    func sendWithCookies() throws(LoginFault) {
        guard let verify = client.profile.verify, client.profile.sessionRule.cookies else { return }
        let cookies = try cookiesBeforeLogin()
        client.cookiesBeforeLogin = cookies
        // What was remembered instead of asked belongs to verify as it was then.
        guard !cookies.isEmpty || client.anonymousCookies == nil else { return }
        client.anonymousResponse = client.anonymousResponse?.with([])
        try look(at: verify, with: cookies)
    }

    /// Asks verify with the cookies that the steps before the password have set, if one of these writes or is not the same for
    /// everybody: a client that is refused has them, too.
    func sendWithCookies(of steps: ArraySlice<RequestRule>, _ cookies: [Cookie]) throws(LoginFault) {
        guard let verify = client.profile.verify, client.profile.sessionRule.cookies, !cookies.isEmpty,
            !steps.contains(where: { $0.slots.contains(.password) }), !steps.allSatisfy(\.isForAnybody)
        else { return }
        try look(at: verify, with: cookies)
    }

    /// Asks verify with made-up values of the cookies that only the login has set, since a service that answers any cookie in another way
    /// than none may set one for whom it refuses. A fault of this look is no reason to lose a login.
    func sendWithMadeUp(_ cookies: [Cookie], _ verify: RequestRule) throws(LoginFault) {
        guard cookies.contains(where: { cookie in !client.cookiesBeforeLogin.contains { $0.name == cookie.name } })
        else { return }
        do {
            try look(at: verify, with: cookies.map { CookieRecord.valued($0, "anonymous") })
        } catch .usage(let fault) {
            throw .usage(fault)
        } catch .cancelled {
            throw .cancelled
        } catch {}
    }

    private func look(at verify: RequestRule, with cookies: [Cookie]) throws(LoginFault) {
        let reply = try client.send(
            verify.anonymous, SlotValues(), session: nil, carrying: cookies, by: client.anonymously)
        let plain = client.anonymousResponse
        client.anonymousResponse = nil
        let judgement = client.judge(reply.facts, by: verify.response, at: .verify, withCookies: true)
        let other = AnonymousResponse(reply.facts, readBy: verify.response)
        client.anonymousResponse = plain.map { $0.with($0.withCookies + [other]) } ?? other
        _ = try doubt(judgement, of: reply, isProof: true, withCookies: !cookies.isEmpty)
    }

    /// The cookies of the login's page, or of the steps before the one with the password that only read; else those of verify.
    private func cookiesBeforeLogin() throws(LoginFault) -> [Cookie] {
        var cookies: [Cookie] = []
        let steps = client.profile.loginSteps
        let before = steps.contains { $0.slots.contains(.password) } ? steps.prefix { $0.isForAnybody } : []
        for rule in before {
            cookies =
                try client.send(rule, SlotValues(), session: nil, carrying: cookies, by: client.anonymously)
                .facts.response.cookies
        }
        if let page = before.count < steps.count ? steps[before.count].page : client.profile.windowPage {
            let response = try client.page(page, carrying: cookies)
            // The login would end with it, too. A browser goes wherever its page leads.
            let fault = ParsedResponse(response: response, json: nil, origin: client.endpoint.origin).pageFault
            if let fault, !steps.isEmpty { throw fault }
            cookies = response.cookies
        }
        return cookies.isEmpty ? client.anonymousCookies ?? [] : cookies
    }

    /// Asks for nothing but a response, be it what it may: a server that is not there, or whose certificate does not verify, is
    /// told before anybody types a password.
    func greet() throws(LoginFault) {
        let url = "\(client.endpoint.base)/"
        client.anonymousCookies = try client.transport.send(HTTPRequest(method: "HEAD", url: url)).cookies
    }

    /// The protection space of a login that answers no challenge.
    /// - Parameter isKnown: sends no request if an earlier login has left the anonymous response. Only for a login that asks nobody: at a
    ///   prompt, a server that is down shows before a password is typed.
    func space(_ method: AuthenticationMethod, isKnown: Bool) throws(LoginFault) -> ProtectionSpace {
        let realm = isKnown && client.anonymousResponse != nil ? nil : try challenges().first?.realm
        return ProtectionSpace(origin: client.endpoint.origin, realm: realm, method: method)
    }

    /// Asks for the service's Bearer challenge (RFC 6750, section 3), and keeps it in `client.bearerChallenge`.
    /// - Returns: the protection space of a login whose session is a token of an authorization server.
    func checkBearer() throws(LoginFault) -> ProtectionSpace {
        client.bearerChallenge = try challenges().first { $0.scheme == "bearer" }
        return ProtectionSpace(
            origin: client.endpoint.origin, realm: client.bearerChallenge?.realm, method: .oauth)
    }

    /// Returns the challenges for anonymous clients; empty if there is no endpoint to ask.
    func challenges() throws(LoginFault) -> [AuthenticateChallenge] {
        if let (rule, step) = client.profile.guarded {
            return try send(rule, at: step).facts.challenges
        }
        try greet()
        return []
    }
}

extension RequestRule {
    /// Whether it only reads, and is the same for everybody.
    fileprivate var isForAnybody: Bool { slots.isEmpty && page == nil && RequestRule.onlyReads(method) }
}
