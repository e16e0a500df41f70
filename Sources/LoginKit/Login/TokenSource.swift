import Secrets

/// The stored session of a profile, refreshed if it does not live long enough. Without need, nothing is asked of the
/// network.
package struct TokenSource {
    private let context: LoginContext
    private let profile: Profile
    private let minimum: Int64
    private let asksServer: Bool
    private let wantsHeader: Bool

    /// - Parameters:
    ///   - minimum: seconds that the session has to live at least.
    ///   - wantsHeader: whether the header line is wanted, which sessions without a token have too.
    package init(context: LoginContext, profile: Profile, minimum: Int64, asksServer: Bool, wantsHeader: Bool) {
        (self.context, self.profile, self.minimum) = (context, profile, minimum)
        (self.asksServer, self.wantsHeader) = (asksServer, wantsHeader)
    }

    package func session() throws(LoginFault) -> (session: Session, username: String) {
        try checkHasHeader()
        if profile.provesItself { return try proven() }
        if context.mayUseSuppliedVariables(for: profile, isLogin: false),
            SuppliedCredential.variable(context.dependencies.environment, true) != nil
        {
            return try loggedInWithSupplied()
        }
        let account = try context.account(profile)
        // Before anything is asked of a store or the network.
        try account.kind.check(wantsHeader: wantsHeader)
        return (try session(of: account), account.username)
    }

    /// The values from the login that the session needs in a header.
    package func taken(_ username: String) throws(LoginFault) -> [CredentialField: Secret] {
        guard !profile.takenForLater.isEmpty, let account = try context.record(of: profile)?.account(named: username)
        else { return [:] }
        return try stored(account).extraSecrets
    }

    private func checkHasHeader() throws(LoginFault) {
        if profile.traits.isProvedByCertificate, profile.sessionRule.isCredential {
            throw .usage(.hasNoHeader(method: .certificate))
        }
    }

    /// Returns the token of an account that was chosen already.
    package func session(of account: AccountRecord) throws(LoginFault) -> Session {
        let found = try stored(account)
        let isEnough = found.session.map { livesLongEnough($0) } ?? false
        if let session = found.session, isEnough, !asksServer, !found.mustBeVerified { return session }
        // Without a session there may be a password that earns one: another process may be about it.
        guard found.session != nil || found.credential != nil || profile.provesItself else {
            throw missing(found, account)
        }
        context.tellOfClock(account, of: profile.name)
        let (session, clock) = try confirm(account, refreshing: isEnough ? nil : found.session)
        guard let session else { throw missing(found, account) }
        try checkLife(of: session, clock: clock)
        return session
    }

    private func stored(_ account: AccountRecord) throws(LoginFault) -> StoredLogin {
        try context.keeper(profile, account.origin, request(for: account)).fill(account)
    }

    private func missing(_ stored: StoredLogin, _ account: AccountRecord) -> LoginFault {
        if let other = account.otherPerson { return .loginRequired(LoginNeed(why: .sessionOfAnother(other))) }
        // Another machine has ended it.
        let isOver = !account.store.isShared && context.dependencies.clock.isOver(account.expires)
        let why: LoginNeed.Why =
            stored.credentialWasRefused ? .passwordRefusedBefore : isOver ? .sessionExpired : .nothingStored
        return .loginRequired(LoginNeed(why: why))
    }

    /// Refreshes what is stored if need be, by the profile's `refresh` or else the password that is kept, and has it
    /// verified.
    /// - Returns: the session, as it came and not as its store has it: an engine that machines share may not have it yet. And the
    ///   difference of the clocks, where what came looks as if it were over.
    private func confirm(
        _ account: AccountRecord, refreshing outdated: Session?
    ) throws(LoginFault) -> (Session?, ClockDifference?) {
        var request = request(for: account)
        request.policy.refreshesFirst = outdated != nil
        request.outdated = outdated
        do {
            let run = try LoginRun(context, profile, request)
            let account = try run.run(for: .action(withoutStore: false))
            return (account.session, account.result.clockDifference)
        } catch .loginRequired(let need) {
            let left = need.why == .sessionExpired ? outdated.flatMap(secondsLeft) : nil
            throw .loginRequired(LoginNeed(why: left.map { .sessionEndsSoon(seconds: $0) } ?? need.why))
        }
    }

    /// `nil` if it has expired.
    private func secondsLeft(_ session: Session) -> Int64? {
        let left = session.expires.map { context.dependencies.clock.seconds(until: $0) } ?? 0
        return left > 0 ? left : nil
    }

    private func request(for account: AccountRecord) -> LoginRequest {
        var request = LoginRequest()
        request.username = account.username
        request.policy = LoginFlow.Policy(mayAsk: false)
        request.wantsTokenAlone = !asksServer
        let mayUse = context.mayUseSuppliedVariables(for: profile, isLogin: false)
        request.code = LoginRequest().suppliedCode(profile, context.dependencies, mayUseVariables: mayUse)
        return request
    }

    private func livesLongEnough(_ session: Session) -> Bool {
        guard let expires = session.expires else { return true }
        return context.dependencies.clock.seconds(until: expires) >= max(minimum, 1)
    }

    /// With a password from the environment: kept where a store works, and used all the same where none does.
    private func loggedInWithSupplied() throws(LoginFault) -> (session: Session, username: String) {
        if profile.kind.schemes == [.digest] { throw .usage(.hasNoHeader(method: .digest)) }
        return try session(of: try SessionVerifier(context, profile, persist: nil).run) {
            (run, session, isStored) throws(LoginFault) in
            let store = try run.account()?.store
            if isStored, let store {
                context.say("logged in with the supplied password; the login is stored in '\(store)'")
            }
            if case .credential = session, run.service.protectionSpace?.method == .digest {
                throw .usage(.hasNoHeader(method: .digest))
            }
        }
    }

    /// The session of a login, kept where a store works.
    /// - Parameter check: is told of it before its life is looked at, and whether a store has it.
    private func session(
        of run: LoginRun, _ check: (LoginRun, Session, _ isStored: Bool) throws(LoginFault) -> Void = { _, _, _ in }
    ) throws(LoginFault) -> (session: Session, username: String) {
        let account = try run.run(for: .action(withoutStore: true))
        guard let session = account.session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        try check(run, session, account.hasStore)
        try checkLife(of: session, clock: account.result.clockDifference)
        return (session, account.identity.username)
    }

    /// Returns the stored session if it lives long enough, else a new one by the machine's proof.
    private func proven() throws(LoginFault) -> (session: Session, username: String) {
        let isNamed = context.username(for: profile) != nil
        let account = isNamed ? try context.account(profile) : try context.record(of: profile)?.activeAccount
        let found = try account.map { (account) throws(LoginFault) in try stored(account) }
        if let account, let found, let session = found.session, livesLongEnough(session), !asksServer,
            !found.mustBeVerified
        {
            return (session, account.username)
        }
        var request = LoginRequest()
        request.username = isNamed ? account?.username : nil
        request.policy = LoginFlow.Policy(mayAsk: false)
        request.wantsTokenAlone = !asksServer
        request.outdated = found?.session.flatMap { livesLongEnough($0) ? nil : $0 }
        request.policy.refreshesFirst = request.outdated != nil
        try SessionVerifier.takeSupplied(context, profile, into: &request)
        return try session(of: try LoginRun(context, profile, request))
    }

    private func checkLife(of session: Session, clock: ClockDifference?) throws(LoginFault) {
        guard !livesLongEnough(session) else { return }
        let seconds = context.dependencies.clock.seconds(until: session.expires ?? 0)
        throw .failure(.tokenTooShortLived(seconds: seconds, clock: clock))
    }
}

extension AccountRecord.SessionKind {
    fileprivate func check(wantsHeader: Bool) throws(LoginFault) {
        switch self {
        case .token: break
        case .digest: throw .usage(.hasNoHeader(method: .digest))
        case .ticket: throw .usage(.hasNoHeader(method: .negotiate))
        case .certificate: throw .usage(.hasNoHeader(method: .certificate))
        case .basic where wantsHeader, .cookies where wantsHeader: break
        case .basic: throw .usage(.tokenHasOnlyHeader(method: .basic))
        case .cookies: throw .usage(.tokenHasOnlyHeader(method: .cookie))
        }
    }
}
