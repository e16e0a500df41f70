import CCrypto
import Secrets

/// The hash functions of Digest, by OpenSSL's libcrypto: from guarded memory into guarded memory.
enum HashLibrary {
    /// The digest in lower-case hexadecimal digits.
    /// - Throws: `libraryMissing` where libcrypto or the algorithm is not there.
    static func digits(_ hash: DigestAlgorithm.Hash, of secret: Secret) throws(LoginFault) -> Secret {
        let digits = StaticString("0123456789abcdef")
        return try digest(hash, of: secret).withUnsafeBytes { bytes in
            Secret(count: 2 * bytes.count) { text in
                for index in bytes.indices {
                    text[2 * index] = digits.utf8Start[Int(bytes[index] >> 4)]
                    text[2 * index + 1] = digits.utf8Start[Int(bytes[index] & 15)]
                }
            }
        }
    }

    /// The digest as bytes.
    static func digest(_ hash: DigestAlgorithm.Hash, of secret: Secret) throws(LoginFault) -> Secret {
        var length = 0
        let digest = Secret(count: Int(CCRYPTO_DIGEST_CAPACITY)) { buffer in
            secret.withUnsafeBytes { bytes in
                guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return }
                length = ccrypto_digest(name(hash), bytes.baseAddress, bytes.count, start)
            }
        }
        guard length > 0 else { throw .failure(.libraryMissing("libcrypto.so.3 with \(hash.rawValue)")) }
        return digest.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    }

    private static func name(_ hash: DigestAlgorithm.Hash) -> String {
        switch hash {
        case .md5: "MD5"
        case .sha256: "SHA256"
        case .sha512256: "SHA512-256"
        }
    }
}
