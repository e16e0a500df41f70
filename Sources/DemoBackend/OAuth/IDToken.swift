import Foundation

/// Who logged in (OpenID Connect Core, 2). It is signed with the client's secret, by HS256 (RFC 7518, 3.2), so a client
/// without a secret gets none.
struct IDToken: Encodable {
    private struct Header: Encodable {
        let alg = "HS256"
        let typ = "JWT"
    }

    let iss: String
    /// Says nothing to a person, as with most servers.
    let sub: String
    let aud: String
    let iat: Int
    let exp: Int
    let nonce: String?
    let preferredUsername: String

    init(_ account: Account, _ terms: GrantTerms, issuer: String, now: Date) {
        iss = issuer
        sub = SHA256.digest(account.name.utf8).base64URL
        aud = terms.clientID
        iat = Int(now.timeIntervalSince1970)
        exp = iat + 300
        nonce = terms.nonce
        preferredUsername = account.name
    }

    /// The compact form (RFC 7515, 3.1).
    func signed(with secret: String) -> String {
        let parts = [Reply.json(200, Header()), Reply.json(200, self)].map(\.body.base64URL)
        let text = parts.joined(separator: ".")
        return text + "." + SHA256.authenticationCode(of: text.utf8, key: secret.utf8).base64URL
    }
}
