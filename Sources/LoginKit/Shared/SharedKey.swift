import CSodium
import Glibc
import LoginCore
import Secrets

/// What machines that share logins have in common: a key, of which the engine knows nothing.
struct SharedKey {
    /// Where it is, as messages say.
    let path: String
    /// Seals values.
    private let sealing: Secret
    /// Makes the names of accounts in the engine.
    private let naming: Secret

    /// - Parameter path: of the key file, absolute.
    /// - Throws: what is wrong with the file.
    init(path: String) throws(StoreFault) {
        self.path = path
        sealing = try EncryptionKeyFile.key(path: path, salt: Array("authctl shared: sealing".utf8))
        naming = try EncryptionKeyFile.key(path: path, salt: Array("authctl shared: naming".utf8))
    }

    /// - Throws: `alreadySetUp` if there is one.
    static func checkIsNew(path: String, for store: StoreName) throws(LoginFault) {
        guard access(path, F_OK) != 0 else { throw .store(.alreadySetUp(store, path: path)) }
    }

    /// Makes a key file, which has to be the same on each machine: `authctl store init shared:NAME`.
    static func create(path: String) throws(LoginFault) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        do throws(StoreFault) {
            _ = try SafeDirectory.open(folder, creating: true, privacy: .readable)
        } catch {
            throw .store(error)
        }
        try KeyFile.create(path, Secret.random(count: 32))
    }

    /// The key of an account in the engine: a hash that nobody can compute who does not have the file.
    func name(of account: AccountID) -> String {
        let message = Self.binding(account)
        var digest = [UInt8](repeating: 0, count: 32)
        naming.withBytes { key in
            _ = csodium_generichash(&digest, digest.count, message, UInt64(message.count), key, naming.count)
        }
        return "authctl/" + Hexadecimal.text(digest)
    }

    /// Seals for an account, bound to it and to what stands beside it in the open.
    func seal(_ secret: Secret, for account: AccountID, beside open: String) -> Cipher.Sealed {
        Cipher.seal(Self.padded(secret), context: Self.context(account, open), key: sealing)
    }

    /// - Returns: `nil` for anything that `seal` did not make of these.
    func open(_ sealed: Cipher.Sealed, for account: AccountID, beside open: String) -> Secret? {
        Cipher.open(sealed, context: Self.context(account, open), key: sealing).flatMap { Self.unpadded($0) }
    }

    private static func context(_ account: AccountID, _ open: String) -> [UInt8] {
        binding(account) + Array(open.utf8)
    }

    /// Each part with its length, so that no two accounts have the same.
    private static func binding(_ account: AccountID) -> [UInt8] {
        [account.profile, account.origin.description, account.username].flatMap { part in
            withUnsafeBytes(of: UInt32(part.utf8.count).littleEndian) { Array($0) } + Array(part.utf8)
        }
    }

    /// A multiple of so many bytes, so that the length of a value says little: ISO/IEC 7816-4, a one bit and then zeros.
    private static let block = 256

    private static func padded(_ secret: Secret) -> Secret {
        let count = (secret.count / block + 1) * block
        return Secret(count: count) { buffer in
            secret.withUnsafeBytes { buffer.copyMemory(from: $0) }
            buffer[secret.count] = 0x80
            for place in (secret.count + 1)..<count { buffer[place] = 0 }
        }
    }

    private static func unpadded(_ secret: Secret) -> Secret? {
        secret.withUnsafeBytes { bytes in
            guard let end = bytes.lastIndex(where: { $0 != 0 }), bytes[end] == 0x80 else { return nil }
            return Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
    }
}
