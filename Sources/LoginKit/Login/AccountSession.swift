import Secrets

/// The session of one account: reads, verifies, refreshes and keeps it, and lets one thread, process or machine refresh at a time.
///
/// It wraps service and store while a login goes on, and holds the result afterwards.
package final class AccountSession: Authenticator, LoginKeeper {
    /// The use that is made of a login.
    package enum Purpose: Equatable {
        /// Gets a login; says nothing of what was erased, and does not warn of its store.
        case login
        /// Gets a session for an action, which goes on `withoutStore` if no store works.
        case action(withoutStore: Bool)
        /// Makes a login for one command: uses no stored session, and keeps nothing.
        case trial
    }

    /// Returns the keeper of a new login, right before that is kept.
    package typealias KeeperChoice = (Login, Approval) throws(LoginFault) -> StoreKeeper

    /// The run that it belongs to, under the name that its profile had then.
    let run: LoginRun
    private let service: Service
    /// The keeper that was read from, later the one that keeps the login.
    private var keeper: StoreKeeper
    private let purpose: Purpose
    private let chooseKeeper: KeeperChoice?
    /// The answer to the first fill, since another read of the store may run gpg.
    private var alreadyRead: StoredLogin?
    /// The session to be replaced, until the first refresh after a question.
    private var outdated: Session?
    private var lastRefreshed: Session?

    /// The account's identity, once the run has ended.
    package internal(set) var identity = Identity(username: "", serverName: nil)
    /// Whether the login was there already.
    package internal(set) var wasThere = false
    /// Whether the login was made or refreshed now, and is kept.
    private(set) var isKept = false
    /// Whether the service has ended it together with those that it has replaced.
    var isEndedWithOthers = false
    /// False once a store has turned out not to work.
    private(set) var hasStore = true
    /// The stored session, later the new one.
    package private(set) var session: Session?
    /// The password that is stored beside a session.
    private(set) var password: Secret?
    /// The protection space in which this run verified the login.
    private(set) var space: VerifiedSpace?
    /// The other findings of the login.
    var result: LoginResult { service.result }

    /// Reads nothing yet.
    /// - Parameter known: what the run's keeper has just read, if it has.
    init(_ run: LoginRun, for purpose: Purpose, known: StoredLogin? = nil, keeper: KeeperChoice? = nil) {
        (self.run, service, self.keeper) = (run, run.service, run.keeper)
        (self.purpose, alreadyRead, chooseKeeper) = (purpose, known, keeper)
        outdated = run.request.outdated
    }

    /// Whether what is earned is kept, so that others have use for it.
    private var isShared: Bool { run.request.persistence(of: run.profile) != Persistence.none }

    /// Whether it is a login of its own, which neither waits for the refresh of what is stored nor takes its outcome.
    private var isForced: Bool { run.request.policy.force || purpose == .trial }

    private var isForAction: Bool { if case .action = purpose { true } else { false } }

    // MARK: The service

    func prepare() throws(LoginFault) -> ProtectionSpace { try service.prepare() }

    var takenForLater: [CredentialField: Secret] { service.takenForLater }

    func hold(_ extraSecrets: [CredentialField: Secret]) { service.hold(extraSecrets) }

    func trust(_ exception: TrustedCertificate) { service.trust(exception) }

    func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep {
        try withoutSharedName(try service.resume(partial, code: code))
    }

    /// Earns one session for all processes by a stored password or a machine's proof; only one sends a password that is refused. Takes
    /// the session that another process got while this one waited.
    func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        try withoutSharedName(try earned(by: credential, code: code))
    }

    private func earned(by credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        let isProof = isShared && service.profile.provesItself && credential.kind == .ticket
        let sharesSession =
            !isForced && !keeper.mayRefresh && (isProof || keeper.password?.kind == credential.kind)
        guard sharesSession else { return try service.begin(credential, code: code) }
        let known = isProof ? keeper.filled?.login.session : nil
        if let earned = try keeper.beginRefresh(of: known), earned != known {
            do {
                let username = isProof ? keeper.identity?.username : credential.username
                let login = try verify(earned, username: username ?? "")
                guard isProof else { return .accepted(login) }
                // What is kept beside the session is written anew with it.
                return .accepted(
                    Login(
                        identity: login.identity, session: login.session,
                        extraSecrets: credential.extraSecrets.asked.merging(login.extraSecrets) { $1 },
                        anonymousResponse: login.anonymousResponse, space: login.space))
            } catch .rejected {
                // It was the session that was refused, not the password.
            }
        } else if !isProof, keeper.password == nil {
            throw .loginRequired(LoginNeed(why: .sessionRefused))
        }
        return try service.begin(credential, code: isProof ? nil : code)
    }

    /// A login that goes by the typed name if the place which a search found for the server's names another account alike: then it
    /// tells of no person (`Group: <b>admin</b>`), and leaves the profile. Not where nothing else tells a login from none.
    private func withoutSharedName(_ step: LoginStep) throws(LoginFault) -> LoginStep {
        guard purpose != .trial, case .accepted(var login) = step, let name = login.identity.serverName,
            run.profile.fields.contains(.username), login.anonymousResponse?.isToldWithoutName == true,
            case .verify(var rule) = service.client.profile.proof
        else { return step }
        let others = try run.context.record(of: run.profile)?.accounts.filter {
            !$0.username.isSame(as: login.identity.username) && $0.serverName?.isSame(as: name) == true
        }
        guard let others, !others.isEmpty, try run.context.removeFoundUsername(from: run.profile) else { return step }
        let ids = others.map { $0.id(in: run.profile.name) }
        _ = try fromStore(
            try run.keeper.registry.update { for id in ids { $0.updateAccount(id) { $0.serverName = nil } } })
        rule.response.username = nil
        service.client.profile.proof = .verify(rule)
        run.context.say(
            "the profile no longer looks for a user name in the page: it shows \(SafeText.quoted(name)) to several accounts"
        )
        login.identity = Identity(username: login.identity.username, serverName: nil)
        return .accepted(login)
    }

    func verify(_ session: Session, username: String) throws(LoginFault) -> Login {
        if isForced { return try service.verify(session, username: username) }
        if isKnown(session) {
            return Login(
                identity: keeper.identity ?? Identity(username: username, serverName: nil), session: session)
        }
        let login = try service.verify(session, username: username)
        try keeper.confirm(login.identity, hiding: service.repeatsSecret)
        return login
    }

    /// Whether the session is a grant that was just refreshed, and only a token is wanted: then the server's word is enough (RFC 6749,
    /// section 6).
    private func isKnown(_ session: Session) -> Bool {
        run.request.wantsTokenAlone && session == lastRefreshed && session.terms != nil
            && keeper.filledRecord?.doubt == nil
    }

    /// - Returns: the session of another process, if that has refreshed it meanwhile.
    func refresh(_ session: Session, username: String) throws(LoginFault) -> Session? {
        lastRefreshed =
            isForced ? try service.refresh(session, username: username) : try next(session, username: username)
        return lastRefreshed
    }

    private func next(_ session: Session, username: String) throws(LoginFault) -> Session? {
        let isNew = outdated.map { $0 != session } ?? false
        outdated = nil
        if isNew { return session }
        guard service.canRefresh(session) || keeper.password != nil else { return nil }
        var tries = 0
        repeat {
            let present = try keeper.beginRefresh(of: session)
            guard present == session else { return present }
            tries += 1
        } while try !keeper.isInTime(after: tries)
        let refresh: Service.RefreshedSession
        do {
            guard let brought = try sendRefresh(of: session, username) else { return nil }
            refresh = brought
        } catch .rejected(let refusal) {
            if let newer = try keeper.newerSession(than: session) { return newer }
            throw .rejected(refusal)
        }
        if let other = keeper.identity.flatMap({ refresh.owner.otherPerson(than: $0) }) {
            try keeper.keep(refresh.session, of: other)
        }
        if !run.request.wantsTokenAlone || refresh.session.terms == nil { keeper.expectRefresh() }
        return refresh.session
    }

    /// Sends a refresh. Its response must be saved even if the program is told to end meanwhile: the old token may be used up.
    /// What came for another person has ended the login, and nothing of it is kept.
    private func sendRefresh(of session: Session, _ username: String) throws(LoginFault) -> Service.RefreshedSession? {
        keeper.hold = run.context.interruptionHold()
        var hasResponse = false
        defer { if !hasResponse { keeper.hold = nil } }
        do {
            let refresh = try service.refresh(of: session, username: username)
            hasResponse = refresh != nil
            return refresh
        } catch {
            if case .oauth(.otherSubject) = error { try keeper.reject(.session) }
            if error.leavesTokenUnused { keeper.cancelSharedRefresh() }
            // A person may be asked next, and nobody is to wait for them.
            if case .busy(let fault) = error, fault.isDoubtful, keeper.password == nil { keeper.endRefresh() }
            throw error
        }
    }
}

