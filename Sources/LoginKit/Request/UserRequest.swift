import Secrets

/// A request of the person's own: sent at once with the session that is there, and once more, the same, after a login if its
/// answer means that there was none.
package struct UserRequest {
    let provider: SessionProvider
    let outgoing: OutgoingRequest
    /// The login that the request goes out with, once there is one.
    private var authenticated: AccountSession?
    /// What verify has said of the session after the response.
    private var answer: AccountSession.Recheck?

    /// - Parameter former: the session of the request before.
    package init(
        provider: SessionProvider, outgoing: OutgoingRequest, after former: AccountSession? = nil
    ) {
        self.provider = provider
        self.outgoing = outgoing
        authenticated = former
    }

    /// - Parameter isLast: no other request follows.
    /// - Returns: the head of the answer, which was handed on whatever its status, and the session for the next request.
    package func exchange(
        isLast: Bool = false
    ) throws(LoginFault) -> (response: HTTPResponse, authenticated: AccountSession?) {
        defer { outgoing.output.close() }
        var loop = RelayLoop(outgoing, self)
        var outcome = try loop.run()
        if let wider = try loop.lender.widened(after: outcome) {
            loop = RelayLoop(outgoing, wider)
            outcome = try loop.run()
        }
        defer { loop.lender.authenticated?.settle(isLast: isLast) }
        try loop.lender.finish(outcome)
        loop.lender.authenticated?.isFresh = false
        return (outcome.relayed.response, loop.lender.authenticated)
    }

    /// Asks the person, once for each request, whether to log in again where the scope of the token is not enough.
    /// - Returns: the request with the new login; `nil` where the answer is to be handed on as it is.
    private func widened(after outcome: RelayLoop<UserRequest>.Outcome) throws(LoginFault) -> UserRequest? {
        guard outcome.ending == .forbidden, mayAsk, outgoing.body.isRepeatable, !outgoing.output.isShown,
            let authenticated, let scope = outcome.relayed.response.missingScope(of: authenticated.session)
        else { return nil }
        let context = provider.context
        let question =
            "\(provider.profile.name) wants more than this login may do. Log in again for \(SafeText.quoted(scope)), and send the request again?"
        let dialogue = context.person.dialogue(allowsBlankPassword: provider.request.allowsBlankPassword)
        guard try dialogue.confirm(question, typing: "yes") else { return nil }
        return UserRequest(provider: provider, outgoing: outgoing, after: try provider.enter(forScope: scope))
    }

    /// Hands the answer on, whatever it means, and takes note of what it has made of the session.
    private func finish(_ outcome: RelayLoop<UserRequest>.Outcome) throws(LoginFault) {
        let response = outcome.relayed.response
        if let authenticated {
            let isLogin = try authenticated.run.service.mayLogIn(outgoing.message)
            authenticated.note(
                outcome.refreshed, isLogin: isLogin, proved: authenticated.run.service.result.proved)
        }
        try outgoing.handOn()
        switch outcome.ending {
        case .answered where outgoing.output.isCut: throw .network(.connectionLost)
        case .answered:
            if case .withheld = outcome.attachment {
                outgoing.say("sent without the password: the server did not ask for it there")
            }
        case .forbidden:
            provider.context.topic.isForgeable = provider.profile.sessionRule.isForgeable(outgoing.message.method)
            let scope = authenticated.flatMap { response.missingScope(of: $0.session) }
            throw .forbidden(Refusal(status: response.status, scope: scope))
        case .otherRealm(let realm): throw outgoing.otherRealm(realm, than: authenticated?.space)
        case .lost: break
        }
    }
}

extension UserRequest: SessionLender {
    var mayAsk: Bool { provider.context.person.mayBeAsked }

