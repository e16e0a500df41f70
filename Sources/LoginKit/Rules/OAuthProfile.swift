import Secrets

/// The `oauth` table of a profile, as a person wrote it: which authorization server, which client, which grant (RFC 6749).
///
/// Decoded and checked by whoever reads the file; here it is only values.
/// The defaults: the service's metadata names the server, and a client is registered for each login.
package struct OAuthProfile: Equatable, Sendable {
    /// The authorization server, by the URL that names it (RFC 8414, section 2); `nil` if the service's own metadata does.
    var issuer: String?
    /// As the authorization server knows this program (RFC 6749, section 2.2); `nil` if one is registered for each login.
    var clientID: String?
    /// `nil` for a public client.
    var clientSecret: ClientSecret?
    /// The client authentication; `nil` for the first one that the metadata lists.
    var clientAuthentication: ClientAuthentication?
    /// The scope (RFC 6749, section 3.3), exactly as it is sent.
    var scope: String?
    /// Where the access token is to be used (RFC 8707); `nil` for what the service's metadata says.
    var resource: String?
    /// Sent beside those that authctl sends itself, sorted by name.
    var parameters: [OAuthParameter] = []
    /// `nil` where it is chosen at each login.
    var flow: Flow?
    /// The grant that needs no person; `nil` where one approves.
    var machine: MachineGrant?
    /// Where the browser brings the response; `nil` for what the client's document says, and without one for a port that is drawn.
    var redirect: LoopbackRedirect?
    /// They go before those of the metadata.
    var endpoints: [OAuthEndpoint: String] = [:]

    /// The way in which the person approves.
    enum Flow: String, Equatable, Sendable, CaseIterable {
        /// In a browser that comes back to this machine (RFC 8252).
        case browser
        /// In a browser anywhere, with a code that is typed there (RFC 8628).
        case device
    }

    /// A client secret comes with the program and is no secret (RFC 8252, section 8.5), or is asked for once and kept.
    enum ClientSecret: Equatable, Sendable {
        case given(Secret)
        /// As `{secret:LABEL}` names it.
        case asked(label: String)
    }

    /// Whether the server may have a device authorization endpoint: not where the profile names the endpoints itself and leaves it out.
    var mayHaveDeviceCodes: Bool {
        endpoints[.deviceAuthorization] != nil || endpoints[.authorization] == nil || issuer != nil
    }
}

/// One parameter that a profile adds to the authorization and device requests, such as `audience`.
/// Checks nothing: `isReserved` tells.
struct OAuthParameter: Equatable, Sendable {
    /// In the server's own spelling: names are compared with their case (RFC 6749, section 3.1).
    let name: String
    /// Percent-encoded when it is sent.
    let value: String

    /// Whether authctl sends a parameter of this name itself, or it would change where or how the response comes back. No
    /// parameter may be there twice (RFC 6749, section 3.1).
    var isReserved: Bool { Self.reserved.contains(name) }

    private static let reserved: Set<String> = [
        "response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "scope",
        "resource",
        "login_hint", "nonce", "response_mode", "request", "request_uri", "client_secret", "client_assertion",
        "client_assertion_type", "code_verifier", "code", "device_code", "grant_type", "assertion", "subject_token",
        "subject_token_type", "requested_token_type", "actor_token", "actor_token_type",
    ]
}

/// The way in which a person approves one login.
package enum AuthorizationWay: Equatable, Sendable {
    /// In a browser that comes back to this machine (RFC 8252); `starts` unless it is only told where to go.
    case browser(starts: Bool)
    /// In a browser anywhere, with a code that is typed there (RFC 8628).
    case device

    /// The facts that decide; the first one that applies wins. Without arguments: a machine without a browser, and no options.
    struct Choice: Equatable, Sendable {
        /// As an option says.
        var option: AuthorizationWay?
        /// As the profile says.
        var profile: OAuthProfile.Flow?
        /// Whether there is a browser here that the person sees.
        var canStartBrowser = false

        /// - Parameter endpoints: those that the server has.
        /// - Throws: `noEndpoint`, where what is said cannot be done.
        func way(with endpoints: Set<OAuthEndpoint>) throws(OAuthFault) -> AuthorizationWay {
            let way = wanted ?? usual(endpoints)
            guard endpoints.contains(way.endpoint) else { throw .noEndpoint(way.endpoint) }
            return way
        }

        private var wanted: AuthorizationWay? {
            if let option { return option }
            switch profile {
            case .browser: return .browser(starts: canStartBrowser)
            case .device: return .device
            case nil: return nil
            }
        }

        private func usual(_ endpoints: Set<OAuthEndpoint>) -> AuthorizationWay {
            if canStartBrowser, endpoints.contains(.authorization) { return .browser(starts: true) }
            return endpoints.contains(.deviceAuthorization) ? .device : .browser(starts: false)
        }
    }

    /// Where it begins.
    var endpoint: OAuthEndpoint {
        switch self {
        case .browser: .authorization
        case .device: .deviceAuthorization
        }
    }
}

/// The authentication of a client at the token endpoint (RFC 6749, section 2.3.1; the names are of RFC 7591, section 2).
enum ClientAuthentication: String, Equatable, Sendable, CaseIterable {
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
    var registeredName: String {
        switch self {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post: "client_secret_post"
        case .privateKeyJWT: "private_key_jwt"
        case .tls: "tls_client_auth"
        }
    }

    /// Whether the client proves itself with a secret that both sides know.
    var usesSecret: Bool { self == .basic || self == .post }

