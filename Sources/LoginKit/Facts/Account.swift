/// Names one login: who, at which origin, in which profile. Stores find secrets by exactly this.
///
/// User names are compared as UTF-8 bytes, since `String` would hold two spellings of one letter equal and a server
/// may not.
/// Takes the names as they are; two spellings of one letter are two accounts.
package struct AccountID: Sendable {
    /// The profile's name; compared as UTF-8 too.
    let profile: String
    /// The origin that the secret is bound to: a profile that moves to another one does not take the login along.
    let origin: Origin
    /// As typed; empty where the service has no user names.
    let username: String
}

extension AccountID: Hashable {
    package static func == (left: AccountID, right: AccountID) -> Bool {
        left.origin == right.origin
            && left.profile.utf8.elementsEqual(right.profile.utf8)
            && left.username.utf8.elementsEqual(right.username.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        for byte in profile.utf8 { hasher.combine(byte) }
        for byte in username.utf8 { hasher.combine(byte) }
    }
}

/// The names of one account: the one that was typed and the one that the server answers to.
public struct Identity: Equatable, Sendable {
    /// As typed at login; empty where nothing was typed.
    public let username: String
    /// As the verify endpoint tells it, if it does.
    public let serverName: String?

    /// The key of the account: the name typed, else the server's.
    package var accountName: String { username.isEmpty ? serverName ?? "" : username }

    /// The name that `whoami` prints: the server's, else the typed one, else an empty string.
    public var displayName: String { serverName ?? username }
}

extension String {
    /// Byte for byte: `==` would hold two spellings of one letter equal.
    package func isSame(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

/// A login that would replace another person's: the server names a different user than before.
public struct Replacement: Equatable, Sendable {
    /// The stored identity.
    public let stored: Identity
    /// The identity that the server has just confirmed.
    public let confirmed: Identity
    /// Whether nothing that is stored is touched: another name than the wanted one came out of a browser.
    let isBeside: Bool

    /// - Parameter wanted: the name that the login was to come out as.
    /// - Returns: `nil` if it did, or if the server names no user.
    init?(wanted: String, confirmed: Identity) {
        guard let now = confirmed.serverName, !now.isSame(as: wanted) else { return nil }
        stored = Identity(username: wanted, serverName: wanted)
        self.confirmed = confirmed
        isBeside = true
    }

    /// - Returns: `nil` if both are the same user, or if the server names none.
    init?(of stored: Identity, by confirmed: Identity) {
        guard let before = stored.serverName, let now = confirmed.serverName, !before.isSame(as: now) else {
            return nil
        }
        self.init(stored, confirmed)
    }

    private init(_ stored: Identity, _ confirmed: Identity, isBeside: Bool = false) {
        (self.stored, self.confirmed, self.isBeside) = (stored, confirmed, isBeside)
    }

    /// The same without a name of the server's that repeats a secret: it is kept, and shown.
    func hiding(_ isSecret: (String) -> Bool) -> Replacement {
        guard let name = confirmed.serverName, isSecret(name) else { return self }
        return Replacement(stored, Identity(username: confirmed.username, serverName: "…"), isBeside: isBeside)
    }
}
