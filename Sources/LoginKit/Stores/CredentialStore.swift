import Secrets

/// Where secrets are kept: one opaque secret for each account.
///
/// Every store passes the same contract (`StoreContract` in the tests). A failed `save` leaves the old secret whole; a
/// store never falls back to another one.
package protocol CredentialStore {
    /// The name of the store in `store list` and messages.
    var name: StoreName { get }

    /// - Returns: `nil` if the account has no secret here.
    func find(_ account: AccountID) throws(StoreFault) -> Secret?

    /// Puts `secret` in the place of whatever the account had.
    /// - Parameter expires: seconds of Unix time after which the store may drop it by itself.
    func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault)

    /// - Returns: whether there was one.
    @discardableResult
    func erase(_ account: AccountID) throws(StoreFault) -> Bool

    /// Whether the account has a secret here, found out without unlocking anything.
    func contains(_ account: AccountID) throws(StoreFault) -> Bool
}
