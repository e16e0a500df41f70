import Secrets

/// Where a profile's requests go.
package struct ServiceEndpoint: Equatable, Sendable {
    /// The origin that every secret of the profile is bound to.
    package let origin: Origin
    /// Origin and base path, without a slash at the end; every path of the profile is appended to it. Callers make sure that
    /// it lies on `origin`.
    let base: String
}

/// One service as a profile describes it: logs in by the method of the profile's kind, and uses the session by the one client
/// that sends the profile's requests.
///
/// It judges nothing by itself: `ParsedResponse.judged` does, and whether to go on is `LoginFlow`'s decision.
package final class Service: Authenticator {
    /// Options that a caller adds to a profile.
    /// Without arguments, a login with whatever credential is found, by whatever method the profile accepts.
    struct Options: Sendable {
        /// Seconds that a token is asked to live.
        var ttl: Int?
        /// The method that worked before: a weaker offer is refused.
        var pinnedMethod: AuthenticationMethod?
        /// A password was given: no ticket takes its place.
        var hasPassword = false
        /// The user that the login is for, if known: another user's ticket is not used.
        var username: String?

        /// Whether nothing is known of the service but a URL, so that what verify answers is learnt at the login.
        var learns = false
        /// Whether a form was found at that URL, so that the login shows which request proves one.
        var findsVerify = false
        /// The response of verify before the login of this account.
        var anonymousResponse: AnonymousResponse?
        /// The last new login that a verify request of the profile has accepted.
        var lastAccepted: AcceptedVerify?
    }

    let client: ServiceClient
    /// The method of the profile's kind of login.
    let loginMethod: any LoginMethod
    let options: Options
    let clock: WallClock
    /// Whose session the requests carry, as far as the service has said it; `nil` before a login.
    var owner: Identity?
    /// The ways to the authorization server of the profile.
    let others: OriginTransports
    /// Findings of the login so far.
    var result = LoginResult()
    /// The client that was registered for the login that has ended, where its server could not be made to delete it.
    var undeletedClient: String?
    /// Whether the verify request that was guessed takes any cookie for a login.
    private(set) var verifyProvesNothing = false

    /// Sends no request.
    /// - Parameters:
    ///   - anonymous: the way without the client certificate; `nil` unless that alone is the proof.
    ///   - others: the ways to other origins than the profile's.
    ///   - method: makes the one for the profile's kind.
    init(
        profile: Profile, endpoint: ServiceEndpoint, transport: any Transport, clock: WallClock,
        tickets: TicketCache, options: Options = Options(), anonymous: (any Transport)? = nil,
        others: OriginTransports = OriginTransports(), method: LoginMethodMaker
    ) {
        let client = ServiceClient(
            profile: profile, endpoint: endpoint, transport: transport, anonymousTransport: anonymous,
            ttl: options.ttl, anonymousResponse: options.anonymousResponse)
        self.client = client
        self.clock = clock
        self.options = options
        self.others = others
        loginMethod = method(
            LoginMethodParts(client: client, clock: clock, tickets: tickets, others: others, options: options))
    }

    var profile: Profile { client.profile }
    /// The last new login that verify, as it is written now, has accepted; `nil` if it has accepted none yet.
    var acceptedVerify: AcceptedVerify? {
        options.lastAccepted.flatMap { $0.request == profile.verify?.fingerprint ? $0 : nil }
    }
    var endpoint: ServiceEndpoint { client.endpoint }
    /// The protection space, once the server was asked.
    package var protectionSpace: ProtectionSpace? { client.space }
    /// The response of verify without a login: found out by `prepare`, else remembered.
    package var anonymousResponse: AnonymousResponse? { client.anonymousResponse }
    /// The field for a password on a page that verify has answered an anonymous client with, as if there were a login.
    package var anonymousPasswordField: String? { client.anonymousPasswordField }
    /// Is told how each answer was judged.
    package var observer: ((Evidence) -> Void)? {
        get { client.observer }
        set { client.observer = newValue }
    }

    /// Whether a text has a secret in it that was sent or received.
    package func repeatsSecret(_ text: String) -> Bool { client.hidden.stand(in: text) }

    /// The certificate that was accepted in this login.
    private(set) var accepted: TrustedCertificate?

    func hold(_ extraSecrets: [CredentialField: Secret]) { client.hold(extraSecrets) }

    func trust(_ exception: TrustedCertificate) {
        accepted = exception
        if exception.origin == endpoint.origin { client.trust(exception) } else { others.trust(exception) }
    }

    func prepare() throws(LoginFault) -> ProtectionSpace {
        // The response of a verify that was changed since then tells nothing of this one.
        if options.lastAccepted != nil, acceptedVerify == nil { client.anonymousResponse = nil }
        let space = try loginMethod.findSpace(hasPassword: options.hasPassword)
        client.space = space
        do {
            try AnonymousCheck(client: client).sendWithCookies()
        } catch .usage(.verifyProvesNothing) where options.findsVerify && options.lastAccepted == nil {
            // Only a guess so far: after the login a better one is looked for.
            verifyProvesNothing = true
        }
        return space
    }

    func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        // What another login issued is none of this one's.
        if case .copied = credential.kind { hold(credential.extraSecrets) } else { hold(credential.extraSecrets.asked) }
        client.hide([credential.secret, code], username: credential.username ?? "")
        return try client.hiding { () throws(LoginFault) in
            if profile.traits.answersChallenges { try credential.checkPair() }
            if protectionSpace == nil { _ = try prepare() }
            if case .copied(let copied) = credential.kind {
                client.hide(copied.session.secrets)
                if copied.login == nil { result = LoginResult() }
                if copied.bindsToDevice { result.bindsToDevice = true }
                if let login = copied.login { return .accepted(login) }
                return try confirmed(
                    OpenedLogin(credential: credential, session: copied.session, verdict: .leftToVerify))
            }
            // What an attempt before it has found is none of this one's.
            result = LoginResult()
            return try take(StepsInProgress(credential: credential), code: profile.asksCodeAtOnce ? code : nil)
        }
    }

    func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep {
        guard let steps = partial as? StepsInProgress else {
            throw .failure(.unexpectedEvent("a login of another service was gone on with"))
        }
        client.hide([code])
        return try client.hiding { () throws(LoginFault) in try take(steps, code: code) }
    }

    private func take(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> LoginStep {
        client.handover?.expect()
        defer { client.handover?.settle() }
        return switch try loginMethod.open(steps, code: code) {
        case .opened(let login):
            try handedOut(by: login) { () throws(LoginFault) in try withLogout(try confirmed(login), after: login) }
        case .refused(let refusal): .refused(refusal)
        case .needsCode(let words, let steps): .needsCode(words: words, steps)
        case .pending(let seconds, let took, let steps): .pending(seconds: seconds, took: took, steps)
        }
    }

    /// The values that the login returned for later requests.
    var takenForLater: [CredentialField: Secret] {
        client.extraSecrets.taken(profile.takenForLater).merging(userAgent) { $1 }
    }

    private var userAgent: [CredentialField: Secret] { client.extraSecrets.filter { $0.key == .userAgent } }

    func verify(_ session: Session, username: String) throws(LoginFault) -> Login {
        try client.hiding { () throws(LoginFault) in try confirm(session, username: username, afterLogin: false) }
    }
}

