public import LoginCore

// What is asked of the server before anybody is asked for a credential.
extension Service {
    public func prepare() throws(LoginError) -> ProtectionSpace {
        try prepare(hasPassword: options.hasPassword)
    }

    func prepare(hasPassword: Bool) throws(LoginError) -> ProtectionSpace {
        switch profile.kind {
        case .challenge: try choice(hasPassword: hasPassword).check(ticket: ticket)
        case .exchange, .pasted, .certificate: break
        }
        let space: ProtectionSpace
        if let (rule, step) = profile.guarded {
            space =
                if let anonymous {
                    try prepare(over: anonymous, asking: rule, at: step)
                } else {
                    try prepare(asking: rule, at: step, hasPassword: hasPassword)
                }
        } else {
            try greet()
            space = try chosenSpace([], status: 0, hasPassword: hasPassword)
        }
        protectionSpace = space
        return space
    }

    /// Sends it as a stranger does, who has to be sent away.
    private func prepare(
        asking rule: RequestRule, at step: Step, hasPassword: Bool
    ) throws(LoginError) -> ProtectionSpace {
        anonymousResponse = nil
        let facts = try send(rule.anonymous, SlotValues(), session: nil)
        defer { noteAnonymous(facts, at: step) }
        var offered = AuthenticateChallenge.parse(facts.response.values(of: "WWW-Authenticate"))
        switch judge(facts, by: rule.response, at: step) {
        case .accepted where step == .verify || facts.isSuccess:
            throw .usage(.verifyProvesNothing(url: guardedURL))
        case .accepted, .refused, .forbidden, .needsSecondFactor, .pending:
            break
        case .unclear(.busy(let fault)):
            throw .busy(fault)
        case .unclear(let error):
            // An application that answers strangers with a redirect or a 404 refuses them too; where a challenge has to
            // be answered, none came.
            if needsChallenge && offered.isEmpty { throw error }
        }
        if offered.isEmpty, step == .verify { offered = try challengesOfLogin() }
        return try chosenSpace(offered, status: facts.status, hasPassword: hasPassword)
    }

    /// Whether nothing but a challenge of the verify endpoint says how a credential is sent.
    private var needsChallenge: Bool {
        switch profile.kind {
        case .challenge, .certificate: profile.login == nil
        case .exchange, .pasted: false
        }
    }

    /// Remembers how a stranger is sent away; what another request than verify answers says nothing of a session.
    func noteAnonymous(_ facts: ParsedResponse, at step: Step) {
        anonymousResponse = step == .verify ? AnonymousResponse(facts) : nil
    }

    /// Asks for nothing but an answer, be it what it may: a server that is not there, or whose certificate does not verify, is
    /// told before anybody types a password.
    private func greet() throws(LoginError) {
        _ = try transport.send(HTTPRequest(method: "HEAD", url: "\(endpoint.base)/"))
    }

    /// The URL of the verify endpoint, else of the login request, for messages: as the profile writes it.
    public var guardedURL: String {
        endpoint.base + ((profile.verify ?? profile.login)?.path.shown ?? "/")
    }
}

extension ParsedResponse {
    /// Whether the status is 2xx.
    var isSuccess: Bool { (200..<300).contains(status) }
}
