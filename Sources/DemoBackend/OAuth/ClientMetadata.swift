import Foundation

/// What a client says of itself when it registers, and what the server answers (RFC 7591, 2 and 3.2.1).
struct ClientMetadata: Codable {
    var redirectUris: [String]?
    var tokenEndpointAuthMethod: String?
    var grantTypes: [String]?
    var responseTypes: [String]?
    var clientName: String?
    var scope: String?
    var clientId: String?
    var clientSecret: String?
    /// 0 stands for never (RFC 7591, 3.2.1).
    var clientSecretExpiresAt: Int?
    var registrationAccessToken: String?
    var registrationClientUri: String?

    /// A new client as it is wished for, with the defaults of RFC 7591, 2.
    func client() throws(OAuthError) -> OAuthClient {
        guard let way = OAuthClient.Authentication(rawValue: tokenEndpointAuthMethod ?? "client_secret_basic") else {
            throw OAuthError(.invalidClientMetadata, "This token_endpoint_auth_method is not supported")
        }
        let types = (grantTypes ?? ["authorization_code"]).map(OAuthClient.GrantType.init)
        let known = types.compactMap { $0 }
        guard known.count == types.count, (responseTypes ?? []).allSatisfy({ $0 == "code" }) else {
            throw OAuthError(.invalidClientMetadata, "Some of the grant or response types are not supported")
        }
        let asked = scope.map(Scope.init) ?? .all
        guard asked.tokens.allSatisfy(Scope.all.contains) else {
            throw OAuthError(.invalidClientMetadata, "This scope is unknown")
        }
        return OAuthClient(
            id: Token.fresh("client"), name: clientName ?? "A program without a name",
            secret: way == .none ? nil : Token.fresh("secret"), authentications: [way], grantTypes: known,
            redirectURIs: try checkedRedirects(needed: known.contains(.authorizationCode)), scope: asked,
            registrationToken: Token.fresh("registration"))
    }

    /// An answer goes to a page of https, or to loopback.
    private func checkedRedirects(needed: Bool) throws(OAuthError) -> [String] {
        let uris = redirectUris ?? []
        let areGood = uris.allSatisfy { uri in
            OAuthClient.withoutPort(uri) != nil || (uri.hasPrefix("https://") && !uri.contains("#"))
        }
        guard areGood, !needed || !uris.isEmpty else {
            throw OAuthError(.invalidRedirectURI, "redirect_uris needs URLs that are https, or http on loopback")
        }
        return uris
    }

    /// What the server has noted of a client that registered itself.
    init(of client: OAuthClient, issuer: String) {
        redirectUris = client.redirectURIs
        tokenEndpointAuthMethod = client.authentications.first?.rawValue
        grantTypes = client.grantTypes.map(\.rawValue)
        responseTypes = client.grantTypes.contains(.authorizationCode) ? ["code"] : []
        clientName = client.name
        scope = client.scope.text
        clientId = client.id
        clientSecret = client.secret
        clientSecretExpiresAt = client.secret.map { _ in 0 }
        registrationAccessToken = client.registrationToken
        registrationClientUri = "\(issuer)/register/\(client.id)"
    }
}