extension Session {
    /// The credential that is sent, where it is the session.
    var credential: Credential? {
        if case .credential(let credential) = self { credential } else { nil }
    }
}

extension Service {
    /// Asks to go on in another protocol, with the session attached.
    /// - Parameter name: of the protocol (RFC 9110, section 7.8).
    /// - Returns: the answer, and the connection where the service goes on in that protocol.
    /// - Throws: as `relay`.
    func openTunnel(
        _ request: HTTPRequest, to name: String, with session: Session, username: String
    ) throws(LoginFault) -> (relayed: Relayed, tunnel: (any Tunnel)?) {
        let before = client.hidden
        defer { client.hidden = before }
        client.hide(session.secrets, username: username)
        return try client.hiding { () throws(LoginFault) in
            var request = request
            let slots = profile.sessionRule.slots(for: request.method)
            let session = try fetchingCSRF(for: slots, session, username)
            try fromTemplate(
                try request.attach(session, profile.sessionRule, client.values(session, username: username)))
            client.attachCSRFCookies(to: &request, with: slots)
            request.hidden = client.hidden
            // The last one: a challenge of Digest may have to be answered once more.
            var tunnel: (any Tunnel)?
            func line(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
                let opened = try client.transport.openTunnel(request, to: name)
                tunnel = opened
                return opened.response
            }
            let sent =
                if let credential = session.credential {
                    try loginMethod.send(request, with: credential, answersOtherRealms: false, over: line)
                } else {
                    ServiceClient.Sent(response: try line(request))
                }
            let relayed = Relayed(sent, with: session, at: request.url)
            guard sent.response.status == 101 else { return (relayed, nil) }
            guard sent.response.values(of: "Upgrade").map({ $0.lowercased() }) == [name] else {
                throw .network(.brokenResponse("it goes on in a protocol that it was not asked for"))
            }
            return (relayed, tunnel)
        }
    }
}

