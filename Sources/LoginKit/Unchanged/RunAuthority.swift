import CCrypto
import FoundationEssentials
import Glibc
import Secrets

/// The authority of one run, whose key is gone, and the certificate that it has signed for the service's host.
struct RunAuthority {
    /// In PEM, as the certificates of all authorities are.
    let authority: String
    /// The name of its file in a folder that OpenSSL searches.
    let fileName: String
    let served: ServedCertificate

    /// - Parameter host: a name.
    init(for host: String) throws(LoginFault) {
        // libcurl comes first, see CCrypto.h.
        _ = try URLParser()
        let made = UnsafeMutablePointer<ccrypto_run_authority>.allocate(capacity: 1)
        defer {
            explicit_bzero(made, MemoryLayout<ccrypto_run_authority>.size)
            made.deallocate()
        }
        if let problem = ccrypto_make_authority(host, made) {
            throw .failure("--unchanged cannot make a certificate: \(String(cString: problem))")
        }
        (authority, fileName) = (String(upToNUL: made.pointee.authority), String(upToNUL: made.pointee.file_name))
        served = ServedCertificate(
            certificate: Secret(String(upToNUL: made.pointee.certificate)),
            key: withUnsafeBytes(of: &made.pointee.key) { key in
                Secret(copying: UnsafeRawBufferPointer(rebasing: key[..<(key.firstIndex(of: 0) ?? 0)]))
            })
    }
}

/// The certificates of authorities in the form that Java reads, by Sun's description of its "JKS" in `sun.security.provider.JavaKeyStore`.
/// Without a password nobody looks at the digest that belongs behind it.
enum JavaTrustStore {
    /// - Parameter pem: certificates in PEM; what is none is left out.
    static func bytes(of pem: String) -> [UInt8] {
        let certificates = pem.split(separator: "-----BEGIN CERTIFICATE-----").dropFirst(
            pem.hasPrefix("-----BEGIN") ? 0 : 1
        )
        .compactMap { part in
            part.firstRange(of: "-----END").flatMap {
                Data(base64Encoded: String(part[..<$0.lowerBound]), options: .ignoreUnknownCharacters)
            }
        }
        var store = number(0xFEED_FEED) + number(2) + number(certificates.count)
        for (index, certificate) in certificates.enumerated() {
            // A trusted certificate, its name, and the time of its making.
            store +=
                number(2) + text("\(index)") + number(0) + number(0) + text("X.509") + number(certificate.count)
                + certificate
        }
        return store
    }

    private static func number(_ value: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian, Array.init)
    }

    private static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + Array(text.utf8)
    }
}
