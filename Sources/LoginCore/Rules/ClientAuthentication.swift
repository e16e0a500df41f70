package import Secrets

/// The authentication of a client at the token endpoint (RFC 6749, section 2.3.1; the names are of RFC 7591, section 2).
package enum ClientAuthentication: String, Equatable, Sendable, CaseIterable {
    /// A public client: it only says which one it is.
    case none
    /// `client_secret_basic`: by HTTP Basic.
    case basic
    /// `client_secret_post`: in the form.
    case post
    /// `private_key_jwt`: by an assertion that its key signs (RFC 7523, section 2.2).
    case privateKeyJWT = "private-key-jwt"
    /// `tls_client_auth`: by the client certificate of the connection (RFC 8705, section 2.1).
    case tls

    /// As metadata and registrations name it.
    package var registeredName: String {
        switch self {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post: "client_secret_post"
        case .privateKeyJWT: "private_key_jwt"
        case .tls: "tls_client_auth"
        }
    }

    /// Whether the client proves itself with a secret that both sides know.
    package var usesSecret: Bool { self == .basic || self == .post }

    /// - Parameter registeredName: as metadata and registrations write it.
    /// - Returns: `nil` for a method that is not understood.
    package init?(registeredName: String) {
        guard let method = Self.allCases.first(where: { $0.registeredName == registeredName }) else { return nil }
        self = method
    }

    /// The authentication of a client with a secret, where its profile does not say: the first of the two that the metadata lists;
    /// Basic where it lists none (RFC 8414, section 2).
    package static func usual(among listed: [String]?) -> ClientAuthentication {
        listed?.lazy.compactMap { ClientAuthentication(registeredName: $0) }.first(where: \.usesSecret) ?? .basic
    }
}

/// The identity of the client at the authorization server (RFC 6749, section 2).
package struct OAuthClient: Equatable, Sendable {
    /// Its identifier, which is no secret.
    package let id: String
    /// Its secret, or the assertion for one request; `nil` where it proves nothing, and in what is kept of a client with a key.
    package let secret: Secret?
    /// `none` where it needs a secret and there is none.
    package let authentication: ClientAuthentication
    /// Where and with what it is deleted (RFC 7592); `nil` unless it was registered for this login.
    package let registration: Registration?

    /// The management of a registered client (RFC 7592, section 3).
    package struct Registration: Equatable, Sendable {
        /// `registration_client_uri`; `nil` if the server does not offer it.
        package let url: String?
        /// `registration_access_token`.
        package let token: Secret?

        /// Both or none, as the response has them.
        package init(url: String? = nil, token: Secret? = nil) {
            self.url = url
            self.token = token
        }
    }

    /// - Parameter authentication: `basic` and `post` mean nothing without a secret.
    package init(
        id: String, secret: Secret? = nil, authentication: ClientAuthentication = .basic,
        registration: Registration? = nil
    ) {
        self.id = id
        self.authentication = secret == nil && authentication.usesSecret ? .none : authentication
        self.secret = authentication == .none ? nil : secret
        self.registration = registration
    }

    /// Whether it lives and dies with its login.
    package var isRegistered: Bool { registration != nil }

    /// The client with the assertion for one request.
    package func proving(with assertion: Secret?) -> OAuthClient {
        OAuthClient(id: id, secret: assertion, authentication: authentication, registration: registration)
    }

    /// The client with another authentication.
    package func proving(by method: ClientAuthentication) -> OAuthClient {
        OAuthClient(id: id, secret: secret, authentication: method, registration: registration)
    }
}
