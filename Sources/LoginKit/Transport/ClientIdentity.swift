import CCrypto
package import LoginCore
package import Secrets

/// A client certificate and its key as they stand in files: PEM, or PKCS#12 (RFC 7292).
package struct ClientCertificateFiles: Sendable {
    private let certificate: Secret
    /// `nil` where the key stands in the certificate's file.
    private let key: Secret?
    private let names: (certificate: String, key: String)

    /// - Parameters:
    ///   - certificate: what the file holds.
    ///   - key: the same of the key's own file, if there is one.
    ///   - names: of the files, for messages.
    init(certificate: Secret, key: Secret?, names: (certificate: String, key: String)) {
        self.certificate = certificate
        self.key = key
        self.names = names
    }

    /// Looks at both before any server does.
    /// - Parameter now: seconds of Unix time.
    /// - Returns: `nil` if the key is encrypted and there is no passphrase.
    /// - Throws: `clientCertificate` for everything that keeps it from being shown.
    package func open(passphrase: Secret?, now: Int64) throws(LoginFault) -> ClientIdentity? {
        var found = ccrypto_identity()
        let state = try state(with: passphrase, &found)
        if state == CCRYPTO_IDENTITY_LOCKED { return nil }
        if let fault = fault(state) { throw .usage(.clientCertificate(fault)) }
        if found.not_after < now {
            throw .usage(.clientCertificate(.expired(file: names.certificate, found.not_after)))
        }
        if found.not_before > now {
            throw .usage(.clientCertificate(.notYetValid(file: names.certificate, found.not_before)))
        }
        let name = withUnsafeBytes(of: found.common_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return ClientIdentity(
            certificate: certificate, key: key, isPKCS12: found.is_pkcs12 != 0, passphrase: passphrase, commonName: name
        )
    }

    private func state(
        with passphrase: Secret?, _ found: inout ccrypto_identity
    ) throws(LoginFault) -> ccrypto_identity_state {
        guard let passphrase else { return look(nil, &found) }
        return try passphrase.withCString { (text) throws(LoginFault) in look(text, &found) }
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

    private func fault(_ state: ccrypto_identity_state) -> ClientCertificateFault? {
        switch state {
        case CCRYPTO_IDENTITY_GOOD, CCRYPTO_IDENTITY_LOCKED: nil
        case CCRYPTO_IDENTITY_WRONG_PASSPHRASE: .wrongPassphrase(file: names.key)
        case CCRYPTO_IDENTITY_NO_CERTIFICATE: .notACertificate(file: names.certificate)
        case CCRYPTO_IDENTITY_NO_KEY: .notAKey(file: names.key)
        case CCRYPTO_IDENTITY_KEY_OF_ANOTHER: .keyOfAnother(certificate: names.certificate, key: names.key)
        case CCRYPTO_IDENTITY_OLD_ENCRYPTION: .oldEncryption(file: names.certificate)
        default: .libraryMissing(file: names.certificate)
        }
    }
}

/// A client certificate that is good to be shown: the key opens with the passphrase and belongs to it.
package struct ClientIdentity: Equatable, Sendable {
    let certificate: Secret
    let key: Secret?
    /// Whether the certificate's file is PKCS#12 (RFC 7292); else it is PEM.
    package let isPKCS12: Bool
    /// `nil` where the key is not encrypted.
    let passphrase: Secret?
    /// The common name of the certificate's subject; empty where it has none.
    let commonName: String
}
