/// The protection space that a login was verified in, as far as later requests have to know it (RFC 9110, section 11.5). Nothing of
/// it is secret.
package struct VerifiedSpace: Equatable, Sendable, Codable {
    /// The server's own word for it; `nil` if it named none.
    package let realm: String?
    /// The path that verified the login, up to its last slash.
    package let folder: String

    /// In bytes: a longer realm is as good as none.
    private static let longestRealm = 4 << 10

    /// - Parameter path: of the request that verified the login, from its first slash on, without a query.
    package init(realm: String?, path: String) {
        self.realm = realm.flatMap { $0.utf8.count <= Self.longestRealm ? $0 : nil }
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    /// Reads what `encode` wrote.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        realm = try members.decodeIfPresent(String.self, forKey: "realm")
        folder = try members.decode(String.self, forKey: "folder")
    }

    /// Whether a password may be sent to this path before the server has asked for it: at or below the folder (RFC 7617,
    /// section 2.2).
    package func covers(path: String) -> Bool {
        path.utf8.starts(with: folder.utf8)
    }

    /// Whether a challenge is of this space for certain: both name the same realm.
    package func isNamed(by challenge: AuthenticateChallenge) -> Bool {
        guard let realm, let named = challenge.realm, challenge.tellsRealm else { return false }
        return named.isSame(as: realm)
    }

    /// The realm that these challenges name, if it is another one for certain. Where either side names none, or one of them
    /// cannot be told, nothing tells the two apart.
    package func otherRealm(in offered: [AuthenticateChallenge]) -> String? {
        guard realm != nil, !offered.contains(where: { !$0.tellsRealm || isNamed(by: $0) }) else { return nil }
        return offered.compactMap(\.realm).first
    }
}

extension AuthenticateChallenge {
    /// Whether its realm, if it names one, can be compared: once, with an end, and in UTF-8. What is not became U+FFFD on its way
    /// here, as which all realms are alike.
    fileprivate var tellsRealm: Bool {
        !malformed.union(repeated).contains("realm") && realm?.unicodeScalars.contains("\u{FFFD}") != true
    }
}
