import LoginCore

// A secret is in one store, or on its way from one to another. The registry knows both ends before the second copy is made,
// so that a crash in between leaves nothing that no logout finds.

extension AccountRecord {
    /// The stores that may hold the account's secret.
    var copies: [StoreName] { [store] + otherCopies }

    /// The stores, but for one, that may hold the account's secret.
    func copies(outside store: StoreName) -> [StoreName] {
        copies.filter { $0 != store }
    }

    mutating func noteCopy(in store: StoreName) {
        if self.store != store, !otherCopies.contains(store) { otherCopies.append(store) }
    }
}

extension AccountRegistry {
    /// Erases what the account's own store is not the place of. What cannot be erased stays noted, for the next attempt.
    ///
    /// A store that this process cannot reach is no exception: where the home is shared with another machine or a
    /// container, or `PATH` is a short one, the next process may reach it. Only an encrypted file that was removed took
    /// its copies with it.
    /// - Parameter orElse: told of each.
    func eraseOtherCopies(
        of id: AccountID, opening open: (StoreName) throws(StoreFault) -> any CredentialStore,
        orElse leftBehind: (StoreName, StoreFault) -> Void
    ) throws(StoreFault) {
        guard let record = try read().account(id), !record.otherCopies.isEmpty else { return }
        var left: [StoreName] = []
        for store in record.otherCopies {
            do throws(StoreFault) {
                let opened = try open(store)
                // What is in a shared store may be another machine's login by now.
                if let shared = opened as? SharedStore { try shared.eraseOwn(id) } else { try opened.erase(id) }
            } catch .notSetUp {
                continue
            } catch {
                left.append(store)
                leftBehind(store, error)
            }
        }
        try update { $0.updateAccount(id) { $0.otherCopies = left } }
    }
}
