import Foundation

/// A client that a real OAuth server knows.
public struct OAuthClient: Encodable, Sendable {
    public let id: String
    /// A public client has none.
    public let secret: String?
    let redirects: [String]

    public init(_ id: String, secret: String? = nil, redirects: [String]) {
        (self.id, self.secret, self.redirects) = (id, secret, redirects)
    }
}

/// Who logs in at a real OAuth server.
public struct OAuthUser: Codable, Sendable {
    public let name: String
    public let password: String

    public init(_ name: String, _ password: String) {
        (self.name, self.password) = (name, password)
    }

    public static let ann = OAuthUser("ann", "correct horse")
}

/// What a real OAuth server is to know, as its script reads it.
struct OAuthSetting: Encodable {
    var users: [OAuthUser] = []
    var clients: [OAuthClient] = []
    /// Beside openid.
    var scopes: [String]
    /// Seconds that an access token lives.
    var lifetime: Int
    var registers = true
    /// Seconds between two questions for a device's token.
    var interval = 1
    /// Settings that only one server has.
    var more: [String: Bool] = [:]

    func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
