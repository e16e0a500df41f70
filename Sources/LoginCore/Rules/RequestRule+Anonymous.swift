extension RequestRule {
    /// The same request as somebody would send it who has nothing to fill in yet: slots are empty, and headers that
    /// hold one are left out. What is no secret and known beforehand, `{ttl}`, stays.
    package var anonymous: RequestRule {
        var rule = self
        rule.path = path.emptied
        rule.query = query.map(\.emptied)
        rule.headers = headers.filter { $0.value == $0.value.emptied && $0.name.slots.isEmpty }
        switch content {
        case .none, .body: break
        case .form(let parameters): rule.content = .form(parameters.map(\.emptied))
        case .json(let value): rule.content = .json(value.emptied)
        }
        return rule
    }
}

extension Template {
    fileprivate var emptied: Template {
        Template(
            parts: parts.filter { part in
                switch part {
                case .text, .slot(.ttl): true
                case .slot: false
                }
            })
    }
}

extension RequestRule.Parameter {
    fileprivate var emptied: RequestRule.Parameter { RequestRule.Parameter(name: name, value: value.emptied) }
}

extension JSONTemplate {
    fileprivate var emptied: JSONTemplate {
        switch self {
        case .null, .bool, .integer, .number: self
        case .string(let template): .string(template.emptied)
        case .array(let elements): .array(elements.map(\.emptied))
        case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.emptied) })
        }
    }
}
