import Foundation

/// What tokens will be good for, as a client asked for it.
struct GrantTerms: Sendable {
    let clientID: String
    let scope: Scope
    /// The path of the only service that takes the access token (RFC 8707); nothing for each of them.
    let resource: String?
    /// What the id_token repeats (OpenID Connect Core, 3.1.2.1).
    let nonce: String?
    /// Seconds that an access token is good for.
    let lifetime: TimeInterval

    init(_ parameters: Parameters, _ client: OAuthClient) throws(OAuthError) {
        clientID = client.id
        let usual = Scope.usual.tokens.allSatisfy(client.scope.contains) ? Scope.usual : client.scope
        scope = try client.scope.asked(in: parameters, usual: usual)
        resource = try parameters["resource"].map(Self.path)
        nonce = parameters["nonce"]
        lifetime = try parameters.seconds("ttl", usual: 300)
    }

    /// The host is not looked at: `localhost` and `127.0.0.1` are the same server here.
    static func path(ofResource text: String) throws(OAuthError) -> String {
        guard let url = URLComponents(string: text), url.fragment == nil, ["/notes", "/tv"].contains(url.path) else {
            throw OAuthError(.invalidTarget, "This resource is unknown")
        }
        return url.path
    }
}
