public import Secrets

/// A user name and the proof of it.
public struct Credential: Equatable, Sendable {
    /// Absent where the login has no user name, as with a pasted token.
    public let username: String?
    /// The proof.
    let kind: Kind
    /// Further secrets of the login: the passphrase of a key, `{secret:LABEL}`.
    let extraSecrets: [CredentialField: Secret]

    /// The kinds of proof.
    public enum Kind: Equatable, Sendable {
        /// Blank only where the person says that it is.
        case password(Secret)
        /// Made at the service, and pasted by a person.
        case token(Secret)
        /// A Kerberos ticket (RFC 4120): it lies in the credential cache, and nothing of it is kept here.
        case ticket
        /// The client certificate, with what opens its key where that is encrypted.
        case certificate(passphrase: Secret?)
        /// A grant by an authorization server.
        case grant(AuthorizedGrant)
        /// A session that a person has copied in their browser.
        indirect case copied(CopiedSession)
        /// The login request has neither a password nor a token: user name and `extraSecrets` are all it needs.
        case noSecret
    }

    /// Checks nothing: what a method wants of a name and a password is looked at when they are sent.
    public init(username: String?, _ kind: Kind, extraSecrets: [CredentialField: Secret] = [:]) {
        self.username = username
        self.kind = kind
        self.extraSecrets = extraSecrets
    }

    /// The secret part of the proof, if it has one.
    var secret: Secret? {
        switch kind {
        case .password(let secret), .token(let secret): secret
        case .certificate(let passphrase): passphrase
        case .grant(let authorized): authorized.grant.token.value
        case .ticket, .noSecret, .copied: nil
        }
    }

    /// The password, if that is the proof.
    var password: Secret? { if case .password(let password) = kind { password } else { nil } }

    /// The credential, completed with known secrets that it lacks.
    func completed(by known: [CredentialField: Secret]) -> Credential {
        Credential(username: username, kind, extraSecrets: extraSecrets.merging(known) { own, _ in own })
    }
}

/// The session: returned by the service after a login, and sent with every later request.
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

    /// The passphrase of the client certificate's key, if the certificate alone is the proof.
    package var passphrase: Secret? {
        guard case .credential(let credential) = self, case .certificate(let passphrase) = credential.kind else {
            return nil
        }
        return passphrase
    }

    /// The terms of the grant that the token belongs to.
    package var terms: Grant.Terms? { if case .token(let token) = self { token.terms } else { nil } }

    /// Everything in it that must not be seen.
    var secrets: [Secret] {
        switch self {
        case .credential(let credential): [credential.secret].compactMap { $0 }
        case .token(let token): token.secrets
        case .cookies(let cookies): cookies.map(\.value)
        }
    }
}

extension WallClock {
    /// Whether a session has ended, so that another is wanted before anything is sent with it. A token that can be refreshed is over in
    /// its last second: a service counts from before its answer came, and one that sees an ended token may take the refresh token for
    /// stolen.
    func isOver(_ session: Session) -> Bool {
        guard case .token(let token) = session, token.refreshToken != nil, let end = token.expires else {
            return isOver(session.expires)
        }
        return seconds(until: end) <= 1
    }
}

/// A token, with what is needed to refresh it.
package struct Token: Equatable, Sendable {
    /// The token itself, without the scheme that it is sent with.
    package let value: Secret
    /// The refresh token (RFC 6749, section 6); `nil` if the service gave none.
    package let refreshToken: Secret?
    /// Seconds of Unix time; `nil` if the end is not known.
    let expires: Int64?
    /// The endpoints that refresh and revoke it, if an authorization server issued it (RFC 6749); `nil` if the profile has them.
    var terms: Grant.Terms?
    /// The cookies that are sent beside it; empty unless the profile has both.
    var cookies: [Cookie] = []

    /// The same beside other cookies.
    func with(_ cookies: [Cookie]) -> Token {
        var token = self
        token.cookies = cookies
        return token
    }

    /// Everything in it that must not be seen.
    var secrets: [Secret] {
        [value, refreshToken, terms?.client.secret, terms?.client.registration?.token].compactMap { $0 }
            + cookies.map(\.value)
    }
}

/// The code of a second factor that was given beforehand. It is read when it is needed, and no sooner: it may come from a
/// program.
final class SuppliedCode {
    /// Whether it is sent with the password, since the server does not say by itself that it wants one.
    let isSentAtOnce: Bool
    /// Whether it was not taken yet.
    var isThere: Bool { read != nil }
    private var read: (() throws(LoginFault) -> Secret)?

    /// - Parameter read: called once at most.
    init(isSentAtOnce: Bool, read: @escaping () throws(LoginFault) -> Secret) {
        self.isSentAtOnce = isSentAtOnce
        self.read = read
    }

    /// - Returns: `nil` once it was taken, since a code works once.
    func take() throws(LoginFault) -> Secret? {
        let read = read
        self.read = nil
        return try read?()
    }
}

/// A session from elsewhere, such as a browser: verify alone judges it.
public struct CopiedSession: Equatable, Sendable {
    let session: Session

    /// The login, if verify has already accepted the session.
    let login: Login?
    /// Whether the copied request says that the service binds the session to the browser's device.
    let bindsToDevice: Bool

    init(_ session: Session, bindsToDevice: Bool = false) {
        (self.session, login, self.bindsToDevice) = (session, nil, bindsToDevice)
    }

    /// Makes one from a login that verify has just accepted.
    init(_ login: Login) { (session, self.login, bindsToDevice) = (login.session, login, login.bindsToDevice) }
}
