import Secrets
import Synchronization

/// Keeps secrets in one encrypted file in the state folder: permanent, also where nobody has a desktop.
///
/// Which accounts there are can be seen without the key; everything else needs it. The key is asked for or read once,
/// when it is first needed, and lives in guarded memory as long as this object. `Vault` has the format.
final class EncryptedFileStore: FileStore {
    /// The name of the file in the state folder.
    static let fileName = "store.authctl"

    let file: SafeFile
    /// Several threads may use the store, one after the other.
    let lock = Mutex(())
    let memory: FileMemory<SealedVault>?
    /// The file as it was last opened with its key.
    private var opened: (sealed: SealedVault, vault: Vault)?
    private let passphrase: () throws(StoreFault) -> Secret
    private let deriving: (_ isUnderWay: Bool) -> Void
    private let another: (_ failures: Int) throws(StoreFault) -> Secret?
    private let held: HeldKey?
    private var unlocked: (header: VaultHeader, key: Secret)?
    /// The fault of the first question that failed; later ones end with it, so that nobody is asked twice.
    private var refusal: StoreFault?

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - wait: how long a change waits for another process at most, in seconds.
    ///   - holding: how long what opens the file is held in the kernel's keyring, in seconds; `nil` for not at all.
    ///   - remembers: whether a file that has not changed is not read again.
    ///   - deriving: is told when the work begins that turns a passphrase into a key, and when it is done.
    ///   - another: a further passphrase after so many wrong ones; `nil` for none.
    ///   - passphrase: asked at most once, and only if a passphrase opens the file; a key file is found by itself.
    init(
        folder: String, wait: Int = 10, holding: Int? = nil, clock: WallClock? = nil, remembers: Bool = false,
        deriving: @escaping (_ isUnderWay: Bool) -> Void = { _ in },
        another: @escaping (_ failures: Int) throws(StoreFault) -> Secret? = { _ in nil },
        passphrase: @escaping () throws(StoreFault) -> Secret
    ) {
        self.file = Self.file(folder: folder, wait: wait)
        self.memory = remembers ? FileMemory() : nil
        self.passphrase = passphrase
        self.deriving = deriving
        self.another = another
        self.held = if let holding, let clock { HeldKey(seconds: holding, clock: clock) } else { nil }
    }

    var name: StoreName { .file }

    /// Whether there is a file, whatever its state.
    func isSetUp() throws(StoreFault) -> Bool {
        try file.read() != nil
    }

    /// Whether the file reads as one of ours and, with a key file, whether that opens it; a passphrase is not asked for.
    func check() throws(StoreFault) {
        let sealed = try load()
        if case .keyFile = sealed.header.source { _ = try unlock(sealed.header) }
    }

    func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        try lock.withLock { (_) throws(StoreFault) in
            let sealed = try load()
            let key = try unlock(sealed.header)
            return try checked(sealed, key).secret(of: account, key: key, path: file.path)
        }
    }

    /// The seal over the whole file is checked once for each version of it.
    private func checked(_ sealed: SealedVault, _ key: Secret) throws(StoreFault) -> Vault {
        if let opened, opened.sealed === sealed { return opened.vault }
        let vault = try sealed.opened(key: key, path: file.path)
        if memory != nil { opened = (sealed, vault) }
        return vault
    }

    /// From now on the passphrase is needed again: nothing is held in the keyring any more.
    /// - Returns: whether something was.
    func dropHeldKey(clock: WallClock) throws(StoreFault) -> Bool {
        guard try isSetUp() else { return false }
        return try HeldKey.drop(for: load().header, clock: clock)
    }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        try lock.withLock { (_) throws(StoreFault) in try load().listsUnchecked(account) }
    }

    func load() throws(StoreFault) -> SealedVault {
        let sealed = try file.read(through: memory) { (bytes) throws(StoreFault) in
            try SealedVault(bytes, path: file.path)
        }
        guard let sealed else { throw .notSetUp(.file) }
        return sealed
    }

    func unlock(_ header: VaultHeader) throws(StoreFault) -> Secret {
        if let unlocked, unlocked.header == header { return unlocked.key }
        let key: Secret
        switch header.source {
        case .passphrase(let derivation): key = try heldKey(header, derivation)
        case .keyFile(let path):
            key = try header.fileKey(derivedKey: EncryptionKeyFile.key(path: path, salt: header.salt), path: file.path)
        }
        unlocked = (header, key)
        return key
    }

    private func heldKey(_ header: VaultHeader, _ derivation: KeyDerivation) throws(StoreFault) -> Secret {
        if let key = held?.find(for: header) { return key }
        if let refusal { throw refusal }
        do {
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
            do {
                deriving(true)
                defer { deriving(false) }
                let key = try derivation.key(from: supplied, salt: header.salt, path: file.path)
                return try header.fileKey(derivedKey: key, path: file.path)
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
        case .unavailable, .noneWorks, .locked, .damaged, .newerVersion, .noSpace, .unsafeFile, .notSetUp,
            .alreadySetUp, .passphraseMissing,
            .system, .timedOut, .secretService, .tooLarge, .namesTooLong, .cannotBePermanent,
            .passphraseBlank, .helper, .shared, .usage, .other:
            false
        }
    }
}

extension EncryptedFileStore {
    /// Sets the file up, empty: `authctl store init file`.
    /// - Throws: `alreadySetUp` if there is one, in whatever state; it is left alone.
    static func create(
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
        let kind: VaultHeader.Source, derived: Secret
        switch source {
        case .passphrase(let ask):
            precondition(derivation.isAllowed, "a key derivation outside the format's bounds")
            let passphrase = try ask()
            guard !passphrase.isEmpty else { throw .passphraseBlank }
            kind = .passphrase(derivation)
            derived = try derivation.key(from: passphrase, salt: salt, path: path)
        case .keyFile(let keyPath):
            guard keyPath.hasPrefix("/"), keyPath.utf8.count <= UInt16.max else {
                throw .unsafeFile(path: keyPath, problem: "the path of a key file must begin with a slash")
            }
            kind = .keyFile(path: keyPath)
            derived = try EncryptionKeyFile.key(path: keyPath, salt: salt)
        }
        return (VaultHeader(source: kind, salt: salt, fileKey: fileKey, derivedKey: derived), fileKey)
    }

    private static func file(folder: String, wait: Int) -> SafeFile {
        SafeFile(folder: folder, name: fileName, limit: Vault.limit, wait: wait)
    }
}

extension EncryptedFileStore {
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
            guard let bytes else { throw .notSetUp(.file) }
            let sealed = try SealedVault(bytes, path: file.path)
            guard sealed.header == header else { return nil }
            let key = try unlock(header)
            var vault = try sealed.opened(key: key, path: file.path)
            let had = vault.apply(changes)
            present = had
            // What another process has erased by now is not written once more.
            return changes.records.isEmpty && had.isEmpty ? nil : vault.encoded(key: key)
        }
        return present
    }
}
