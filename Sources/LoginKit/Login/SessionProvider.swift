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
    /// A cookie file in the Netscape format.
    case cookies
    /// The storage state of Playwright's browsers.
    case playwright

    /// Whether it has the cookies of the session, and nothing for any other.
    fileprivate var isOfCookies: Bool { self == .cookies || self == .playwright }
}

extension UsageFault {
    /// A form of cookies was asked for a session that has none.
    package static let hasNoCookies = UsageFault.other(
        "this login is not a session of cookies, so there are none to print",
        next: "print its header with --as header, or lend the login to the program: authctl exec --serve -- COMMAND")
}

/// Gets an account's session: the stored one, a refreshed one, or a new one for which a person may be asked.
package struct SessionProvider {
    package let context: LoginContext
    package let profile: Profile
    package var request: LoginRequest
    /// Seconds that a session for another program has to live at least.
    private var minimum: Int64 = 0
    /// Whether the server is asked about it, whatever is stored.
    private var asksServer = false
    private var form: SessionForm?

    /// - Parameter chosen: for the login that may become necessary.
    package init(_ context: LoginContext, _ profile: Profile, _ chosen: LoginRequest) throws(LoginFault) {
        self.context = context
        let target = LoginTarget(profile: try chosen.applied(to: profile))
        self.profile = target.profile
        context.person.patience = chosen.policy.patience
        request = try chosen.resolved(for: target, in: context, isLogin: false)
    }

    /// For another program, with nobody to be asked.
    /// - Parameters:
    ///   - minimum: seconds that the session has to live at least.
    ///   - form: what the session is wanted for; `nil` for its token.
    package init(
        unattended context: LoginContext, _ profile: Profile, minimum: Int64 = 0, asksServer: Bool = false,
        form: SessionForm? = nil
    ) {
        (self.context, self.profile, request) = (context, profile, LoginRequest(mayAsk: false))
        (self.minimum, self.asksServer, self.form) = (minimum, asksServer, form)
    }

    /// Returns a stored session that has not expired, without asking the server; else as `enter`.
    package func enterUnverified() throws(LoginFault) -> AccountSession {
        guard request.supplied == nil else { return try enter() }
        try context.person.takePromptLock()
        defer { context.person.givePromptLock() }
        let run = try LoginRun(context, profile, request)
        run.purpose = .action(withoutStore: false)
        let stored = try run.fill(), record = run.keeper.filledRecord
        guard let session = stored.session, let record, !stored.credentialWasRefused, !stored.mustBeVerified,
            !context.dependencies.clock.isOver(session)
        else {
            if let record { context.accounts.tellOfClock(record, of: profile.name) }
            return try logIn(by: request, in: run, stored)
        }
        run.service.hold(stored.extraSecrets)
        return AccountSession(run, session, record.identity, space: record.space, isFresh: false)
    }

    /// Whether a request may go out for nobody, to see whether a login is needed at all: it only reads, no login was ever kept
    /// here, and there is nothing to log in with that was given. What has ended, was erased or marked refused logs in first.
    func maySendWithoutLogin(_ method: String) throws(LoginFault) -> Bool {
        guard profile.mayReadAnonymously, method == "GET" || method == "HEAD", request.supplied == nil,
            request.passwordCommand == nil, request.username == nil, profile.settings.certificate == nil,
            !profile.traits.isForMachines
        else { return false }
        if try hasKeptLogin { return false }
        // Another machine may have logged in.
        try context.accounts.adopt(profile, nil)
        if try hasKeptLogin { return false }
        return !(request.mayBeNegotiate(profile) && context.dependencies.tickets.isValid)
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
    ) throws(LoginFault) -> AccountSession {
        var request = request
        if let refused {
            let refusal = refusal ?? Refusal(status: 401, mayMeanForbidden: true)
            (request.policy.sessionRefusal, request.outdated) = (refusal, refused)
            request.refused = RefusedLogin(session: refused, refusal: refusal)
            // What was given is tried once.
            request.supplied = nil
        }
        return try logIn(by: request)
    }

    /// Logs in anew for another scope, whatever is stored.
    func enter(forScope scope: String) throws(LoginFault) -> AccountSession {
        var request = request
        (request.scope, request.policy.force) = (scope, true)
        return try logIn(by: request)
    }

    /// - Parameters:
    ///   - begun: the run that is there already, if there is one.
    ///   - known: the login that its keeper has just read.
    private func logIn(
        by request: LoginRequest, in begun: LoginRun? = nil, _ known: StoredLogin? = nil
    ) throws(LoginFault) -> AccountSession {
        try context.person.takePromptLock()
        defer { context.person.givePromptLock() }
        if let command = request.passwordCommand { return try logIn(by: request, command) }
        let run = if let begun { begun } else { try LoginRun(context, profile, request) }
        let mayGo = run.request.supplied != nil || run.request.policy.provesItself
        let account = try run.run(for: .action(withoutStore: mayGo), known: known), record = try run.account()
        account.space = run.space ?? record?.space
        return account
    }

    /// By the stored session, verified or refreshed, else with what the profile's command prints. That goes before a stored
    /// password.
    private func logIn(by request: LoginRequest, _ command: String) throws(LoginFault) -> AccountSession {
        var request = request
        request.passwordCommand = nil
        if try hasKeptLogin {
            var unattended = request
            unattended.policy.mayAsk = false
            let run = try LoginRun(context, profile, unattended), stored = try run.fill()
            if stored.session != nil, stored.credential == nil {
                do {
                    return try logIn(by: unattended, in: run, stored)
                } catch .loginRequired {}
            }
        }
        let secret = try context.password(from: .command(command), allowsBlank: request.allowsBlankPassword)
        request.supplied = try context.accounts.credential(secret, of: request.username, profile)
        return try logIn(by: request)
    }

    /// The same for what comes while a command has the terminal: nobody is asked, and what was given has been tried.
    func unattended() -> SessionProvider {
        context.person.leaveTerminal()
        var provider = self
        provider.request.policy.mayAsk = false
        provider.request.policy.trust.mayAsk = false
        (provider.request.supplied, provider.request.passwordCommand) = (nil, nil)
        provider.request.showsNotice = false
        return provider
    }
}

