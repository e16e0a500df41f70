package import Secrets

/// Where a service hands out the value that guards against forged requests, for `{csrf}`.
package struct CSRFRule: Equatable, Sendable {
    /// The response that has the value.
    package let source: Source
    /// Where that answer has it.
    package let value: Place

    /// The source of the value.
    package enum Source: Equatable, Sendable {
        /// Path and query of a page, appended to the profile's `url`: fetched with the session before each request that needs it.
        case fetched(path: String)
        /// The answer to a request without the value, or with one that is out of date; one of them must hold.
        case told(by: [Condition])
    }

    /// Checks nothing.
    package init(source: Source, value: Place) {
        (self.source, self.value) = (source, value)
    }

    /// The page that has the value; `nil` if an answer tells it.
    package var path: String? {
        switch source {
        case .fetched(let path): path
        case .told: nil
        }
    }

    /// The answers that tell the value; none where it is fetched.
    package var stale: [Condition] {
        switch source {
        case .fetched: []
        case .told(let conditions): conditions
        }
    }

    /// By which an answer is looked into: whether it tells the value, and where.
    package var response: ResponseRule {
        var rule = ResponseRule()
        rule.token = value
        rule.refused = stale
        return rule
    }
}

extension ParsedResponse {
    /// The value, if this is an answer that tells it.
    package func told(by rule: CSRFRule) -> Secret? {
        matches(any: rule.stale) ? secret(at: rule.value).flatMap { $0.isEmpty ? nil : $0 } : nil
    }
}

extension Profile {
    /// Whether an answer with this head may turn out to be anything but the person's, so that its body is not to be shown yet.
    package func mayConcern(_ head: HTTPResponse) -> Bool {
        var rules = proof.rules
        if let stale = session?.csrf?.stale { rules.loggedOut = (rules.loggedOut ?? []) + stale }
        return rules.mayConcern(head) || mayShowLogin(head)
    }

    /// Whether its body may have the form of the profile's login, for which verify is then asked.
    private func mayShowLogin(_ head: HTTPResponse) -> Bool {
        let types = head.values(of: "Content-Type")
        return hasLoginForm && verify != nil && (200..<300).contains(head.status)
            && (types.isEmpty || types.contains { $0.lowercased().contains("html") })
    }
}
