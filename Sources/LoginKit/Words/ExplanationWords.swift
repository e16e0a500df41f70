extension Evidence {
    /// A sentence: by which rule the answer is a login, or none.
    /// - Parameter rules: how the profile has the answer read.
    package func reason(by rules: ResponseRule?) -> String {
        "\(basis(rules)): \(meaning)\(saying)."
    }

    private func basis(_ rules: ResponseRule?) -> String {
        if let doubt { return doubt.basis(status) }
        if let rule { return "rule \(rule.number) of '\(rule.key)' in \(step.rawValue) fits" }
        switch judgement {
        case .accepted: return unrefused(rules)
        case .refused:
            if asksAgain { return "the response (\(status)) is the login form again" }
            return "\(lacking(refusalKey, rules)), and \(status) is a usual refusal"
        case .forbidden where status == 401:
            return "the response itself says that the login is good, and lacks permission"
        case .forbidden: return "\(lacking("forbidden", rules)), and \(status) usually means that"
        case .needsSecondFactor, .pending: return "\(step.rawValue) has been answered with \(status)"
        case .unclear: return "no rule of \(step.rawValue) covers \(status)"
        }
    }

    private func unrefused(_ rules: ResponseRule?) -> String {
        guard let refusals = step == .verify ? rules?.loggedOut : rules?.refused, !refusals.isEmpty else {
            return "\(status) is not a refusal and \(lacking(refusalKey, rules)), so"
        }
        return "no rule of '\(refusalKey)' in \(step.rawValue) fits this response"
    }

    private func lacking(_ key: String, _ rules: ResponseRule?) -> String {
        rules == nil ? "no rule of \(step.rawValue) fits" : "\(step.rawValue) has no '\(key)' rule"
    }

    /// The key of a profile that says what a refusal looks like.
    private var refusalKey: String { step == .verify ? "logged-out" : "refused" }

    private var meaning: String {
        switch (judgement, step) {
        case (.accepted, .verify): "logged in"
        case (.accepted, _): "accepted"
        case (.refused(let refusal), .verify): refusal.doubt == nil ? "not logged in" : "undecided"
        case (.refused, _): "refused"
        case (.forbidden(let refusal), _): refusal.status == 423 ? "locked" : "no permission"
        case (.needsSecondFactor, _): "a second factor is needed"
        case (.pending, _): "an approval is still waited for"
        case (.unclear, _): "neither a login nor a refusal"
        }
    }

    /// The server's words, else the reason that there are none.
    private var saying: String {
        switch judgement {
        case .refused(let refusal), .forbidden(let refusal): refusal.quoted
        case .needsSecondFactor(let words): Refusal(status: status, words: words).quoted
        case .unclear(let error): "; \(error.withoutQueries.bare(ErrorContext()).what)"
        case .accepted, .pending: ""
        }
    }
}

extension LoginFault {
    /// The last sentence of an explanation, with advice.
    package func conclusion(about topic: ErrorContext) -> Message {
        let message = withoutQueries.bare(topic)
        let prefix =
            switch exitCode {
            case .rejected, .loginRequired: message.what.hasPrefix("not logged in") ? "" : "not logged in: "
            case .forbidden, .secondFactor: ""
            default: "unknown, since the login was not judged: "
            }
        return Message(prefix + message.what, details: message.details, next: message.next)
    }

    /// The same without what stands behind the path of a server's URL, which may be a secret that authctl does not know: for what
    /// is shown to others.
    package var withoutQueries: LoginFault {
        switch self {
        case .failure(.redirected(let step, let status, let target)):
            .failure(.redirected(step: step, status: status, target: target.elidingQuery))
        case .untrusted(.otherOrigin(let target)): .untrusted(.otherOrigin(target: target.elidingQuery))
        case .untrusted(.unclearRedirect(let target)): .untrusted(.unclearRedirect(target: target.elidingQuery))
        case .untrusted(.formElsewhere(let page, let target)):
            .untrusted(.formElsewhere(page: page.elidingQuery, target: target.elidingQuery))
        default: self
        }
    }
}

extension String {
    /// `/path?…`, as in a trace.
    fileprivate var elidingQuery: String {
        let path = prefix { $0 != "?" && $0 != "#" }
        return path.endIndex == endIndex ? self : "\(path)\(self[path.endIndex])…"
    }
}

extension Evidence {
    /// One line: what the answer was taken for, and by which rule.
    package var words: String {
        let why = doubt.map { "; \($0.basis(status))" } ?? rule.map { ", by rule \($0.number) of '\($0.key)'" } ?? ""
        switch judgement {
        case .accepted: return "accepted (status \(status))\(why)"
        case .refused(let refusal):
            let form = asksAgain ? ", the login form again" : ""
            return "\(refusedWord) (status \(status))\(form)\(why)\(refusal.quoted)"
        case .forbidden(let refusal): return "forbidden (status \(status))\(why)\(refusal.quoted)"
        case .needsSecondFactor(let words):
            return "wants a second factor (status \(status))\(why)\(Refusal(status: status, words: words).quoted)"
        case .pending: return "not yet (status \(status))\(why)"
        case .unclear(let error): return "undecided (status \(status)): \(error.message().what)"
        }
    }

    private var refusedWord: String {
        switch step {
        case .verify: doubt == nil ? "logged out" : "undecided"
        case .login, .refresh, .logout, .page: "refused"
        }
    }
}

extension Evidence {
    fileprivate var doubt: Refusal.Doubt? {
        if case .refused(let refusal) = judgement { refusal.doubt } else { nil }
    }
}

extension Refusal.Doubt {
    /// The sentence of docs/verdicts.md that decided, with what was seen.
    fileprivate func basis(_ status: Int) -> String {
        switch self {
        case .sameForAnybody: "anybody gets this \(status), and it refuses nothing by itself"
        case .forbidden: "\(status) may mean an ended login, or no permission"
        case .unnamed(let place):
            "there is no name of the person's own at \(SafeText.quoted(place)), so it proves nothing"
        case .unproven: "\(status) proves nothing by itself"
        case .otherChallenge(let challenge, let former):
            "401 with \(Refusal.words(challenge)) judges nothing where anybody gets \(Refusal.words(former))"
        }
    }
}
