import LoginCore
import Secrets

/// Keeps nothing: the store of `--persist none`.
struct NoStore: CredentialStore {
    /// Has no state: all of them are alike.
    init() {}

    var name: StoreName { .none }

    func find(_ account: AccountID) throws(StoreFault) -> Secret? { nil }

    package func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {}

    @discardableResult
    package func erase(_ account: AccountID) throws(StoreFault) -> Bool { false }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool { false }
}