    /// - Parameter registeredName: as metadata and registrations write it.
    /// - Returns: `nil` for a method that is not understood.
    init?(registeredName: String) {
        guard let method = Self.allCases.first(where: { $0.registeredName == registeredName }) else { return nil }
        self = method
    }

    /// The authentication of a client with a secret, where its profile does not say: the first of the two that the metadata lists;
    /// Basic where it lists none (RFC 8414, section 2).
    static func usual(among listed: [String]?) -> ClientAuthentication {
        listed?.lazy.compactMap { ClientAuthentication(registeredName: $0) }.first(where: \.usesSecret) ?? .basic
    }
}

/// The identity of the client at the authorization server (RFC 6749, section 2).
struct OAuthClient: Equatable, Sendable {
    /// Its identifier, which is no secret.
    let id: String
    /// Its secret, or the assertion for one request; `nil` where it proves nothing, and in what is kept of a client with a key.
    let secret: Secret?
    /// `none` where it needs a secret and there is none.
    let authentication: ClientAuthentication
    /// Where and with what it is deleted (RFC 7592); `nil` unless it was registered for this login.
    let registration: Registration?

    /// The management of a registered client (RFC 7592, section 3). Has both or none, as the response has them.
    struct Registration: Equatable, Sendable {
        /// `registration_client_uri`; `nil` if the server does not offer it.
        var url: String?
        /// `registration_access_token`.
        var token: Secret?
    }

    /// - Parameter authentication: `basic` and `post` mean nothing without a secret.
    init(
        id: String, secret: Secret? = nil, authentication: ClientAuthentication = .basic,
        registration: Registration? = nil
    ) {
        self.id = id
        self.authentication = secret == nil && authentication.usesSecret ? .none : authentication
        self.secret = authentication == .none ? nil : secret
        self.registration = registration
    }

    /// Whether it lives and dies with its login.
    var isRegistered: Bool { registration != nil }

    /// The client with the assertion for one request.
    func proving(with assertion: Secret?) -> OAuthClient {
        OAuthClient(id: id, secret: assertion, authentication: authentication, registration: registration)
    }

    /// The client with another authentication.
    func proving(by method: ClientAuthentication) -> OAuthClient {
        OAuthClient(id: id, secret: secret, authentication: method, registration: registration)
    }
}

/// Where the browser brings the response: a port on this machine (RFC 8252, section 7.3).
struct LoopbackRedirect: Equatable, Sendable {
    /// The three names that lead here and nowhere else.
    enum Host: String, Equatable, Sendable, CaseIterable {
        case ipv4 = "127.0.0.1"
        case ipv6 = "[::1]"
        /// Browsers take either family for it, so both are listened on.
        case localhost
    }

    /// As the client was registered with it.
    let host: Host
    /// `nil` where the system draws one.
    let port: Int?
    /// As written, without query and fragment; empty where nothing follows the authority.
    let path: String
}

extension LoopbackRedirect {
    /// `http://127.0.0.1/callback`, with a port that is drawn.
    init() {
        self.init(host: .ipv4, port: nil, path: "/callback")
    }

    /// Reads `http://HOST:PORT/PATH`, with or without the port.
    /// - Returns: `nil` for any other scheme or host, for a port that is none, and for what a browser would change or keep back:
    ///   user information, a query, a fragment, dot segments, and all that RFC 3986 wants to be encoded.
    init?(_ text: String) {
        let scheme = "http://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = String(rest.dropFirst(authority.count))
        guard let host = Host.allCases.first(where: { authority.hasPrefix($0.rawValue) }) else { return nil }
        let behind = authority.dropFirst(host.rawValue.count)
        guard Self.isPlain(path) else { return nil }
        if behind.isEmpty {
            self.init(host: host, port: nil, path: path)
            return
        }
        guard behind.hasPrefix(":"), behind.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(behind.dropFirst()), (1...65535).contains(port)
        else { return nil }
        self.init(host: host, port: port, path: path)
    }

    private static func isPlain(_ path: String) -> Bool {
        let isDotted = path.split(separator: "/").contains { $0 == "." || $0 == ".." }
        return !isDotted && path.utf8.allSatisfy { $0.isUnreserved || "/!$&()*+,;=:@%".utf8.contains($0) }
    }

    /// The whole redirect URI once the port is known, exactly as it is sent (RFC 6749, section 3.1.2).
    func uri(port: Int) -> String { "http://\(host.rawValue):\(port)\(path)" }

    /// The values of `Host` that browsers may send (RFC 9110, section 7.2): without the port only if it is 80.
    func authorities(port: Int) -> [String] {
        ["\(host.rawValue):\(port)"] + (port == 80 ? [host.rawValue] : [])
    }

    /// Where the browser is led once its response was taken, so that no code stays in its address line.
    static let donePath = "/done"

    /// The path that a browser asks for: it never sends an empty one (RFC 9112, section 3.2.1).
    var requestPath: String { path.isEmpty ? "/" : path }
}

extension OAuthProfile {
    /// Whether it says enough by itself, so that no metadata is read: endpoints, and no issuer.
    var needsNoMetadata: Bool {
        issuer == nil && endpoints[.token] != nil
            && (machine != nil || endpoints[.authorization] != nil || endpoints[.deviceAuthorization] != nil)
    }

    /// Whether a person says which server it is, by its issuer or by endpoints.
    var namesServer: Bool { issuer != nil || needsNoMetadata }
}
