import Secrets

/// A login by HTTP authentication: the server's challenge says by which scheme the credential is sent.
final class ChallengeLogin: LoginMethod {
    let client: ServiceClient
    private let clock: WallClock
    private let tickets: TicketCache
    /// The scheme that worked before: a weaker offer is refused.
    private let pinned: AuthenticationMethod?
    /// The user that the login is for, if known: another user's ticket is not used.
    private let username: String?
    /// The challenge of Digest in hand, with how often it was answered.
    private var digest: DigestDialogue?

    init(_ parts: LoginMethodParts) {
        (client, clock, tickets) = (parts.client, parts.clock, parts.tickets)
        (pinned, username) = (parts.options.pinnedMethod, parts.options.username)
    }

    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        let choice = MethodChoice(
            accepted: pinned.map { [$0] } ?? client.profile.methods, hasPassword: hasPassword,
            hasLoginRequest: client.profile.login != nil)
        try choice.check(ticket: ticket)
        var offered: [AuthenticateChallenge] = [], status = 0
        let check = AnonymousCheck(client: client)
        if let (rule, step) = client.profile.guarded {
            let (facts, doubt) = try check.send(rule, at: step)
            (offered, status) = (facts.challenges, facts.status)
            // An application that answers anonymous clients with a redirect or a 404 refuses them too; where a challenge has to
            // be answered, none came.
            if offered.isEmpty, let doubt, client.profile.login == nil, !mayTryBasic(despite: doubt) { throw doubt }
            if offered.isEmpty, step == .verify { offered = try challengesOfLogin() }
        } else {
            try check.greet()
        }
        let chosen = try choice.chosen(among: offered, url: client.guardedURL, status: status, ticket: ticket)
        if case .digest(let challenge) = chosen { digest = DigestDialogue(challenge) }
        return ProtectionSpace(origin: client.endpoint.origin, realm: chosen.realm, method: chosen.method)
    }

    /// Whether a profile that names Basic alone is tried with it: some services answer whoever sends none with 400 or 404. 407 may be a
    /// proxy's, and 408 has judged nothing.
    private func mayTryBasic(despite doubt: LoginFault) -> Bool {
        guard case .failure(.unexpectedStatus(let status, _, _)) = doubt, status != 407, status != 408 else {
            return false
        }
        return client.profile.methods == [.basic]
    }

    /// The challenges of the login request, where the verify endpoint has none: an application that keeps cookies may
    /// guard only the page that gives them.
    private func challengesOfLogin() throws(LoginFault) -> [AuthenticateChallenge] {
        guard let login = client.profile.login, pinned ?? client.profile.methods.first != .basic else { return [] }
        let facts = try client.send(login.anonymous, SlotValues(), session: nil).facts
        return facts.status == 401 ? facts.challenges : []
    }

    /// The ticket, if it belongs to the user that the login is for.
    private func ticket() -> TicketFinding { tickets.find().restricted(to: username) }

    func open(_ begun: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        var steps = begun
        let credential = try withPrincipal(steps.credential)
        steps.credential = credential
        if client.profile.loginSteps.isEmpty { return credential.opened }
        return try RequestSequence(client: client, clock: clock, carriesCredential: true)
            .take(steps, code: code) { (request) throws(LoginFault) in
                try self.send(request, with: credential, answersOtherRealms: true)
            }
    }

    /// Where the server wants a ticket: whose it is.
    private func withPrincipal(_ credential: Credential) throws(LoginFault) -> Credential {
        guard client.space?.method == .negotiate, credential.kind == .ticket else { return credential }
        switch ticket() {
        case .valid(let principal):
            return Credential(username: principal, .ticket, extraSecrets: credential.extraSecrets)
        case .unusable(let problem): throw .loginRequired(LoginNeed(why: .ticket(problem)))
        }
    }

    /// The method that the server was found to want, else the one that worked at login; else the server is asked. A ticket is sent
    /// as one, whatever another account of the profile logs in with.
    func authenticationMethod(for credential: Credential) throws(LoginFault) -> AuthenticationMethod {
        switch credential.kind {
        case .ticket: return .negotiate
        case .token, .certificate, .grant, .noSecret, .copied: throw client.lacking
        case .password: break
        }
        switch client.space?.method ?? pinned ?? client.profile.methods.first {
        case .basic: return .basic
        // The challenge is needed too.
        case .digest where digest != nil: return .digest
        case .digest, .negotiate, .certificate, .auto, .cookie, .token, .oauth, .browser, nil:
            let space = try findSpace(hasPassword: true)
            client.space = space
            return space.method
        }
    }

    func send(
        _ request: HTTPRequest, with credential: Credential, answersOtherRealms: Bool, over line: ServiceClient.Line
    ) throws(LoginFault) -> ServiceClient.Sent {
        var request = request
        switch HTTPScheme(try authenticationMethod(for: credential)) {
        case .basic:
            request.basic = credential.pair
            return ServiceClient.Sent(response: try line(request), carriedPassword: true)
        case .digest:
            guard var dialogue = digest else { throw .failure(.unexpectedEvent("Digest without a challenge")) }
            defer { digest = dialogue }
            return try dialogue.send(
                request, credential.pair, answersOtherRealms: answersOtherRealms, over: line)
        case .negotiate:
            try checkTicket(of: credential)
            request.negotiates = true
            let response = try line(request)
            return ServiceClient.Sent(response: response, isProven: response.acceptsTicket)
        case nil:
            return ServiceClient.Sent(response: try line(request))
        }
    }

    /// A ticket is gone sooner than what is stored, and another user's may have come in its place.
    private func checkTicket(of credential: Credential) throws(LoginFault) {
        if case .unusable(let problem) = tickets.find().restricted(to: credential.username) {
            throw .loginRequired(LoginNeed(why: .ticket(problem)))
        }
        try tickets.request(client.endpoint.origin.host)
    }
}
