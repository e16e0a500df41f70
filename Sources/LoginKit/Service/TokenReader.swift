import FoundationEssentials
import Secrets

/// Reads the token in the response to a login or a refresh.
struct TokenReader {
    let client: ServiceClient
    let clock: WallClock

    /// - Parameter old: what stays where the response is silent; refresh tokens need not be sent anew (RFC 6749, section 6).
    /// - Returns: the token, and why it looks as if it were past its end, where the clocks are the reason.
    func token(
        _ facts: ParsedResponse, _ answer: ResponseRule, at step: Step, replacing old: Token? = nil
    ) throws(LoginFault) -> (token: Token, clockDifference: ClockDifference?) {
        let place = answer.token ?? .json(.root)
        guard let value = facts.token(at: place) else {
            if let redirect = facts.response.redirect {
                throw .failure(.redirected(step: step.rawValue, status: facts.status, target: redirect.target))
            }
            throw .failure(.missingInResponse(place: place.description, step: step.rawValue))
        }
        // Empty is none: it would take the place of one that is good.
        let refreshToken = answer.refreshToken.flatMap { facts.value(at: $0) } ?? old?.refreshToken
        client.hide([value, refreshToken])
        try checkType(facts)
        guard value.isHeaderSafe, refreshToken?.isHeaderSafe != false else {
            throw .network(.brokenResponse("the token in the response contains a control character"))
        }
        let expires = ExpiryReader(now: clock.now()).expiry(facts, answer, token: value)
        return (
            Token(value: value, refreshToken: refreshToken, expires: expires),
            ClockDifference(of: facts.response, bringing: expires, at: clock)
        )
    }

    /// A token of a type that is not understood must not be used (RFC 6749, section 7.1). A profile that says how its
    /// token is sent knows better.
    private func checkType(_ facts: ParsedResponse) throws(LoginFault) {
        guard client.profile.session == nil, let type = facts.json?.member("token_type")?.text,
            !type.isEmpty, type.lowercased() != "bearer"
        else { return }
        throw .failure("the server returned a token of type \(SafeText.quoted(type)); only Bearer is supported")
    }
}

/// The claims of a JSON Web Token (RFC 7519). Only hints: checking the signature is up to the server.
struct JSONWebToken {
    /// As they stand in the payload.
    let claims: JSONValue

    /// - Returns: `nil` for a token of any other kind.
    init?(_ token: Secret) {
        guard let claims = Self.part(1, of: token) else { return nil }
        self.claims = claims
    }

    /// One of the three parts of a token, the header or the claims.
    private static func part(_ number: Int, of token: Secret) -> JSONValue? {
        let parts = token.withUnsafeBytes { Array($0) }.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var base64 = String(decoding: parts[number], as: UTF8.self)
            .replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64).flatMap { data in try? data.withUnsafeBytes { try JSONReader.read($0) } }
    }

    /// Returns whether a text is a signed token: three parts, of which the first is a header with an algorithm (RFC 7515, section 7.1).
    static func isSigned(_ token: Secret) -> Bool {
        part(0, of: token)?.member("alg")?.string != nil
    }

    /// `exp` (section 4.1.4), in seconds of Unix time.
    var expiry: Double? { claims.member("exp")?.text.flatMap { Double($0) } }

    /// When a token of this kind ends, in whole seconds of Unix time.
    static func end(of token: Secret) -> Int64? {
        JSONWebToken(token)?.expiry.flatMap { Int64(exactly: $0.rounded()) }
    }

    /// The texts of a claim, which may be one or a list of them.
    func texts(_ claim: String) -> [String] { claims.member(claim)?.strings ?? [] }

    /// `sub` (section 4.1.2): the subject.
    var subject: String? { text("sub") }

    /// `sid`, as `Grant.Terms.signOn` has it.
    var signOn: String? { text("sid") }

    private func text(_ claim: String) -> String? { claims.member(claim)?.string.flatMap { $0.isEmpty ? nil : $0 } }
}
