package import LoginCore
package import Secrets

/// Keeps nothing: the store of `--persist none`.
package struct NoStore: CredentialStore {
    /// Has no state: all of them are alike.
    package init() {}

    package var name: StoreName { .none }

    package func find(_ account: AccountID) throws(StoreFault) -> Secret? { nil }

    package func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {}

    @discardableResult
    package func erase(_ account: AccountID) throws(StoreFault) -> Bool { false }

    package func contains(_ account: AccountID) throws(StoreFault) -> Bool { false }
}
