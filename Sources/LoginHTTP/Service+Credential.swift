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
            request.basic = credential.pair
            return try transport.send(request)
        case .digest:
            return try sendDigest(request, credential.pair, answersOtherRealms)
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

    /// Whose ticket a login without a password is made with.
    func withTicket(_ credential: Credential) throws(LoginError) -> Credential {
        guard protectionSpace?.method == .negotiate, credential.secret == nil else { return credential }
        switch ticket() {
        case .valid(let principal):
            return Credential(username: principal, secret: nil, extraSecrets: credential.extraSecrets)
        case .unusable(let problem): throw .loginRequired(LoginNeed(why: .ticket(problem)))
        }
    }

    /// What the server was found to want; else what worked at login; else it is asked.
    ///
    /// A credential without a secret is a ticket, whatever another account of the profile logs in with.
    func method(for credential: Credential) throws(LoginError) -> AuthenticationMethod {
        // The handshake is the proof, whatever opens the key.
        if profile.provesByCertificate { return .certificate }
        let known = protectionSpace?.method ?? options.pinnedMethod ?? profile.methods.first
        if credential.secret == nil { return .negotiate }
        switch known {
        case .basic: return .basic
        // The challenge is needed too.
        case .digest where digest != nil: return .digest
        case .digest, .negotiate, .certificate, .auto, .cookie, .token, nil:
            let space = try prepare(hasPassword: true)
            return space.method
        }
    }

    /// A ticket is gone sooner than what is stored, and another user's may have come in its place.
    private func checkTicket(of credential: Credential) throws(LoginError) {
        if case .unusable(let problem) = tickets.find().restricted(to: credential.username) {
            throw .loginRequired(LoginNeed(why: .ticket(problem)))
        }
        try tickets.request(endpoint.origin.host)
    }
}

extension Credential {
    var pair: BasicCredential {
        BasicCredential(username: username ?? "", password: secret ?? Secret(""))
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
        let hadTicket = credential.map { $0.secret == nil } ?? false
        return Refusal(status: status, words: words, mayMeanForbidden: isAmbiguous, hadTicket: hadTicket)
    }
}
