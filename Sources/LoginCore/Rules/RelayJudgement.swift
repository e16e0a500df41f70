/// What the answer to a request of the person's own says about the session that went along.
public enum RelayJudgement: Equatable, Sendable {
    /// Nothing: it is the person's to read.
    case passed
    /// The session has ended.
    case loggedOut
    /// The session is good, and the account may not.
    case forbidden
    /// 401 or 403, and no rule of the profile says which of the two it means.
    case undecided
}

extension AnswerFacts {
    /// Reads the answer by the rules that hold for every request with the session. Where no verify endpoint can be asked, the
    /// status decides what no rule names.
    public func relayed(by proof: Proof) -> RelayJudgement {
        let judgement = relayed(by: proof.rules)
        guard case .loginAnswer(let rules) = proof, judgement == .undecided else { return judgement }
        if status == 403 { return .forbidden }
        return rules.loggedOut == nil ? .loggedOut : .passed
    }

    /// Reads the answer by the rules of `verify`, which hold for every request with the session.
    public func relayed(by rule: AnswerRule) -> RelayJudgement {
        if matches(any: rule.forbidden ?? []) { return .forbidden }
        if matches(any: rule.loggedOut ?? []) { return .loggedOut }
        guard status == 401 || status == 403 else { return .passed }
        return toldForbidden(Refusal(status: status)) == nil ? .undecided : .forbidden
    }
}

extension AnswerRule {
    /// Whether an answer with this head may turn out to be anything but `passed`, so that its body is not to be shown yet.
    public func mayConcern(_ head: HTTPResponse) -> Bool {
        if head.status == 401 || head.status == 403 { return true }
        return ((forbidden ?? []) + (loggedOut ?? [])).contains { condition in
            (condition.status ?? head.status) == head.status
                && (!condition.readsBody || head.mayBeJSON)
        }
    }
}

extension Condition {
    fileprivate var readsBody: Bool {
        places.contains { if case .json = $0.place { true } else { false } }
    }
}

extension HTTPResponse {
    /// Many servers call JSON something else, but not a file.
    fileprivate var mayBeJSON: Bool {
        guard let type = values(of: "Content-Type").first?.lowercased() else { return true }
        return type.contains("json") || type.hasPrefix("text/")
    }
}
