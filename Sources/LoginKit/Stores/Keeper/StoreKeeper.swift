package import LoginCore
import Secrets

/// The life of one account's login in its store and in the account registry.
package final class StoreKeeper: LoginKeeper {
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
        /// The profile's store, where that is one in which other machines log in, too.
        var sharedStore: StoreName?
        /// How long a request may take, in seconds.
        var timeLimit: Int = 60
    }

    /// Opens stores, lazily: a login that is never saved opens none.
    struct Stores {
        /// The store for a new login, tested: `StoreChooser.choose`.
        let choose: () throws(StoreFault) -> any CredentialStore
        /// The store that an account remembers: `Stores.open`.
        let open: (StoreName) throws(StoreFault) -> any CredentialStore

        /// - Parameters:
        ///   - choose: the store for a new login, tested; called before the first one is kept.
        ///   - open: the store that an account remembers, by its name.
        init(
            choose: @escaping () throws(StoreFault) -> any CredentialStore,
            open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
        ) {
            self.choose = choose
            self.open = open
        }
    }

    let subject: Subject
    let rules: Rules
    let registry: AccountRegistry
    let stores: Stores
    let clock: WallClock
    /// Told of a secret that could not be erased from the store that held it before.
    let leftBehind: (StoreName, StoreFault) -> Void
    /// The result of the last fill, so that a refusal never erases what another process has saved since.
    var filled: Filled?
    /// The record of what the last fill read.
    package var filledRecord: AccountRecord?
    /// The doubt that the next stored refresh is marked with.
    var doubt: AccountRecord.RefreshDoubt?
    /// The password that the last fill found, to log in with if no session can be refreshed.
    var password: Credential?
    private var chosen: (any CredentialStore)?
    /// The right to refresh, from `beginRefresh` until the outcome is kept.
    var refresh: RefreshLock?
    /// The disk space for what a refresh brings, until that is written.
    var space: [ReservedSpace] = []
    /// From the sending of a refresh until its result is saved, or there is none.
    var hold: InterruptionHold?
    /// The machine that may have the session which a refused refresh has not brought.
    var unfinished: String?
    /// The identity of the login that the last fill read.
    package var identity: Identity? { filledRecord?.identity }
    /// Whether no other process may refresh now.
    var mayRefresh: Bool { refresh != nil }

    struct Filled {
        let id: AccountID
        let store: any CredentialStore
        let bytes: Secret
        let login: StoredLogin
        /// What another machine has noted beside it.
        var account: AccountRecord?
        /// The record's, by which a later write of another process is noticed.
        let revision: Int64?
    }

    /// Opens nothing and reads nothing yet.
    /// - Parameter leftBehind: is told of a secret that could not be erased from the store that held it before.
    init(
        subject: Subject, rules: Rules, registry: AccountRegistry, stores: Stores, clock: WallClock,
        leftBehind: @escaping (StoreName, StoreFault) -> Void = { _, _ in }
    ) {
        self.subject = subject
        self.rules = rules
        self.registry = registry
        self.stores = stores
        self.clock = clock
        self.leftBehind = leftBehind
    }

    /// Chooses the store, which tries it with a write-read-delete.
    package func prepare() throws(LoginFault) {
        if rules.persistence == .none { return }
        _ = try fromStore(try storeForSaving())
    }

    /// The store in which a login is saved; chosen and tested at most once.
    func storeForSaving() throws(StoreFault) -> any CredentialStore {
        if let chosen { return chosen }
        let store = try stores.choose()
        chosen = store
        return store
    }

    var keepsNothing: Bool { rules.persistence == .none || chosen?.name == StoreName.none }

    /// The record of the account that is meant, if there is one.
    package func account() throws(StoreFault) -> AccountRecord? { try account(named: subject.username) }

    /// The one that a login came out as: the server's name may be another one than the name that was wanted.
    package func account(of identity: Identity) throws(StoreFault) -> AccountRecord? {
        if let found = try account(named: identity.accountName) { return found }
        return try account()
    }

    /// Whether the registry knows any account of the profile.
    func hasAccounts() throws(StoreFault) -> Bool {
        let profile = try registry.read().profile(subject.profile)
        return profile?.accounts.contains { $0.origin == subject.origin } ?? false
    }

    private func account(named username: String?) throws(StoreFault) -> AccountRecord? {
        guard let profile = try registry.read().profile(subject.profile) else { return nil }
        // The registry may still know the profile at an origin that it has left.
        guard profile.origin == subject.origin else { return nil }
        guard let username else { return profile.activeAccount }
        return profile.account(named: username)
    }
}
