import Secrets

/// A keeper that also holds the session for the requests that follow, whether or not it is stored.
final class SessionHolder: LoginKeeper {
    private let keeper: StoreKeeper
    private let context: LoginContext
    private let profile: Profile
    private let mayGoWithoutStore: Bool
    /// The answer to the first fill, since another read of the store may run gpg.
    private var known: StoredLogin?
    /// Until one turns out not to work.
    private(set) var hasStore = true
    private(set) var session: Session?
    /// The password that is stored beside a session.
    private(set) var password: Secret?
    /// Where a login of this run was verified.
    private(set) var space: VerifiedSpace?

    /// - Parameter mayGoWithoutStore: a password was given, so that the action can go on where no store works.
    init(_ run: LoginRun, _ known: StoredLogin? = nil, mayGoWithoutStore: Bool) {
        self.known = known
        keeper = run.keeper
        context = run.context
        profile = run.profile
        self.mayGoWithoutStore = mayGoWithoutStore
    }

    func prepare() throws(LoginFault) {
        do throws(LoginFault) {
            try keeper.prepare()
        } catch {
            try goOn(without: error)
        }
    }

    func fill() throws(LoginFault) -> StoredLogin {
        let stored = if let known { known } else { try keeper.fill() }
        known = nil
        (session, password) = (stored.session, stored.credential?.secret)
        return stored
    }

    func approve(_ login: Login, _ approval: Approval) throws(LoginFault) {
        (session, space) = (login.session, login.space ?? space)
        password = login.credential?.secret ?? password
        guard hasStore else { return keeper.endRefresh() }
        context.warnOfStore(for: profile)
        do throws(LoginFault) {
            try keeper.approve(login, approval)
        } catch {
            try goOn(without: error)
        }
    }

    /// Takes note of whom the service names for the stored session.
    func confirm(_ identity: Identity, hiding isSecret: (String) -> Bool) throws(LoginFault) {
        if hasStore { try keeper.confirm(identity, hiding: isSecret) }
    }

    /// With a password that was given the action needs no store.
    private func goOn(without fault: LoginFault) throws(LoginFault) {
        guard mayGoWithoutStore, case .store = fault else { throw fault }
        hasStore = false
        context.say("the login was not stored: \(fault.message().what)")
    }

    func reject(_ part: StoredLogin.Part) throws(LoginFault) {
        session = nil
        try keeper.reject(part)
        // Another machine may still have the session that comes next, so that it was not erased.
        guard keeper.unfinished == nil else { return }
        context.topic.done.append(part == .session ? .sessionErased : .passwordMarked)
    }

    func remember(_ exception: TrustedCertificate) throws(LoginFault) {
        try keeper.remember(exception)
    }
}

/// A keeper that keeps nothing, and remembers the one login that came of a run.
package final class NoKeeper: LoginKeeper {
    package private(set) var login: Login?

    package init() {}

    package func prepare() throws(LoginFault) {}

    package func fill() throws(LoginFault) -> StoredLogin { StoredLogin() }

    package func approve(_ login: Login, _ approval: Approval) throws(LoginFault) { self.login = login }

    package func reject(_ part: StoredLogin.Part) throws(LoginFault) { login = nil }

    package func remember(_ exception: TrustedCertificate) throws(LoginFault) {}
}
