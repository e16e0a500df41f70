internal import LoginCore
internal import Secrets

/// The encrypted file in memory: the header, one record for each account, and a seal over everything.
///
/// All numbers are big-endian; *text* is UTF-8 with its length in two bytes before it.
///
///     header   8  "AUTHCTL" and the version of the format, 1
///              1  what opens it: 1 a passphrase (Argon2id), 2 a key file (BLAKE2b)
///              4  Argon2id: passes, 2 to 16           (0 for a key file)
///              4  Argon2id: memory in KiB, 8 MiB to 1 GiB (0 for a key file)
///             16  salt
///           text  path of the key file, empty for a passphrase
///             24  nonce
///             48  the file key, 32 random bytes, sealed with the derived key; context: the header up to the nonce
///     records  4  how many; then for each:
///           text  profile; text scheme; text host; 4 port; text user name
///             24  nonce
///              4  length, and so many bytes: the secret, sealed with the file key; context: "record" 0, the
///                 version, and profile to user name as above
///     seal    24  nonce
///             16  tag, with the file key, over every byte of the file before the nonce
///
/// 'Sealed' is XChaCha20-Poly1305 (IETF). Accounts can be read without the key, secrets cannot; with the key, a change
/// of any byte, a cut, an addition or an exchange shows. An older copy of the whole file cannot be told from the file.
struct Vault {
    static let magic = Array("AUTHCTL".utf8) + [version]
    static let version: UInt8 = 1
    /// In bytes, for the whole file.
    static let limit = 8 * 1024 * 1024
    /// In bytes, for one secret.
    static let largestSecret = 1024 * 1024

    struct Record: Equatable {
        let account: AccountID
        let sealed: Cipher.Sealed
    }

    let header: VaultHeader
    var records: [Record]

    init(header: VaultHeader, records: [Record] = []) {
        self.header = header
        self.records = records
    }

    /// The secret of an account.
    /// - Returns: nothing if it has none.
    func secret(of account: AccountID, key: Secret, path: String) throws(StoreFault) -> Secret? {
        guard let record = records.first(where: { $0.account == account }) else { return nil }
        guard let secret = Cipher.open(record.sealed, context: Self.context(account), key: key) else {
            throw .wrongPassphraseOrDamaged(path: path)
        }
        return secret
    }

    mutating func put(_ secret: Secret, for account: AccountID, key: Secret) {
        let record = Record(account: account, sealed: Cipher.seal(secret, context: Self.context(account), key: key))
        records.removeAll { $0.account == account }
        records.append(record)
    }

    /// The whole file, sealed anew.
    func encoded(key: Secret) -> Secret {
        var writer = BinaryWriter()
        writer.append(header.encoded)
        writer.append(number: UInt32(records.count))
        for record in records {
            writer.append(record.account)
            writer.append(record.sealed.nonce)
            writer.append(number: UInt32(record.sealed.ciphertext.count))
            writer.append(record.sealed.ciphertext)
        }
        let seal = Cipher.seal(Secret(""), context: writer.bytes, key: key)
        writer.append(seal.nonce)
        writer.append(seal.ciphertext)
        return writer.bytes.withUnsafeBytes { Secret(copying: $0) }
    }

    private static func context(_ account: AccountID) -> [UInt8] {
        var writer = BinaryWriter()
        writer.append(Array("record".utf8) + [0, version])
        writer.append(account)
        return writer.bytes
    }
}

/// A file as it was read: its records, and the seal that only the key can check.
struct SealedVault {
    private let vault: Vault
    private let content: [UInt8]
    private let seal: Cipher.Sealed

    var header: VaultHeader { vault.header }

    /// Without the key, and so not to be trusted further than for 'is there one'.
    func listsUnchecked(_ account: AccountID) -> Bool {
        vault.records.contains { $0.account == account }
    }

    /// - Throws: `damaged` for anything that the format does not allow, a file that was cut or grew included.
    init(_ file: Secret, path: String) throws(StoreFault) {
        var reader = BinaryReader(file.withUnsafeBytes { Array($0) })
        let header = try VaultHeader(&reader, path: path)
        do throws(BinaryReader.Malformed) {
            let records = try Self.records(&reader)
            content = reader.consumed
            seal = Cipher.Sealed(
                nonce: try reader.take(Cipher.nonceCount), ciphertext: try reader.take(Cipher.tagCount))
            guard reader.isAtEnd else { throw BinaryReader.Malformed() }
            vault = Vault(header: header, records: records)
        } catch {
            throw .damaged(path: path, problem: "it was truncated or changed")
        }
    }

    /// - Throws: `wrongPassphraseOrDamaged` unless every byte is as it was sealed.
    func opened(key: Secret, path: String) throws(StoreFault) -> Vault {
        guard Cipher.open(seal, context: content, key: key) != nil else {
            throw .wrongPassphraseOrDamaged(path: path)
        }
        return vault
    }

    private static func records(_ reader: inout BinaryReader) throws(BinaryReader.Malformed) -> [Vault.Record] {
        var records: [Vault.Record] = []
        for _ in 0..<(try reader.number(UInt32.self)) {
            let account = try reader.account()
            let nonce = try reader.take(Cipher.nonceCount)
            let ciphertext = try reader.take(Int(reader.number(UInt32.self)))
            records.append(Vault.Record(account: account, sealed: .init(nonce: nonce, ciphertext: ciphertext)))
        }
        return records
    }
}
