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
        // OpenSSL's names have no hyphen there.
        let name = hash.rawValue.replacing("SHA-", with: "SHA"), capacity = Int(CCRYPTO_DIGEST_CAPACITY)
        let digest = secret.withUnsafeBytes { bytes in
            Secret.written(upTo: capacity) { ccrypto_digest(name, bytes.baseAddress, bytes.count, $0) }
        }
        guard let digest else { throw .failure(.libraryMissing("libcrypto.so.3 with \(hash.rawValue)")) }
        return digest
    }
}
