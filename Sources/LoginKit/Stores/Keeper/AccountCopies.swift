import LoginCore

/// Every place that may hold the secret of one of these accounts, store by store.
struct AccountCopies {
    struct Copy: Hashable {
        package let account: AccountID
        let store: StoreName
    }

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
    func unlock() -> [Copy: StoreFault] {
        var faults: [Copy: StoreFault] = [:]
        for (name, ids) in groups(own: true) + groups(own: false) {
            // What opens a file opens it for all of its accounts.
            var isUnlocked = false
            for id in ids {
                faults[Copy(account: id, store: name)] = fault { () throws(StoreFault) in
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
    func erase(but locked: [Copy: StoreFault]) -> [AccountID: Erasure] {
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
        _ ids: [AccountID], in name: StoreName, but locked: [Copy: StoreFault]
    ) -> [AccountID: Result<Bool, StoreFault>] {
        var results: [AccountID: Result<Bool, StoreFault>] = [:]
        for id in ids { results[id] = locked[Copy(account: id, store: name)].map { .failure($0) } }
        let rest = ids.filter { results[$0] == nil }
        do throws(StoreFault) {
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
        if let shared = store as? SharedStore {
            try shared.checkKey()
            return true
        }
        do throws(StoreFault) {
            return try store.contains(id) ? try store.find(id) != nil : false
        } catch .notSetUp {
            return false
        }
    }
}
