import LoginCore
import Secrets

extension Service {
    /// Sends a request with a credential, in the way that the server wants it.
    /// - Parameter answersOtherRealms: whether a challenge of another realm than the first one's is answered, too.
    func send(
        _ request: HTTPRequest, with credential: Credential, answersOtherRealms: Bool = true
    ) throws(LoginError) -> HTTPResponse {
        var request = request
        switch try method(for: credential) {
        case .basic:
            request.basic = try pair(credential)
            return try transport.send(request)
        case .digest:
            return try sendDigest(request, try pair(credential), answersOtherRealms)
        case .negotiate:
            try checkTicket(of: credential)
            request.negotiates = true
            let response = try transport.send(request)
            isProven = response.acceptsTicket
            return response
        case .certificate, .cookie, .token, .auto:
            return try transport.send(request)
        }
    }

    /// Where the server wants a ticket: whose it is.
    func withPrincipal(_ credential: Credential) throws(LoginError) -> Credential {
        guard protectionSpace?.method == .negotiate, credential.kind == .ticket else { return credential }
        switch ticket() {
        case .valid(let principal):
            return Credential(username: principal, .ticket, extraSecrets: credential.extraSecrets)
        case .unusable(let problem): throw .loginRequired(LoginNeed(why: .ticket(problem)))
        }
    }

    /// How a credential is sent: a ticket as one, whatever another account of the profile logs in with.
    func method(for credential: Credential) throws(LoginError) -> AuthenticationMethod {
        switch profile.kind {
        // The handshake is the proof, whatever opens the key.
        case .certificate: return .certificate
        case .challenge, .exchange, .pasted: break
        }
        switch credential.kind {
        case .ticket: return .negotiate
        case .certificate: return .certificate
        case .password, .token, .noSecret: return try methodForPassword()
        }
    }

    /// What the server was found to want; else what worked at login; else it is asked.
    private func methodForPassword() throws(LoginError) -> AuthenticationMethod {
        switch protectionSpace?.method ?? options.pinnedMethod ?? profile.methods.first {
        case .basic: return .basic
        // The challenge is needed too.
        case .digest where digest != nil: return .digest
        case .digest, .negotiate, .certificate, .auto, .cookie, .token, nil:
            let space = try prepare(hasPassword: true)
            return space.method
        }
    }

    /// What Basic and Digest are made of.
    /// - Throws: `loginRequired` for whatever is no password.
    func pair(_ credential: Credential) throws(LoginError) -> BasicCredential {
        switch credential.kind {
        case .password(let password): return BasicCredential(username: credential.username ?? "", password: password)
        case .token, .ticket, .certificate, .noSecret: throw lacking
        }
    }

    /// That the login needs what was not given.
    var lacking: LoginError { .loginRequired(LoginNeed(why: .nothingStored, missing: profile.fields)) }

    /// A ticket is gone sooner than what is stored, and another user's may have come in its place.
    private func checkTicket(of credential: Credential) throws(LoginError) {
        if case .unusable(let problem) = tickets.find().restricted(to: credential.username) {
            throw .loginRequired(LoginNeed(why: .ticket(problem)))
        }
        try tickets.request(endpoint.origin.host)
    }
}

extension Session {
    /// The credential that goes along, where it is the session.
    var credential: Credential? {
        if case .credential(let credential) = self { credential } else { nil }
    }
}

extension Refusal {
    /// The same, if need be with the remark that a good credential without rights may look alike.
    func ambiguous(_ isAmbiguous: Bool, _ credential: Credential?) -> Refusal {
        let hadTicket = credential?.kind == .ticket
        return Refusal(status: status, words: words, mayMeanForbidden: isAmbiguous, hadTicket: hadTicket)
    }
}
