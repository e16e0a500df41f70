import CSodium
import Glibc
import Secrets

/// XChaCha20-Poly1305 with random nonces, as libsodium has it:
/// <https://doc.libsodium.org/secret-key_cryptography/aead>.
enum Cipher {
    static let keyCount = 32
    static let nonceCount = 24
    static let tagCount = 16

    /// The sealed form in the file: a nonce and the ciphertext with its tag.
    struct Sealed: Equatable {
        let nonce: [UInt8]
        let ciphertext: [UInt8]
    }

    static func seal(_ plaintext: Secret, context: [UInt8], key: Secret) -> Sealed {
        let nonce = randomBytes(nonceCount)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + tagCount)
        plaintext.withBytes { plain in
            key.withBytes { key in
                // Fails only for messages of more than 256 GiB.
                _ = csodium_aead_xchacha20poly1305_ietf_encrypt(
                    &ciphertext, nil, plain, UInt64(plaintext.count), context, UInt64(context.count), nil, nonce, key)
            }
        }
        return Sealed(nonce: nonce, ciphertext: ciphertext)
    }

    /// - Returns: `nil` if any bit of the ciphertext, the nonce, the context or the key is another.
    static func open(_ sealed: Sealed, context: [UInt8], key: Secret) -> Secret? {
        guard sealed.nonce.count == nonceCount, sealed.ciphertext.count >= tagCount else { return nil }
        var opened = false
        let plaintext = Secret(count: sealed.ciphertext.count - tagCount) { plain in
            key.withBytes { key in
                opened =
                    csodium_aead_xchacha20poly1305_ietf_decrypt(
                        plain.bindMemory(to: UInt8.self).baseAddress, nil, nil, sealed.ciphertext,
                        UInt64(sealed.ciphertext.count), context, UInt64(context.count), sealed.nonce, key) == 0
            }
        }
        return opened ? plaintext : nil
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        csodium_random(&bytes, count)
        return bytes
    }
}

extension Secret {
    /// The bytes in the form that libsodium takes them.
    func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withUnsafeBytes { buffer in
            guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else {
                preconditionFailure("a secret without an address")
            }
            return body(start)
        }
    }
}

/// The cost of turning a passphrase into a key with Argon2id (RFC 9106).
package struct KeyDerivation: Equatable, Sendable {
    /// Passes over the memory.
    let passes: UInt32
    /// In KiB.
    let memory: UInt32

    /// libsodium's 'moderate': 256 MiB, 3 passes; 0.4 s on the build machine.
    static let moderate = KeyDerivation(passes: 3, memory: 256 * 1024)
    /// The least that the format allows: 8 MiB, 2 passes. For tests.
    static let lowest = KeyDerivation(passes: 2, memory: 8 * 1024)
    /// The most that the format allows: 1 GiB, 16 passes. A file that asks for more is hostile or damaged.
    private static let highest = KeyDerivation(passes: 16, memory: 1024 * 1024)

    /// Whether the numbers are within the format's bounds; to be asked before any memory is taken.
    var isAllowed: Bool {
        (Self.lowest.passes...Self.highest.passes).contains(passes)
            && (Self.lowest.memory...Self.highest.memory).contains(memory)
    }

    /// - Throws: `system` if there is not that much memory.
    func key(from passphrase: Secret, salt: [UInt8], path: String) throws(StoreFault) -> Secret {
        try Secret(count: Cipher.keyCount) { (key) throws(StoreFault) in
            guard let start = key.bindMemory(to: UInt8.self).baseAddress else { return }
            let result = passphrase.withBytes { text in
                csodium_pwhash(
                    start, UInt64(key.count), UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self),
                    UInt64(passphrase.count), salt, UInt64(passes), Int(memory) * 1024,
                    csodium_pwhash_alg_argon2id13())
            }
            guard result == 0 else { throw .system(call: "crypto_pwhash", path: path, errno: ENOMEM) }
        }
    }
}

/// The source of an encrypted file's key, as the person chose it when it was set up. Public, since the compiler does not count a typed throw
/// as a use of a package import.
package enum KeySource {
    /// Asked for only when something has to be unlocked or set up.
    case passphrase(() throws(StoreFault) -> Secret)
    /// An absolute path. The file keeps at least 32 bytes that nobody can guess.
    case keyFile(path: String)
}

