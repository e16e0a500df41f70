import CSodium
import Foundation

/// SHA-256 (FIPS 180-4) by libsodium, for the code challenge of PKCE and for id_tokens.
enum SHA256 {
    /// The digest of these bytes.
    static func digest(_ message: some Sequence<UInt8>) -> Data {
        let bytes = Array(message)
        var digest = [UInt8](repeating: 0, count: csodium_hash_sha256_bytes())
        csodium_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return Data(digest)
    }

    /// HMAC (RFC 2104), for the signature of an id_token.
    static func authenticationCode(of message: some Sequence<UInt8>, key: some Sequence<UInt8>) -> Data {
        let key = Array(key), bytes = Array(message)
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: csodium_auth_hmacsha256_bytes())
        csodium_auth_hmacsha256_init(&state, key, key.count)
        csodium_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        csodium_auth_hmacsha256_final(&state, &code)
        return Data(code)
    }
}

extension Data {
    /// Base64 for URLs without padding (RFC 4648, 5; RFC 7636, appendix A).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
