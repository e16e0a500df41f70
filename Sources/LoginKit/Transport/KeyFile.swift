import Glibc
package import LoginCore
import Secrets

/// The files of a client certificate, with the rules that ssh has for keys: nobody else may read them. A symbolic link
/// counts as what it leads to.
package struct KeyFile {
    package let path: String
    let holdsKey: Bool

    /// In bytes.
    private static let limit = 256 << 10
    private static let piece = 4096

    package static func files(certificate: String, key: String?) throws(LoginFault) -> ClientCertificateFiles {
        do throws(Fault) {
            return ClientCertificateFiles(
                certificate: try KeyFile(path: certificate, holdsKey: key == nil).read(),
                key: try key.map { (path) throws(Fault) in try KeyFile(path: path, holdsKey: true).read() },
                names: (certificate, key ?? certificate))
        } catch {
            throw .usage(.clientCertificate(error.fault))
        }
    }

    /// Reads a key that signs.
    package static func signingKey(_ path: String) throws(LoginFault) -> Secret {
        do throws(Fault) {
            return try KeyFile(path: path, holdsKey: true).read()
        } catch {
            let problem: String
            switch error.fault {
            case .unreadable(_, let errno): problem = "cannot be read: \(SystemWords.of(errno))"
            case .notAFile: problem = "is not a regular file"
            case .tooLarge(_, let limit): problem = "is larger than \(limit) bytes"
            default: throw .usage(.clientCertificate(error.fault))
            }
            throw .usage(.other("the key file \(SafeText.quoted(path)) \(problem); check 'key-file' in the profile"))
        }
    }

    /// Writes a new file that nobody else may read; one that is there stays.
    package static func create(_ path: String, _ content: Secret) throws(LoginFault) {
        let number = retrying { open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard number >= 0 else {
            let why = errno == EEXIST ? "it is there already; choose another name" : SystemWords.of(errno)
            throw .usage(.other("cannot make the file \(SafeText.quoted(path)): \(why)"))
        }
        let file = Descriptor(number)
        do throws(StoreFault) {
            try content.withUnsafeBytes { (bytes) throws(StoreFault) in try file.write(bytes, path: path) }
            try checkCall("fsync", path: path, fsync(number))
        } catch {
            unlink(path)
            guard case .system(let call, _, let errno) = error else { throw .store(error) }
            throw .failure(.system(call: call, errno: errno))
        }
    }

    /// Whether a key in PEM asks for a passphrase (RFC 7468, section 11; RFC 1421, section 4.6.1.1).
    static func isLocked(_ pem: Secret) -> Bool {
        ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"].contains { mark in
            pem.withUnsafeBytes { $0.firstRange(of: Array(mark.utf8)) != nil }
        }
    }

    private struct Fault: Error {
        let fault: ClientCertificateFault
    }

    private func read() throws(Fault) -> Secret {
        // Not blocking while it is opened: a FIFO would hold it for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Fault(fault: .unreadable(file: path, errno: errno)) }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw Fault(fault: .notAFile(path))
        }
        if holdsKey, information.isOpenToOthers { throw Fault(fault: .openToOthers(file: path)) }
        guard information.st_size <= Self.limit else { throw Fault(fault: .tooLarge(file: path, limit: Self.limit)) }
        // A file that grows meanwhile shows itself by the piece that is beyond.
        var builder = SecretBuilder(limit: Self.limit + Self.piece)
        while builder.count <= Self.limit {
            let count = try builder.append(upTo: Self.piece) { (piece) throws(Fault) in
                let count = piece.readSome(from: descriptor)
                guard count >= 0 else { throw Fault(fault: .unreadable(file: path, errno: errno)) }
                return count
            }
            if count == 0 { return builder.finish() }
        }
        throw Fault(fault: .tooLarge(file: path, limit: Self.limit))
    }
}

extension stat {
    /// Whether others than the user and the administrator have rights on what the user's secrets hang on. The administrator
    /// may let a group have a key of theirs: so is what systemd hands to a service.
    var isOpenToOthers: Bool {
        if st_uid == getuid() { return st_mode & 0o077 != 0 }
        return st_uid != 0 || st_mode & 0o027 != 0
    }
}