    /// The former session, the stored one, or that of a login; none where a request may go out without a login.
    mutating func lend() throws(LoginFault) -> CarriedSession {
        if let authenticated {
            authenticated.settle()
            let isOver = provider.context.dependencies.clock.isOver(authenticated.session)
            if !isOver, !authenticated.changing.isInDoubt { return authenticated.carried }
        }
        let isRepeatable = outgoing.body.isRepeatable
        if isRepeatable, try provider.maySendWithoutLogin(outgoing.message.method) {
            authenticated = nil
            return CarriedSession(
                service: try provider.context.connections.anonymousService(
                    provider.profile, fingerprint: provider.request.policy.trust.fingerprint))
        }
        let account = isRepeatable ? try provider.enterUnverified() : try provider.enter()
        authenticated = account
        return account.carried
    }

    mutating func isKnown(after relayed: Service.Relayed?) throws(LoginFault) -> Bool {
        guard let authenticated else { return false }
        answer = try authenticated.recheck(after: relayed?.session)
        return answer == .known
    }

    mutating func lendAnother(
        after relayed: Service.Relayed?, missing: LoginFault?
    ) throws(LoginFault) -> CarriedSession {
        var refusal: Refusal?
        if case .unknown(let last) = answer { refusal = last }
        if let relayed { provider.context.topic.done.append(.requestSent(status: relayed.response.status)) }
        if relayed != nil || missing != nil {
            let isDoubted = refusal?.doubt != nil
            outgoing.say(
                isDoubted
                    ? "the response of verify does not confirm the stored login"
                    : authenticated?.session.refusal ?? "the server requires a login for this")
        }
        // A value that waited is good, and needs no login.
        let account =
            if answer == .replaced, let authenticated { authenticated } else {
                try provider.enter(after: authenticated?.session, refusal)
            }
        authenticated = account
        outgoing.say(
            "\(missing == nil ? "sending the same request again" : "sending the request") with the new session")
        return account.carried
    }
}

extension HTTPResponse {
    /// The scope for the next login: what is granted by now, and what this request needs (RFC 6750, section 3.1).
    /// - Returns: `nil` if the server does not say it, or no authorization server has issued the token.
    func missingScope(of session: Session) -> String? {
        guard let terms = session.terms else { return nil }
        return lacksScope?.parameters["scope"].map { terms.scope(with: $0) }
    }
}

extension Session {
    /// Whether the server judges a password or a key with each request.
    var isPassword: Bool { credential?.password != nil || passphrase != nil }

    /// Says that the server has refused it.
    var refusal: String {
        switch self {
        case .token, .cookies: return "the server no longer accepts the session"
        case .credential(let credential):
            switch credential.kind {
            case .ticket: return "the server refused the Kerberos ticket"
            case .password, .token, .grant, .noSecret, .copied: return "the server refused the stored password"
            case .certificate: return "the server refused the client certificate"
            }
        }
    }
}

extension Service {
    /// Fetches a page with the session, and makes of a person's own request what a browser sends of the form there that leads to
    /// its URL: with the fields of the form beside those of the request, the page's cookies, and `Origin` and `Referer`.
    /// - Parameters:
    ///   - page: the URL of the page; no redirect is followed.
    ///   - session: `nil` for an anonymous request.
    /// - Returns: the session with what the page has refreshed in it and verify has proved.
    /// - Throws: `noSuchForm` also for a response that leads to a login or that is no page, so that verify is asked.
    func fill(
        _ request: inout HTTPRequest, fromPage page: String, with session: Session?, username: String
    ) throws(LoginFault) -> Session? {
        let url = try URLParser.parsed(page)
        let relayed = try relay(HTTPRequest(page: url), with: session, username: username)
        let response = relayed.response
        let facts = ParsedResponse(response: response, json: nil, origin: endpoint.origin)
        if !(300..<400).contains(response.status), let fault = facts.pageFault { throw fault }
        let wanted = try URLParser.parsed(request.url)
        guard let found = client.readable(response, at: url.text)?.page else {
            throw .failure(.noSuchForm(page: url.target, fields: [], found: 0))
        }
        let (target, body) = try found.submission(leadingTo: wanted.target, filled: request.body ?? Secret(""))
        (request.url, request.body) = ("\(wanted.origin)\(target)", body)
        request.follow(PageVisit(cookies: response.cookies, entries: EntryList(), url: url))
        return try proved(relayed, after: session, username: username)
    }
}