// Keeping what came of it.
extension AccountSession {
    func prepareStore() throws(LoginFault) {
        if purpose == .trial { return }
        do {
            try keeper.prepare()
        } catch {
            try goOn(without: error)
        }
    }

    func fill() throws(LoginFault) -> StoredLogin {
        if purpose == .trial { return StoredLogin() }
        let stored = if let alreadyRead { alreadyRead } else { try keeper.fill() }
        alreadyRead = nil
        (session, password) = (stored.session, stored.credential?.secret)
        return stored
    }

    func approve(_ login: Login, _ approval: Approval) throws(LoginFault) {
        (session, space) = (login.session, login.space ?? space)
        password = login.credential?.secret ?? password
        try keep(login, approval)
        (identity, isKept) = (login.identity, true)
        service.client.handover?.given.removeAll(where: \.isConfirmed)
    }

    private func keep(_ login: Login, _ approval: Approval) throws(LoginFault) {
        if purpose == .trial { return }
        guard hasStore else { return keeper.endRefresh() }
        if let chooseKeeper { keeper = try chooseKeeper(login, approval) }
        if isForAction { run.context.warnOfStore(for: run.profile) }
        do {
            try keeper.approve(login, approval)
        } catch {
            try goOn(without: error)
        }
    }

    /// The login whose place this one has taken.
    var replaced: StoredLogin? { keeper.replaced }

