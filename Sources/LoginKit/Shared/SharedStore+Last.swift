import LoginCore
import Secrets

// What a machine that comes later has to know: whose login it is, and whether it has the right key.
extension SharedStore {
    /// The account of a profile that logged in last, on whichever machine; `nil` if none has.
    func lastAccount(of profile: String, at origin: Origin) throws(StoreFault) -> AccountID? {
        guard let name = try find(Self.pointer(profile, origin)) else { return nil }
        return AccountID(profile: profile, origin: origin, username: name.unprotectedText)
    }

    func noteLast(_ account: AccountID) throws(StoreFault) {
        guard account != StoreTest.account else { return }
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
        do throws(StoreFault) {
            _ = try opened(item.value, Self.check)
        } catch .shared(_, .foreignValue) {
            throw .shared(name, .otherKey(path: key.path))
        }
        isKeyChecked = true
        return true
    }
}
