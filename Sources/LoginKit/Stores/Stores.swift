import Secrets

/// The stores of one user on this machine, opened by name.
///
/// A further store joins in `open` and, if `auto` is to consider it, in `chooser`.
package struct Stores {
    let folder: String
    private let clock: WallClock
    private let environment: ProgramEnvironment
    private var shared: (any SharedCredentialStores)?
    private let encrypted: EncryptedFileStore
    private let plaintext: PlaintextStore
    private let secretService: SecretServiceStore

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - holding: how long what opens the encrypted file is held in the kernel's keyring, in seconds.
    ///   - environment: of the helpers that are run; its `PATH` is where they are looked for.
    ///   - shared: the stores that other machines use, too; `nil` for none.
    ///   - desktop: how the Secret Service is reached; not at all, unless said.
    ///   - deriving: is told when the work begins that turns the passphrase into a key, and when it is done.
    ///   - another: a further passphrase of it after so many wrong ones; `nil` for none.
    ///   - passphrase: of the encrypted file; asked at most once, when first needed.
    init(
        folder: String, clock: WallClock, holding: Int? = nil, environment: ProgramEnvironment = .inherited(),
        shared: (any SharedCredentialStores)? = nil, desktop: DesktopSession = .absent,
        deriving: @escaping (_ isUnderWay: Bool) -> Void = { _ in },
        another: @escaping (_ failures: Int) throws(StoreFault) -> Secret? = { _ in nil },
        passphrase: @escaping () throws(StoreFault) -> Secret
    ) {
        self.folder = folder
        self.clock = clock
        self.environment = environment
        self.shared = shared
        // One object, so that whatever opened the file once need not be asked for again.
        self.encrypted = EncryptedFileStore(
            folder: folder, holding: holding, clock: clock, remembers: true, deriving: deriving, another: another,
            passphrase: passphrase)
        self.plaintext = PlaintextStore(folder: folder, remembers: true)
        // One connection, so that a service that does not answer is waited for once.
        self.secretService = SecretServiceStore(session: desktop)
    }

    /// The store of this name, untested.
    /// - Throws: `unavailable` for a store that this release does not have.
    package func open(_ name: StoreName) throws(StoreFault) -> any CredentialStore {
        switch name {
        case .keyring: KeyringStore(clock: clock)
        case .file: encrypted
        case .plaintext: plaintext
        case .none: NoStore()
        case .helper(let helper): HelperStore(helper: helper, environment: environment)
        case .shared: try sharing(name).open(name)
        case .secretService: secretService
        }
    }

    /// The same ones for another thread: what machines share has one session and one refresh at a time.
    func forOtherThread(_ shared: any SharedCredentialStores) -> Stores {
        var other = self
        other.shared = shared
        return other
    }

    /// Makes the key of a store that machines share.
    package func makeSharedKey(of name: StoreName) throws(LoginFault) {
        try fromStore(try sharing(name)).makeKey(of: name)
    }

    private func sharing(_ name: StoreName) throws(StoreFault) -> any SharedCredentialStores {
        guard let shared else { throw .unavailable(name, problem: "this command does not use shared stores") }
        return shared
    }

    /// Drops the held key of the encrypted file.
    package func dropHeldKey() throws(StoreFault) { _ = try encrypted.dropHeldKey(clock: clock) }

    /// Removes what saves that were killed have left, even those of accounts that are no longer known.
    package func sweep() throws(StoreFault) {
        try plaintext.sweep()
        try encrypted.sweep()
    }

    /// Whether the encrypted file was set up.
    package func hasEncryptedFile() throws(StoreFault) -> Bool { try encrypted.isSetUp() }

    /// Sets the encrypted file up, empty: `authctl store init file`.
    /// - Throws: `alreadySetUp` if there is one, in whatever state; it is left alone.
    package func setUpEncryptedFile(_ source: KeySource) throws(StoreFault) {
        try EncryptedFileStore.create(folder: folder, source: source)
    }

    /// The stores whose program is in `PATH`, untested: docker's credential helpers, then engines. `auto` considers none of them.
    package func programs() -> [StoreName] {
        let search = HelperSearch(environment: environment)
        return search.names("docker-credential-").map { .helper($0) }
            + search.names("authctl-store-").map { .shared($0) }
    }

    /// Returns what keeps a store from being used, as far as can be seen without asking it.
    package func problem(with name: StoreName) -> StoreFault? {
        fault { () throws(StoreFault) in
            _ = try open(name)
            guard name.program != nil, name != .etcd else { return }
            _ = try HelperSearch(environment: environment).path(of: name)
        }
    }

    /// Chooses among these stores.
    package func chooser() -> StoreChooser {
        StoreChooser(
            candidates: [.secretService, .file, .keyring],
            open: { (name) throws(StoreFault) in
                // A new login is not tied to a session by the one before it.
                name == .keyring ? KeyringStore(clock: clock, lifetime: .untilRestart) : try open(name)
            },
            forSession: { KeyringStore(clock: clock, lifetime: .session) }, test: test,
            check: { (store) throws(StoreFault) in
                if store.name == .file { try encrypted.check() } else { try test(store) }
            })
    }

    /// What a test that is under way has written, for the process that has to read it back.
    package func findTestItem(in name: StoreName) throws(StoreFault) -> Secret? {
        try open(name).find(StoreTest(folder: folder).account)
    }
}

/// Keeps nothing: the store of `--persist none`.
/// Has no state: all of them are alike.
struct NoStore: CredentialStore {
    var name: StoreName { .none }

    func find(_ account: AccountID) throws(StoreFault) -> Secret? { nil }

    func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {}

    @discardableResult
    func erase(_ account: AccountID) throws(StoreFault) -> Bool { false }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool { false }
}