    /// The session that holds: the new one, else the one that is stored.
    func standing() throws(LoginFault) -> Session? {
        isKept || purpose == .trial ? session : try keeper.fill().session ?? session
    }

    /// Keeps what verify has refreshed after the login.
    func take(_ session: Session) throws(LoginFault) {
        guard hasStore, purpose != .trial, self.session?.hasValues(of: session) == false else { return }
        try keeper.approve(Login(identity: identity, session: session), .refresh)
        self.session = session
    }

    /// Has no login of the profile end another one from now on.
    func leaveReplaced() throws(LoginFault) {
        run.warn(
            "when the session that this login replaces was ended, the service ended the new one, too; from now on a login "
                + "leaves it to expire. Logging in once more")
        if keeper.keepsNothing { return }
        let subject = keeper.subject
        _ = try fromStore(
            try keeper.registry.update { document in
                document.updateProfile(subject.profile, url: subject.url, origin: subject.origin) {
                    $0.leavesReplaced = true
                }
            })
        run.context.lookAgain()
    }

    /// Takes note of whom the service names for the stored session.
    func confirm(_ identity: Identity, hiding isSecret: (String) -> Bool) throws(LoginFault) {
        if hasStore { try keeper.confirm(identity, hiding: isSecret) }
    }

    func beginWaiting() {
        keeper.refresh = nil
        outdated = run.request.outdated
    }

    func hasChanged(since stored: StoredLogin) throws(LoginFault) -> Bool {
        if isForced { return false }
        let now = try keeper.fill()
        return now.session.map { $0 != stored.session } ?? now.credential.map { $0 != stored.credential } ?? false
    }

    /// Lets go of signals that a refresh has postponed.
    func releaseHold() { keeper.hold = nil }

    /// With a password that was given the action needs no store.
    private func goOn(without fault: LoginFault) throws(LoginFault) {
        guard purpose == .action(withoutStore: true), case .store = fault else { throw fault }
        hasStore = false
        run.context.say("the login was not stored: \(fault.message().what)")
    }

    func reject(_ part: StoredLogin.Part) throws(LoginFault) {
        session = nil
        if purpose == .trial { return }
        try keeper.reject(part)
        // Another machine may still have the session that comes next, so that it was not erased.
        guard isForAction, keeper.unfinished == nil else { return }
        run.context.topic.done.append(part == .session ? .sessionErased : .passwordMarked)
    }

    func remember(_ exception: TrustedCertificate) throws(LoginFault) {
        if purpose != .trial { try keeper.remember(exception) }
    }
}

extension AnonymousResponse {
    /// Whether each anonymous look differs from a login by more than a missing name.
    fileprivate var isToldWithoutName: Bool { all.allSatisfy { $0.isRefusedByRule || $0.status >= 300 } }
}

extension LoginFault {
    /// Whether the refresh token is as good as before, since it was not sent, or not looked at. A response that was not heard may
    /// have used it up.
    fileprivate var leavesTokenUnused: Bool {
        switch self {
        case .rejected: false
        case .network(let fault):
            switch fault {
            case .nameNotResolved, .notConnected, .proxy, .handshakeLost, .notTLS, .noKerberosServer: true
            case .timedOut, .tooSlow, .connectionLost, .notHTTP, .endedUnanswered, .brokenResponse, .redirectLoop,
                .answerTooLarge, .unanswered, .other:
                false
            }
        default: true
        }
    }
}

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
            session = try? StoredLoginCodec.decode(secret, of: profile.kind, in: account.store).login.session
        } else {
            session = try? keeper(of: account, in: profile).fill(account).session
        }
        guard case .token(let token) = session else { return false }
        return token.refreshToken != nil
    }
}
