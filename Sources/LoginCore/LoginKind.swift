package import Secrets

/// How the logins of a profile work. What depends on it switches over it, so that a new kind has to be thought of everywhere.
package enum LoginKind: Equatable, Sendable {
    /// The credential answers the challenges of HTTP authentication (RFC 9110, section 11): by the strongest of these schemes that
    /// the server offers, or of all where none is named (`auto`). It is the session, unless the profile has a login request.
    case challenge([HTTPScheme])
    /// The login request takes a user name and a password, and answers with a session.
    case exchange(for: Earned)
    /// A person pastes a token that they made at the service.
    case pasted
    /// The client certificate alone is the proof, in the TLS handshake.
    case certificate
    /// A person consents in a browser, and an authorization server hands out a token (RFC 6749).
    case oauth

    /// The session that a login request returns.
    package enum Earned: Equatable, Sendable { case cookies, token }
}

/// A scheme of HTTP authentication by which a credential can be sent, strongest first (RFC 4559, RFC 7616, RFC 7617). NTLM and
/// Bearer are never answered with a password.
package enum HTTPScheme: String, CaseIterable, Sendable {
    case negotiate, digest, basic

    /// - Returns: `nil` for a method that is no such scheme.
    package init?(_ method: AuthenticationMethod) {
        switch method {
        case .negotiate: self = .negotiate
        case .digest: self = .digest
        case .basic: self = .basic
        case .auto, .certificate, .cookie, .token, .oauth: return nil
        }
    }

    /// The name in a profile.
    package var method: AuthenticationMethod {
        switch self {
        case .negotiate: .negotiate
        case .digest: .digest
        case .basic: .basic
        }
    }
}

extension LoginKind {
    /// The schemes that the profile names; none where it leaves the choice to the server, or has no use for them.
    package var namedSchemes: [HTTPScheme] {
        switch self {
        case .challenge(let schemes): schemes
        case .exchange, .pasted, .certificate, .oauth: []
        }
    }

    /// Whether a credential may be sent by this scheme.
    package func accepts(_ scheme: HTTPScheme) -> Bool {
        switch self {
        case .challenge(let schemes): schemes.isEmpty || schemes.contains(scheme)
        case .exchange, .pasted, .certificate, .oauth: false
        }
    }

    /// Whether what follows a colon in a user name may be a password (`name:password`), since no name has one (RFC 7617,
    /// section 2).
    package var endsNameAtColon: Bool {
        switch self {
        case .challenge, .certificate: true
        case .exchange, .pasted, .oauth: false
        }
    }

    /// Whether the client certificate alone is the proof, so that a given secret opens its key.
    package var isProvedByCertificate: Bool {
        switch self {
        case .certificate: true
        case .challenge, .exchange, .pasted, .oauth: false
        }
    }

    /// Whether a person consents at an authorization server, so that no secret can be given beforehand.
    package var asksForConsent: Bool {
        switch self {
        case .oauth: true
        case .challenge, .exchange, .pasted, .certificate: false
        }
    }

    /// The kind of a secret that was given for such a login, or stored with one.
    /// - Parameter secret: `nil` if the login has none.
    package func credential(of secret: Secret?) -> Credential.Kind {
        switch self {
        case .challenge: secret.map { .password($0) } ?? .ticket
        case .exchange: secret.map { .password($0) } ?? .noSecret
        case .pasted, .oauth: secret.map { .token($0) } ?? .noSecret
        case .certificate: .certificate(passphrase: secret)
        }
    }
}

extension Profile {
    /// The kind of its logins, by its methods and requests.
    package var kind: LoginKind {
        for method in methods {
            switch method {
            case .certificate: return .certificate
            case .cookie: return .exchange(for: .cookies)
            case .oauth: return .oauth
            case .token: return login == nil ? .pasted : .exchange(for: .token)
            case .auto, .negotiate, .digest, .basic: continue
            }
        }
        return .challenge(methods.compactMap { HTTPScheme($0) })
    }
}
