import LoginCore
import Secrets

/// The first part of an encrypted file: how to get at its key. `Vault` has the format.
struct VaultHeader: Equatable {
    enum Source: Equatable {
        case passphrase(KeyDerivation)
        case keyFile(path: String)
    }

    static let saltCount = 16

    package let source: Source
    let salt: [UInt8]
    let wrappedKey: Cipher.Sealed

    /// A new header around a new file key.
    init(source: Source, salt: [UInt8], fileKey: Secret, derivedKey: Secret) {
        self.source = source
        self.salt = salt
        self.wrappedKey = Cipher.seal(fileKey, context: Self.start(source, salt), key: derivedKey)
    }

    /// - Throws: `newerVersion`; `damaged`, for hostile numbers as well, before anything is done with them.
    init(_ reader: inout BinaryReader, path: String) throws(StoreFault) {
        if Vault.isNewer(reader.rest) { throw .newerVersion(path: path) }
        do throws(BinaryReader.Malformed) {
            guard try reader.take(Vault.magic.count) == Vault.magic else { throw BinaryReader.Malformed() }
            let kind = try reader.number(UInt8.self)
            let derivation = KeyDerivation(
                passes: try reader.number(UInt32.self), memory: try reader.number(UInt32.self))
            salt = try reader.take(Self.saltCount)
            source = try Self.source(kind, derivation, keyFile: try reader.text())
            wrappedKey = Cipher.Sealed(
                nonce: try reader.take(Cipher.nonceCount),
                ciphertext: try reader.take(Cipher.keyCount + Cipher.tagCount))
        } catch {
            throw .damaged(path: path, problem: "it is not a store of this version of authctl")
        }
    }

    private static func source(
        _ kind: UInt8, _ derivation: KeyDerivation, keyFile: String
    ) throws(BinaryReader.Malformed) -> Source {
        if kind == 1, derivation.isAllowed, keyFile.isEmpty { return .passphrase(derivation) }
        if kind == 2, derivation == KeyDerivation(passes: 0, memory: 0), keyFile.hasPrefix("/") {
            return .keyFile(path: keyFile)
        }
        throw BinaryReader.Malformed()
    }

    /// The file key.
    /// - Throws: `wrongPassphraseOrDamaged` if the derived key does not fit.
    func fileKey(derivedKey: Secret, path: String) throws(StoreFault) -> Secret {
        guard let key = Cipher.open(wrappedKey, context: Self.start(source, salt), key: derivedKey),
            key.count == Cipher.keyCount
        else { throw .wrongPassphraseOrDamaged(path: path) }
        return key
    }

    var encoded: [UInt8] { Self.start(source, salt) + wrappedKey.nonce + wrappedKey.ciphertext }

    private static func start(_ source: Source, _ salt: [UInt8]) -> [UInt8] {
        var writer = BinaryWriter()
        writer.append(Vault.magic)
        let (kind, derivation, path): (UInt8, KeyDerivation, String) =
            switch source {
            case .passphrase(let derivation): (1, derivation, "")
            case .keyFile(let path): (2, KeyDerivation(passes: 0, memory: 0), path)
            }
        writer.append(number: kind)
        writer.append(number: derivation.passes)
        writer.append(number: derivation.memory)
        writer.append(salt)
        writer.append(text: path)
        return writer.bytes
    }
}