extension Service {
    /// Sends one of the profile's requests with a session, in whatever way that is sent; and once more where the answer tells
    /// what guards it. Verify does not wait for that: it is asked where there is none.
    func send(
        _ rule: RequestRule, with session: Session, username: String
    ) throws(LoginFault) -> ServiceClient.Reply {
        let slots = rule == profile.verify ? [] : rule.slots.union(profile.sessionRule.slots(for: rule.method))
        let session = try fetchingCSRF(for: slots, session, username, isEnding: true)
        let reply = try sendOnce(rule, with: session, username: username)
        guard client.learnsCSRF(from: reply.facts) else { return reply }
        let refreshed = client.refreshed(session, by: reply.facts.response)
        let next = rule == profile.verify ? refreshed : try owned(refreshed, after: session, username: username)
        return try sendOnce(rule, with: next, username: username)
    }

    func sendOnce(
        _ rule: RequestRule, with session: Session, username: String
    ) throws(LoginFault) -> ServiceClient.Reply {
        let values = SlotValues(session, username: username)
        guard let credential = session.credential else {
            let settle = { [self] (cookies: [Cookie]) throws(LoginFault) in
                guard rule != profile.verify else { return cookies }
                var next = session
                next.cookies = cookies
                return try owned(next, after: session, username: username).cookies
            }
            return try client.send(rule, values, session: session, settle: settle)
        }
        return try client.send(rule, values, session: session) { (request) throws(LoginFault) in
            try self.loginMethod.send(request, with: credential, answersOtherRealms: true)
        }
    }

    /// Fetches the value of `{csrf}` for a request with these slots, where the profile says from which page.
    /// - Parameter isEnding: whether the request ends the session.
    /// - Returns: the session, with what that page has refreshed in it and verify has proved.
    /// - Throws: `noCSRF` where the page has no value, or means 'logged out': some services hand anonymous clients a value, too,
    ///   and then do as nobody what somebody has asked for.
    func fetchingCSRF(
        for slots: Set<Template.Slot>, _ session: Session, _ username: String, isEnding: Bool = false
    ) throws(LoginFault) -> Session {
        guard let csrf = profile.sessionRule.csrf, var rule = csrf.request, slots.contains(.csrf) else {
            return session
        }
        (client.csrf, rule.response) = (nil, profile.proof.rules)
        (rule.response.token, rule.response.username, rule.response.loggedIn) = (csrf.value, nil, nil)
        let facts = try sendOnce(rule, with: session, username: username).facts
        client.hide(whatIsIn: facts, by: rule.response)
        switch facts.judged(by: rule.response, at: .verify, anonymous: anonymousResponse) {
        case .accepted:
            guard let value = facts.value(at: csrf.value) else { break }
            (client.csrf, client.csrfCookies) = (value, facts.response.cookies)
            let refreshed = client.refreshed(session, by: facts.response)
            return isEnding
                ? try owned(refreshed, after: session, username: username)
                : try proved(refreshed, after: session, username: username)
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
        (csrf, csrfCookies) = (value, facts.response.cookies)
        return true
    }
}
