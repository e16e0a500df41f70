/// Why an answer was judged as it was, for `profile test`.
public struct Evidence: Equatable, Sendable {
    public let step: Step
    public let status: Int
    public let judgement: Judgement
    /// The key and the number of the profile's own rule that held, counted from 1; nothing where what is usual decided.
    public let rule: Rule?

    public struct Rule: Equatable, Sendable {
        public let key: String
        public let number: Int
    }

    init(_ facts: AnswerFacts, _ rule: AnswerRule, _ step: Step, _ judgement: Judgement) {
        (self.step, status, self.judgement) = (step, facts.status, judgement)
        let refusals = step == .verify ? ("logged-out", rule.loggedOut) : ("refused", rule.refused)
        let held = [("forbidden", rule.forbidden), refusals].lazy.compactMap { key, conditions in
            conditions?.firstIndex { facts.matches($0) }.map { Rule(key: key, number: $0 + 1) }
        }
        self.rule = held.first
    }
}

extension AnswerFacts {
    /// What `judged` says, and why.
    public func evidence(by rule: AnswerRule, at step: Step) -> Evidence {
        Evidence(self, rule, step, judged(by: rule, at: step))
    }
}
