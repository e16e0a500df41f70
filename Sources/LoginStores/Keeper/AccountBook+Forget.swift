public import LoginCore

extension AccountBook {
    /// The local half of a logout: erases the account's secret in the store that it remembers, then its record.
    ///
    /// - Returns: whether there was a secret. An account that the book does not know has none.
    /// - Throws: what the store says; the record then stays, so that a second attempt finds the secret.
    @discardableResult
    public func forget(
        _ id: AccountID, opening open: (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) -> Bool {
        guard let record = try read().account(id) else { return false }
        let erased = try erase(id, in: try open(record.store))
        // Another process may have logged in again meanwhile; that login stays.
        try update { if $0.account(id) == record { $0.removeAccount(id) } }
        return erased
    }

    private func erase(_ id: AccountID, in store: any CredentialStore) throws(StoreFault) -> Bool {
        do throws(StoreFault) {
            return try store.erase(id)
        } catch .notSetUp {
            // The person removed the encrypted file: there is nothing left to erase.
            return false
        }
    }
}
