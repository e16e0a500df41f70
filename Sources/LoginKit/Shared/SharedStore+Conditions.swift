import LoginCore
import Secrets

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

    /// Replaces the details beside a login that stays as it is, unless somebody has changed it since. Generation and lock stay, so
    /// that the refresh of another machine goes on.
    /// - Returns: whether it was still there.
    func amend(_ old: Secret, as new: Secret, for account: AccountID) throws(StoreFault) -> Bool {
        for _ in 1...Self.mostTries {
            guard let present = try look(account).1, !present.value.open.erased, present.value.secret == old else {
                return false
            }
            if try swap(account, SharedValue(present.value.open, new), over: present) { return true }
        }
        throw .unavailable(name, problem: "others were faster \(Self.mostTries) times in a row")
    }

    /// Saves a secret where no other machine has a login of the account.
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

    /// Erases a login that this machine has put or locked, and leaves another machine's.
    func eraseOwn(_ account: AccountID) throws(StoreFault) {
        let machine = try machineName()
        try put(account) { (generation, present) throws(StoreFault) in
            guard let present, !present.open.erased,
                present.open.machine == machine || present.open.refreshing?.machine == machine
            else { return nil }
            return SharedValue(try open(generation: generation, erased: true))
        }
    }

    /// Tries whether the engine refuses to replace a value by the wrong version, on which everything depends.
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
