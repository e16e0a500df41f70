/// What verify answers without a login, as far as that may be how this service says 'logged out': the status, and the path of
/// `Location`.
///
/// Where a profile says neither `logged-out` nor `forbidden`, the same answer to a session means that the session has ended.
package struct AnonymousResponse: Equatable, Sendable, Codable {
    /// Never one that says so by itself (401), that lets everybody in (2xx), or that tells nothing (408, 429, 5xx).
    package let status: Int
    /// Behind its origin if that is another one; nothing where the answer points nowhere.
    package let location: String?

    /// In bytes: it is remembered.
    private static let longestLocation = 2000

    /// - Returns: nothing for an answer that is of no use for this.
    package init?(_ facts: ParsedResponse) {
        guard (300..<500).contains(facts.status), ![401, 408, 429].contains(facts.status) else { return nil }
        let location = facts.locationPath
        let isUsable = facts.response.redirect?.fault == nil && location?.utf8.count ?? 0 <= Self.longestLocation
        guard isUsable else { return nil }
        (status, self.location) = (facts.status, location)
    }

    /// Whether an answer is the same as far as this goes.
    func isSame(as facts: ParsedResponse) -> Bool {
        facts.status == status && facts.locationPath == location
    }
}

extension ParsedResponse {
    /// The path that the answer leads to, behind its origin if that is another one.
    var locationPath: String? {
        guard let redirect = response.redirect else { return nil }
        let target = foreignRedirect == nil ? redirect.target : redirect.url
        return String(target.prefix { $0 != "?" && $0 != "#" })
    }

    /// Whether verify answers a session as it answers whoever has none.
    func isAnonymous(_ answer: AnonymousResponse?, _ rule: ResponseRule, _ step: Step) -> Bool {
        guard let answer, step == .verify, rule.loggedOut == nil, rule.forbidden == nil else { return false }
        return answer.isSame(as: self)
    }
}
