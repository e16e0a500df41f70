import Secrets

/// The claims of an id_token, which is looked at only where nothing else says who has logged in. It came from the token endpoint
/// by TLS, so its signature says no more than that (OpenID Connect Core 1.0, section 3.1.3.7, number 6).
struct IdentityToken {
    /// As they were read from the token (RFC 7519, section 7.2).
    let claims: JSONValue
    /// The expected one, as the server's metadata writes it; `nil` if there is none, so that none can be compared.
    let issuer: String?
    /// The expected audience.
    let clientID: String
    /// The nonce of the authorization request; `nil` for a device, which sends none.
    let nonce: Secret?
    /// Seconds of Unix time.
    let now: Int64

    /// Seconds that clocks may differ by.
    private static let leeway: Int64 = 60

    /// The text of a claim, once all that has to fit does.
    func name(in claim: String) throws(IdentityTokenFault) -> String {
        if let issuer, claims.member("iss")?.string != issuer { throw .issuer }
        guard isMeantForClient else { throw .audience }
        guard let end = claims.member("exp")?.text.flatMap({ Double($0) }), end > Double(now - Self.leeway) else {
            throw .expired
        }
        if let nonce, claims.member("nonce")?.string.map({ Secret($0) }) != nonce { throw .nonce }
        guard let name = claims.member(claim)?.text, !name.isEmpty else { throw .claim }
        return name
    }

    /// Among several audiences, `azp` says who asked for it (OpenID Connect Core 1.0, section 3.1.3.7, numbers 3 to 5).
    private var isMeantForClient: Bool {
        // One text or an array of them (RFC 7519, section 4.1.3).
        let audiences = claims.member("aud")?.strings ?? []
        guard audiences.contains(clientID) else { return false }
        return claims.member("azp") == nil ? Set(audiences).count == 1 : claims.member("azp")?.string == clientID
    }
}
