@testable import LoginKit

// The steps for many accounts, taken for one.

extension AccountRegistry {
    /// - Returns: whether there was a secret.
    @discardableResult
    func forget(
        _ id: AccountID, opening open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) -> Bool {
        try forget([id], opening: open)[id]?.get() ?? false
    }
}

extension AccountMove {
    func move(_ id: AccountID) throws(StoreFault) -> Outcome {
        try move([id])[id]?.get() ?? .elsewhere
    }
}
