import LoginCore
import Secrets

// What a machine that comes later has to know: whose login it is.
extension SharedStore {
    /// The account of a profile that logged in last, on whichever machine; `nil` if none has.
    func lastAccount(of profile: String, at origin: Origin) throws(StoreFault) -> AccountID? {
        guard let name = try find(Self.pointer(profile, origin)) else { return nil }
        return AccountID(profile: profile, origin: origin, username: name.unprotectedText)
    }

    func noteLast(_ account: AccountID) throws(StoreFault) {
        guard account != StoreTest.account else { return }
        let pointer = Self.pointer(account.profile, account.origin), name = Secret(account.username)
        try put(pointer) { (mark, present) throws(StoreFault) in
            if let present, present.open.generation >= mark, present.secret == name { return nil }
            return SharedValue(try open(generation: max(mark, present?.open.generation ?? 0) + 1), name)
        }
    }

    /// A name that nobody has: the others are typed, or a server's.
    private static func pointer(_ profile: String, _ origin: Origin) -> AccountID {
        AccountID(profile: profile, origin: origin, username: "\0last")
    }
}
