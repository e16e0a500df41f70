public import LoginCore
public import Secrets

/// Keeps secrets in one encrypted file in the state folder: permanent, also where nobody has a desktop.
///
/// Which accounts there are can be seen without the key; everything else needs it. The key is asked for or read once,
/// when it is first needed, and lives in guarded memory as long as this object. `Vault` has the format.
public final class EncryptedFileStore: CredentialStore {
    /// Of the file in the state folder.
    public static let fileName = "store.authctl"

    private let file: SafeFile
    private let passphrase: () throws(StoreFault) -> Secret
    private let held: HeldKey?
    private var unlocked: (header: VaultHeader, key: Secret)?

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - wait: how long a change waits for another process at most, in seconds.
    ///   - holding: how long what opens the file is held in the kernel's keyring, in seconds; nothing for not at all.
    ///   - passphrase: asked at most once, and only if a passphrase opens the file; a key file is found by itself.
    public init(
        folder: String, wait: Int = 10, holding: Int? = nil, clock: WallClock? = nil,
        passphrase: @escaping () throws(StoreFault) -> Secret
    ) {
        self.file = Self.file(folder: folder, wait: wait)
        self.passphrase = passphrase
        self.held = if let holding, let clock { HeldKey(seconds: holding, clock: clock) } else { nil }
    }

    public var name: StoreName { .file }

    /// Whether there is a file, whatever its state.
    public func isSetUp() throws(StoreFault) -> Bool {
        try file.read() != nil
    }

    /// Whether the file reads as one of ours and, with a key file, whether that opens it; a passphrase is not asked for.
    func check() throws(StoreFault) {
        let sealed = try load()
        if case .keyFile = sealed.header.source { _ = try unlock(sealed.header) }
    }

    public func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        let sealed = try load()
        let key = try unlock(sealed.header)
        return try sealed.opened(key: key, path: file.path).secret(of: account, key: key, path: file.path)
    }

    public func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
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
    public func erase(_ account: AccountID) throws(StoreFault) -> Bool {
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

    /// From now on the passphrase is needed again: nothing is held in the keyring any more.
    /// - Returns: whether something was.
    public func dropHeldKey(clock: WallClock) throws(StoreFault) -> Bool {
        guard try isSetUp() else { return false }
        return try HeldKey.drop(for: load().header, clock: clock)
    }

    public func contains(_ account: AccountID) throws(StoreFault) -> Bool {
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
        let derived = try derivation.key(from: passphrase(), salt: header.salt, path: file.path)
        let key = try header.fileKey(derivedKey: derived, path: file.path)
        held?.hold(key, for: header)
        return key
    }
}

extension EncryptedFileStore {
    /// Sets the file up, empty: `authctl store init file`.
    /// - Throws: `alreadySetUp` if there is one, in whatever state; it is left alone.
    public static func create(
        folder: String, source: KeySource, derivation: KeyDerivation = .moderate, wait: Int = 10
    ) throws(StoreFault) {
        let file = file(folder: folder, wait: wait)
        guard try file.read() == nil else { throw .alreadySetUp(.file, path: file.path) }
        let (header, key) = try newHeader(source, derivation, path: file.path)
        try file.update { (present) throws(StoreFault) in
            guard present == nil else { throw .alreadySetUp(.file, path: file.path) }
            return Vault(header: header).encoded(key: key)
        }
    }

    private static func newHeader(
        _ source: KeySource, _ derivation: KeyDerivation, path: String
    ) throws(StoreFault) -> (VaultHeader, key: Secret) {
        let salt = Cipher.randomBytes(VaultHeader.saltCount)
        let fileKey = Secret.random(count: Cipher.keyCount)
        switch source {
        case .passphrase(let ask):
            precondition(derivation.isAllowed, "a key derivation outside the format's bounds")
            let passphrase = try ask()
            guard !passphrase.isEmpty else { throw .passphraseBlank }
            let derived = try derivation.key(from: passphrase, salt: salt, path: path)
            let kind = VaultHeader.Source.passphrase(derivation)
            return (VaultHeader(source: kind, salt: salt, fileKey: fileKey, derivedKey: derived), fileKey)
        case .keyFile(let keyPath):
            guard keyPath.hasPrefix("/"), keyPath.utf8.count <= UInt16.max else {
                throw .unsafeFile(path: keyPath, problem: "the path of a key file begins with a slash")
            }
            let derived = try KeyFile.key(path: keyPath, salt: salt)
            let kind = VaultHeader.Source.keyFile(path: keyPath)
            return (VaultHeader(source: kind, salt: salt, fileKey: fileKey, derivedKey: derived), fileKey)
        }
    }

    private static func file(folder: String, wait: Int) -> SafeFile {
        SafeFile(folder: folder, name: fileName, limit: Vault.limit, wait: wait)
    }
}
