package import LoginCore
internal import Secrets

/// Carries the secrets of accounts from one store to another: the new copy first, the old one erased only after the new one
/// was read back. A crash at any moment leaves the secret in one place or in both, and the book knows which.
package struct AccountMove {
    /// What became of one account.
    package enum Outcome: Equatable, Sendable {
        case moved
        /// It was in this store already; a copy that a move or a login left in the first one was erased.
        case cleared(StoreName)
        /// The store holds nothing for the account any more: its session has ended.
        case nothingThere
        /// Another process has moved it, or logged it out.
        case elsewhere
    }

    private let book: AccountRegistry
    private let source: any CredentialStore
    private let target: any CredentialStore

    /// - Parameters:
    ///   - source: opened and, if need be, unlocked by its first use.
    ///   - target: has passed a write-read-delete.
    package init(book: AccountRegistry, from source: any CredentialStore, to target: any CredentialStore) {
        self.book = book
        self.source = source
        self.target = target
    }

    /// Moves one account.
    /// - Throws: what a store says. The account is then where it was, or where it was to go, and usable.
    package func move(_ id: AccountID) throws(StoreFault) -> Outcome {
        // A person may be asked for a passphrase here, and nobody is to wait for that.
        _ = try source.find(id)
        return try book.changing(loginsOf: id.profile) { () throws(StoreFault) in try moveAlone(id) }
    }

    private func moveAlone(_ id: AccountID) throws(StoreFault) -> Outcome {
        guard let record = try book.read().account(id) else { return .elsewhere }
        guard record.store == source.name else {
            guard record.otherCopies.contains(source.name) else { return .elsewhere }
            try clear(id)
            return .cleared(record.store)
        }
        guard let secret = try source.find(id) else { return .nothingThere }
        try book.update { $0.updateAccount(id) { $0.noteCopy(in: target.name) } }
        try target.save(secret, for: id, expires: try lastUse(secret))
        guard try target.find(id) == secret else {
            throw .unavailable(target.name, problem: "what was written cannot be read back")
        }
        try book.update { document in
            document.updateAccount(id) { record in
                record.otherCopies = record.copies(outside: target.name)
                record.store = target.name
            }
        }
        try clear(id)
        return .moved
    }

    /// The copy in the store that is left, once the book has the account elsewhere.
    private func clear(_ id: AccountID) throws(StoreFault) {
        try source.erase(id)
        try book.update { $0.updateAccount(id) { $0.otherCopies.removeAll { $0 == source.name } } }
    }

    /// - Throws: `damaged` for bytes that are no stored login; they stay where they are.
    private func lastUse(_ secret: Secret) throws(StoreFault) -> Int64? {
        do throws(StoredLoginCodec.Malformed) {
            return try StoredLoginCodec.decode(secret).lastUse
        } catch {
            throw .damaged(path: "\(source.name)", problem: "its entry for this account is not a stored login")
        }
    }
}
