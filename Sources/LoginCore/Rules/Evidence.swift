/// The reason for a judgement, for `profile test` and `--explain`.
package struct Evidence: Equatable, Sendable {
    /// The request that was answered.
    package let step: Step
    /// The status code of HTTP.
    package let status: Int
    /// The judgement.
    package let judgement: Judgement
    /// The key and the number of the profile's own rule that held, counted from 1; `nil` if what is usual decided.
    package let rule: Rule?
    /// Whether it was taken for 'logged out' because it is what verify answers without a login.
    package let isAnonymous: Bool
    /// Where the user name should be, if it was taken for 'logged out' because there is none.
    package let missingName: Place?
    /// Whether it was taken for a refusal because it is the login form again.
    package let asksAgain: Bool
    /// Whether the request had no more than the cookies that anybody gets before a login.
    package internal(set) var hasCookiesOfAnybody = false

    /// One of the conditions that a profile lists.
    package struct Rule: Equatable, Sendable {
        /// As the profile has it, such as `refused`.
        package let key: String
        /// From 1.
        package let number: Int
    }

    /// The evidence without the server's words, if they repeat a secret.
    package func without(_ secrets: RepeatedSecrets) -> Evidence {
        Evidence(self, judgement: judgement.without(secrets))
    }

    private init(_ other: Evidence, judgement: Judgement) {
        (step, status, rule) = (other.step, other.status, other.rule)
        (isAnonymous, missingName, asksAgain) = (other.isAnonymous, other.missingName, other.asksAgain)
        hasCookiesOfAnybody = other.hasCookiesOfAnybody
        self.judgement = judgement
    }

    init(
        _ facts: ParsedResponse, _ answer: ResponseRule, _ step: Step, _ judgement: Judgement,
        _ anonymous: AnonymousResponse?
    ) {
        isAnonymous = judgement.isRefusal && facts.isAnonymous(anonymous, answer, step)
        (self.step, status, self.judgement) = (step, facts.status, judgement)
        let refusals = step == .verify ? ("logged-out", answer.loggedOut) : ("refused", answer.refused)
        let loggedIn = step == .verify && judgement == .accepted ? answer.loggedIn : nil
        let rules = [
            ("forbidden", answer.forbidden), ("second-factor", answer.secondFactor), ("pending", answer.pending),
            refusals,
            ("logged-in", loggedIn),
        ]
        let held = rules.lazy.compactMap { key, conditions in
            conditions?.firstIndex { facts.matches($0) }.map { Rule(key: key, number: $0 + 1) }
        }
        rule = held.first
        asksAgain = judgement.isRefusal && rule == nil && facts.showsLogin(answer, step)
        let isDecided = rule != nil || asksAgain || isAnonymous || facts.status == 401 && refusals.1 == nil
        missingName = judgement.isRefusal && !isDecided ? facts.missingName(answer, step) : nil
    }
}

extension Judgement {
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }

    fileprivate func without(_ secrets: RepeatedSecrets) -> Judgement {
        switch self {
        case .accepted: self
        case .refused(let refusal): .refused(refusal.without(secrets))
        case .forbidden(let refusal): .forbidden(refusal.without(secrets))
        case .needsSecondFactor(let words):
            .needsSecondFactor(words: words.flatMap { secrets.stand(in: $0) ? nil : $0 })
        case .pending: .pending
        case .unclear(let error): .unclear(error.without(secrets))
        }
    }
}

extension ParsedResponse {
    /// The judgement with its reason.
    /// - Parameters:
    ///   - anonymous: what verify is known to answer without a login.
    ///   - withCookies: whether the request had no more than the cookies that anybody gets before a login.
    package func evidence(
        by rule: ResponseRule, at step: Step, anonymous: AnonymousResponse? = nil, withCookies: Bool = false
    ) -> Evidence {
        var evidence = Evidence(self, rule, step, judged(by: rule, at: step, anonymous: anonymous), anonymous)
        evidence.hasCookiesOfAnybody = withCookies
        return evidence
    }
}
