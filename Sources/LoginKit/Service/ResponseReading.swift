import FoundationEssentials
import Secrets

extension HTTPResponse {
    /// The body as JSON, if that is what it is, and it was read to its end; whatever the `Content-Type` says, since many servers say
    /// `text/html`.
    ///
    /// - Throws: `brokenResponse` for a body that is too much, `failure` for one that two readers could read in two ways.
    func json() throws(LoginFault) -> JSONValue? {
        guard unread == nil else { return nil }
        do {
            return try body.withUnsafeBytes { (bytes) throws(JSONFault) in try JSONReader.read(bytes) }
        } catch {
            switch error {
            case .malformed: return nil
            case .tooMuch: throw .network(.brokenResponse("its JSON is nested too deeply, or has too many values"))
            case .otherEncoding, .repeatedMember, .trailingComma:
                throw .failure(
                    "invalid JSON from the server: \(error.rawValue); it was not used",
                    next: "tell the service's administrator; other programs may read it differently")
            }
        }
    }
}

/// Finds out when a session ends.
struct ExpiryReader {
    /// Seconds of Unix time.
    let now: Int64

    /// The end as the rule has it, else as the token itself tells it; `nil` if it is unknown.
    func expiry(_ facts: ParsedResponse, _ rule: ResponseRule, token: Secret) -> Int64? {
        switch rule.expiry {
        case .at(let place): facts.text(at: place).flatMap(date)
        case .inSeconds(let place): facts.text(at: place).flatMap { Double($0) }.flatMap { later(by: $0) }
        case .inMilliseconds(let place):
            facts.text(at: place).flatMap { Double($0) }.flatMap { later(by: $0 / 1000) }
        // The `exp` claim of a JSON Web Token (RFC 7519, section 4.1.4). Only a hint for ourselves: the signature is the server's
        // business.
        case nil: JSONWebToken(token)?.expiry.flatMap(moment)
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
}
