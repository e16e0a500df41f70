package import LoginCore
import Secrets

extension EncryptedFileStore {
    /// Sets the file up, empty: `authctl store init file`.
    /// - Throws: `alreadySetUp` if there is one, in whatever state; it is left alone.
    package static func create(
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
                throw .unsafeFile(path: keyPath, problem: "the path of a key file must begin with a slash")
            }
            let derived = try EncryptionKeyFile.key(path: keyPath, salt: salt)
            let kind = VaultHeader.Source.keyFile(path: keyPath)
            return (VaultHeader(source: kind, salt: salt, fileKey: fileKey, derivedKey: derived), fileKey)
        }
    }

    static func file(folder: String, wait: Int) -> SafeFile {
        SafeFile(folder: folder, name: fileName, limit: Vault.limit, wait: wait)
    }
}
