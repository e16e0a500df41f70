import CSodium
import LoginCore
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