/// A file whose bytes are the key: for machines where nobody types a passphrase.
enum EncryptionKeyFile {
    /// In bytes.
    static let limit = 64 * 1024
    /// In bytes. A shorter file is a passphrase at best, and no work stands between it and the key.
    static let shortest = 32

    /// Reads the file and hashes it with the salt (BLAKE2b, RFC 7693). Links are followed, since the person named the
    /// path, but no other user may have made one of them; the file itself must be the user's or root's and closed to others.
    static func key(path: String, salt: [UInt8]) throws(StoreFault) -> Secret {
        let number = try fromFolders(try FolderChain(path).open())
        guard number >= 0 else { throw Self.fault(path: path, errno: -number) }
        let content = try read(Descriptor(number), path: path)
        return Secret(count: Cipher.keyCount) { key in
            guard let start = key.bindMemory(to: UInt8.self).baseAddress else { return }
            content.withBytes { bytes in
                _ = csodium_generichash(start, key.count, bytes, UInt64(content.count), salt, salt.count)
            }
        }
    }

    /// The fault of a failed open(2). Unlike in the state folder, links are followed, and the file may be root's.
    static func fault(path: String, errno code: Int32) -> StoreFault {
        switch code {
        case ELOOP: .unsafeFile(path: path, problem: "it is a loop of symbolic links")
        case ENXIO, EISDIR: .unsafeFile(path: path, problem: "it is not a regular file")
        case EACCES: .unsafeFile(path: path, problem: "this user has no permission to read it")
        default: .system(call: "open", path: path, errno: code)
        }
    }

    private static func read(_ file: consuming Descriptor, path: String) throws(StoreFault) -> Secret {
        let status = try file.status(path: path)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unsafeFile(path: path, problem: "it is not a regular file")
        }
        try checkOwner(status.st_uid, path: path, accepted: [geteuid(), 0])
        guard status.st_mode & 0o077 == 0 else {
            throw .unsafeFile(path: path, problem: "other users have access to it (fix: chmod 600)")
        }
        let count = Int(status.st_size)
        guard (shortest...limit).contains(count) else {
            throw .unsafeFile(path: path, problem: "a key file must have \(shortest) to \(limit) bytes")
        }
        return try Secret(count: count) { (buffer) throws(StoreFault) in
            guard try file.read(into: buffer, path: path) == count else {
                throw .unsafeFile(path: path, problem: "it was truncated while it was read")
            }
            // A file with holes, say, or a disk that was full.
            guard buffer.contains(where: { $0 != 0 }) else {
                throw .unsafeFile(path: path, problem: "it has only zero bytes, so it is no key")
            }
        }
    }
}

/// The key of the encrypted file, held in the kernel's keyring for a time after a person gave the passphrase, so that it is
/// asked for once.
///
/// Held is the file's own key, not the passphrase: it opens nothing else, and needs no derivation. A keyring that cannot be
/// used holds nothing; the passphrase is then asked for each time.
struct HeldKey {
    /// From the moment at which the passphrase was given.
    let seconds: Int
    let clock: WallClock

    /// - Returns: `nil` if it is not held any more.
    func find(for header: VaultHeader) -> Secret? {
        do {
            // Any program of the user may have put something else there.
            guard let key = try keyring.find(Self.account(header)), key.count == Cipher.keyCount else { return nil }
            return key
        } catch {
            return nil
        }
    }

    func hold(_ key: Secret, for header: VaultHeader) {
        fault { () throws(StoreFault) in
            try keyring.save(key, for: Self.account(header), timeout: UInt32(clamping: max(1, seconds)))
        }
    }

    /// - Returns: whether there was one.
    static func drop(for header: VaultHeader, clock: WallClock) throws(StoreFault) -> Bool {
        do {
            return try KeyringStore(clock: clock).erase(account(header))
        } catch .unavailable {
            return false
        }
    }

    private var keyring: KeyringStore { KeyringStore(clock: clock, lifetime: .untilRestart) }

    /// Belongs to no login: no server has a name in `.invalid` (RFC 6761). The salt is another one for each file.
    private static func account(_ header: VaultHeader) -> AccountID {
        AccountID(
            profile: "authctl encrypted file", origin: Origin(scheme: "https", host: "file.invalid", port: 443),
            username: Hexadecimal.text(header.salt))
    }
}
