/// The response of verify without a login: the status and the path of `Location`.
///
/// Where a profile says neither `logged-out` nor `forbidden`, the same response to a session may mean that the session has ended;
/// and only a response that differs may lack the user name.
package struct AnonymousResponse: Equatable, Sendable {
    /// The status code of HTTP; never one that says nothing (408, 429, 5xx).
    package let status: Int
    /// With its origin if that is another one; `nil` without a redirect.
    package let location: String?
    /// Whether a rule, and not the missing user name alone, tells it from the response to a session.
    package let isRefusedByRule: Bool
    /// The responses to the cookies that anybody gets before a login, and to made-up ones; empty where nobody gets any. Many services
    /// answer any cookie in another way than none.
    package private(set) var withCookies: [AnonymousResponse] = []

    /// In bytes: it is remembered.
    private static let longestLocation = 2000

    /// - Parameter rule: by which verify is read.
    /// - Returns: `nil` for a response that is of no use for this.
    package init?(_ facts: ParsedResponse, readBy rule: ResponseRule) {
        guard facts.status >= 200, !facts.response.saysNothing else { return nil }
        let location = facts.locationPath
        let isUsable = facts.response.redirect?.fault == nil && location?.utf8.count ?? 0 <= Self.longestLocation
        guard isUsable else { return nil }
        (status, self.location) = (facts.status, location)
        isRefusedByRule = facts.matches(any: rule.loggedOut ?? []) || facts.showsLogin(rule, .verify)
    }

    /// The same, beside the responses to cookies that prove no login.
    package func with(_ others: [AnonymousResponse?]) -> AnonymousResponse {
        var both = self
        both.withCookies = others.compactMap(\.self)
        return both
    }

    /// Whether the same response to a session means 'logged out' by itself. A 401 says so without it, and what lets everybody in
    /// says nothing.
    package var meansLoggedOut: Bool { status >= 300 && status != 401 }

    /// Whether a response is the same as far as this goes.
    func isSame(as facts: ParsedResponse) -> Bool {
        facts.status == status && facts.locationPath == location
    }

    /// Whether a response that no rule refuses is known to be another one.
    func differs(from facts: ParsedResponse) -> Bool { all.allSatisfy { $0.isRefusedByRule || !$0.isSame(as: facts) } }

    /// Each way in which anonymous clients are answered.
    var all: [AnonymousResponse] { [self] + withCookies }
}

extension AnonymousResponse: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FormKey.self)
        status = try container.decode(Int.self, forKey: "status")
        location = try container.decodeIfPresent(String.self, forKey: "location")
        isRefusedByRule = try container.decodeIfPresent(Bool.self, forKey: "refusedByRule") ?? false
        withCookies = try container.decodeIfPresent([AnonymousResponse].self, forKey: "withCookies") ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        try container.encode(status, forKey: "status")
        try container.encodeIfPresent(location, forKey: "location")
        if isRefusedByRule { try container.encode(true, forKey: "refusedByRule") }
        if !withCookies.isEmpty { try container.encode(withCookies, forKey: "withCookies") }
    }
}

extension ParsedResponse {
    /// The path that the answer leads to, behind its origin if that is another one.
    var locationPath: String? {
        guard let redirect = response.redirect else { return nil }
        let target = foreignRedirect == nil ? redirect.target : redirect.url
        return String(target.prefix { $0 != "?" && $0 != "#" })
    }

    /// Whether verify answers a session as it answers anonymous clients.
    func isAnonymous(_ answer: AnonymousResponse?, _ rule: ResponseRule, _ step: Step) -> Bool {
        guard let answer, step == .verify, rule.loggedOut == nil, rule.forbidden == nil else { return false }
        return answer.all.contains { $0.meansLoggedOut && $0.isSame(as: self) }
    }
}
