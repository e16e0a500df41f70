package import LoginCore

extension SessionProvider {
    /// The same for what comes while a command has the terminal: nobody is asked, and what was given has been tried.
    func unattended() -> SessionProvider {
        context.leaveTerminal()
        var provider = self
        provider.request.policy.mayAsk = false
        provider.request.policy.trust.mayAsk = false
        (provider.request.supplied, provider.request.policy.hasSuppliedCredential) = (nil, false)
        provider.request.showsNotice = false
        return provider
    }
}

extension SessionProvider.AuthenticatedSession {
    /// The session of a login that is not kept.
    package static func unkept(_ run: LoginRun, _ session: Session, username: String, _ identity: Identity) -> Self {
        Self(
            run: run, keeper: SessionHolder(run, mayGoWithoutStore: true), session: session, username: username,
            identity: identity, space: nil, isFresh: true)
    }

    /// The same login with another session, of which nothing was said by responses.
    func replaced(by session: Session) -> Self {
        Self(
            run: run, keeper: keeper, session: session, username: username, identity: identity, space: space,
            isFresh: isFresh)
    }

    /// Whether a store has the session, so that it is refreshed there.
    package var isKept: Bool { keeper.hasStore && !run.keepsNothing }
}

extension LoginRun {
    /// A service for requests beside those of this run, since each is used by one thread. A transfer may stand still for as
    /// long as somebody waits for it.
    func serviceBeside(isCancelled: @escaping @Sendable () -> Bool) throws(LoginFault) -> Service {
        var settings = try context.transportSettings(profile, for: endpoint.origin)
        settings.identity = beside.identity
        settings.stallTime = TransportSettings.longestTransfer
        settings.isCancelled = isCancelled
        var options = beside.options
        options.pinnedMethod = service.protectionSpace?.method ?? options.pinnedMethod
        return context.dependencies.service(profile, endpoint, settings, options)
    }
}
