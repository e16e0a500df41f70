import Glibc
import Secrets

/// Keeps logins that several machines share, in an engine that is there already: sealed, with one refresh for all.
///
/// Each login is one value, which is only ever replaced in the version that was read (`SharedEngine`). Every login, refresh and
/// logout raises its generation, and what is below the highest that this machine has seen is an old copy. `SharedRefresh` has the
/// protocol of a refresh, and says what it promises.
final class SharedStore: SharedCredentialStore {
    let name: StoreName
    let engine: any SharedEngine
    let key: SharedKey
    let folder: String
    let clock: WallClock
    var lockTime: Int
    var cacheTime = 0
    /// Whether the engine is not asked for a login.
    var isOffline = false
    /// Called when a login is used as it was read last, since the engine is away.
    var warn: (StoreFault) -> Void = { _ in }
    /// A name for this machine that no other one has.
    private var machine: String?
    /// The value that was read last for each account, by its key in the engine.
    var found: [String: Found] = [:]
    /// The refreshes that this process has begun, by the same key.
    var refreshes: [String: BegunRefresh] = [:]
    /// When the engine could not be reached, and why, so that a command waits for it once.
    var away: (since: BootMoment, fault: StoreFault)?
    /// Whether the other machines have the same key, as far as it was asked.
    var isKeyChecked = false

    var wasAway: Bool { away != nil }

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

    /// Replaces whatever is there with a new login, even an old copy that somebody put back.
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

    /// Returns the open part of a login that this machine puts now.
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
        guard account.isOfStoreTest else { return key.name(of: account) }
        return key.name(
            of: AccountID(profile: account.profile, origin: account.origin, username: try machineName()))
    }

    /// A value of an account, from the engine or the disk.
    func opened(_ text: String, _ account: AccountID) throws(StoreFault) -> SharedValue {
        if SharedValue.isNewer(text) { throw .newerVersion(path: "\(name)") }
        guard let value = SharedValue(text, for: account, key: key),
            max(value.open.generation, value.open.sequence) <= mostCounted
        else {
            throw .shared(name, .foreignValue(key: try id(account)))
        }
        return value
    }

    /// The highest generation that clocks and refreshes can have led to: 136 years ahead, for machines whose clock is wrong. A higher one is
    /// refused before anything counts on from it, which would damage the login for all machines.
    var mostCounted: Int { max(0, Int(clock.now())) + (1 << 32) }

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

// What a machine that comes later has to know: whose login it is, and whether it has the right key.
extension SharedStore {
    func lastAccount(of profile: String, at origin: Origin) throws(StoreFault) -> AccountID? {
        guard let name = try find(Self.pointer(profile, origin)) else { return nil }
        return AccountID(profile: profile, origin: origin, username: name.unprotectedText)
    }

    private func noteLast(_ account: AccountID) throws(StoreFault) {
        guard !account.isOfStoreTest else { return }
        let pointer = Self.pointer(account.profile, account.origin), name = Secret(account.username)
        let now = Int(clock.now())
        try put(pointer, isLogin: true) { (generation, present) throws(StoreFault) in
            // By another machine just now, and no old copy.
            if let present, present.secret == name, present.open.generation > now - 60 { return nil }
            return SharedValue(try open(generation: generation), name)
        }
    }

    /// A name that nobody has: the others are typed, or a server's.
    private static func pointer(_ profile: String, _ origin: Origin) -> AccountID {
        AccountID(profile: profile, origin: origin, username: "\0last")
    }

    private static let check = AccountID(
        profile: "authctl key", origin: Origin(scheme: "https", host: "key.invalid", port: 443), username: "")

    /// Where it is does not depend on the key, as it does for all others.
    static let checkName = "authctl/key"

    /// Leaves something by which a machine with another key sees that it has the wrong one.
    func noteKey() throws(StoreFault) {
        guard try !checkKey() else { return }
        let value = SharedValue(try open(generation: 1))
        let isNew = try engine.put(value.text(for: Self.check, key: key), for: Self.checkName, over: nil) != nil
        // Another machine was faster.
        if !isNew { try checkKey() }
    }

    /// Asks the engine once in a process.
    /// - Returns: whether the engine says which key it is; no machine may have saved a login yet.
    /// - Throws: `shared(.otherKey)` if the machines that have the engine's logins have another one.
    @discardableResult
    func checkKey() throws(StoreFault) -> Bool {
        if isKeyChecked { return true }
        guard let item = try engine.get(Self.checkName) else { return false }
        do {
            _ = try opened(item.value, Self.check)
        } catch .shared(_, .foreignValue) {
            throw .shared(name, .otherKey(path: key.path))
        }
        isKeyChecked = true
        return true
    }
}

// The single steps of a refresh.
extension SharedStore {
    /// The engine's versions mean nothing to the steps, which only compare what they looked at.
    func event(of wasPut: Bool) -> SharedRefresh.Event { wasPut ? .put(version: 0) : .conflict }

