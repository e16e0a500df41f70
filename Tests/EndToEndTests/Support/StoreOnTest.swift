import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A store for tests of whole runs, with the encrypted file in both of its forms.
enum StoreOnTest: String, CaseIterable, CustomTestStringConvertible {
    case plaintext, keyring
    case keyFile = "file with a key file"
    /// With the least work that the format allows.
    case passphrase = "file with a passphrase"

    static let secret = "open sesame street"

    var name: String { self == .keyFile || self == .passphrase ? "file" : rawValue }
    var testDescription: String { rawValue }

    /// Sets the store up.
    /// - Parameter outside: a folder for what a person keeps elsewhere.
    /// - Returns: the environment that opens it.
    func setUp(_ authctl: Installation, outside: TemporaryHome) throws -> [String: String] {
        switch self {
        case .plaintext, .keyring: return [:]
        case .keyFile:
            let key = try outside.write(
                String((0..<64).map { _ in "abcdefghijkmnpqrstuvwxyz".randomElement() ?? "a" }), to: "key")
            let made = try authctl.run("store", "init", "file", "--key-file", key)
            #expect(made.code == 0, "\(made.error)")
            return [:]
        case .passphrase:
            let ask: () throws(StoreFault) -> Secret = { Secret(Self.secret) }
            try EncryptedFileStore.create(folder: authctl.state, source: .passphrase(ask), derivation: .lowest)
            return ["AUTHCTL_STORE_PASSPHRASE_FILE": try outside.write(Self.secret + "\n", to: "passphrase")]
        }
    }

    /// What the encrypted file is opened with: the bytes of the key file, the derived key and the file's own.
    func keys(_ authctl: Installation) throws -> [[UInt8]] {
        guard name == "file" else { return [] }
        let path = authctl.state + "/" + EncryptedFileStore.fileName
        let bytes = try authctl.bytes(path).withUnsafeBytes { Secret(copying: $0) }
        let header = try SealedVault(bytes, path: path).header
        var keys: [[UInt8]] = []
        let derived: Secret
        switch header.source {
        case .keyFile(let file):
            derived = try EncryptionKeyFile.key(path: file, salt: header.salt)
            keys.append(Array(try authctl.bytes(file)))
        case .passphrase(let derivation):
            derived = try derivation.key(from: Secret(Self.secret), salt: header.salt, path: path)
        }
        let own = try header.fileKey(derivedKey: derived, path: path)
        return keys + [derived, own].map { $0.withUnsafeBytes { Array($0) } }
    }
}
