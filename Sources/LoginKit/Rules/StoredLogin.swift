import Secrets

/// The result of a fill. Without arguments: nothing is stored.
package struct StoredLogin: Equatable, Sendable {
    /// The parts that a server can refuse, one by one.
    package enum Part: Equatable, Sendable, CaseIterable { case session, credential }

    /// `nil` where none is stored; where the credential is the session, it holds that.
    package private(set) var session: Session?
    /// The stored user name and password, unless the server has refused it before.
    package private(set) var credential: Credential?
    /// The name of the account that was found, as typed.
    private(set) var username = ""
    /// Whether a password is stored that the server refused; it is not sent again by itself.
    private(set) var credentialWasRefused = false
    /// The secrets that are asked for once and sent with later logins and requests.
    package private(set) var extraSecrets: [CredentialField: Secret] = [:]
    /// When the session ended, in seconds of Unix time, where it is past its end or its store has dropped it for that.
    var endedAt: Int64?
    /// Whether the service has to be asked before the session is used: it was refreshed and nobody has said yet whose it is, or
    /// the clock here cannot tell whether it has ended.
    var mustBeVerified = false
}

extension StoredLogin {
    /// When nothing in it is of use any more, in seconds of Unix time; `nil` if that never comes or is not known.
    ///
    /// A refresh token and a password outlive the session that they refresh, and cookies end one by one.
    var lastUse: Int64? {
        if credential != nil || !extraSecrets.isEmpty { return nil }
        switch session {
        case .credential, nil: return nil
        case .token(let token): return token.refreshToken == nil ? token.expires : nil
        case .cookies: return session?.expires
        }
    }

    /// The same as a fill gives it: for the account of this name, and without a password that must not be sent again. With
    /// Basic, the session is the password.
    func found(as username: String, credentialWasRefused: Bool) -> StoredLogin {
        guard credentialWasRefused else {
            return StoredLogin(session: session, credential: credential, username: username, extraSecrets: extraSecrets)
        }
        let isPassword = if case .credential = session { true } else { false }
        return StoredLogin(
            session: isPassword ? nil : session, username: username, credentialWasRefused: true,
            extraSecrets: extraSecrets)
    }

    /// The stored login with a session that was just saved.
    func with(_ session: Session) -> StoredLogin {
        StoredLogin(session: session, credential: credential, username: username, extraSecrets: extraSecrets)
    }

    /// The rest after the server has refused a part.
    func without(_ part: Part) -> StoredLogin {
        switch part {
        case .session: StoredLogin(credential: credential, username: username, extraSecrets: extraSecrets)
        case .credential:
            StoredLogin(session: session, username: username, credentialWasRefused: true, extraSecrets: extraSecrets)
        }
    }
}
