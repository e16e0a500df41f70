import CCrypto
import Glibc
import Secrets

/// A client certificate and its key as they stand in files: PEM, or PKCS#12 (RFC 7292).
struct ClientCertificateFiles: Sendable {
    let certificate: Secret
    /// `nil` where the key stands in the certificate's file.
    let key: Secret?
    /// Of the files, for messages.
    let names: (certificate: String, key: String)

    /// Looks at both before any server does.
    /// - Parameter now: seconds of Unix time.
    /// - Returns: `nil` if the key is encrypted and there is no passphrase.
    /// - Throws: `usage` for everything that keeps it from being shown.
    func open(passphrase: Secret?, now: Int64) throws(LoginFault) -> ClientIdentity? {
        var found = ccrypto_identity()
        let state = try passphrase?.withCString { (text) throws(LoginFault) in look(text, &found) } ?? look(nil, &found)
        if state == CCRYPTO_IDENTITY_LOCKED { return nil }
        if let fault = fault(state) { throw .usage(fault) }
        let shown = "the client certificate in \(SafeText.quoted(names.certificate))"
        if found.not_after < now {
            throw .usage(
                "\(shown) expired on \(CivilDate(found.not_after))", next: "get a new one from whoever issued it")
        }
        if found.not_before > now {
            throw .usage(
                "\(shown) is not valid before \(CivilDate(found.not_before))", next: "check the clock of this machine")
        }
        return ClientIdentity(
            certificate: certificate, key: key, isPKCS12: found.is_pkcs12 != 0, passphrase: passphrase,
            commonName: String(upToNUL: found.common_name)
        )
    }

    private func look(_ passphrase: UnsafePointer<CChar>?, _ found: inout ccrypto_identity) -> ccrypto_identity_state {
        certificate.withUnsafeBytes { certificate in
            guard let key else {
                return ccrypto_identity_read(certificate.baseAddress, certificate.count, nil, 0, passphrase, &found)
            }
            return key.withUnsafeBytes { key in
                ccrypto_identity_read(
                    certificate.baseAddress, certificate.count, key.baseAddress, key.count, passphrase, &found)
            }
        }
    }

    private func fault(_ state: ccrypto_identity_state) -> UsageFault? {
        let certificate = SafeText.quoted(names.certificate), key = SafeText.quoted(names.key)
        let check: Advice = "check 'certificate' and 'key' in the profile"
        return switch state {
        case CCRYPTO_IDENTITY_GOOD, CCRYPTO_IDENTITY_LOCKED: nil
        case CCRYPTO_IDENTITY_WRONG_PASSPHRASE: .wrongPassphrase(file: names.key)
        case CCRYPTO_IDENTITY_NO_CERTIFICATE:
            .other("\(certificate) contains no certificate (PEM or PKCS#12)", next: check)
        case CCRYPTO_IDENTITY_NO_KEY: .other("\(key) contains no private key", next: check)
        case CCRYPTO_IDENTITY_KEY_OF_ANOTHER:
            .other("the key in \(key) does not belong to the certificate in \(certificate)", next: check)
        case CCRYPTO_IDENTITY_OLD_ENCRYPTION:
            .other(
                "\(certificate) uses an old encryption (such as RC2) that OpenSSL 3 does not support",
                next:
                    "convert it: openssl pkcs12 -legacy -in OLD -out key.pem; openssl pkcs12 -export -in key.pem -out NEW"
            )
        default:
            .other(
                "could not load libcrypto.so.3 (OpenSSL), which checks \(certificate)",
                next: "install it (on Debian: apt install libssl3)")
        }
    }
}

/// A client certificate that is good to be shown: the key opens with the passphrase and belongs to it.
struct ClientIdentity: Equatable, Sendable {
    let certificate: Secret
    let key: Secret?
    /// Whether the certificate's file is PKCS#12 (RFC 7292); else it is PEM.
    let isPKCS12: Bool
    /// `nil` where the key is not encrypted.
    let passphrase: Secret?
    /// The common name of the certificate's subject; empty where it has none.
    let commonName: String
}

/// The files of a client certificate, with the rules that ssh has for keys: nobody else may read them. A symbolic link
/// counts as what it leads to.
package struct KeyFile {
    let path: String
    let holdsKey: Bool
    /// The keys of the profile that name it.
    let keys: String

    /// In bytes.
    private static let limit = 256 << 10
    private static let piece = 4096

    static func files(certificate: String, key: String?) throws(LoginFault) -> ClientCertificateFiles {
        let keys = "'certificate' and 'key'"
        return ClientCertificateFiles(
            certificate: try KeyFile(path: certificate, holdsKey: key == nil, keys: keys).read(),
            key: try key.map { (path) throws(LoginFault) in
                try KeyFile(path: path, holdsKey: true, keys: keys).read()
            },
            names: (certificate, key ?? certificate))
    }

    /// Whether a client certificate that is good to be shown is PKCS#12 (RFC 7292).
    /// - Parameter now: seconds of Unix time.
    /// - Throws: `usage` for everything that keeps it from being shown.
    package static func isPKCS12(
        certificate: String, key: String?, passphrase: Secret?, now: Int64
    ) throws(LoginFault) -> Bool {
        try files(certificate: certificate, key: key).open(passphrase: passphrase, now: now)?.isPKCS12 == true
    }

    /// Reads a key that signs.
    static func signingKey(_ path: String) throws(LoginFault) -> Secret {
        try KeyFile(path: path, holdsKey: true, keys: "'key-file'").read()
    }

    /// Writes a new file that nobody else may read; one that is there stays.
    static func create(_ path: String, _ content: Secret) throws(LoginFault) {
        let number = retrying { open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard number >= 0 else {
            let why = errno == EEXIST ? "it is there already; choose another name" : SystemWords.of(errno)
            throw .usage("cannot make the file \(SafeText.quoted(path)): \(why)")
        }
        let file = Descriptor(number)
        do {
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

    private func read() throws(LoginFault) -> Secret {
        let descriptor = openNamed(path)
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { close(descriptor) }
        let shown = SafeText.quoted(path), check: Advice = "check \(keys) in the profile"
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw .usage("\(shown) is not a regular file", next: check)
        }
        if holdsKey, information.isOpenToOthers {
            throw .usage(
                "the key in \(shown) is accessible to other users, and was not used",
                next: "make it private: \(ShellCommand("chmod", "600", path))")
        }
        let large = LoginFault.usage("\(shown) is larger than \(Self.limit) bytes", next: check)
        guard information.st_size <= Self.limit else { throw large }
        // A file that grows meanwhile shows itself by the piece that is beyond.
        var builder = SecretBuilder(limit: Self.limit + Self.piece)
        while builder.count <= Self.limit {
            let count = try builder.append(upTo: Self.piece) { (piece) throws(LoginFault) in
                let count = piece.readSome(from: descriptor)
                guard count >= 0 else { throw unreadable(errno) }
                return count
            }
            if count == 0 { break }
        }
        guard builder.count <= Self.limit, let text = builder.finish() else { throw large }
        return text
    }

    private func unreadable(_ errno: Int32) -> LoginFault {
        .usage(
            "cannot read the file \(SafeText.quoted(path)): \(SystemWords.of(errno))",
            next: "check \(keys) in the profile")
    }
}
