public import Secrets

/// What a person proves themselves with, and who they say they are.
public struct Credential: Equatable, Sendable {
    /// Absent where the login has no user name, as with a pasted token.
    public let username: String?
    /// What the proof is.
    package let kind: Kind
    /// What else the login needs: the passphrase of a key, `{secret:LABEL}`.
    package let extraSecrets: [CredentialField: Secret]

    /// What proves who somebody is.
    public enum Kind: Equatable, Sendable {
        /// Blank only where the person says that it is.
        case password(Secret)
        /// Made at the service, and pasted by a person.
        case token(Secret)
        /// A Kerberos ticket (RFC 4120): it lies in the credential cache, and nothing of it is kept here.
        case ticket
        /// The client certificate, with what opens its key where that is encrypted.
        case certificate(passphrase: Secret?)
        /// What a person consented to at an authorization server.
        case grant(AuthorizedGrant)
        /// The login request has neither a password nor a token: user name and `extraSecrets` are all it needs.
        case noSecret
    }

    /// Nothing is checked here: what a method wants of a name and a password is looked at when they are sent.
    public init(username: String?, _ kind: Kind, extraSecrets: [CredentialField: Secret] = [:]) {
        self.username = username
        self.kind = kind
        self.extraSecrets = extraSecrets
    }

    /// What of the proof must not be seen, and is kept. It says nothing about the kind: more than one has none.
    package var secret: Secret? {
        switch kind {
        case .password(let secret), .token(let secret): secret
        case .certificate(let passphrase): passphrase
        case .grant(let authorized): authorized.grant.token.value
        case .ticket, .noSecret: nil
        }
    }

    /// The same with what is known already for what is not in it.
    package func completed(by known: [CredentialField: Secret]) -> Credential {
        Credential(username: username, kind, extraSecrets: extraSecrets.merging(known) { own, _ in own })
    }
}

/// What the service hands back after a login, and what is sent with every later request.
package enum Session: Equatable, Sendable {
    /// Basic, Digest, a ticket, a certificate: the credential itself is the session.
    case credential(Credential)
    case token(Token)
    case cookies([Cookie])

    /// When it ends, in seconds of Unix time, as far as that is known.
    package var expires: Int64? {
        switch self {
        case .credential: nil
        case .token(let token): token.expires
        case .cookies(let cookies): cookies.end
        }
    }

    /// What opens the key of the client certificate, where that alone is the proof and its key is encrypted.
    package var passphrase: Secret? {
        guard case .credential(let credential) = self else { return nil }
        switch credential.kind {
        case .certificate(let passphrase): return passphrase
        case .password, .token, .ticket, .grant, .noSecret: return nil
        }
    }

    /// What an authorization server has granted with it.
    package var terms: Grant.Terms? {
        guard case .token(let token) = self else { return nil }
        return token.terms
    }

    /// Everything in it that must not be seen.
    package var secrets: [Secret] {
        switch self {
        case .credential(let credential): [credential.secret].compactMap { $0 }
        case .token(let token): token.secrets
        case .cookies(let cookies): cookies.map(\.value)
        }
    }
}

/// A token, with what is needed to refresh it.
package struct Token: Equatable, Sendable {
    /// The token itself, without the scheme that it is sent with.
    package let value: Secret
    /// What a new one is got with (RFC 6749, section 6); `nil` if the service gave none.
    package let refreshToken: Secret?
    /// Seconds of Unix time.
    package let expires: Int64?
    /// What it is refreshed and revoked by, where an authorization server handed it out; `nil` if the profile says that.
    package let terms: Grant.Terms?

    /// - Parameter expires: seconds of Unix time; `nil` if the end is not known.
    package init(value: Secret, refreshToken: Secret?, expires: Int64?) {
        self.init(value: value, refreshToken: refreshToken, expires: expires, terms: nil)
    }

    /// - Parameter terms: of a grant (RFC 6749).
    package init(value: Secret, refreshToken: Secret?, expires: Int64?, terms: Grant.Terms?) {
        self.value = value
        self.refreshToken = refreshToken
        self.expires = expires
        self.terms = terms
    }

    /// Everything in it that must not be seen.
    var secrets: [Secret] {
        [value, refreshToken, terms?.client.secret, terms?.client.registration?.token].compactMap { $0 }
    }
}

/// One cookie of one origin (RFC 6265).
package struct Cookie: Equatable, Sendable {
    /// Upper and lower case make different names.
    package let name: String
    /// The bytes as the server sent them.
    package let value: Secret
    /// The cookie with all its attributes, in the form in which the transport took it and takes it back.
    package let record: Secret
    /// Seconds of Unix time; absent for a cookie that lasts as long as the session.
    package let expires: Int64?

    /// - Parameter record: has to be of the same cookie; name and value are not read out of it here.
    package init(name: String, value: Secret, record: Secret, expires: Int64?) {
        self.name = name
        self.value = value
        self.record = record
        self.expires = expires
    }
}

/// A login that the verify endpoint has confirmed: what is kept.
package struct Login: Equatable, Sendable {
    /// Who has logged in.
    package let identity: Identity
    /// What goes along with every request from now on.
    package let session: Session
    /// What a new session can be earned with; present only where the profile keeps the password.
    package let credential: Credential?
    /// What every later request needs beside the session; kept as long as it is.
    package let extraSecrets: [CredentialField: Secret]
    /// What verify answered before this login; `nil` if it was not asked, or says nothing by that.
    package let anonymousResponse: AnonymousResponse?
    /// Where it was verified, if that was by HTTP authentication just now.
    package let space: VerifiedSpace?

    /// Without a credential, a login that cannot earn itself a new session.
    package init(
        identity: Identity, session: Session, credential: Credential? = nil,
        extraSecrets: [CredentialField: Secret] = [:],
        anonymousResponse: AnonymousResponse? = nil, space: VerifiedSpace? = nil
    ) {
        self.anonymousResponse = anonymousResponse
        self.identity = identity
        self.session = session
        self.credential = credential
        self.extraSecrets = extraSecrets
        self.space = space
    }
}

extension [CredentialField: Secret] {
    /// What a person was asked for, without what a login handed out.
    package var asked: Self { filter { !$0.key.isTaken } }

    /// What a login handed out, of these names.
    package func taken(_ names: Set<String>) -> Self {
        filter { if case .taken(let name) = $0.key { names.contains(name) } else { false } }
    }
}

extension CredentialField {
    var isTaken: Bool { if case .taken = self { true } else { false } }
}
