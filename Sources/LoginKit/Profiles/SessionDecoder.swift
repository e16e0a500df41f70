import LoginCore

/// Reads how the session of a profile is sent.
struct SessionDecoder {
    static let keys = ["header", "write-header", "cookies", "basic", "form", "json", "csrf"]
    static let csrfKeys = ["get", "value", "stale"]

    let requests: RequestDecoder
    let templates: TemplateDecoder

    func session(_ table: StrictTable) throws(UsageFault) -> SessionRule {
        try table.allow(Self.keys)
        var rule = SessionRule(cookies: try table.bool("cookies") ?? false)
        rule.headers = try templates.headers("header", in: table, names: true)
        rule.writeHeaders = try templates.headers("write-header", in: table, names: true)
        rule.basic = try basic(table)
        rule.form = try templates.parameters("form", in: table)
        rule.json = try members(table)
        rule.csrf = try csrf(table)
        if let slot = rule.slots.first(where: { $0.isForBodiesOnly || $0 == .code }) {
            throw table.fault(nil, "{\(slot.name)} is allowed only in 'form' and 'json' of a request")
        }
        if rule == SessionRule() { throw table.fault(nil, "is empty") }
        return rule
    }

    private func basic(_ table: StrictTable) throws(UsageFault) -> SessionRule.BasicRule? {
        guard let pair = try table.string("basic") else { return nil }
        // The colon that separates the two is the first of the text, as in the pair itself.
        guard let colon = pair.firstIndex(of: ":") else {
            throw table.fault("basic", "must be a user name and a password with a colon between them")
        }
        let username = try templates.template(String(pair[..<colon]), "basic", table)
        let password = try templates.template(String(pair[pair.index(after: colon)...]), "basic", table)
        if (username.slots + password.slots).contains(.csrf) {
            throw table.fault("basic", "cannot use {csrf}")
        }
        return SessionRule.BasicRule(username: username, password: password)
    }

    private func members(_ table: StrictTable) throws(UsageFault) -> [JSONTemplate.Member] {
        guard table.value("json") != nil else { return [] }
        guard case .object(let members) = try templates.json("json", in: table) else {
            throw table.fault("json", "must be a table")
        }
        if let name = members.first(where: { $0.name.hasPrefix("/") && $0.arrayName == nil })?.name {
            throw table.fault("json", "'\(name)' must be '/NAME/0', for what is put first in the array NAME")
        }
        return members
    }

    private func csrf(_ table: StrictTable) throws(UsageFault) -> CSRFRule? {
        guard let inner = try table.table("csrf") else { return nil }
        try inner.allow(Self.csrfKeys)
        let rules = ResponseRuleDecoder()
        guard let value = try rules.value("value", in: inner) else { throw inner.fault("value", "is missing") }
        switch (try requests.plainPath("get", in: inner), try rules.conditions("stale", in: inner)) {
        case (let path?, nil): return CSRFRule(source: .fetched(path: path), value: value)
        case (nil, let stale?): return CSRFRule(source: .told(by: stale), value: value)
        case (nil, nil), (_?, _?): throw inner.fault(nil, "must have exactly one of 'get' and 'stale'")
        }
    }
}
