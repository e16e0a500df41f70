package import Secrets

/// The authentication of a client at the token endpoint (RFC 6749, section 2.3.1; the names are of RFC 7591, section 2).
package enum ClientAuthentication: String, Equatable, Sendable, CaseIterable {
    /// A public client: it only says which one it is.
    case none
    /// `client_secret_basic`: by HTTP Basic.
    case basic
    /// `client_secret_post`: in the form.
    case post

    /// As metadata and registrations name it.
    package var registeredName: String {
        switch self {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post: "client_secret_post"
        }
    }

    /// - Parameter registeredName: as metadata and registrations write it.
    /// - Returns: `nil` for a method that is not understood.
    package init?(registeredName: String) {
        guard let method = Self.allCases.first(where: { $0.registeredName == registeredName }) else { return nil }
        self = method
    }

    /// The authentication of a client with a secret, where its profile does not say: the first of the two that the metadata lists;
    /// Basic where it lists none (RFC 8414, section 2).
    package static func usual(among listed: [String]?) -> ClientAuthentication {
        listed?.lazy.compactMap { ClientAuthentication(registeredName: $0) }.first { $0 != .none } ?? .basic
    }
}

/// The identity of the client at the authorization server (RFC 6749, section 2).
package struct OAuthClient: Equatable, Sendable {
    /// Its identifier, which is no secret.
    package let id: String
    /// `nil` where it proves nothing.
    package let secret: Secret?
    /// `none` where there is no secret.
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

    /// - Parameter authentication: of no meaning without a secret.
    package init(
        id: String, secret: Secret? = nil, authentication: ClientAuthentication = .basic,
        registration: Registration? = nil
    ) {
        self.id = id
        self.authentication = secret == nil ? .none : authentication
        self.secret = authentication == .none ? nil : secret
        self.registration = registration
    }

    /// Whether it lives and dies with its login.
    package var isRegistered: Bool { registration != nil }

    /// The client with another authentication.
    package func proving(by method: ClientAuthentication) -> OAuthClient {
        OAuthClient(id: id, secret: secret, authentication: method, registration: registration)
    }
}
