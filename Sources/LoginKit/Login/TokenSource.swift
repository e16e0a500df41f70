import Secrets

/// A form of a session for another program; the token alone is none of them.
package enum SessionForm: String, CaseIterable, Sendable {
    /// A JSON object of the headers.
    case headers
    /// A line for each header.
    case header
    /// The JSON of a kubectl credential plugin.
    case execCredential = "exec-credential"
    /// A configuration file of curl.
    case curl
}

/// The stored session of a profile, refreshed if it does not live long enough. Without need, nothing is asked of the
/// network.
package struct TokenSource {
    private let context: LoginContext
    private let profile: Profile
    private let minimum: Int64
    private let asksServer: Bool
    private let form: SessionForm?

    /// - Parameters:
    ///   - minimum: seconds that the session has to live at least.
    ///   - form: what the session is wanted for; `nil` for its token.
    package init(
        context: LoginContext, profile: Profile, minimum: Int64 = 0, asksServer: Bool = false, form: SessionForm? = nil
    ) {
        (self.context, self.profile, self.minimum) = (context, profile, minimum)
        (self.asksServer, self.form) = (asksServer, form)
    }

    package func session() throws(LoginFault) -> (session: Session, username: String) {
        if profile.traits.isProvedByCertificate, profile.sessionRule.isCredential {
            try AccountRecord.SessionKind.certificate.check(form)
        }
        if profile.provesItself { return try proven() }
        if context.mayUseSuppliedVariables(for: profile, isLogin: false),
            SuppliedCredential.variable(context.dependencies.environment, true) != nil
        {
            return try loggedInWithSupplied()
        }
        let account = try context.account(profile)
        // Before anything is asked of a store or the network.
        try account.kind.check(form)
        return (try session(of: account), account.username)
    }

    /// The values from the login that the session needs in a header.
    package func taken(_ username: String) throws(LoginFault) -> [CredentialField: Secret] {
        guard form == .curl || !profile.takenForLater.isEmpty,
            let account = try context.record(of: profile)?.account(named: username)
        else { return [:] }
        return try stored(account).extraSecrets
    }

    /// Returns what carries the session in requests of another program, and a run for what the profile says of them.
    package func attachment(
        of session: Session, username: String
    ) throws(LoginFault) -> (LoginRun, Service.Attachment) {
        let run = try LoginRun(context, profile, context.unattendedRequest(profile, username))
        run.service.hold(try taken(username))
        run.service.owner = try context.record(of: profile)?.account(named: username)?.identity
        return (run, try run.service.attachment(of: session, username: username))
    }

    /// Returns the token of an account that was chosen already.
    package func session(of account: AccountRecord) throws(LoginFault) -> Session {
        let found = try stored(account)
        if let session = usable(found) { return session }
        // Without a session there may be a password that earns one: another process may be about it.
        guard found.session != nil || found.credential != nil || profile.provesItself else {
            throw missing(found, account)
        }
        context.tellOfClock(account, of: profile.name)
        // As it came and not as its store has it: an engine that machines share may not have it yet.
        let run = try confirmed(request(for: account.username, found))
        guard let session = run.session else { throw missing(found, account) }
        try checkLife(of: session, clock: run.service.result.clockDifference)
        return session
    }

    private func stored(_ account: AccountRecord) throws(LoginFault) -> StoredLogin {
        try context.keeper(of: account, in: profile).fill(account)
    }

    /// The stored session, if nothing has to be asked about it.
    private func usable(_ found: StoredLogin) -> Session? {
        found.session.flatMap { livesLongEnough($0) && !asksServer && !found.mustBeVerified ? $0 : nil }
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
    private func confirmed(_ request: LoginRequest) throws(LoginFault) -> LoginRun {
        do {
            let run = try LoginRun(context, profile, request)
            try run.run(for: .action(withoutStore: false))
            return run
        } catch .loginRequired(let need) {
            let left = need.why == .sessionExpired ? request.outdated.flatMap(secondsLeft) : nil
            throw .loginRequired(LoginNeed(why: left.map { .sessionEndsSoon(seconds: $0) } ?? need.why))
        }
    }

    /// `nil` if it has expired.
    private func secondsLeft(_ session: Session) -> Int64? {
        let left = session.expires.map { context.dependencies.clock.seconds(until: $0) } ?? 0
        return left > 0 ? left : nil
    }

    /// - Parameter found: is refreshed first if it does not live long enough.
    private func request(for username: String?, _ found: StoredLogin?) -> LoginRequest {
        var request = context.unattendedRequest(profile, username)
        request.wantsTokenAlone = !asksServer
        request.outdated = found?.session.flatMap { livesLongEnough($0) ? nil : $0 }
        request.policy.refreshesFirst = request.outdated != nil
        return request
    }

    private func livesLongEnough(_ session: Session) -> Bool {
        guard let expires = session.expires else { return true }
        return context.dependencies.clock.seconds(until: expires) >= max(minimum, 1)
    }

    /// With a password from the environment: kept where a store works, and used all the same where none does.
    private func loggedInWithSupplied() throws(LoginFault) -> (session: Session, username: String) {
        if profile.kind.schemes == [.digest] { try AccountRecord.SessionKind.digest.check(form) }
        let run = try context.verifyingRun(profile, persist: nil)
        try run.run(for: .action(withoutStore: true))
        let store = try run.account()?.store
        if run.hasStore, let store {
            context.say("logged in with the supplied password; the login is stored in '\(store)'")
        }
        if case .credential = run.session, run.service.protectionSpace?.method == .digest {
            try AccountRecord.SessionKind.digest.check(form)
        }
        return try session(of: run)
    }

    /// The session of a login that was just made.
    private func session(of run: LoginRun) throws(LoginFault) -> (session: Session, username: String) {
        guard let session = run.session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        try checkLife(of: session, clock: run.service.result.clockDifference)
        return (session, run.identity.username)
    }

    /// Returns the stored session if it lives long enough, else a new one by the machine's proof.
    private func proven() throws(LoginFault) -> (session: Session, username: String) {
        let isNamed = context.username(for: profile) != nil
        let account = isNamed ? try context.account(profile) : try context.record(of: profile)?.activeAccount
        let found = try account.map { (account) throws(LoginFault) in try stored(account) }
        if let account, let found, let session = usable(found) { return (session, account.username) }
        var request = request(for: isNamed ? account?.username : nil, found)
        try context.takeSupplied(profile, into: &request)
        let run = try LoginRun(context, profile, request)
        try run.run(for: .action(withoutStore: true))
        return try session(of: run)
    }

    private func checkLife(of session: Session, clock: ClockDifference?) throws(LoginFault) {
        guard !livesLongEnough(session) else { return }
        let seconds = context.dependencies.clock.seconds(until: session.expires ?? 0)
        throw .failure(.tokenTooShortLived(seconds: seconds, clock: clock))
    }
}

extension AccountRecord.SessionKind {
    /// - Throws: `usage` for a form that such a session does not have.
    fileprivate func check(_ form: SessionForm?) throws(LoginFault) {
        let hasHeader = form == .header || form == .headers
        switch self {
        case .token: break
        case _ where form == .curl: break
        case .digest: throw .usage(.hasNoHeader(method: .digest))
        case .ticket: throw .usage(.hasNoHeader(method: .negotiate))
        case .certificate: throw .usage(.hasNoHeader(method: .certificate))
        case .basic where hasHeader, .cookies where hasHeader: break
        case .basic: throw .usage(.tokenHasOnlyHeader(method: .basic))
        case .cookies: throw .usage(.tokenHasOnlyHeader(method: .cookie))
        }
    }
}
