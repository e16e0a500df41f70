import Secrets

/// A kind of login. What depends on the kind reads its row, `LoginTraits`.
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
    /// A machine proves itself, and an authorization server hands out a token (RFC 6749, section 4.4; RFC 7523; RFC 8693).
    case machine
    /// A person logs in in a window of a browser that authctl opens, and its cookies are the session.
    case browser

    /// The session that a login request returns.
    package enum Earned: Equatable, Sendable { case cookies, token }
}

/// A scheme of HTTP authentication by which a credential can be sent, strongest first (RFC 4559, RFC 7616, RFC 7617). NTLM and
/// Bearer are never answered with a password.
package enum HTTPScheme: String, CaseIterable, Sendable {
    case negotiate, digest, basic

    /// - Returns: `nil` for a method that is no such scheme.
    init?(_ method: AuthenticationMethod) { self.init(rawValue: method.rawValue) }

    /// The name in a profile.
    var method: AuthenticationMethod {
        switch self {
        case .negotiate: .negotiate
        case .digest: .digest
        case .basic: .basic
        }
    }
}

/// The row of a kind of login: what everything else has to know of it. How it logs in is its `LoginMethod`.
package struct LoginTraits: Sendable {
    /// Whether user name and password answer the challenges of HTTP authentication.
    var answersChallenges = false
    /// Whether the client certificate alone is the proof, so that a given secret opens its key.
    package var isProvedByCertificate = false
    /// Whether a person logs in in a browser, at an authorization server or anywhere, so that no secret can be given beforehand.
    package var asksForConsent = false
    /// Whether authctl opens a browser window for the login, and takes the session from it.
    var opensWindow = false
    /// Whether the session is a grant of an authorization server.
    var earnsGrant = false
    /// Whether a machine logs in by proving itself.
    var isForMachines = false
    /// Whether the credential is from elsewhere: it names no user, and there is no password beside it.
    var takesToken = false
    /// The session that a login leaves where the profile does not say.
    var session = SessionRule()
    /// The kind of a secret that was given for such a login, or stored with one.
    package let credential: @Sendable (_ secret: Secret) -> Credential.Kind
    /// The kind of the credential of a login without a secret.
    var withoutSecret = Credential.Kind.noSecret
    /// The fields that each login needs anew.
    let fields: @Sendable (Profile) -> [CredentialField]

    /// Whether the session is a grant that a person consents to.
    var asksForGrant: Bool { asksForConsent && earnsGrant }

    /// Whether the credential itself is proved with each request, unless the profile has a login request: HTTP authentication, TLS.
    package var authenticatesRequests: Bool { answersChallenges || isProvedByCertificate }

    fileprivate static let challenge = LoginTraits(
        answersChallenges: true, credential: { .password($0) }, withoutSecret: .ticket,
        fields: { $0.kind.schemes == [.negotiate] ? [] : [.username, .password] })

    fileprivate static let cookies = LoginTraits(
        session: SessionRule(cookies: true), credential: { .password($0) }, fields: { $0.fieldsOfRequests })

    fileprivate static let token = LoginTraits(
        session: .bearer, credential: { .password($0) }, fields: { $0.fieldsOfRequests })

    fileprivate static let pasted = LoginTraits(
        takesToken: true, session: .bearer, credential: { .token($0) },
        fields: { $0.sessionRule.slots.contains(.username) ? [.username, .token] : [.token] })

    fileprivate static let certificate = LoginTraits(
        isProvedByCertificate: true, credential: { .certificate(passphrase: $0) },
        withoutSecret: .certificate(passphrase: nil), fields: { _ in [] })

    fileprivate static let oauth = LoginTraits(
        asksForConsent: true, earnsGrant: true, takesToken: true, session: .bearer, credential: { .token($0) },
        fields: { _ in [] })

    fileprivate static let machine = LoginTraits(
        earnsGrant: true, isForMachines: true, session: .bearer, credential: { .password($0) },
        fields: { $0.oauth?.needsClientSecret == true ? [.password] : [] })

    fileprivate static let browser = LoginTraits(
        asksForConsent: true, opensWindow: true, takesToken: true, session: SessionRule(cookies: true),
        credential: { .token($0) },
        fields: { _ in [] })
}

extension LoginKind {
    /// Its row.
    var traits: LoginTraits {
        switch self {
        case .challenge: .challenge
        case .exchange(for: .cookies): .cookies
        case .exchange(for: .token): .token
        case .pasted: .pasted
        case .certificate: .certificate
        case .oauth: .oauth
        case .machine: .machine
        case .browser: .browser
        }
    }

    /// The schemes that the profile names; none where it leaves the choice to the server, or has no use for them.
    var schemes: [HTTPScheme] { if case .challenge(let schemes) = self { schemes } else { [] } }

    /// Whether a credential may be sent by this scheme.
    package func accepts(_ scheme: HTTPScheme) -> Bool {
        traits.answersChallenges && (schemes.isEmpty || schemes.contains(scheme))
    }
}

extension Profile {
    /// The row of its kind of login.
    package var traits: LoginTraits { kind.traits }

    /// Whether it is a machine's that proves itself, so that a login needs neither a person nor a secret.
    package var provesItself: Bool { traits.isForMachines && fields.isEmpty }

    /// Whether `--method` may choose it, or an earlier login may have pinned it; for `auto`, any scheme of HTTP authentication.
    package func accepts(_ method: AuthenticationMethod) -> Bool {
        methods.contains(method) || methods == [.auto] && HTTPScheme(method) != nil
    }

    /// The fields that its login requests send.
    fileprivate var fieldsOfRequests: [CredentialField] {
        if loginSteps.isEmpty { return [.username, .password] }
        let slots = Set(loginSteps.flatMap(\.slots))
        return (slots.contains(.username) ? [.username] : []) + (slots.contains(.password) ? [.password] : [])
    }

    /// The kind of its logins, by its methods and requests.
    package var kind: LoginKind {
        for method in methods {
            switch method {
            case .certificate: return .certificate
            case .cookie: return .exchange(for: .cookies)
            case .oauth: return oauth?.machine == nil ? .oauth : .machine
            case .browser: return .browser
            case .token: return login == nil ? .pasted : .exchange(for: .token)
            case .auto, .negotiate, .digest, .basic: continue
            }
        }
        return .challenge(methods.compactMap { HTTPScheme($0) })
    }
}

extension [AuthenticationMethod] {
    /// Each once, whatever the order in which they were written.
    var strongestFirst: [AuthenticationMethod] {
        let known = HTTPScheme.allCases.map(\.method).filter { contains($0) }
        return known.count > 1 ? known : Array(prefix(1))
    }
}
