import LoginCore

extension AccountRegistry {
    /// The local half of a logout: erases the account's secret in every store that may hold a copy, then its record.
    ///
    /// - Returns: whether there was a secret. An account that the registry does not know has none.
    /// - Throws: what a store says; the record then stays, so that a second attempt finds the secret. What keeps one of the
    ///   other copies keeps the account's own secret from nothing: it is erased.
    @discardableResult
    func forget(
        _ id: AccountID, opening open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) -> Bool {
        try forget([id], opening: open)[id]?.get() ?? false
    }

    /// The same for many accounts: each store that is a file is written once, and so is the registry.
    func forget(
        _ ids: [AccountID], opening open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
    ) -> [AccountID: Result<Bool, StoreFault>] {
        do throws(StoreFault) {
            // Without the lock, so that a logout of nobody makes no file.
            let document = try read()
            let known = ids.filter { document.account($0) != nil }
            guard !known.isEmpty else { return [:] }
            let copies = AccountCopies(of: known, in: document, opening: open)
            let locked = copies.unlock()
            return try changing(loginsOf: known.map(\.profile)) { () throws(StoreFault) in
                try forget(known, locked, opening: open)
            }
        } catch {
            return ids.results { (_) throws(StoreFault) in throw error }
        }
    }

    /// Finds out whether the files could be written that `forget` would change: a server that has ended a session cannot
    /// take that back.
    /// - Throws: `noSpace`, or what keeps one from being written.
    func checkErasable(
        _ ids: [AccountID], opening open: (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) {
        let document = try read(), records = ids.compactMap { document.account($0) }
        guard !records.isEmpty else { return }
        if !document.isNewer { _ = try file.reserveSpace(adding: 0) }
        for name in Set(records.flatMap(\.copies)) {
            let fault = fault { () throws(StoreFault) in
                if let file = try open(name) as? any FileStore { _ = try file.reserveSpace(adding: 0) }
            }
            if case .noSpace = fault, let fault { throw fault }
        }
    }

    private func forget(
        _ ids: [AccountID], _ locked: [AccountCopies.Copy: StoreFault],
        opening open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) -> [AccountID: Result<Bool, StoreFault>] {
        let document = try read()
        let erasures = AccountCopies(of: ids, in: document, opening: open).erase(but: locked)
        try update(document) { document in
            for (id, erasure) in erasures where !erasure.isDone && erasure.own == nil {
                document.updateAccount(id) { $0.otherCopies.removeAll { erasure.left[$0] == nil } }
            }
            document.removeAccounts(Set(erasures.filter(\.value.isDone).keys))
        }
        return erasures.mapValues { erasure in erasure.fault.map { .failure($0) } ?? .success(erasure.hadSecret) }
    }

    /// The record of a login stays in a registry that a newer authctl wrote.
    private func update(
        _ document: AccountRegistryDocument, _ body: (inout AccountRegistryDocument) -> Void
    ) throws(StoreFault) {
        if !document.isNewer { try update(body) }
    }
}
