import CSodium
import Glibc
import LoginCore
package import Secrets

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
    static let highest = KeyDerivation(passes: 16, memory: 1024 * 1024)

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
        let number: Int32
        do throws(FolderChain.Fault) { number = try FolderChain(path).open() } catch { throw error.storeFault }
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
