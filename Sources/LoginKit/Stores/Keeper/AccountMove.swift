import Secrets

/// Carries the secrets of accounts from one store to another: the new copies first, the old ones erased only after the new
/// ones were read back. A crash at any moment leaves a secret in one place or in both, and the registry knows which.
package struct AccountMove {
    /// The outcome for one account.
    package enum Outcome: Equatable, Sendable {
        case moved
        /// It was in this store already; a copy that a move or a login left in the first one was erased.
        case cleared(StoreName)
        /// The store holds nothing for the account any more: its session has ended.
        case nothingThere
        /// Another process has moved it, or logged it out.
        case elsewhere
    }

    private let registry: AccountRegistry
    private let source: any CredentialStore
    private let target: any CredentialStore

    /// - Parameters:
    ///   - source: opened and, if need be, unlocked by its first use.
    ///   - target: has passed a write-read-delete.
    package init(registry: AccountRegistry, from source: any CredentialStore, to target: any CredentialStore) {
        self.registry = registry
        self.source = source
        self.target = target
    }

    /// Moves many accounts: each store that is a file is written once.
    /// - Returns: what became of each, or what a store said. An account that was not moved is where it was, and usable.
    package func move(_ ids: [AccountID]) -> [AccountID: Result<Outcome, StoreFault>] {
        var results: [AccountID: Result<Outcome, StoreFault>] = [:]
        // A person may be asked for a passphrase here, and nobody is to wait for that.
        var unlocked: [AccountID] = []
        for id in ids {
            let fault = fault { () throws(StoreFault) in
                if unlocked.isEmpty || !(source is any FileStore) { _ = try source.find(id) }
            }
            if let fault { results[id] = .failure(fault) } else { unlocked.append(id) }
        }
        do {
            guard !unlocked.isEmpty else { return results }
            // A refresh that is under way would save to the store that is left, and the old session would be moved.
            let refresh = try registry.lockRefresh(of: unlocked.map(\.profile))
            let shared = source.shared
            defer { for id in unlocked { shared?.cancelRefresh(of: id) } }
            let locked = unlocked.filter { id in
                let fault = fault { () throws(StoreFault) in try shared?.lockForMove(of: id) }
                if let fault { results[id] = .failure(fault) }
                return fault == nil
            }
            let moved = try registry.changing(loginsOf: locked.map(\.profile)) { () throws(StoreFault) in
                try moveAlone(locked)
            }
            withExtendedLifetime(refresh) { results.merge(moved) { first, _ in first } }
        } catch {
            for id in unlocked { results[id] = .failure(error) }
        }
        return results
    }

    private func moveAlone(_ ids: [AccountID]) throws(StoreFault) -> [AccountID: Result<Outcome, StoreFault>] {
        let document = try registry.read()
        var results = ids.results { (id) throws(StoreFault) in try outcome(of: id, in: document) }
        let moving = ids.filter { results[$0] == .success(.moved) }
        if !moving.isEmpty {
            try note(moving) { $0.noteCopy(in: target.name) }
            for (id, fault) in copy(moving, document) { results[id] = .failure(fault) }
            try note(moving.filter { results[$0] == .success(.moved) }) { record in
                record.otherCopies = record.copies(outside: target.name)
                record.store = target.name
            }
        }
        for (id, fault) in try clear(ids.filter { results[$0]?.clears == true }) { results[id] = .failure(fault) }
        return results
    }

    /// Plans the outcome for an account; nothing is changed yet.
    /// - Throws: `damaged` for bytes that are no stored login; they stay where they are.
    private func outcome(of id: AccountID, in document: AccountRegistryDocument) throws(StoreFault) -> Outcome {
        guard let record = document.account(id) else { return .elsewhere }
        try registry.check(record, of: id.profile)
        guard record.store == source.name else {
            return record.otherCopies.contains(source.name) ? .cleared(record.store) : .elsewhere
        }
        guard let secret = try source.find(id) else { return .nothingThere }
        _ = try StoredLoginCodec.decode(secret, in: source.name)
        return .moved
    }

    /// - Returns: what kept an account from being copied.
    private func copy(_ ids: [AccountID], _ document: AccountRegistryDocument) -> [AccountID: StoreFault] {
        var copied: [AccountID: Secret] = [:]
        func read(_ id: AccountID) throws(StoreFault) -> (Secret, expires: Int64?) {
            let secret = try carried(id, document)
            copied[id] = secret
            return (secret, try StoredLoginCodec.decode(secret, in: source.name).login.lastUse)
        }
        let saved =
            if let shared = target.shared {
                ids.results { (id) throws(StoreFault) in
                    try shared.saveUnlessTaken(try read(id).0, for: id)
                    return true
                }
            } else {
                target.save(each: ids, read)
            }
        return saved.compactMapValues { $0.fault }.merging(
            ids.filter { saved[$0]?.fault == nil }.results { (id) throws(StoreFault) in
                guard let secret = copied[id], try target.find(id) == secret else { throw unreadable(target.name) }
            }.compactMapValues { $0.fault }
        ) { first, _ in first }
    }

    /// The login as the target is to have it: with what is known of the account only where other machines want to know.
    private func carried(_ id: AccountID, _ document: AccountRegistryDocument) throws(StoreFault) -> Secret {
        // Until here another machine may have thought that this one is gone.
        let isInTime = try source.shared?.isInTime(id) ?? true
        guard isInTime, let secret = try source.find(id) else { throw unreadable(source.name) }
        guard source.name.isShared || target.name.isShared else { return secret }
        let (login, _) = try StoredLoginCodec.decode(secret, in: source.name)
        return try StoredLoginCodec.encode(login, of: target.name.isShared ? document.account(id) : nil)
    }

    private func unreadable(_ store: StoreName) -> StoreFault {
        .unavailable(store, problem: "what was written cannot be read back")
    }

    /// The copies in the store that is left, once the registry has the accounts elsewhere.
    /// - Returns: what could not be erased.
    private func clear(_ ids: [AccountID]) throws(StoreFault) -> [AccountID: StoreFault] {
        guard !ids.isEmpty else { return [:] }
        let erased =
            if let shared = source.shared {
                ids.results { (id) throws(StoreFault) in try shared.eraseOwn(id) }.mapValues { $0.map { true } }
            } else {
                source.erase(each: ids)
            }
        let faults = erased.compactMapValues { $0.fault }
        try note(ids.filter { faults[$0] == nil }) { $0.otherCopies.removeAll { $0 == source.name } }
        return faults
    }

    private func note(_ ids: [AccountID], _ change: (inout AccountRecord) -> Void) throws(StoreFault) {
        try registry.update { document in
            for id in ids { document.updateAccount(id, change) }
        }
    }
}

extension Result where Failure == StoreFault {
    fileprivate var fault: StoreFault? {
        if case .failure(let fault) = self { fault } else { nil }
    }
}

extension Result<AccountMove.Outcome, StoreFault> {
    /// Whether the source's copy is to be erased.
    fileprivate var clears: Bool {
        switch self {
        case .success(.moved), .success(.cleared): true
        case .success(.nothingThere), .success(.elsewhere), .failure: false
        }
    }
}