    func lookForRefresh(
        _ account: AccountID, _ known: Secret, _ hasOtherProof: Bool
    ) throws(StoreFault) -> SharedRefresh.Look {
        let (content, found) = try look(account), open = found?.value.open
        // Where nothing is there any more, it is as after a logout.
        let value = SharedRefresh.Value(
            version: 0, generation: open?.generation ?? content.mark, holder: open?.refreshing?.machine,
            unfinished: open?.unfinished, isRefused: open?.refused == true && !hasOtherProof,
            isErased: open?.erased ?? true)
        return SharedRefresh.Look(
            mark: content.mark, value: value, journal: try journal(content, account)?.open.generation,
            lockIsOver: try isOver(open?.refreshing, found?.text, content, account),
            isOver: !value.isErased && found?.value.secret == known)
    }

    private func journal(_ content: SharedMemory.Content, _ account: AccountID) throws(StoreFault) -> SharedValue? {
        try content.journal.map { (text) throws(StoreFault) in try opened(text, account) }
    }

    /// Whether a lock has run out by this machine's own clock, since it first saw this lock.
    private func isOver(
        _ lock: SharedValue.Open.Lock?, _ text: String?, _ content: SharedMemory.Content, _ account: AccountID
    ) throws(StoreFault) -> Bool {
        guard let lock, let text, lock.machine != (try machineName()) else { return false }
        if let seen = content.lock, seen.text == text, let age = seen.moment?.age {
            return age > Int64(lock.patience) * 1000
        }
        try memory(account).update { $0.lock = SharedMemory.Content.Reading(text: text, moment: .now()) }
        return false
    }

    /// Puts what was read last with something else beside it.
    /// - Returns: whether it was still there.
    func change(_ account: AccountID, _ body: (inout SharedValue.Open) -> Void) throws(StoreFault) -> Bool {
        guard let present = found[try id(account)] else { return false }
        var open = present.value.open
        body(&open)
        return try swap(account, SharedValue(open, present.value.secret), over: present)
    }

    /// Puts the session of this machine's journal.
    func pushJournal(_ account: AccountID) throws(StoreFault) -> Bool {
        guard let value = try journal(try memory(account).read(), account) else { return false }
        return try push(value, account)
    }

    /// Puts a session that the provider has given to this machine.
    func push(_ value: SharedValue, _ account: AccountID) throws(StoreFault) -> Bool {
        try swap(account, value, over: found[try id(account)])
    }
}

// Writing only what no other machine has changed.
extension SharedStore {
    /// Puts a secret in the place of one that was read, or erases it, unless somebody else has changed it since.
    /// - Returns: whether it was still there.
    func replace(_ old: Secret, with new: Secret?, for account: AccountID) throws(StoreFault) -> Bool {
        try put(account) { (generation, present) throws(StoreFault) in
            guard let present, !present.open.erased, present.secret == old else { return nil }
            return SharedValue(try open(generation: generation, erased: new == nil), new ?? Secret(""))
        }
    }

    func amend(_ old: Secret, as new: Secret, for account: AccountID) throws(StoreFault) -> Bool {
        for _ in 1...Self.mostTries {
            guard let present = try look(account).1, !present.value.open.erased, present.value.secret == old else {
                return false
            }
            if try swap(account, SharedValue(present.value.open, new), over: present) { return true }
        }
        throw .unavailable(name, problem: "others were faster \(Self.mostTries) times in a row")
    }

    func saveUnlessTaken(_ secret: Secret, for account: AccountID) throws(StoreFault) {
        let machine = try machineName()
        try noteKey()
        let isSaved = try put(account) { (generation, present) throws(StoreFault) in
            if let present, !present.open.erased, present.open.machine != machine { return nil }
            return SharedValue(try open(generation: generation), secret)
        }
        guard isSaved else {
            throw .unavailable(name, problem: "another machine has saved a login of this account there")
        }
        try noteLast(account)
    }

    func eraseOwn(_ account: AccountID) throws(StoreFault) {
        let machine = try machineName()
        try put(account) { (generation, present) throws(StoreFault) in
            guard let present, !present.open.erased,
                present.open.machine == machine || present.open.refreshing?.machine == machine
            else { return nil }
            return SharedValue(try open(generation: generation, erased: true))
        }
    }

    func testConditions(_ account: AccountID) throws(StoreFault) {
        let key = try id(account)
        guard let former = try engine.get(key),
            let version = try engine.put(former.value, for: key, over: former.version)
        else { return }
        for wrong in [nil, former.version] where wrong != version {
            guard try engine.put(former.value, for: key, over: wrong) == nil else {
                throw .unavailable(name, problem: "a value was replaced though it had another version")
            }
        }
    }
}
