import FoundationEssentials
import LoginCore
import Secrets

extension HTTPResponse {
    /// The body as JSON, if that is what it is; whatever the `Content-Type` says, since many servers say `text/html`.
    ///
    /// The decoder's own copies are short-lived and are wiped by the program's `free`.
    /// - Throws: `brokenAnswer` for a body that would take the decoder too long.
    func json() throws(LoginError) -> JSONValue? {
        let bounds = body.withUnsafeBytes { JSONBounds($0) }
        guard bounds.hasContainer else { return nil }
        guard bounds.areKept else {
            throw .network(.brokenAnswer("its JSON is nested too deeply, or has too many values"))
        }
        return body.withUnsafeBytes { bytes -> JSONValue? in
            guard let start = bytes.baseAddress else { return nil }
            let data = Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
            return try? JSONDecoder().decode(JSONValue.self, from: data)
        }
    }
}

/// How deep and how large a JSON text is, seen without decoding it: the decoder's work grows with depth times values, so
/// that a server could keep it busy for minutes with a few kilobytes.
struct JSONBounds {
    static let deepest = 64
    static let mostValues = 20_000

    private(set) var depth = 0
    private(set) var values = 0

    var hasContainer: Bool { depth > 0 }
    var areKept: Bool { depth <= Self.deepest && values <= Self.mostValues }

    init(_ text: UnsafeRawBufferPointer) {
        var open = 0
        var isString = false
        var isEscaped = false
        for byte in text {
            if isString {
                isString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                open += 1
                depth = max(depth, open)
                values += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): open -= 1
            case UInt8(ascii: ","): values += 1
            default: break
            }
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
        moment(Double(now) + seconds)
    }

    /// Within the years that people write: before them it is over, beyond them the number means something else.
    private func moment(_ seconds: Double) -> Int64? {
        guard seconds.isFinite, seconds <= 253_402_300_799 else { return nil }
        return Int64(max(seconds, 0).rounded(.down))
    }

    /// Unix time, or a date as RFC 3339 writes it.
    private func date(_ text: String) -> Int64? {
        if let number = Double(text) { return moment(number) }
        let plain = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? plain.parse(text)) ?? (try? fractional.parse(text)) else { return nil }
        return moment(date.timeIntervalSince1970)
    }

    /// The `exp` claim of a JSON Web Token (RFC 7519, section 4.1.4). Only a hint for ourselves: the signature is the
    /// server's business.
    private func jsonWebTokenExpiry(_ token: Secret) -> Int64? {
        JSONWebToken(token)?.expiry.flatMap(moment)
    }
}
