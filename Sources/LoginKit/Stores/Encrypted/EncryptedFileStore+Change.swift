import LoginCore
import Secrets
import Synchronization

extension EncryptedFileStore: FileStore {
    /// Unlocks and seals before the lock is taken, so that nobody waits for a person who looks for a passphrase.
    func change(
        _ accounts: [AccountID], to secret: (AccountID) throws(StoreFault) -> Secret?
    ) throws(StoreFault) -> Set<AccountID> {
        try lock.withLock { (_) throws(StoreFault) -> Set<AccountID> in
            while true {
                let sealed = try load()
                let changes = try changes(of: accounts, in: sealed, to: secret)
                if changes.isEmpty { return [] }
                if let present = try apply(changes, header: sealed.header) { return present }
            }
        }
    }

    /// Erasing a missing account needs no key.
    private func changes(
        of accounts: [AccountID], in sealed: SealedVault, to secret: (AccountID) throws(StoreFault) -> Secret?
    ) throws(StoreFault) -> Vault.Changes {
        var changes = Vault.Changes()
        for account in accounts {
            if let secret = try secret(account) {
                try Self.check(secret, account)
                changes.records.append(Vault.Record(secret, of: account, key: try unlock(sealed.header)))
            } else if sealed.listsUnchecked(account) {
                changes.erased.insert(account)
            }
        }
        return changes
    }

    private static func check(_ secret: Secret, _ account: AccountID) throws(StoreFault) {
        guard secret.count <= Vault.largestSecret else { throw .tooLarge(.file, limit: Vault.largestSecret) }
        let names = [account.profile, account.origin.scheme, account.origin.host, account.username]
        guard names.allSatisfy({ $0.utf8.count <= UInt16.max }) else {
            throw .namesTooLong(.file, limit: Int(UInt16.max))
        }
    }

    /// - Returns: the accounts that had a secret before; `nil` if the file has been set up anew meanwhile, with another key.
    private func apply(_ changes: Vault.Changes, header: VaultHeader) throws(StoreFault) -> Set<AccountID>? {
        _ = try unlock(header)
        memory?.forget()
        opened = nil
        var present: Set<AccountID>?
        try file.update { (bytes) throws(StoreFault) in
            let sealed = try self.sealed(bytes)
            guard sealed.header == header else { return nil }
            let key = try unlock(header)
            var vault = try sealed.opened(key: key, path: file.path).vault
            let had = vault.apply(changes)
            present = had
            // What another process has erased by now is not written once more.
            return changes.records.isEmpty && had.isEmpty ? nil : vault.encoded(key: key)
        }
        return present
    }

    func reserveSpace(adding bytes: Int) throws(StoreFault) -> ReservedSpace {
        try file.reserveSpace(adding: bytes)
    }
}
