/// A login that would replace another person's: the server names a different user than before.
public struct Replacement: Equatable, Sendable {
    /// The stored identity.
    public let stored: Identity
    /// The identity that the server has just confirmed.
    public let confirmed: Identity
    /// Whether nothing that is stored is touched: another name than the wanted one came out of a browser.
    package let isBeside: Bool

    /// - Parameter wanted: the name that the login was to come out as.
    /// - Returns: `nil` if it did, or if the server names no user.
    package init?(wanted: String, confirmed: Identity) {
        guard let now = confirmed.serverName, !now.isSame(as: wanted) else { return nil }
        stored = Identity(username: wanted, serverName: wanted)
        self.confirmed = confirmed
        isBeside = true
    }

    /// - Returns: `nil` if both are the same user, or if the server names none.
    package init?(of stored: Identity, by confirmed: Identity) {
        guard let before = stored.serverName, let now = confirmed.serverName, !before.isSame(as: now) else {
            return nil
        }
        self.init(stored, confirmed)
    }

    private init(_ stored: Identity, _ confirmed: Identity, isBeside: Bool = false) {
        (self.stored, self.confirmed, self.isBeside) = (stored, confirmed, isBeside)
    }

    /// The same without a name of the server's that repeats a secret: it is kept, and shown.
    package func hiding(_ isSecret: (String) -> Bool) -> Replacement {
        guard let name = confirmed.serverName, isSecret(name) else { return self }
        return Replacement(stored, Identity(username: confirmed.username, serverName: "…"), isBeside: isBeside)
    }
}
