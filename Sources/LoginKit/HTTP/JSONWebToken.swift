import FoundationEssentials
import LoginCore
import Secrets

/// The claims of a JSON Web Token (RFC 7519). Only hints: checking the signature is up to the server.
struct JSONWebToken {
    /// As they stand in the payload.
    let claims: JSONValue

    /// - Returns: `nil` for a token of any other kind.
    init?(_ token: Secret) {
        let pieces = token.withUnsafeBytes { Array($0) }.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        var base64 = String(decoding: pieces[1], as: UTF8.self)
            .replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let payload = Data(base64Encoded: base64),
            let claims = try? payload.withUnsafeBytes({ try JSONReader.read($0) })
        else { return nil }
        self.claims = claims
    }

    /// `exp` (section 4.1.4), in seconds of Unix time.
    var expiry: Double? { JSONPointer("/exp").flatMap { claims[$0]?.text }.flatMap { Double($0) } }

    /// When a token of this kind ends, in whole seconds of Unix time.
    static func end(of token: Secret) -> Int64? {
        JSONWebToken(token)?.expiry.flatMap { Int64(exactly: $0.rounded()) }
    }

    /// `sub` (section 4.1.2): the subject.
    var subject: String? {
        guard case .string(let text)? = JSONPointer("/sub").flatMap({ claims[$0] }), !text.isEmpty else { return nil }
        return text
    }
}
