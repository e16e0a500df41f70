import Secrets

/// A store that other machines use, too, so that what it has may change while this machine looks at it.
///
/// A machine replaces only the version that it has read; one machine at a time refreshes a login.
protocol SharedCredentialStore: DiskStore, AnyObject {
    /// The time for which a login is used as it was read, in seconds.
    var cacheTime: Int { get set }
    /// The time limit of a refresh, in seconds.
    var lockTime: Int { get set }
    /// Whether other machines could not be asked when a login was read last.
    var wasAway: Bool { get }

    /// Returns the login as this machine read it last, and the machine that saved it; nobody is asked.
    func lastRead(_ account: AccountID) throws(StoreFault) -> (secret: Secret, machine: String)?

    /// The account of a profile that logged in last, on whichever machine; `nil` if none has.
    func lastAccount(of profile: String, at origin: Origin) throws(StoreFault) -> AccountID?

    /// Takes the right to refresh a login, or waits for whoever has it. Called by one process of this machine at a time.
    /// - Parameters:
    ///   - known: the login as it was read before.
    ///   - hasOtherProof: whether something other than the refresh can earn a session: a stored password.
    /// - Throws: `engineAway` if the other machines cannot be reached, since a new session could not be stored then.
    func beginRefresh(
        of account: AccountID, ifStill known: Secret, hasOtherProof: Bool
    ) throws(StoreFault) -> SharedRight

    /// Whether this process has sent a refresh for which the other machines wait.
    func hasBegunRefresh(of account: AccountID) throws(StoreFault) -> Bool

    /// Whether the refresh may be sent now. Asked immediately before: a machine that stood still meanwhile begins again, since others
    /// may think its lock is over while the provider answers.
    /// - Throws: `locked` after too many tries.
    func isInTime(_ account: AccountID) throws(StoreFault) -> Bool

    /// Gives up the right to a refresh that was not sent, or that has used nothing up.
    func cancelRefresh(of account: AccountID)

    /// Takes the right to refresh a login that is to be moved away: until it is erased, or `cancelRefresh`.
    func lockForMove(of account: AccountID) throws(StoreFault)

    /// Keeps a session instead of the one that was read: by the refresh that this process has begun, or where nobody has
    /// changed it.
    /// - Returns: whether it is in use now; `false` where somebody else has put a newer one meanwhile.
    func keep(_ secret: Secret, over old: Secret, for account: AccountID) throws(StoreFault) -> Bool

    /// Ends a login whose refresh the provider has refused, unless another machine may still have the next session.
    func refuse(_ old: Secret, for account: AccountID) throws(StoreFault) -> SharedRefusal

    /// Replaces the details beside a login that stays as it is, unless somebody has changed it since.
    /// - Returns: whether it was still there.
    func amend(_ old: Secret, as new: Secret, for account: AccountID) throws(StoreFault) -> Bool

    /// Saves a secret where no other machine has a login of the account.
    func saveUnlessTaken(_ secret: Secret, for account: AccountID) throws(StoreFault)

    /// Erases a login that this machine has put or locked, and leaves another machine's.
    func eraseOwn(_ account: AccountID) throws(StoreFault)

    /// Tries whether a value is not replaced by the wrong version, on which everything depends; it is written anew by that.
    func testConditions(_ account: AccountID) throws(StoreFault)

    /// - Returns: whether it is known which key the logins have; no machine may have saved one yet.
    /// - Throws: `shared(.otherKey)` if the other machines have another key.
    @discardableResult
    func checkKey() throws(StoreFault) -> Bool
}

extension CredentialStore {
    /// The same store, if other machines use it, too.
    var shared: (any SharedCredentialStore)? { name.isShared ? self as? any SharedCredentialStore : nil }
}

/// The stores that this machine shares with others.
protocol SharedCredentialStores {
    /// - Throws: `shared(.keyMissing)` without a key.
    func open(_ name: StoreName) throws(StoreFault) -> any SharedCredentialStore

    /// Makes the key that all machines are to have, unless one of them has made one.
    /// - Throws: `alreadySetUp` if this machine has one; `shared(.otherKey)` if another one has.
    func makeKey(of name: StoreName) throws(LoginFault)
}

/// The outcome of a refused refresh.
enum SharedRefusal: Equatable {
    /// The login has ended, for all machines.
    case ended
    /// Somebody has refreshed or ended the login meanwhile; the refusal says nothing about that.
    case changed
    /// The named machine began a refresh before and did not end it: it may have the next session.
    case unfinished(machine: String)
}

/// The outcome of beginning a refresh.
enum SharedRight: Equatable {
    /// This process refreshes: call `isInTime`, and then `keep`, `refuse` or `cancelRefresh`.
    case mine
    /// Somebody has refreshed or ended the login meanwhile.
    case changed
    /// The named machine began a refresh and did not end it, and the provider has refused another since.
    case unfinished(machine: String)
}
