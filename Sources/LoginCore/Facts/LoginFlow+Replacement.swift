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

/// The part of the table that keeps one account's login from being used for another.
extension LoginFlow {
    /// Saves a login that was confirmed, unless it is another person's: then a person is asked first.
    mutating func save(_ identity: Identity, from source: Source) -> Effect {
        guard let replacement = replacement(by: identity) else { return keep(identity, from: source) }
        guard policy.mayAsk, source != .supplied else {
            return finish(.failed(.loginRequired(LoginNeed(why: .otherPerson(replacement)))))
        }
        return ask(.replacement(replacement), then: .save(identity, source))
    }

    mutating func keep(_ identity: Identity, from source: Source) -> Effect {
        go(.saving(identity, source), .save(approval(source)))
    }

    func replacement(by confirmed: Identity) -> Replacement? {
        if let wanted = subject.wanted, let other = Replacement(wanted: wanted, confirmed: confirmed) { return other }
        let name = confirmed.accountName
        let same = subject.accounts.first { $0.username.isSame(as: name) }
        let meant = subject.account.flatMap { wanted in subject.accounts.first { $0.username.isSame(as: wanted) } }
        return (meant ?? same).flatMap { Replacement(of: $0, by: confirmed) }
    }
}
