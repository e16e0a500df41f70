import Secrets

/// Gets a session for an action: the stored one, a refreshed one, or a new one for which a person may be asked.
package struct SessionProvider {
    package let context: LoginContext
    package let profile: Profile
    package var request: LoginRequest

    /// - Parameter chosen: for the login that may become necessary.
    package init(_ context: LoginContext, _ profile: Profile, _ chosen: LoginRequest) throws(LoginFault) {
        self.context = context
        let target = LoginTarget(profile: try chosen.applied(to: profile))
        self.profile = target.profile
        context.promptTimeout = chosen.policy.patience
        request = try chosen.resolved(for: target, in: context, isLogin: false)
    }

    /// Returns a stored session that has not expired, without asking the server; else as `enter`.
    package func enterUnverified() throws(LoginFault) -> AuthenticatedSession {
        guard request.supplied == nil else { return try enter() }
        return try context.holdingPromptLock { () throws(LoginFault) in
            let run = try LoginRun(context, profile, request)
            let stored = try run.fill(), record = run.keeper.filledRecord
            guard let session = stored.session, let record, !stored.credentialWasRefused, !stored.mustBeVerified,
                !context.dependencies.clock.isOver(session)
            else {
                if let record { context.tellOfClock(record, of: profile.name) }
                return try logIn(run, stored)
            }
            run.service.hold(stored.extraSecrets)
            return AuthenticatedSession(run, session, record.identity, space: record.space, isFresh: false)
        }
    }

    /// Whether a request may go out for nobody, to see whether a login is needed at all: it only reads, no login was ever kept
    /// here, and there is nothing to log in with that was given. What has ended, was erased or marked refused logs in first.
    func maySendWithoutLogin(_ method: String) throws(LoginFault) -> Bool {
        guard profile.mayReadAnonymously, method == "GET" || method == "HEAD", request.supplied == nil,
            request.username == nil, profile.settings.certificate == nil, !profile.traits.isForMachines
        else { return false }
        if try hasKeptLogin { return false }
        // Another machine may have logged in.
        try context.adopt(profile, nil)
        if try hasKeptLogin { return false }
        return !(request.mayBeNegotiate(profile) && context.hasTicket)
    }

    private var hasKeptLogin: Bool {
        get throws(LoginFault) { try context.record(of: profile)?.hasKeptLogin == true }
    }

    /// Verifies the stored session, refreshes it, or logs in.
    /// - Parameters:
    ///   - refused: the session that the server has just refused, so that it is not asked about it once more.
    ///   - refusal: of verify, which may judge nothing.
    package func enter(
        after refused: Session? = nil, _ refusal: Refusal? = nil
    ) throws(LoginFault) -> AuthenticatedSession {
        var request = request
        if let refused {
            request.policy.sessionRefusal = refusal ?? Refusal(status: 401, mayMeanForbidden: true)
            request.outdated = refused
            request.refusal = request.policy.sessionRefusal
            // What was given is tried once.
            request.supplied = nil
        }
        return try enter(by: request)
    }

    /// Logs in anew for another scope, whatever is stored.
    func enter(forScope scope: String) throws(LoginFault) -> AuthenticatedSession {
        var request = request
        (request.scope, request.policy.force) = (scope, true)
        return try enter(by: request)
    }

    private func enter(by request: LoginRequest) throws(LoginFault) -> AuthenticatedSession {
        try context.holdingPromptLock { () throws(LoginFault) in try logIn(try LoginRun(context, profile, request)) }
    }

    /// - Parameter known: the login that the run's keeper has just read, if it has.
    private func logIn(_ run: LoginRun, _ known: StoredLogin? = nil) throws(LoginFault) -> AuthenticatedSession {
        let mayGo = run.request.supplied != nil || run.request.policy.provesItself
        try run.run(for: .action(withoutStore: mayGo), known: known)
        guard let session = run.session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        let record = try run.account()
        return AuthenticatedSession(
            run, session, run.identity, space: run.space ?? record?.space, isFresh: true)
    }
}

extension SessionProvider {
    /// The same for what comes while a command has the terminal: nobody is asked, and what was given has been tried.
    func unattended() -> SessionProvider {
        context.leaveTerminal()
        var provider = self
        provider.request.policy.mayAsk = false
        provider.request.policy.trust.mayAsk = false
        provider.request.supplied = nil
        provider.request.showsNotice = false
        return provider
    }
}
