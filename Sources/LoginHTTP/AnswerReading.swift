import FoundationEssentials
import LoginCore
import Secrets

extension HTTPResponse {
    /// The body as JSON, if that is what it is; whatever the `Content-Type` says, since many servers say `text/html`.
    ///
    /// The decoder's own copies are short-lived and are wiped by the program's `free`.
    var json: JSONValue? {
        body.withUnsafeBytes { bytes -> JSONValue? in
            guard let start = bytes.baseAddress,
                bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") })
            else { return nil }
            let data = Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
            return try? JSONDecoder().decode(JSONValue.self, from: data)
        }
    }
}

/// Finds out when a session ends.
struct ExpiryReader {
    /// Seconds of Unix time.
    let now: Int64

    /// The end as the rule has it, else as the token itself tells it; nothing where it is unknown.
    func expiry(_ facts: AnswerFacts, _ rule: AnswerRule, token: Secret) -> Int64? {
        switch rule.expiry {
        case .at(let place): facts.text(at: place).flatMap(date)
        case .inSeconds(let place): facts.text(at: place).flatMap { Double($0) }.flatMap { later(by: $0) }
        case .inMilliseconds(let place):
            facts.text(at: place).flatMap { Double($0) }.flatMap { later(by: $0 / 1000) }
        case nil: jsonWebTokenExpiry(token)
        }
    }

    private func later(by seconds: Double) -> Int64? {
        Int64(exactly: (Double(now) + seconds).rounded(.down))
    }

    /// Unix time, or a date as RFC 3339 writes it.
    private func date(_ text: String) -> Int64? {
        if let number = Double(text) { return Int64(exactly: number.rounded(.down)) }
        let plain = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? plain.parse(text)) ?? (try? fractional.parse(text)) else { return nil }
        return Int64(exactly: date.timeIntervalSince1970.rounded(.down))
    }

    /// The `exp` claim of a JSON Web Token (RFC 7519, section 4.1.4). Only a hint for ourselves: the signature is the
    /// server's business.
    private func jsonWebTokenExpiry(_ token: Secret) -> Int64? {
        let pieces = token.withUnsafeBytes { Array($0) }.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        var base64 = String(decoding: pieces[1], as: UTF8.self)
            .replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let payload = Data(base64Encoded: base64),
            let claims = try? JSONDecoder().decode(JSONValue.self, from: payload),
            let expiry = JSONPointer("/exp").flatMap({ claims[$0]?.text }).flatMap({ Double($0) })
        else { return nil }
        return Int64(exactly: expiry.rounded(.down))
    }
}
