/// What the authorization server says of itself (RFC 8414, 2).
struct AuthorizationServerMetadata: Encodable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let deviceAuthorizationEndpoint: String
    let pushedAuthorizationRequestEndpoint: String
    let revocationEndpoint: String
    let registrationEndpoint: String
    let scopesSupported = Scope.all.tokens
    let responseTypesSupported = ["code"]
    let responseModesSupported = ["query"]
    let grantTypesSupported = OAuthClient.GrantType.allCases
    let tokenEndpointAuthMethodsSupported = OAuthClient.Authentication.allCases
    let revocationEndpointAuthMethodsSupported = OAuthClient.Authentication.allCases
    let codeChallengeMethodsSupported = ["S256"]
    let idTokenSigningAlgValuesSupported = ["HS256"]
    /// RFC 9207.
    let authorizationResponseIssParameterSupported = true
    /// No browser stays logged in, so a person chooses an account each time.
    let promptValuesSupported = ["login", "consent", "select_account"]
    /// RFC 9728, 4.
    let protectedResources: [String]

    init(origin: String) {
        issuer = origin + AuthorizationServer.path
        authorizationEndpoint = issuer + "/authorize"
        tokenEndpoint = issuer + "/token"
        deviceAuthorizationEndpoint = issuer + "/device_authorization"
        pushedAuthorizationRequestEndpoint = issuer + "/par"
        revocationEndpoint = issuer + "/revoke"
        registrationEndpoint = issuer + "/register"
        protectedResources = [origin + NotesService.path]
    }
}

/// What the notes say of themselves (RFC 9728, 2).
struct ProtectedResourceMetadata: Encodable {
    let resource: String
    let authorizationServers: [String]
    let scopesSupported = ["notes:read", "notes:write"]
    let bearerMethodsSupported = ["header"]
    let resourceName = "Demo notes"

    init(origin: String) {
        resource = origin + NotesService.path
        authorizationServers = [origin + AuthorizationServer.path]
    }
}
