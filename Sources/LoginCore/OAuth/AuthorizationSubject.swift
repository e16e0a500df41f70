package import Secrets

/// What one grant is for, and what is known before the first request.
package struct AuthorizationSubject: Sendable {
    /// As the profile says it.
    package var profile: OAuthProfile
    /// The profile's `url`: endpoints that are paths are appended to it.
    package var base: String
    /// The URL that the login is for: `url` with the path of verify.
    package var resource: EndpointURL
    /// Which URLs of others are safe enough.
    package var rule = EndpointRule()
    /// The Bearer challenge of a request without a login, if there was one (RFC 6750, section 3).
    package var challenge: AuthenticateChallenge?
    /// Asked for in the place of the profile's scope.
    package var scope: String?
    /// The name that the login has to come out as.
    package var username: String?
    /// What `{secret:LABEL}` of the client's secret stands for.
    package var secret: Secret?
    /// Whether the person wants to choose the account.
    package var choosesAccount = false

    /// Without what a person may say beside the profile.
    package init(profile: OAuthProfile, base: String, resource: EndpointURL) {
        self.profile = profile
        self.base = base
        self.resource = resource
    }
}

/// What a person gave, with what only this login looks at.
public struct AuthorizedGrant: Equatable, Sendable {
    /// What is kept.
    package let grant: Grant
    /// Looked at where only it names the person; not kept.
    package let identityToken: Secret?
    /// What was sent with the authorization request; `nil` for a device.
    package let nonce: Secret?

    init(grant: Grant, identityToken: Secret?, nonce: Secret?) {
        self.grant = grant
        self.identityToken = identityToken
        self.nonce = nonce
    }

    /// One that is kept already, with the name that it has.
    package init(kept grant: Grant) {
        self.init(grant: grant, identityToken: nil, nonce: nil)
    }
}
