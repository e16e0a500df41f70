import Secrets

/// The life of one account's login in its store and in the account registry.
package final class StoreKeeper {
    /// The account that a login belongs to.
    struct Subject: Sendable {
        /// The profile's name, as the registry knows it.
        let profile: String
        /// The profile's `url` as written.
        let url: String
        /// The canonical form of `url`.
        let origin: Origin
        /// The account that is meant, by the name typed or the server's; nil for the active one.
        var username: String? = nil
    }

    /// The rules for storing. By default: for good, without the password of a token or of cookies, and by HTTP authentication.
    struct Rules: Sendable {
        /// With `none` nothing is saved and the registry stays as it is.
        var persistence: Persistence = .permanent
        /// Whether a password stays beside the token or the cookies that it earned.
        var keepsPassword: Bool = false
        /// The kind of the profile's logins, which tells what a stored secret is.
        var kind: LoginKind = .challenge([])
        /// The profile's store, if other machines use it, too.
        var sharedStore: StoreName?
        /// The longest time for a request, in seconds.
        var timeLimit: Int = 60
    }

    let subject: Subject
    let rules: Rules
    let registry: AccountRegistry
    /// Chooses the store for a new login and tests it, as `StoreChooser.choose` does. A login that is never saved opens none.
    private let chooseStore: () throws(StoreFault) -> any CredentialStore
    /// Opens the store that an account remembers, as `Stores.open` does.
    let openStore: (StoreName) throws(StoreFault) -> any CredentialStore
    let clock: WallClock
    /// Told of a secret that could not be erased from the store that held it before.
    let leftBehind: (StoreName, StoreFault) -> Void
    /// The result of the last fill, so that a refusal never erases what another process has saved since.
    var filled: Filled?
    /// The record of what the last fill read.
    package var filledRecord: AccountRecord?
    /// The doubt that the next stored refresh is marked with. `unverified`: what it brought is kept, but not used before it is confirmed,
    /// since the old one is used up, and whose the new one is was not said yet.
    var doubt: AccountRecord.RefreshDoubt?
    /// The password that the last fill found, to log in with if no session can be refreshed.
    var password: Credential?
    private var chosen: (any CredentialStore)?
    /// The right to refresh, from `beginRefresh` until the outcome is kept.
    var refresh: LoginsLock?
    /// The disk space for what a refresh brings, until that is written.
    var space: [ReservedSpace] = []
    /// From the sending of a refresh until its result is saved, or there is none.
    var hold: InterruptionHold?
    /// The machine that may have the session which a refused refresh has not brought.
    var unfinished: String?
    /// The login whose place the last new one has taken.
    var replaced: StoredLogin?
    /// The identity of the login that the last fill read.
    var identity: Identity? { filledRecord?.identity }

    struct Filled {
        let id: AccountID
        let store: any CredentialStore
        var bytes: Secret
        let login: StoredLogin
        /// The record that another machine has stored beside it.
        var account: AccountRecord?
        /// The record's revision, which shows a later write by another process.
        let revision: Int64?
    }

    /// Opens nothing and reads nothing yet.
    /// - Parameter leftBehind: is told of a secret that could not be erased from the store that held it before.
    init(
        subject: Subject, rules: Rules, registry: AccountRegistry,
        chooseStore: @escaping () throws(StoreFault) -> any CredentialStore,
        openStore: @escaping (StoreName) throws(StoreFault) -> any CredentialStore, clock: WallClock,
        leftBehind: @escaping (StoreName, StoreFault) -> Void = { _, _ in }
    ) {
        self.subject = subject
        self.rules = rules
        self.registry = registry
        self.chooseStore = chooseStore
        self.openStore = openStore
        self.clock = clock
        self.leftBehind = leftBehind
    }

    /// Chooses the store, which tries it with a write-read-delete.
    func prepare() throws(LoginFault) {
        if rules.persistence == .none { return }
        _ = try fromStore(try storeForSaving())
    }

    /// The store in which a login is saved; chosen and tested at most once.
    func storeForSaving() throws(StoreFault) -> any CredentialStore {
        if let chosen { return chosen }
        let store = try chooseStore()
        chosen = store
        return store
    }

    var keepsNothing: Bool { rules.persistence == .none || chosen?.name == StoreName.none }

    /// The record of the account that is meant, if there is one.
    func account() throws(StoreFault) -> AccountRecord? { try account(named: subject.username, in: registry.read()) }

    /// The one that a login came out as: the server's name may be another one than the name that was wanted.
    package func account(of identity: Identity) throws(StoreFault) -> AccountRecord? {
        let document = try registry.read()
        if let found = try account(named: identity.accountName, in: document) { return found }
        return try account(named: subject.username, in: document)
    }

    /// Whether the registry knows any account of the profile.
    func hasAccounts(in document: AccountRegistryDocument) -> Bool {
        document.profile(subject.profile)?.accounts.contains { $0.origin == subject.origin } ?? false
    }

    func account(named username: String?, in document: AccountRegistryDocument) throws(StoreFault) -> AccountRecord? {
        guard let profile = document.profile(subject.profile) else { return nil }
        // The registry may still know the profile at an origin that it has left.
        guard profile.origin == subject.origin else { return nil }
        let account = if let username { profile.account(named: username) } else { profile.activeAccount }
        try registry.check(account, of: profile.name)
        return account
    }
}

