public import LoginCore
public import Secrets

/// Keeps nothing: the store of `--persist none`.
public struct NoStore: CredentialStore {
    /// Has no state: all of them are alike.
    public init() {}

    public var name: StoreName { .none }

    public func find(_ account: AccountID) throws(StoreFault) -> Secret? { nil }

    public func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {}

    @discardableResult
    public func erase(_ account: AccountID) throws(StoreFault) -> Bool { false }

    public func contains(_ account: AccountID) throws(StoreFault) -> Bool { false }
}
