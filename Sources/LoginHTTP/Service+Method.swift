import LoginCore

extension Service {
    /// What the server has asked for, as far as it was asked.
    ///
    /// - Parameters:
    ///   - offered: the challenges of its answer to a stranger.
    ///   - hasPassword: whether a password is there, so that no ticket is looked for.
    func chosenSpace(
        _ offered: [AuthenticateChallenge], status: Int, hasPassword: Bool
    ) throws(LoginError) -> ProtectionSpace {
        switch profile.kind {
        case .exchange(for: .cookies):
            return ProtectionSpace(origin: endpoint.origin, realm: offered.first?.realm, method: .cookie)
        case .exchange(for: .token), .pasted:
            return ProtectionSpace(origin: endpoint.origin, realm: offered.first?.realm, method: .token)
        case .challenge, .certificate:
            let chosen = try choice(hasPassword: hasPassword).chosen(
                among: offered, url: guardedURL, status: status, ticket: ticket)
            if case .digest(let challenge) = chosen { digest = DigestSession(challenge) }
            return ProtectionSpace(origin: endpoint.origin, realm: chosen.realm, method: chosen.method)
        }
    }

    /// What may be chosen among.
    func choice(hasPassword: Bool) -> MethodChoice {
        MethodChoice(
            accepted: options.pinnedMethod.map { [$0] } ?? profile.methods, hasPassword: hasPassword,
            hasLoginRequest: profile.login != nil)
    }

    /// The ticket, if it is the one of whom the login is for.
    func ticket() -> TicketFinding {
        tickets.find().restricted(to: options.username)
    }

    /// The challenges of the login request, where the verify endpoint has none: an application that keeps cookies may
    /// guard only the page that gives them.
    func challengesOfLogin() throws(LoginError) -> [AuthenticateChallenge] {
        switch profile.kind {
        case .exchange, .pasted: return []
        case .challenge, .certificate:
            guard let login = profile.login, options.pinnedMethod ?? profile.methods.first != .basic else { return [] }
            let facts = try send(login.anonymous, SlotValues(), session: nil)
            guard facts.status == 401 else { return [] }
            return AuthenticateChallenge.parse(facts.response.values(of: "WWW-Authenticate"))
        }
    }
}
