package import LoginCore

extension LoginContext {
    /// Settings for asking the person in a login with these options.
    func dialogueSettings(_ login: LoginRequest) -> Dependencies.DialogueSettings {
        var settings = dialogueSettings
        settings.allowsBlankPassword = login.allowsBlankPassword
        return settings
    }

    /// The accepted certificate of an origin: from this run, else remembered.
    func exception(for origin: Origin) throws(LoginFault) -> TrustedCertificate? {
        if let accepted = acceptance?.exception, accepted.origin == origin { return accepted }
        return try document().exception(for: origin)
    }

    /// Sends a request before the login itself has begun. The decision about a certificate that does not verify then holds
    /// for the whole run; it is made by the same policy as in the login.
    func send(
        _ request: HTTPRequest, over transport: any Transport, _ login: LoginRequest
    ) throws(LoginFault) -> HTTPResponse {
        do throws(LoginFault) {
            return try showingNotice { () throws(LoginFault) in try transport.send(request) }
        } catch .untrusted(.certificate(let trust)) where acceptance == nil {
            acceptance = try accepted(trust, login)
        }
        if let exception = acceptance?.exception { transport.trust(exception) }
        return try showingNotice { () throws(LoginFault) in try transport.send(request) }
    }

    /// Whether a person is told that a server is asked.
    var showsNotice: Bool { options.showsNotice && dependencies.hasTerminal() }

    /// Shows a notice while the server is asked without a credential, outside of a login.
    package func showingNotice<Result>(_ ask: () throws(LoginFault) -> Result) throws(LoginFault) -> Result {
        guard showsNotice else { return try ask() }
        let prompt = dependencies.dialogue(dialogueSettings)
        prompt.showWaiting(LoginLoop.contactNotice)
        defer { prompt.showWaiting(nil) }
        return try ask()
    }

    private func accepted(_ trust: ServerTrust, _ login: LoginRequest) throws(LoginFault) -> TrustAcceptance {
        let policy = TrustPolicy(fingerprint: login.policy.trust.fingerprint, mayAsk: mayAsk)
        switch policy.decision(on: trust) {
        case .refuse(let error): throw error
        case .accept: return TrustAcceptance(trust.exception, isLasting: true)
        case .ask: break
        }
        let answer = try dependencies.dialogue(dialogueSettings(login)).ask(.certificate(trust))
        guard case .trust(let answer) = answer else { throw .cancelled }
        guard let acceptance = answer.acceptance(of: trust) else { throw .untrusted(.certificateRejected) }
        return acceptance
    }
}