// A session for another program: without need, nothing is asked of the network.
extension SessionProvider {
    /// The stored session, refreshed if it does not live long enough; a new one where a machine proves itself or a password is given.
    package func session() throws(LoginFault) -> (session: Session, username: String) {
        if profile.traits.isProvedByCertificate, profile.sessionRule.isCredential {
            try AccountRecord.SessionKind.certificate.check(form)
        }
        if profile.provesItself { return try proven() }
        if context.dependencies.environment.mayGiveCredential(for: profile, isLogin: false),
            SuppliedCredential.variable(context.dependencies.environment, true) != nil
        {
            return try loggedInWithSupplied()
        }
        let account = try context.accounts.account(profile)
        // Before anything is asked of a store or the network.
        try account.kind.check(form)
        return (try session(of: account), account.username)
    }

    /// The values from the login that the session needs in a header.
    package func taken(_ username: String) throws(LoginFault) -> [CredentialField: Secret] {
        guard form == .curl || form?.isOfCookies == true || !profile.takenForLater.isEmpty,
            let account = try context.record(of: profile)?.account(named: username)
        else { return [:] }
        return try stored(account).extraSecrets
    }

    /// Returns what carries the session in requests of another program, and a run for what the profile says of them.
    package func attachment(
        of session: Session, username: String
    ) throws(LoginFault) -> (LoginRun, Service.Attachment) {
        let run = try LoginRun(context, profile, context.accounts.unattendedRequest(profile, username))
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
        context.accounts.tellOfClock(account, of: profile.name)
        // As it came and not as its store has it: an engine that machines share may not have it yet.
        return try lasting(try confirmed(request(for: account.username, found))).session
    }

    private func stored(_ account: AccountRecord) throws(LoginFault) -> StoredLogin {
        try context.accounts.keeper(of: account, in: profile).fill(account)
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
    private func confirmed(_ request: LoginRequest) throws(LoginFault) -> AccountSession {
        do {
            return try LoginRun(context, profile, request).run(for: .action(withoutStore: false))
        } catch .loginRequired(let need) {
            let left = need.why == .sessionExpired ? request.outdated.map(secondsLeft) ?? 0 : 0
            throw .loginRequired(LoginNeed(why: left > 0 ? .sessionEndsSoon(seconds: left) : need.why))
        }
    }

    private func secondsLeft(_ session: Session) -> Int64 {
        session.expires.map { context.dependencies.clock.seconds(until: $0) } ?? .max
    }

    /// - Parameter found: is refreshed first if it does not live long enough.
    private func request(for username: String?, _ found: StoredLogin?) -> LoginRequest {
        var request = context.accounts.unattendedRequest(profile, username)
        request.wantsTokenAlone = !asksServer
        request.outdated = found?.session.flatMap { livesLongEnough($0) ? nil : $0 }
        request.policy.refreshesFirst = request.outdated != nil
        return request
    }

    private func livesLongEnough(_ session: Session) -> Bool { secondsLeft(session) >= max(minimum, 1) }

    /// With a password from the environment: kept where a store works, and used all the same where none does.
    private func loggedInWithSupplied() throws(LoginFault) -> (session: Session, username: String) {
        if profile.kind.schemes == [.digest] { try AccountRecord.SessionKind.digest.check(form) }
        let run = try context.accounts.verifyingRun(profile, persist: nil)
        let account = try run.run(for: .action(withoutStore: true)), store = try run.account()?.store
        if run.hasStore, let store {
            context.person.say("logged in with the supplied password; the login is stored in '\(store)'")
        }
        if case .credential = account.session, run.service.protectionSpace?.method == .digest {
            try AccountRecord.SessionKind.digest.check(form)
        }
        return try lasting(account)
    }

    /// The session of a login that was just made, or refreshed.
    private func lasting(_ account: AccountSession) throws(LoginFault) -> (session: Session, username: String) {
        guard livesLongEnough(account.session) else {
            let clock = account.run.service.result.clockDifference
            throw .failure(.tokenTooShortLived(seconds: secondsLeft(account.session), clock: clock))
        }
        return (account.session, account.username)
    }

    /// Returns the stored session if it lives long enough, else a new one by the machine's proof.
    private func proven() throws(LoginFault) -> (session: Session, username: String) {
        let isNamed = context.username(for: profile) != nil
        let account = isNamed ? try context.accounts.account(profile) : try context.record(of: profile)?.activeAccount
        let found = try account.map { (account) throws(LoginFault) in try stored(account) }
        if let account, let found, let session = usable(found) { return (session, account.username) }
        var request = request(for: isNamed ? account?.username : nil, found)
        try context.accounts.takeSupplied(profile, into: &request)
        return try lasting(try LoginRun(context, profile, request).run(for: .action(withoutStore: true)))
    }
}

extension AccountRecord.SessionKind {
    /// - Throws: `usage` for a form that such a session does not have.
    fileprivate func check(_ form: SessionForm?) throws(LoginFault) {
        let hasHeader = form == .header || form == .headers
        switch self {
        case .cookies where form?.isOfCookies == true: break
        case _ where form?.isOfCookies == true: throw .usage(.hasNoCookies)
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
