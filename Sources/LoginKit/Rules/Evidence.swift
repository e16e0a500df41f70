/// The reason for a judgement, for `profile test` and `--explain`.
package struct Evidence: Equatable, Sendable {
    /// The request that was answered.
    package let step: Step
    /// The status code of HTTP.
    let status: Int
    /// The judgement.
    package private(set) var judgement: Judgement
    /// The key and the number of the profile's own rule that held, counted from 1; `nil` if what is usual decided.
    let rule: Rule?
    /// Whether it was taken for a refusal because it is the login form again.
    let asksAgain: Bool
    /// Whether the request had no more than the cookies that anybody gets before a login.
    package internal(set) var hasCookiesOfAnybody = false

    /// One of the conditions that a profile lists.
    struct Rule: Equatable, Sendable {
        /// As the profile has it, such as `refused`.
        let key: String
        /// From 1.
        let number: Int
    }

    /// The evidence without the server's words, if they repeat a secret.
    func without(_ secrets: RepeatedSecrets) -> Evidence {
        var evidence = self
        evidence.judgement = judgement.without(secrets)
        return evidence
    }

    init(
        _ facts: ParsedResponse, _ answer: ResponseRule, _ step: Step, _ judgement: Judgement
    ) {
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
    func evidence(
        by rule: ResponseRule, at step: Step, anonymous: AnonymousResponse? = nil, withCookies: Bool = false
    ) -> Evidence {
        var evidence = Evidence(self, rule, step, judged(by: rule, at: step, anonymous: anonymous))
        evidence.hasCookiesOfAnybody = withCookies
        return evidence
    }
}

/// A line that a profile lacks, made of what was seen of its service: for a person to paste, once they agree.
package struct RuleProposal: Equatable, Sendable {
    /// The request whose table lacks it.
    package let step: Step
    /// As a profile has it, such as `refused = [403]`.
    package let line: String

    /// The rule that the anonymous response of verify calls for.
    package init?(_ rule: ResponseRule, anonymous: AnonymousResponse?) {
        guard let anonymous, anonymous.status >= 300, anonymous.status != 401, let known = rule.loggedOut.statuses,
            !known.contains(anonymous.status)
        else { return nil }
        let conditions = known.map { "\($0)" } + [anonymous.condition]
        (step, line) = (.verify, "logged-out = [\(conditions.joined(separator: ", "))]")
    }

    /// The rule for a verify that shows anonymous clients a login form.
    package init?(_ rule: ResponseRule, passwordField name: String?) {
        guard let name, name.utf8.allSatisfy(\.isPlainInURL), let known = rule.loggedOut.statuses else { return nil }
        let conditions = known.map { "\($0)" } + ["{ \"form:\(name)\" = \"*\" }"]
        (step, line) = (.verify, "logged-out = [\(conditions.joined(separator: ", "))]")
    }

    /// Proposes a rule for Basic where an anonymous client gets 401 and a login 403, which may be a wrong password or an account without rights.
    package init?(_ rule: ResponseRule, endOfBasic error: LoginFault) {
        guard case .forbidden(let refusal) = error, refusal.status == 403, refusal.scope == nil, rule.forbidden == nil,
            let known = rule.loggedOut == nil ? [401] : rule.loggedOut.statuses, !known.contains(403)
        else { return nil }
        let statuses = (known + [403]).map { "\($0)" }
        (step, line) = (.verify, "logged-out = [\(statuses.joined(separator: ", "))]")
    }

    /// The rule for a login that ended with a status that no rule names.
    package init?(_ rule: ResponseRule, end error: LoginFault) {
        guard case .failure(let fault) = error, let status = fault.possibleRefusal, let known = rule.refused.statuses
        else { return nil }
        let statuses = (known + [status]).map { "\($0)" }
        (step, line) = (.login, "refused = [\(statuses.joined(separator: ", "))]")
    }
}

extension [Condition]? {
    /// Those of a rule that names statuses alone; none for a rule that is not written. Another one is the author's to extend.
    fileprivate var statuses: [Int]? {
        guard let conditions = self else { return [] }
        let plain = conditions.filter(\.places.isEmpty).compactMap(\.status)
        return plain.count == conditions.count ? plain : nil
    }
}

extension AnonymousResponse {
    /// A `Location` with what TOML or a terminal could take for something else is left out.
    fileprivate var condition: String {
        guard let location, location.utf8.allSatisfy(\.isPlainInURL) else { return "\(status)" }
        return "{ status = \(status), \"header:Location\" = \"\(location)*\" }"
    }
}

extension UInt8 {
    /// Letters and digits of ASCII, and the marks of a URL that need no quoting anywhere.
    fileprivate var isPlainInURL: Bool { isUnreserved || "/%:@".utf8.contains(self) }
}

extension OtherFailure {
    /// The status of an answer to a login that may be how the service refuses: any 4xx but those that tell of a wrong path or
    /// verb, or of a request that came too slowly.
    var possibleRefusal: Int? {
        guard case .unexpectedStatus(let status, step: Step.login.rawValue, _) = self else { return nil }
        return (400..<500).contains(status) && ![404, 405, 408, 410].contains(status) ? status : nil
    }
}
