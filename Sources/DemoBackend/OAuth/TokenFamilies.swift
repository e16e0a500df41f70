import Foundation

/// What people granted to clients. Each grant is a family of tokens, of which only the newest pair is good: a refresh token
/// that comes a second time was stolen, and ends the family (RFC 9700, 4.14.2).
struct TokenFamilies: Sendable {
    /// What an access token lets its bearer do.
    struct Access: Sendable {
        let account: Account
        let scope: Scope
        let resource: String?
        let end: Date
    }

    private struct Family {
        let terms: GrantTerms
        let account: Account
        /// The authorization code that it began with, if it was one.
        let code: String?
        let lifetime: TimeInterval
        /// Nothing after it was revoked.
        var access: String?
        var scope: Scope
        var end: Date
        var refresh: String?
        var spent: Set<String> = []
    }

    /// RFC 6749, 5.1.
    private struct TokenResponse: Encodable {
        let accessToken: String?
        let tokenType = "Bearer"
        let expiresIn: Int
        let refreshToken: String?
        let scope: String
        let idToken: String?
    }

    private var families: [Family] = []

    /// Begins a family; the answer is its first tokens.
    mutating func begin(
        _ terms: GrantTerms, _ account: Account, code: String?, lifetime: TimeInterval, refreshable: Bool,
        idToken: String?,
        now: Date
    ) -> Reply {
        let family = Family(
            terms: terms, account: account, code: code, lifetime: lifetime, access: Token.fresh("access"),
            scope: terms.scope, end: now + lifetime, refresh: refreshable ? Token.fresh("refresh") : nil)
        families.append(family)
        return Self.answer(family, idToken: idToken)
    }

    /// The next tokens of a family, for as much of its scope as is asked for (RFC 6749, 6).
    mutating func refresh(_ parameters: Parameters, clientID: String, now: Date) throws(OAuthError) -> Reply {
        let refresh = try parameters.required("refresh_token")
        families.removeAll { $0.spent.contains(refresh) && $0.terms.clientID == clientID }
        guard let index = families.firstIndex(where: { $0.refresh == refresh && $0.terms.clientID == clientID }) else {
            throw OAuthError(.invalidGrant, "This refresh token is unknown, another client's, or was used before")
        }
        let terms = families[index].terms
        families[index].scope = try terms.scope.asked(in: parameters, usual: terms.scope)
        families[index].spent.insert(refresh)
        families[index].access = Token.fresh("access")
        families[index].refresh = Token.fresh("refresh")
        families[index].end = now + families[index].lifetime
        return Self.answer(families[index], idToken: nil)
    }

    /// Ends what a token stands for: with a refresh token the family, with an access token that alone (RFC 7009, 2.1). An
    /// unknown token is revoked already.
    mutating func revoke(_ token: String, clientID: String) throws(OAuthError) {
        guard let index = families.firstIndex(where: { $0.access == token || $0.refresh == token }) else { return }
        guard families[index].terms.clientID == clientID else {
            throw OAuthError(.invalidGrant, "This is another client's token")
        }
        if families[index].refresh == token { families.remove(at: index) } else { families[index].access = nil }
    }

    /// How many can be used or refreshed.
    func living(at now: Date) -> Int { families.count { $0.refresh != nil || $0.access != nil && $0.end > now } }

    /// What an access token is good for, expired or not.
    func access(_ token: String) -> Access? {
        families.first { $0.access == token }.map {
            Access(account: $0.account, scope: $0.scope, resource: $0.terms.resource, end: $0.end)
        }
    }

    /// Ends an access token before its time, unless it is younger than so many seconds; its refresh token stays good.
    mutating func expire(access: String, youngest: TimeInterval, now: Date) {
        let age = { (family: Family) in family.lifetime - family.end.timeIntervalSince(now) }
        guard let index = families.firstIndex(where: { $0.access == access && age($0) > youngest }) else { return }
        families[index].end = now
    }

    /// Ends what was got for an authorization code.
    mutating func end(code: String) { families.removeAll { $0.code == code } }

    /// Ends all that a client has.
    mutating func end(clientID: String) { families.removeAll { $0.terms.clientID == clientID } }

    private static func answer(_ family: Family, idToken: String?) -> Reply {
        let response = TokenResponse(
            accessToken: family.access, expiresIn: Int(family.lifetime), refreshToken: family.refresh,
            scope: family.scope.text, idToken: idToken)
        return .json(200, response, who: family.account.name)
    }
}
