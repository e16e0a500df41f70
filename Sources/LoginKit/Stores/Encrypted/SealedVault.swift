import LoginCore
import Secrets

/// A file as it was read: its records, and the seal that only the key can check.
struct SealedVault: Sendable {
    private let vault: Vault
    private let content: [UInt8]
    private let seal: Cipher.Sealed
    private let reading = Reading()

    /// Tells one reading of a file from another.
    private final class Reading: Sendable {}

    /// A file whose seal was checked.
    struct Opened {
        let vault: Vault
        private let reading: Reading

        fileprivate init(_ sealed: SealedVault) { (vault, reading) = (sealed.vault, sealed.reading) }

        func isOf(_ sealed: SealedVault) -> Bool { reading === sealed.reading }
    }

    var header: VaultHeader { vault.header }

    /// Without the key, and so not to be trusted further than for 'is there one'.
    func listsUnchecked(_ account: AccountID) -> Bool {
        vault.lists(account)
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
    func opened(key: Secret, path: String) throws(StoreFault) -> Opened {
        guard Cipher.open(seal, context: content, key: key) != nil else {
            throw .wrongPassphraseOrDamaged(path: path)
        }
        return Opened(self)
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
