import LoginCore
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
        guard let value = facts.secret(at: place), !value.isEmpty else {
            if let redirect = facts.response.redirect {
                throw .failure(.redirected(step: step.rawValue, status: facts.status, target: redirect.target))
            }
            throw .failure(.missingInResponse(place: place.description, step: step.rawValue))
        }
        // Empty is none: it would take the place of one that is good.
        let supplied = answer.refreshToken.flatMap { facts.secret(at: $0) }
        let refreshToken = supplied.flatMap { $0.isEmpty ? nil : $0 } ?? old?.refreshToken
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
        guard client.profile.session == nil, let type = JSONPointer("/token_type").flatMap({ facts.json?[$0]?.text }),
            type.lowercased() != "bearer"
        else { return }
        throw .failure(
            .other("the server returned a token of type \(SafeText.quoted(type)); only Bearer is supported"))
    }
}
