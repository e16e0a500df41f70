import Foundation

/// A program that may ask for tokens (RFC 6749, 2).
struct OAuthClient: Sendable {
    /// How a client proves who it is at the token endpoint (RFC 7591, 2).
    enum Authentication: String, Codable, CaseIterable, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case none
    }

    /// By what a client gets tokens.
    enum GrantType: String, Codable, CaseIterable, Sendable {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    }

    let id: String
    let name: String
    var secret: String?
    let authentications: [Authentication]
    let grantTypes: [GrantType]
    var redirectURIs: [String] = []
    /// What it may ask for.
    var scope = Scope.all
    /// Lets a client that registered itself read and delete its registration (RFC 7592); the others have none.
    var registrationToken: String?

    /// The clients that need no registration.
    static let configured = [
        OAuthClient(
            id: "authctl", name: "authctl", authentications: [.none], grantTypes: GrantType.allCases,
            redirectURIs: ["127.0.0.1", "[::1]", "localhost"].map { "http://\($0)/callback" }),
        OAuthClient(
            id: "4711", name: "A television", secret: "comes with the program", authentications: [.basic, .post],
            grantTypes: [.deviceCode, .refreshToken]),
        // Every half of its Basic credentials has to be encoded before base64 (RFC 6749, 2.3.1).
        OAuthClient(
            id: "desk:1", name: "A desk", secret: "50% off + tax & ünïcode", authentications: [.basic],
            grantTypes: [.authorizationCode, .refreshToken], redirectURIs: ["http://127.0.0.1/callback"]),
    ]

    /// Whether an answer may be sent there: to exactly what was registered, on loopback at any port (RFC 8252, 7.3).
    func accepts(redirect: String) -> Bool {
        redirectURIs.contains { registered in
            if Doorkeeper.sameBytes(registered, redirect) { return true }
            guard let wanted = Self.withoutPort(registered), let found = Self.withoutPort(redirect) else {
                return false
            }
            return Doorkeeper.sameBytes(wanted, found)
        }
    }

    /// A loopback URL without its port; nothing for any other.
    static func withoutPort(_ text: String) -> String? {
        guard var parts = URLComponents(string: text), parts.scheme == "http", parts.user == nil, parts.fragment == nil,
            let host = parts.host, ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host)
        else { return nil }
        parts.port = nil
        return parts.string
    }

    func mayUse(_ grantType: GrantType) throws(OAuthError) {
        guard grantTypes.contains(grantType) else {
            throw OAuthError(.unauthorizedClient, "This client may not use \(grantType.rawValue)")
        }
    }
}
