import LoginCore
import Secrets

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
    /// Whether a file begins as one of a newer version does.
    static func isNewer(_ file: ArraySlice<UInt8>) -> Bool {
        let name = magic.dropLast()
        return file.starts(with: name) && file.dropFirst(name.count).first.map { $0 > version } ?? false
    }

    /// In bytes, for the whole file.
    static let limit = 8 * 1024 * 1024
    /// In bytes, for one secret.
    static let largestSecret = 1024 * 1024

    struct Record: Equatable {
        package let account: AccountID
        let sealed: Cipher.Sealed
    }

    /// The changes to some accounts.
    struct Changes {
        var records: [Record] = []
        var erased: Set<AccountID> = []
        var isEmpty: Bool { records.isEmpty && erased.isEmpty }
    }

    let header: VaultHeader
    private(set) var records: [Record]
    /// Where in `records` an account is, of a vault that was read.
    private let places: [AccountID: Int]

    init(header: VaultHeader, records: [Record] = []) {
        self.header = header
        self.records = records
        places = Dictionary(records.enumerated().map { ($1.account, $0) }) { first, _ in first }
    }

    func lists(_ account: AccountID) -> Bool { places[account] != nil }

    /// The secret of an account in a vault that was read.
    /// - Returns: `nil` if it has none.
    func secret(of account: AccountID, key: Secret, path: String) throws(StoreFault) -> Secret? {
        guard let record = places[account].map({ records[$0] }) else { return nil }
        guard let secret = Cipher.open(record.sealed, context: Self.context(account), key: key) else {
            throw .wrongPassphraseOrDamaged(path: path)
        }
        return secret
    }

    /// - Returns: the accounts that had a secret before.
    mutating func apply(_ changes: Changes) -> Set<AccountID> {
        let meant = changes.erased.union(changes.records.map(\.account))
        let present = meant.intersection(records.map(\.account))
        records.removeAll { meant.contains($0.account) }
        records += changes.records
        return present
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

    fileprivate static func context(_ account: AccountID) -> [UInt8] {
        var writer = BinaryWriter()
        writer.append(Array("record".utf8) + [0, version])
        writer.append(account)
        return writer.bytes
    }
}

extension Vault.Record {
    init(_ secret: Secret, of account: AccountID, key: Secret) {
        self.init(account: account, sealed: Cipher.seal(secret, context: Vault.context(account), key: key))
    }
}
