package import Secrets

/// The `oauth` table of a profile, as a person wrote it: which authorization server, which client, which grant (RFC 6749).
///
/// Decoded and checked by whoever reads the file; here it is only values.
package struct OAuthProfile: Equatable, Sendable {
    /// The authorization server, by the URL that names it (RFC 8414, section 2); `nil` if the service's own metadata does.
    package var issuer: String?
    /// As the authorization server knows this program (RFC 6749, section 2.2); `nil` if one is registered for each login.
    package var clientID: String?
    /// `nil` for a public client.
    package var clientSecret: ClientSecret?
    /// The client authentication; `nil` for the first one that the metadata lists.
    package var clientAuthentication: ClientAuthentication?
    /// The scope (RFC 6749, section 3.3), exactly as it is sent.
    package var scope: String?
    /// Where the access token is to be used (RFC 8707); `nil` for what the service's metadata says.
    package var resource: String?
    /// Sent beside those that authctl sends itself, sorted by name.
    package var parameters: [OAuthParameter] = []
    /// `nil` where it is chosen at each login.
    package var flow: Flow?
    /// The grant that needs no person; `nil` where one approves.
    package var machine: MachineGrant?
    /// Where the browser brings the response; `nil` for what the client's document says, and without one for a port that is drawn.
    package var redirect: LoopbackRedirect?
    /// They go before those of the metadata.
    package var endpoints: [OAuthEndpoint: String] = [:]

    /// The way in which the person approves.
    package enum Flow: String, Equatable, Sendable, CaseIterable {
        /// In a browser that comes back to this machine (RFC 8252).
        case browser
        /// In a browser anywhere, with a code that is typed there (RFC 8628).
        case device
    }

    /// A client secret comes with the program and is no secret (RFC 8252, section 8.5), or is asked for once and kept.
    package enum ClientSecret: Equatable, Sendable {
        case given(Secret)
        /// As `{secret:LABEL}` names it.
        case asked(label: String)
    }

    /// Whether the server may have a device authorization endpoint: not where the profile names the endpoints itself and leaves it out.
    package var mayHaveDeviceCodes: Bool {
        endpoints[.deviceAuthorization] != nil || endpoints[.authorization] == nil || issuer != nil
    }

    /// The defaults: the service's metadata names the server, and a client is registered for each login.
    package init() {}
}

/// One parameter that a profile adds to the authorization and device requests, such as `audience`.
package struct OAuthParameter: Equatable, Sendable {
    /// In the server's own spelling: names are compared with their case (RFC 6749, section 3.1).
    package let name: String
    /// Percent-encoded when it is sent.
    package let value: String

    /// Checks nothing: `isReserved` tells.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether authctl sends a parameter of this name itself, or it would change where or how the response comes back. No
    /// parameter may be there twice (RFC 6749, section 3.1).
    package var isReserved: Bool { Self.reserved.contains(name) }

    private static let reserved: Set<String> = [
        "response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "scope",
        "resource",
        "login_hint", "nonce", "response_mode", "request", "request_uri", "client_secret", "client_assertion",
        "client_assertion_type", "code_verifier", "code", "device_code", "grant_type", "assertion", "subject_token",
        "subject_token_type", "requested_token_type", "actor_token", "actor_token_type",
    ]
}
