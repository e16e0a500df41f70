/// The rules of one place: of the profile, or of the command line.
package struct ServeRuleSet: Equatable, Sendable {
    /// The largest number of rules in one place.
    package static let most = 256

    package var allow: [ServeRule], ask: [ServeRule], deny: [ServeRule]

    package init(allow: [ServeRule] = [], ask: [ServeRule] = [], deny: [ServeRule] = []) {
        (self.allow, self.ask, self.deny) = (allow, ask, deny)
    }

    package var count: Int { allow.count + ask.count + deny.count }

    /// `deny` comes first, then `ask`, then `allow`. Each reading of a path has to be asked about or allowed; one that is asked about
    /// is enough for a question.
    fileprivate func decision(on act: ServedAct) -> ServeDecision {
        var asking: [ServeRule] = [], allowing: ServeRule?, isNamed = true
        for reading in act.path.readings {
            let spellings = ask.isEmpty && deny.isEmpty ? [] : ServedPath.spellings(reading)
            if let rule = deny.first(where: { $0.concerns(act.method, spellings) }) { return .refused(act, by: rule) }
            if let rule = ask.first(where: { $0.concerns(act.method, spellings) }) {
                if !asking.contains(rule) { asking.append(rule) }
            } else if let rule = allow.first(where: { $0.names(act.method, reading) }) {
                allowing = allowing ?? rule
            } else {
                isNamed = false
            }
        }
        guard isNamed else { return .refused(act, by: nil) }
        return asking.isEmpty ? .allowed(by: allowing) : .ask(asking)
    }
}

/// Something that a request may make the service do.
package struct ServedAct: Equatable, Sendable {
    /// `ServeRule.webSocket` for a WebSocket.
    package let method: String
    package let path: ServedPath

    package init(method: String, path: ServedPath) {
        (self.method, self.path) = (method, path)
    }
}

/// The judgement of rules on a request.
package enum ServeDecision: Equatable, Sendable {
    /// `nil` where there are no rules.
    case allowed(by: ServeRule?)
    /// The rules that ask, none of which is there twice.
    case ask([ServeRule])
    /// `nil` where no rule names it.
    case refused(ServedAct, by: ServeRule?)
}

/// The rules of an `exec --serve`; each place that has any must let a request through.
package struct ServeRules: Equatable, Sendable {
    private let sets: [ServeRuleSet]

    package init(_ sets: [ServeRuleSet] = []) {
        self.sets = sets.filter { $0.count > 0 }
    }

    /// Whether there are no rules, so that everything passes.
    package var isEmpty: Bool { sets.isEmpty }

    /// The texts of the rules that allow, for a program that wants to know what it may do.
    package var allowed: [String] {
        var texts: [String] = []
        for rule in sets.flatMap(\.allow) where !texts.contains(rule.text) { texts.append(rule.text) }
        return texts
    }

    /// - Parameter acts: everything that the request may do; all of it must pass.
    package func decision(on acts: [ServedAct]) -> ServeDecision {
        var asking: [ServeRule] = [], allowing: ServeRule?
        for act in acts {
            for set in sets {
                switch set.decision(on: act) {
                case .refused(let act, let rule): return .refused(act, by: rule)
                case .ask(let rules): asking += rules.filter { !asking.contains($0) }
                case .allowed(let rule): allowing = allowing ?? rule
                }
            }
        }
        return asking.isEmpty ? .allowed(by: allowing) : .ask(asking)
    }
}