extension StoreKeeper {
    /// In the place of what was accepted for the origin before. A login that is kept nowhere leaves no exception either.
    func remember(_ exception: TrustedCertificate) throws(LoginFault) {
        if keepsNothing { return }
        _ = try fromStore(try registry.update { $0.trust(exception) })
    }
}

// Refreshing what is stored, one process at a time.
extension StoreKeeper {
    /// Takes the right to refresh the sessions of this profile, and looks again at what is stored.
    ///
    /// A refresh token is often good once, and a second use of it ends the session for everybody (RFC 9700, section
    /// 4.14.2). The right ends with the next `approve` or `reject`, or with this keeper; where a password is kept beside
    /// a session that is rejected, only once the password is judged too.
    ///
    /// - Returns: the session that is stored now; if it is not `session`, another process has judged or refreshed that
    ///   meanwhile, and whoever waits for the right may have it at once.
    /// - Throws: `store(.locked)` if another process has the right for too long; `store(.noSpace)`, or another fault, if what
    ///   a refresh brings could not be kept.
    func beginRefresh(of session: Session?) throws(LoginFault) -> Session? {
        refresh = nil
        refresh = try fromStore(try registry.lockRefresh(of: [subject.profile], wait: refreshPatience))
        // Before the other locks: another machine may be at it for long.
        try beginSharedRefresh()
        let begun = filled
        do {
            return try fromStore(try present(insteadOf: session))
        } catch {
            // Nothing was sent, and the other machines are not to wait for that.
            if let begun { begun.store.shared?.cancelRefresh(of: begun.id) }
            throw error
        }
    }

    private func present(insteadOf session: Session?) throws(StoreFault) -> Session? {
        let present = try registry.changing(loginsOf: [subject.profile]) { () throws(StoreFault) in
            let present = try read().session
            // Without a session the password beside it is tried next, by one process too.
            if present != session && (present != nil || password == nil) { refresh = nil }
            if refresh != nil { try testRoom() }
            return present
        }
        if refresh != nil { try reserveSpace() } else { cancelSharedRefresh() }
        return present
    }

    /// Gives up the right to refresh, once the outcome is kept or where nothing will be.
    func endRefresh() {
        cancelSharedRefresh()
        (refresh, hold, space) = (nil, nil, [])
    }

    /// Writes what was just read once more, to a store that has no file here: that takes as much space and changes nothing.
    private func testRoom() throws(StoreFault) {
        guard let filled, !(filled.store is any DiskStore) else { return }
        try filled.store.save(filled.bytes, for: filled.id, expires: filled.login.lastUse)
    }

    /// Takes the space for a new version of the registry, and of a store on the disk: a refresh token that was sent is used up,
    /// so what comes back has to be kept.
    private func reserveSpace() throws(StoreFault) {
        guard let filled else { return }
        space = [try registry.file.reserveSpace(adding: Self.spare)]
        guard let store = filled.store as? any DiskStore else { return }
        space.append(try store.reserveSpace(for: filled.id, adding: 2 * filled.bytes.count + Self.spare))
    }

    /// In bytes: more than a login usually grows by.
    private static let spare = 4096

    /// Keeps a session that was refreshed for somebody else, and never uses it: what there was is used up.
    /// - Throws: `loginRequired`, always.
    func keep(_ session: Session, of other: Replacement) throws(LoginFault) {
        doubt = other.doubt
        let identity = Identity(username: other.stored.username, serverName: nil)
        try approve(Login(identity: identity, session: session), .refresh)
        throw .loginRequired(LoginNeed(why: .sessionOfAnother(other)))
    }

    /// Takes note of whom the service names for the session that was read: another person's stays, and is not used any more.
    /// - Parameter isSecret: whether a name repeats a secret.
    /// - Throws: `loginRequired` where that was in doubt since a refresh, and is another person.
    func confirm(_ identity: Identity, hiding isSecret: (String) -> Bool) throws(LoginFault) {
        guard let record = filledRecord, let filled else { return }
        let other = Replacement(of: record.identity, by: identity)?.hiding(isSecret)
        guard record.doubt == .unverified || other != nil else { return }
        filledRecord?.doubt = other?.doubt
        try fromStore(
            try registry.changing(loginsOf: [subject.profile]) { () throws(StoreFault) in
                // Saved by another process since: of that, nothing was said.
                guard try unchanged(filled) != nil else { return }
                try changeDetails { $0.doubt = other?.doubt }
            })
        if let other, record.doubt == .unverified { throw .loginRequired(LoginNeed(why: .sessionOfAnother(other))) }
    }
}

extension Replacement {
    fileprivate var doubt: AccountRecord.RefreshDoubt {
        .otherPerson(was: stored.serverName ?? "", now: confirmed.serverName ?? "")
    }
}

extension AccountRecord {
    /// The person who got the refreshed session in place of this account's.
    var otherPerson: Replacement? {
        guard case .otherPerson(let was, let now) = doubt else { return nil }
        return Replacement(
            of: Identity(username: username, serverName: was), by: Identity(username: username, serverName: now))
    }

    /// The time by which the clock was set back since this was saved, where an expiry depends on it.
    func clockDifference(at clock: WallClock) -> ClockDifference? {
        expires == nil ? nil : ClockDifference(settingBack: clock, since: savedAt)
    }
}
