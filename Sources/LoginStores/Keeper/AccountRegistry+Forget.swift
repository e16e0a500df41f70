package import LoginCore

extension AccountRegistry {
    /// The local half of a logout: erases the account's secret in every store that may hold a copy, then its record.
    ///
    /// - Returns: whether there was a secret. An account that the book does not know has none.
    /// - Throws: what a store says; the record then stays, so that a second attempt finds the secret. What keeps one of the
    ///   other copies keeps the account's own secret from nothing: it is erased.
    @discardableResult
    package func forget(
        _ id: AccountID, opening open: (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) -> Bool {
        // Without the lock, so that a logout of nobody makes no file.
        guard let known = try read().account(id) else { return false }
        try unlock(id, in: try open(known.store))
        var locked: [StoreName: StoreFault] = [:]
        for store in known.otherCopies {
            locked[store] = fault { () throws(StoreFault) in try unlock(id, in: open(store)) }
        }
        return try changing(loginsOf: id.profile) { () throws(StoreFault) in
            guard let record = try read().account(id) else { return false }
            var erased = try erase(id, in: try open(record.store))
            var left: [StoreName: StoreFault] = [:]
            for store in record.otherCopies {
                // What could not be unlocked would have a person asked now, while others wait.
                left[store] =
                    locked[store]
                    ?? fault { () throws(StoreFault) in
                        if try erase(id, in: open(store)) { erased = true }
                    }
            }
            let first = record.otherCopies.compactMap { left[$0] }.first
            guard let first else {
                try update { $0.removeAccount(id) }
                return erased
            }
            try update { $0.updateAccount(id) { $0.otherCopies.removeAll { left[$0] == nil } } }
            throw first
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
