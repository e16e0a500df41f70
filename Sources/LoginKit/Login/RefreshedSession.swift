package import LoginCore

extension LoginContext {
    /// Whether authctl gets a new session by itself once this one has ended: with a refresh token, or the password that is kept.
    ///
    /// Only the store knows; what cannot be read there is told of elsewhere.
    package func refreshes(_ account: AccountRecord, of profile: Profile) -> Bool {
        if account.passwordRefused { return false }
        if account.keepsPassword { return true }
        guard account.kind == .token, profile.refresh != nil || profile.oauth != nil else { return false }
        var session: Session?
        if account.store.isShared {
            guard let secret = lastRead(account, in: profile.name)?.secret else { return false }
            session = try? StoredLoginCodec.decodeShared(secret, of: profile.kind).login.session
        } else {
            var request = LoginRequest()
            request.username = account.username
            session = try? keeper(profile, account.origin, request).fill(account).session
        }
        guard case .token(let token) = session else { return false }
        return token.refreshToken != nil
    }
}
