package import Secrets

/// The subject of one grant: everything known before the first request.
package struct AuthorizationSubject: Sendable {
    /// As the profile says it.
    package var profile: OAuthProfile
    /// The profile's `url`: endpoints that are paths are appended to it.
    package var base: String
    /// The URL that the login is for: `url` with the path of verify.
    package var resource: EndpointURL
    /// The rule for URLs that others name.
    package var rule = EndpointRule()
    /// The Bearer challenge of a request without a login, if there was one (RFC 6750, section 3).
    package var challenge: AuthenticateChallenge?
    /// Asked for in the place of the profile's scope.
    package var scope: String?
    /// The name that the login has to come out as.
    package var username: String?
    /// The value of `{secret:LABEL}` in the client's secret.
    package var secret: Secret?
    /// The URL of a document that describes authctl as a client, for servers that take one where the profile names no client.
    package var clientMetadata: String?
    /// Whether the person wants to choose the account.
    package var choosesAccount = false

    /// Without what a person may say beside the profile.
    package init(profile: OAuthProfile, base: String, resource: EndpointURL) {
        self.profile = profile
        self.base = base
        self.resource = resource
    }

    /// The client at a server: the profile's, else the one that has a document.
    /// - Returns: `nil` if one has to be registered.
    func client(at metadata: ServerMetadata?) -> OAuthClient? {
        if let client = profile.client(asked: secret, listed: metadata?.tokenAuthentication) { return client }
        guard let clientMetadata, metadata?.readsClientMetadata == true else { return nil }
        return OAuthClient(id: clientMetadata, authentication: .none)
    }
}
