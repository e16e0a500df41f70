/// Every place that may hold the secret of one of these accounts, store by store.
struct AccountCopies {
    /// The faults that keep copies from being opened, store by store.
    typealias Locked = [StoreName: [AccountID: StoreFault]]

    /// The outcome for one account.
    struct Erasure {
        var hadSecret = false
        /// The fault that kept the account's own store from erasing it.
        var own: StoreFault?
        /// The copies that are left elsewhere, and why; the first one is told.
        var left: [StoreName: StoreFault] = [:]
        fileprivate(set) var fault: StoreFault?
        var isDone: Bool { fault == nil }
    }

    private let records: [(id: AccountID, record: AccountRecord)]
    private let open: (StoreName) throws(StoreFault) -> any CredentialStore

    init(
        of ids: [AccountID], in document: AccountRegistryDocument,
        opening open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
    ) {
        records = ids.compactMap { id in document.account(id).map { (id, $0) } }
        self.open = open
    }

    /// The work on a passphrase, before anybody has to wait for it.
    /// - Returns: what could not be unlocked.
    func unlock() -> Locked {
        var faults: Locked = [:]
        for (name, ids) in groups(own: true) + groups(own: false) {
            // What opens a file opens it for all of its accounts.
            var isUnlocked = false
            for id in ids {
                faults[name, default: [:]][id] = fault { () throws(StoreFault) in
                    let store = try open(name)
                    if isUnlocked, store is any FileStore { return }
                    isUnlocked = try unlock(id, in: store)
                }
            }
        }
        return faults
    }

    /// Erases the accounts' own secrets, then the other copies of those.
    /// - Parameter locked: what is not tried: a person would be asked now, while others wait.
    func erase(but locked: Locked) -> [AccountID: Erasure] {
        var erasures: [AccountID: Erasure] = [:]
        for (id, _) in records { erasures[id] = Erasure() }
        for (name, ids) in groups(own: true) {
            for (id, result) in erase(ids, in: name, but: locked) {
                switch result {
                case .success(let had): erasures[id]?.hadSecret = had
                case .failure(let fault):
                    erasures[id]?.own = fault
                    erasures[id]?.fault = fault
                }
            }
        }
        for (name, ids) in groups(own: false) {
            let tried = ids.filter { erasures[$0]?.own == nil }
            for (id, result) in erase(tried, in: name, but: locked) {
                switch result {
                case .success(let had): if had { erasures[id]?.hadSecret = true }
                case .failure(let fault): erasures[id]?.left[name] = fault
                }
            }
        }
        for (id, record) in records where erasures[id]?.own == nil {
            let left = erasures[id]?.left ?? [:]
            erasures[id]?.fault = record.otherCopies.compactMap { left[$0] }.first
        }
        return erasures
    }

    private func erase(
        _ ids: [AccountID], in name: StoreName, but locked: Locked
    ) -> [AccountID: Result<Bool, StoreFault>] {
        var results: [AccountID: Result<Bool, StoreFault>] = [:]
        for id in ids { results[id] = locked[name]?[id].map { .failure($0) } }
        let rest = ids.filter { results[$0] == nil }
        do {
            results.merge(try open(name).erase(each: rest)) { first, _ in first }
        } catch {
            for id in rest { results[id] = .failure(error) }
        }
        // The person removed the encrypted file: there is nothing left to erase.
        return results.mapValues { $0 == .failure(.notSetUp(name)) ? .success(false) : $0 }
    }

    /// The stores, each with its accounts in their order.
    private func groups(own: Bool) -> [(StoreName, [AccountID])] {
        var order: [StoreName] = [], groups: [StoreName: [AccountID]] = [:]
        for (id, record) in records {
            for name in own ? [record.store] : record.otherCopies {
                if groups[name] == nil { order.append(name) }
                groups[name, default: []].append(id)
            }
        }
        // Before the login of an engine is erased, which may be among the others.
        return (order.filter(\.isShared) + order.filter { !$0.isShared }).map { ($0, groups[$0] ?? []) }
    }

    /// - Returns: whether there was anything to unlock.
    private func unlock(_ id: AccountID, in store: any CredentialStore) throws(StoreFault) -> Bool {
        // What cannot be read there may be erased all the same. Its engine may want a login, which takes locks, too.
        if let shared = store.shared {
            try shared.checkKey()
            return true
        }
        do {
            return try store.contains(id) ? try store.find(id) != nil : false
        } catch .notSetUp {
            return false
        }
    }
}

extension AccountRegistry {
    /// The local half of a logout: erases the secrets of accounts in every store that may hold a copy, then their records. Each store
    /// that is a file is written once, and so is the registry.
    ///
    /// - Returns: whether there was a secret, or what a store said; the record then stays, so that a second attempt finds the secret.
    ///   What keeps one of the other copies keeps the account's own secret from nothing: it is erased. An account that the
    ///   registry does not know is not there.
    func forget(
        _ ids: [AccountID], opening open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
    ) -> [AccountID: Result<Bool, StoreFault>] {
        do {
            // Without the lock, so that a logout of nobody makes no file.
            let document = try read()
            let results = ids.filter { document.account($0) != nil }.results { (id) throws(StoreFault) in
                try check(document.account(id), of: id.profile)
                return false
            }
            let known = ids.filter { results[$0] == .success(false) }
            guard !known.isEmpty else { return results }
            let copies = AccountCopies(of: known, in: document, opening: open)
            let locked = copies.unlock()
            let erased = try changing(loginsOf: known.map(\.profile)) { () throws(StoreFault) in
                try forget(known, locked, opening: open)
            }
            return results.merging(erased) { $1 }
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
                if let store = try open(name) as? any FileStore { _ = try store.file.reserveSpace(adding: 0) }
            }
            if case .noSpace = fault, let fault { throw fault }
        }
    }

    private func forget(
        _ ids: [AccountID], _ locked: AccountCopies.Locked,
        opening open: @escaping (StoreName) throws(StoreFault) -> any CredentialStore
    ) throws(StoreFault) -> [AccountID: Result<Bool, StoreFault>] {
        let document = try read()
        let erasures = AccountCopies(of: ids, in: document, opening: open).erase(but: locked)
        let results = erasures.mapValues { erasure in
            erasure.fault.map { Result<Bool, StoreFault>.failure($0) } ?? .success(erasure.hadSecret)
        }
        // The record of a login stays in a registry that a newer authctl wrote.
        if document.isNewer { return results }
        try update { document in
            for (id, erasure) in erasures where !erasure.isDone && erasure.own == nil {
                document.updateAccount(id) { $0.otherCopies.removeAll { erasure.left[$0] == nil } }
            }
            document.removeAccounts(Set(erasures.filter(\.value.isDone).keys))
        }
        return results
    }
}

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
            do {
                let opened = try open(store)
                // What is in a shared store may be another machine's login by now.
                if let shared = opened.shared { try shared.eraseOwn(id) } else { try opened.erase(id) }
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
