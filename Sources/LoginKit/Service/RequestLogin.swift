import Secrets

/// A login request of the profile's own, which answers with cookies or a token.
final class RequestLogin: LoginMethod {
    let client: ServiceClient
    private let clock: WallClock
    private let method: AuthenticationMethod

    init(_ parts: LoginMethodParts, for earned: LoginKind.Earned) {
        (client, clock) = (parts.client, parts.clock)
        method = earned == .cookies ? .cookie : .token
    }

    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        // Without a page or a token, only the cookies of an anonymous response tell which ones everybody gets.
        let needsCookies = method == .cookie && client.profile.loginSteps.first?.page == nil
        return try AnonymousCheck(client: client).space(method, isKnown: hasPassword && !needsCookies)
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        if client.profile.loginSteps.isEmpty { return steps.credential.opened }
        return try RequestSequence(client: client, clock: clock, carriesCredential: false)
            .take(steps, code: code)
    }

    func authenticationMethod(for credential: Credential) -> AuthenticationMethod { method }
}

/// The client certificate is the proof, in the handshake of every connection: no request carries anything.
final class CertificateLogin: LoginMethod {
    let client: ServiceClient
    private let clock: WallClock

    init(_ parts: LoginMethodParts) {
        (client, clock) = (parts.client, parts.clock)
    }

    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        if let (rule, step) = client.profile.guarded {
            try checkRefused(rule, at: step)
        } else {
            try AnonymousCheck(client: client).greet()
        }
        return ProtectionSpace(origin: client.endpoint.origin, method: .certificate)
    }

    /// Asks what is guarded without the certificate. It has to refuse: in the handshake, or by a status.
    private func checkRefused(_ rule: RequestRule, at step: Step) throws(LoginFault) {
        do {
            _ = try AnonymousCheck(client: client).send(rule, at: step, by: client.anonymously)
        } catch .untrusted(.clientCertificate), .network(.connectionLost), .network(.handshakeLost) {
            // A reset may overtake the alert that says why: whoever gets no answer without a certificate was not let in.
            return
        }
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        if client.profile.loginSteps.isEmpty { return steps.credential.opened }
        return try RequestSequence(client: client, clock: clock, carriesCredential: true)
            .take(steps, code: code)
    }

    func authenticationMethod(for credential: Credential) -> AuthenticationMethod { .certificate }
}

/// A token that a person pastes is the session at once.
final class PastedTokenLogin: LoginMethod {
    let client: ServiceClient

    init(_ parts: LoginMethodParts) {
        client = parts.client
    }

    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        try AnonymousCheck(client: client).space(.token, isKnown: hasPassword)
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        guard case .token(let value) = steps.credential.kind else { throw client.lacking }
        let token = Token(value: value, refreshToken: nil, expires: nil)
        return .opened(OpenedLogin(credential: steps.credential, session: .token(token), verdict: .leftToVerify))
    }

    func authenticationMethod(for credential: Credential) -> AuthenticationMethod { .token }
}
