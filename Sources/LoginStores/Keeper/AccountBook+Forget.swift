public import LoginCore

extension AccountBook {
    /// The local half of a logout: erases the account's secret in every store that may hold a copy, then its record.
    ///
    /// - Returns: whether there was a secret. An account that the book does not know has none.
    /// - Throws: what a store says; the record then stays, so that a second attempt finds the secret.
    @discardableResult
    public func forget(
        _ id: AccountID, opening open: (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) -> Bool {
        // Without the lock, so that a logout of nobody makes no file.
        guard let known = try read().account(id) else { return false }
        for store in known.copies { try unlock(id, in: try open(store)) }
        return try changing(loginsOf: id.profile) { () throws(StoreFault) in
            guard let record = try read().account(id) else { return false }
            var erased = false
            for store in record.copies where try erase(id, in: try open(store)) { erased = true }
            try update { $0.removeAccount(id) }
            return erased
        }
    }

    /// The work on a passphrase, before anybody has to wait for it.
    private func unlock(_ id: AccountID, in store: any CredentialStore) throws(StoreFault) {
        do throws(StoreFault) {
            if try store.contains(id) { _ = try store.find(id) }
        } catch .notSetUp {
            return
        }
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
