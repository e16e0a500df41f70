import Foundation

/// A client that a real OAuth server knows.
struct OAuthClient: Encodable, Sendable {
    let id: String
    /// A public client has none.
    let secret: String?
    let redirects: [String]
    /// The public key of one that signs, as `authctl key new` prints it.
    let key: String?

    init(_ id: String, secret: String? = nil, key: String? = nil, redirects: [String]) {
        (self.id, self.secret, self.key, self.redirects) = (id, secret, key, redirects)
    }
}

/// Who logs in at a real OAuth server.
struct OAuthUser: Codable, Sendable {
    let name: String
    let password: String

    init(_ name: String, _ password: String) {
        (self.name, self.password) = (name, password)
    }

    static let ann = OAuthUser("ann", "correct horse")
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
