import Foundation

/// The codes that browsers take back to clients. Each is good for one request, within a minute (RFC 6749, 4.1.2).
struct AuthorizationCodes: Sendable {
    private struct Code {
        let request: AuthorizationRequest
        let account: Account
        let end: Date
        var isSpent = false
    }

    private static let lifetime = 60.0
    private var codes: [String: Code] = [:]

    /// A code for what this person approved.
    mutating func issue(_ request: AuthorizationRequest, to account: Account, now: Date) -> String {
        let code = Token.fresh("code")
        codes[code] = Code(request: request, account: account, end: now + Self.lifetime)
        return code
    }

    /// Whether the code was exchanged before: somebody has stolen it, and its tokens have to end.
    func isSpent(_ code: String, clientID: String) -> Bool {
        codes[code].map { $0.isSpent && $0.request.terms.clientID == clientID } ?? false
    }

    /// What was approved. The code is spent, even by a request that is wrong in something else.
    mutating func redeem(
        _ code: String, _ parameters: Parameters, clientID: String, now: Date
    ) throws(OAuthError) -> (terms: GrantTerms, account: Account) {
        guard let found = codes[code], found.request.terms.clientID == clientID else {
            throw OAuthError(.invalidGrant, "This code is unknown, or another client's")
        }
        codes[code]?.isSpent = true
        guard !found.isSpent else { throw OAuthError(.invalidGrant, "This code was used before") }
        guard found.end > now else { throw OAuthError(.invalidGrant, "This code has expired") }
        guard Doorkeeper.sameBytes(found.request.redirect.uri, try parameters.required("redirect_uri")) else {
            throw OAuthError(.invalidGrant, "The redirect_uri is not the one of the authorization request")
        }
        let verifier = try parameters.required("code_verifier")
        guard SHA256.digest(verifier.utf8).base64URL == found.request.challenge else {
            throw OAuthError(.invalidGrant, "The code_verifier does not fit the code_challenge")
        }
        return (found.request.terms, found.account)
    }
}
