/// A grant that a machine gets by itself, as the `oauth` table of a profile says it.
package struct MachineGrant: Equatable, Sendable {
    /// Which grant it is.
    package enum Kind: String, Equatable, Sendable, CaseIterable {
        /// For the client itself (RFC 6749, section 4.4).
        case clientCredentials = "client-credentials"
        /// On behalf of the subject of an assertion (RFC 7523, section 2.1).
        case jwtBearer = "jwt-bearer"
        /// In exchange for another token (RFC 8693).
        case tokenExchange = "token-exchange"

        /// `grant_type`.
        var type: String {
            switch self {
            case .clientCredentials: "client_credentials"
            case .jwtBearer: "urn:ietf:params:oauth:grant-type:jwt-bearer"
            case .tokenExchange: "urn:ietf:params:oauth:grant-type:token-exchange"
            }
        }
    }

    /// What a signed assertion names as its audience.
    package enum Audience: String, Equatable, Sendable, CaseIterable {
        /// The issuer of the authorization server (RFC 7523bis, section 4).
        case issuer
        /// Its token endpoint, as older servers want it (RFC 7523, section 3).
        case tokenEndpoint = "token-endpoint"
    }

    package var kind: Kind
    /// The file of the key that signs assertions: of the client, or of a `jwt-bearer` grant.
    package var keyFile: String?
    /// `kid` in the header of assertions (RFC 7515, section 4.1.4).
    package var keyID: String?
    package var audienceOfAssertions = Audience.issuer
    /// The claims of the assertion of a `jwt-bearer` grant that is signed here, sorted by name.
    package var claims: [OAuthParameter] = []
    /// What the assertion, or the token to exchange, is.
    package var identity: MachineIdentity?
    /// `subject_token_type`; `nil` for a JWT.
    package var subjectTokenType: String?
    package var requestedTokenType: String?
    /// `audience` (RFC 8693, section 2.1).
    package var audience: String?

    package init(_ kind: Kind) {
        self.kind = kind
    }

    /// The value of a claim that the profile says.
    package func claim(_ name: String) -> String? { claims.first { $0.name == name }?.value }
}

/// The token that identifies a machine.
package struct MachineIdentity: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        /// GitHub's endpoint for the jobs of its Actions, with the audience that is asked for.
        case githubActions(audience: String)
        /// A variable of the environment.
        case variable(String)
        /// A file, which is read anew each time.
        case file(String)
        /// The standard output of a program, which no shell starts.
        case command([String])
        /// The token of another profile's login.
        case profile(String)
    }

    package var source: Source
    /// Whether it may be another text than a JWT.
    package var isOpaque = false

    package init(_ source: Source) {
        self.source = source
    }
}

extension OAuthProfile {
    /// Whether the login of a machine is given its client's secret, or a person is asked for it. Where it is not, the machine proves
    /// itself.
    package var needsClientSecret: Bool {
        let isGiven = if case .given = clientSecret { true } else { false }
        return machine != nil && hasClientSecret && !isGiven
    }

    /// Whether the client of a machine proves itself with a secret.
    package var hasClientSecret: Bool {
        switch clientAuthentication {
        case .basic?, .post?: true
        case .privateKeyJWT?, .tls?, ClientAuthentication.none?: false
        // A client that is named proves itself where its grant is worth nothing without that.
        case nil: clientID != nil && (clientSecret != nil || machine?.kind == .clientCredentials)
        }
    }
}
