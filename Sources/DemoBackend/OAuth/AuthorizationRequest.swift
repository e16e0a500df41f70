/// What a client sends a browser for: a code, later to be exchanged for tokens (RFC 6749, 4.1.1; RFC 7636, 4.3).
struct AuthorizationRequest: Sendable {
    let redirect: Redirect
    let challenge: String
    let terms: GrantTerms
    /// The name that the client expects (OpenID Connect Core, 3.1.2.1).
    let loginHint: String?

    init(_ parameters: Parameters, _ client: OAuthClient, _ redirect: Redirect) throws(OAuthError) {
        guard try parameters.required("response_type") == "code" else {
            throw OAuthError(.unsupportedResponseType, "Only code is supported")
        }
        try client.mayUse(.authorizationCode)
        challenge = try parameters.required("code_challenge")
        guard challenge.utf8.count == 43, parameters["code_challenge_method"] == "S256" else {
            throw OAuthError(.invalidRequest, "A code_challenge of the method S256 is needed")
        }
        self.redirect = redirect
        terms = try GrantTerms(parameters, client)
        loginHint = parameters["login_hint"]
    }
}
