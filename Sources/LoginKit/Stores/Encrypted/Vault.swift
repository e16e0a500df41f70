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
        let account: AccountID
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

/// The first part of an encrypted file: how to get at its key. `Vault` has the format.
struct VaultHeader: Equatable {
    enum Source: Equatable {
        case passphrase(KeyDerivation)
        case keyFile(path: String)
    }

    static let saltCount = 16

    let source: Source
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
        do {
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

/// A file as it was read: its records, and the seal that only the key can check. Each reading is another object.
final class SealedVault: Sendable {
    private let vault: Vault
    private let content: [UInt8]
    private let seal: Cipher.Sealed

    var header: VaultHeader { vault.header }

    /// Without the key, and so not to be trusted further than for 'is there one'.
    func listsUnchecked(_ account: AccountID) -> Bool {
        vault.lists(account)
    }

    /// - Throws: `damaged` for anything that the format does not allow, a file that was cut or grew included.
    init(_ file: Secret, path: String) throws(StoreFault) {
        var reader = BinaryReader(file.withUnsafeBytes { Array($0) })
        let header = try VaultHeader(&reader, path: path)
        do {
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

    /// Checks the seal.
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

/// Reads big-endian numbers and counted bytes, never past the end.
struct BinaryReader {
    /// There are fewer bytes than the format wants, or other ones.
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The bytes that were not read yet.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    /// Everything that was read so far.
    fileprivate var consumed: [UInt8] { Array(bytes[..<position]) }

    mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        guard count >= 0, count <= bytes.count - position else { throw Malformed() }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) throws(Malformed) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
    }

    /// UTF-8 with two bytes of length before it.
    mutating func text() throws(Malformed) -> String {
        let bytes = try take(Int(number(UInt16.self)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    mutating func account() throws(Malformed) -> AccountID {
        let profile = try text()
        let scheme = try text()
        let host = try text()
        let port = Int(try number(UInt32.self))
        return AccountID(
            profile: profile, origin: Origin(scheme: scheme, host: host, port: port), username: try text())
    }
}

/// Writes what `BinaryReader` reads.
struct BinaryWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    mutating func append<Number: FixedWidthInteger>(number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    /// - Precondition: at most 65,535 bytes; `EncryptedFileStore` refuses longer names before.
    mutating func append(text: String) {
        append(number: UInt16(text.utf8.count))
        bytes += Array(text.utf8)
    }

    mutating func append(_ account: AccountID) {
        append(text: account.profile)
        append(text: account.origin.scheme)
        append(text: account.origin.host)
        append(number: UInt32(truncatingIfNeeded: account.origin.port))
        append(text: account.username)
    }
}
