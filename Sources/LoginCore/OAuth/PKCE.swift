package import Secrets

/// The proof that whoever exchanges a code is whoever asked for it (RFC 7636). Only S256; it is sent with a client secret too.
package struct PKCE: Equatable, Sendable {
    /// The code verifier of 32 random bytes, so 43 characters (section 4.1); sent to the token endpoint alone.
    package let verifier: Secret
    /// S256 of it (section 4.2): no secret.
    package let challenge: String

    /// - Parameters:
    ///   - random: 32 bytes, new for each try.
    ///   - hash: as for Digest: the digest in hexadecimal digits.
    package init(random: Secret, hash: DigestSession.Hasher) throws(LoginFault) {
        verifier = random.base64URL
        challenge = try hash(.sha256, verifier).fromHex.base64URL.unprotectedText
    }
}

/// The random values of one authorization; never stored.
package struct AuthorizationAttempt: Equatable, Sendable {
    /// Ties the response to this login (RFC 6749, section 10.12).
    package let state: Secret
    /// Proves to the token endpoint that the code was asked for here.
    package let pkce: PKCE
    /// Ties an id_token to this login (OpenID Connect Core 1.0, section 3.1.2.1).
    package let nonce: Secret

    /// - Parameters:
    ///   - random: gives so many bytes, never the same again.
    ///   - hash: as for Digest.
    package init(
        random: (_ count: Int) throws(LoginFault) -> Secret, hash: DigestSession.Hasher
    ) throws(LoginFault) {
        state = try random(Self.bytes).base64URL
        pkce = try PKCE(random: try random(Self.bytes), hash: hash)
        nonce = try random(Self.bytes).base64URL
    }

    /// RFC 7636, section 7.1: 256 bits.
    private static let bytes = 32
}

extension Secret {
    /// The bytes that these hexadecimal digits write.
    fileprivate var fromHex: Secret {
        withUnsafeBytes { digits in
            Secret(count: digits.count / 2) { bytes in
                for index in bytes.indices {
                    bytes[index] = Hexadecimal.byte(digits[2 * index], digits[2 * index + 1]) ?? 0
                }
            }
        }
    }
}
