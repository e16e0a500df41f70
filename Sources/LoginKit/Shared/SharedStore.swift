import Glibc
import LoginCore
import Secrets

/// Keeps logins that several machines share, in an engine that is there already: sealed, with one refresh for all.
///
/// Each login is one value, which is only ever replaced in the version that was read (`SharedEngine`). Every login, refresh and
/// logout raises its generation, and what is below the highest that this machine has seen is an old copy. `SharedRefresh` has the
/// protocol of a refresh, and says what it promises.
final class SharedStore: CredentialStore {
    let name: StoreName
    let engine: any SharedEngine
    let key: SharedKey
    let folder: String
    let clock: WallClock
    /// How long the one who refreshes has, in seconds.
    var lockTime: Int
    /// How long a login is used as it was read, in seconds.
    var cacheTime = 0
    /// Whether the engine is not asked for a login.
    var isOffline = false
    /// Is told where a login is used as it was read last, since the engine is away.
    var warn: (StoreFault) -> Void = { _ in }
    /// A name for this machine that no other one has.
    private var machine: String?
    /// What was read last of each account, by its key in the engine.
    var found: [String: Found] = [:]
    /// The refreshes that this process has begun, by the same.
    var refreshes: [String: BegunRefresh] = [:]
    /// When the engine could not be reached, and why, so that a command waits for it once.
    var away: (since: BootMoment, fault: StoreFault)?
    /// Whether the other machines have the same key, as far as it was asked.
    var isKeyChecked = false

    struct Found {
        let value: SharedValue
        /// The value as the engine has it.
        let text: String
        let version: String
    }

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - lockTime: how long a refresh may take, in seconds, from the moment at which its lock is put.
    init(
        _ name: StoreName, engine: any SharedEngine, key: SharedKey, folder: String, clock: WallClock,
        lockTime: Int = 90
    ) {
        (self.name, self.engine, self.key, self.folder) = (name, engine, key, folder)
        (self.clock, self.lockTime) = (clock, lockTime)
    }

    func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        guard let value = try present(account), !value.open.erased else { return nil }
        return value.secret
    }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool { try find(account) != nil }

    /// A new login takes the place of whatever is there, an old copy that somebody put back included.
    func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
        // As base64, with what stands beside it.
        let limit = engine.largest / 4 * 3 - 2048
        guard secret.count <= limit else { throw .tooLarge(name, limit: limit) }
        try noteKey()
        // Before its secret, as this machine's registry has it.
        try noteLast(account)
        try put(account, isLogin: true) { (generation, _) throws(StoreFault) in
            SharedValue(try open(generation: generation), secret)
        }
    }

    /// Leaves a value without a login: a key that is deleted has no generation, and an old copy could take its place.
    @discardableResult
    func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        let known = try memory(account).read()
        return try put(account) { (generation, present) throws(StoreFault) in
            let isOver =
                if let present {
                    present.open.erased && present.open.sequence >= known.sequence
                } else {
                    // Whoever hides a login from a logout could show it again.
                    try known.copy.map { (copy) throws(StoreFault) in try opened(copy.text, account).open.erased }
                        ?? true
                }
            return isOver ? nil : SharedValue(try open(generation: generation, erased: true))
        }
    }

    /// What stands open beside a login that this machine puts now.
    func open(generation: Int, erased: Bool = false) throws(StoreFault) -> SharedValue.Open {
        SharedValue.Open(generation: generation, machine: try machineName(), saved: clock.now(), erased: erased)
    }

    /// The name of this machine, read once.
    func machineName() throws(StoreFault) -> String {
        if let machine { return machine }
        let name = try MachineName.read(folder: folder)
        machine = name
        return name
    }

    /// The key of an account in the engine. Each machine tries the store with an item of its own.
    func id(_ account: AccountID) throws(StoreFault) -> String {
        guard account == StoreTest.account else { return key.name(of: account) }
        return key.name(
            of: AccountID(profile: account.profile, origin: account.origin, username: try machineName()))
    }

    /// A value of an account, from the engine or the disk.
    func opened(_ text: String, _ account: AccountID) throws(StoreFault) -> SharedValue {
        do throws(SharedValue.Fault) {
            return try SharedValue(text, for: account, key: key)
        } catch {
            switch error {
            case .newerVersion: throw .newerVersion(path: "\(name)")
            case .foreign: throw .shared(name, .foreignValue(key: try id(account)))
            }
        }
    }

    /// Puts what `next` makes of the present value, until nobody is faster.
    /// - Parameters:
    ///   - isLogin: whether its generation is the time at least, so that machines that have seen later ones take it after the engine
    ///     was restored from a backup.
    ///   - next: gets its generation, above all that this machine has seen, and the value, which may be an old copy; returns
    ///   `nil` to leave it.
    /// - Returns: whether anything was put.
    @discardableResult
    func put(
        _ account: AccountID, isLogin: Bool = false,
        _ next: (_ generation: Int, SharedValue?) throws(StoreFault) -> SharedValue?
    ) throws(StoreFault) -> Bool {
        let key = try id(account), memory = try memory(account)
        for attempt in 1...Self.mostTries {
            let mark = try memory.read().mark, item = try engine.get(key)
            let present = try item.map { (item) throws(StoreFault) in
                Found(value: try opened(item.value, account), text: item.value, version: item.version)
            }
            let least = isLogin ? Int(clock.now()) : 0
            let generation = max(mark, present?.value.open.generation ?? 0, least) + 1
            guard let value = try next(generation, present?.value) else { return false }
            if try swap(account, value, over: present, from: least, clearing: true) { return true }
            usleep(UInt32(attempt) * 20_000)
        }
        throw .unavailable(name, problem: "others were faster \(Self.mostTries) times in a row")
    }

    static let mostTries = 8

    /// Puts a value, if the engine still has the one that was found, and remembers it.
    /// - Parameter clearing: whether it takes the place of what this machine's journal has, too.
    /// - Returns: whether it had.
    func swap(
        _ account: AccountID, _ value: SharedValue, over former: Found?, from least: Int = 0, clearing: Bool = false
    ) throws(StoreFault) -> Bool {
        let key = try id(account), memory = try memory(account)
        var open = value.open
        open.sequence = max(try memory.read().sequence, former?.value.open.sequence ?? 0, least) + 1
        let next = SharedValue(open, value.secret), text = next.text(for: account, key: self.key)
        guard text.utf8.count <= engine.largest else { throw .tooLarge(name, limit: engine.largest) }
        guard let version = try engine.put(text, for: key, over: former?.version) else { return false }
        let present = Found(value: next, text: text, version: version)
        try memory.update { [self] in note(present, in: &$0, clearing: clearing) }
        found[key] = present
        return true
    }
}
