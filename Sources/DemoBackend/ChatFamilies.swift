import Foundation

/// The logins of the chat server: each is a family of tokens of which only the newest is good.
struct ChatFamilies: Sendable {
    private struct Family {
        let account: Account
        let lifetime: TimeInterval
        var access: String
        var refresh: String?
        var end: Date
        var spent: Set<String> = []
    }

    private var families: [Family] = []

    /// Begins a family.
    mutating func begin(_ account: Account, lifetime: TimeInterval, refreshable: Bool, now: Date) -> ChatGrant {
        let family = Family(
            account: account, lifetime: lifetime, access: Token.fresh("access"),
            refresh: refreshable ? Token.fresh("refresh") : nil, end: now + lifetime)
        families.append(family)
        return grant(of: family)
    }

    /// The next pair for a refresh token; nothing where it is unknown or was used before, which ends its family.
    mutating func rotate(_ refresh: String, now: Date) -> ChatGrant? {
        families.removeAll { $0.spent.contains(refresh) }
        guard let index = families.firstIndex(where: { $0.refresh == refresh }) else { return nil }
        families[index].spent.insert(refresh)
        families[index].access = Token.fresh("access")
        families[index].refresh = Token.fresh("refresh")
        families[index].end = now + families[index].lifetime
        return grant(of: families[index])
    }

    /// Whose access token this is, expired or not.
    func account(of access: String) -> Account? {
        families.first { $0.access == access }?.account
    }

    /// Whether an access token has not expired.
    func isFresh(_ access: String, now: Date) -> Bool {
        families.contains { $0.access == access && $0.end > now }
    }

    /// Ends an access token before its time, unless it is younger than so many seconds; its refresh token stays good.
    mutating func expire(access: String, youngest: TimeInterval, now: Date) {
        let age = { (family: Family) in family.lifetime - family.end.timeIntervalSince(now) }
        guard let index = families.firstIndex(where: { $0.access == access && age($0) > youngest }) else { return }
        families[index].end = now
    }

    /// How many can be used or refreshed.
    func living(at now: Date) -> Int { families.count { $0.refresh != nil || $0.end > now } }

    /// Ends the family of an access token.
    mutating func end(access: String) {
        families.removeAll { $0.access == access }
    }

    /// The name that the server gives a person, which is not the one they typed.
    static func identifier(_ account: Account) -> String {
        "@\(account.name):demo.invalid"
    }

    private func grant(of family: Family) -> ChatGrant {
        ChatGrant(
            userId: Self.identifier(family.account), accessToken: family.access, refreshToken: family.refresh,
            expiresInMs: Int(family.lifetime * 1000))
    }
}

/// What a login and a refresh answer.
struct ChatGrant: Encodable {
    let userId: String
    let accessToken: String
    let refreshToken: String?
    let expiresInMs: Int
}

/// The body of a login.
struct ChatLogin: Decodable {
    struct Identifier: Decodable {
        let type: String
        let user: String
    }
    let type: String
    let identifier: Identifier
    let password: String
    let refreshToken: Bool?
}

/// The body of a refresh.
struct ChatRefresh: Decodable {
    let refreshToken: String
}

/// The body of an error.
struct ChatError: Encodable {
    let errcode: String
    let error: String
    let softLogout: Bool?

    init(_ code: String, _ words: String, softLogout: Bool? = nil) {
        errcode = code
        error = words
        self.softLogout = softLogout
    }
}
