extension StoredLogin {
    /// When nothing in it is of use any more, in seconds of Unix time; `nil` if that never comes or is not known.
    ///
    /// A refresh token and a password outlive the session that they refresh, and cookies end one by one.
    package var lastUse: Int64? {
        if credential != nil || !extraSecrets.isEmpty { return nil }
        switch session {
        case .credential, nil: return nil
        case .token(let token): return token.refreshToken == nil ? token.expires : nil
        case .cookies: return session?.expires
        }
    }

    /// The same as a fill gives it: for the account of this name, and without a password that must not be sent again. With
    /// Basic, the session is the password.
    package func found(as username: String, credentialWasRefused: Bool) -> StoredLogin {
        guard credentialWasRefused else {
            return StoredLogin(session: session, credential: credential, username: username, extraSecrets: extraSecrets)
        }
        let isPassword = if case .credential = session { true } else { false }
        return StoredLogin(
            session: isPassword ? nil : session, username: username, credentialWasRefused: true,
            extraSecrets: extraSecrets)
    }
}

extension StoredLogin {
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
