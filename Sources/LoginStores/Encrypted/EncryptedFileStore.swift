package import LoginCore
package import Secrets

/// Keeps secrets in one encrypted file in the state folder: permanent, also where nobody has a desktop.
///
/// Which accounts there are can be seen without the key; everything else needs it. The key is asked for or read once,
/// when it is first needed, and lives in guarded memory as long as this object. `Vault` has the format.
package final class EncryptedFileStore: CredentialStore {
    /// Of the file in the state folder.
    package static let fileName = "store.authctl"

    private let file: SafeFile
    private let passphrase: () throws(StoreFault) -> Secret
    private let another: (_ failures: Int) throws(StoreFault) -> Secret?
    private let held: HeldKey?
    private var unlocked: (header: VaultHeader, key: Secret)?
    /// What came of asking a person who does not know it or does not say it: nobody is asked that twice.
    private var refusal: StoreFault?

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - wait: how long a change waits for another process at most, in seconds.
    ///   - holding: how long what opens the file is held in the kernel's keyring, in seconds; nothing for not at all.
    ///   - another: a further passphrase after so many wrong ones; nothing for none.
    ///   - passphrase: asked at most once, and only if a passphrase opens the file; a key file is found by itself.
    package init(
        folder: String, wait: Int = 10, holding: Int? = nil, clock: WallClock? = nil,
        another: @escaping (_ failures: Int) throws(StoreFault) -> Secret? = { _ in nil },
        passphrase: @escaping () throws(StoreFault) -> Secret
    ) {
        self.file = Self.file(folder: folder, wait: wait)
        self.passphrase = passphrase
        self.another = another
        self.held = if let holding, let clock { HeldKey(seconds: holding, clock: clock) } else { nil }
    }

    package var name: StoreName { .file }

    /// Whether there is a file, whatever its state.
    package func isSetUp() throws(StoreFault) -> Bool {
        try file.read() != nil
    }

    /// Whether the file reads as one of ours and, with a key file, whether that opens it; a passphrase is not asked for.
    func check() throws(StoreFault) {
        let sealed = try load()
        if case .keyFile = sealed.header.source { _ = try unlock(sealed.header) }
    }

    package func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        let sealed = try load()
        let key = try unlock(sealed.header)
        return try sealed.opened(key: key, path: file.path).secret(of: account, key: key, path: file.path)
    }

    package func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
        guard secret.count <= Vault.largestSecret else { throw .tooLarge(.file, limit: Vault.largestSecret) }
        let names = [account.profile, account.origin.scheme, account.origin.host, account.username]
        guard names.allSatisfy({ $0.utf8.count <= UInt16.max }) else {
            throw .namesTooLong(.file, limit: Int(UInt16.max))
        }
        try change { vault, key in
            vault.put(secret, for: account, key: key)
            return true
        }
    }

    @discardableResult
    package func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        guard try contains(account) else { return false }
        var found = false
        try change { vault, _ in
            let before = vault.records.count
            vault.records.removeAll { $0.account == account }
            found = vault.records.count < before
            return found
        }
        return found
    }

    /// Removes what saves that were killed have left.
    func sweep() throws(StoreFault) { try file.sweep() }

    /// From now on the passphrase is needed again: nothing is held in the keyring any more.
    /// - Returns: whether something was.
    package func dropHeldKey(clock: WallClock) throws(StoreFault) -> Bool {
        guard try isSetUp() else { return false }
        return try HeldKey.drop(for: load().header, clock: clock)
    }

    package func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        try load().listsUnchecked(account)
    }

    /// Unlocks before the lock is taken, so that nobody waits for a person who looks for a passphrase.
    /// - Parameter body: returns whether there is anything to write.
    private func change(_ body: (inout Vault, Secret) -> Bool) throws(StoreFault) {
        _ = try unlock(load().header)
        try file.update { (bytes) throws(StoreFault) in
            let sealed = try sealed(bytes)
            let key = try unlock(sealed.header)
            var vault = try sealed.opened(key: key, path: file.path)
            return body(&vault, key) ? vault.encoded(key: key) : nil
        }
    }

    private func load() throws(StoreFault) -> SealedVault {
        try sealed(file.read())
    }

    private func sealed(_ bytes: Secret?) throws(StoreFault) -> SealedVault {
        guard let bytes else { throw .notSetUp(.file) }
        return try SealedVault(bytes, path: file.path)
    }

    private func unlock(_ header: VaultHeader) throws(StoreFault) -> Secret {
        if let unlocked, unlocked.header == header { return unlocked.key }
        let key: Secret
        switch header.source {
        case .passphrase(let derivation): key = try heldKey(header, derivation)
        case .keyFile(let path):
            key = try header.fileKey(derivedKey: KeyFile.key(path: path, salt: header.salt), path: file.path)
        }
        unlocked = (header, key)
        return key
    }

    private func heldKey(_ header: VaultHeader, _ derivation: KeyDerivation) throws(StoreFault) -> Secret {
        if let key = held?.find(for: header) { return key }
        if let refusal { throw refusal }
        do throws(StoreFault) {
            let key = try askedKey(header, derivation)
            held?.hold(key, for: header)
            return key
        } catch {
            if error.isAnswer { refusal = error }
            throw error
        }
    }

    private func askedKey(_ header: VaultHeader, _ derivation: KeyDerivation) throws(StoreFault) -> Secret {
        var supplied = try passphrase()
        var failures = 0
        while true {
            do throws(StoreFault) {
                let derived = try derivation.key(from: supplied, salt: header.salt, path: file.path)
                return try header.fileKey(derivedKey: derived, path: file.path)
            } catch .wrongPassphraseOrDamaged(let path) {
                failures += 1
                guard let next = try another(failures) else { throw .wrongPassphraseOrDamaged(path: path) }
                supplied = next
            }
        }
    }
}

extension StoreFault {
    /// Whether it is what a person answered, or did not.
    fileprivate var isAnswer: Bool {
        switch self {
        case .passphraseCancelled, .passphraseExpired, .wrongPassphraseOrDamaged: true
        case .unavailable, .noneWorks, .locked, .damaged, .unsafeFile, .notSetUp, .alreadySetUp, .passphraseMissing,
            .newPassphraseMissing, .system, .timedOut, .secretService, .tooLarge, .namesTooLong, .cannotBePermanent,
            .passphraseFile, .passphraseBlank, .helper:
            false
        }
    }
}
