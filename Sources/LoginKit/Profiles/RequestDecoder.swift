/// Reads the requests of a profile and what is said of their answers.
struct RequestDecoder {
    static let requestKeys = ["get", "post", "send", "query", "header", "form", "json", "body", "page", "follow"]
    static let answerKeys = [
        "refused", "logged-out", "logged-in", "forbidden", "message", "username", "token", "refresh-token", "expires",
        "expires-in", "expires-in-ms",
    ]
    /// The keys that only a step of 'login' may have.
    static let stepKeys = ["second-factor", "pending", "interval", "open", "origins"]
    /// The keys that only a request whose response hands something out may have.
    static let takingKeys = ["take"]
    private static let mostSteps = 16

    private let templates: TemplateDecoder

    /// - Parameter profile: all of it, since any request may send what another one was answered.
    init(_ profile: StrictTable) throws(UsageFault) {
        var names: [String] = []
        for key in ["login", "refresh"] {
            for table in try profile.tables(key) { names += try ResponseRuleDecoder.takenNames(table) }
        }
        templates = TemplateDecoder(taken: Set(names))
    }

    func request(_ key: String, in profile: StrictTable) throws(UsageFault) -> RequestRule? {
        try profile.table(key).map { (table) throws(UsageFault) in try request(key, table) }
    }

    /// One request, or a list of them.
    func steps(_ key: String, in profile: StrictTable) throws(UsageFault) -> [RequestRule] {
        let rules = try profile.tables(key).map { (table) throws(UsageFault) in try request(key, table) }
        for (number, rule) in rules.enumerated() where rules.count > 1 && rule.slots.contains(.code) {
            let guards = [rule] + (number > 0 ? [rules[number - 1]] : [])
            if !guards.contains(where: { $0.response.secondFactor != nil }) {
                throw profile.fault(
                    key, "uses {otp} in step \(number + 1), and the step before it has no 'second-factor'")
            }
        }
        if rules.count > Self.mostSteps { throw profile.fault(key, "has more than \(Self.mostSteps) steps") }
        return rules
    }

    private func request(_ key: String, _ table: StrictTable) throws(UsageFault) -> RequestRule {
        let mayTake = key == "login" || key == "refresh"
        try table.allow(
            Self.requestKeys + Self.answerKeys + (key == "login" ? Self.stepKeys : [])
                + (mayTake ? Self.takingKeys : []))
        if key != "verify", table.value("logged-in") != nil {
            throw table.fault("logged-in", "is only for 'verify'")
        }
        let followsRedirects = key == "login" ? try table.bool("follow") ?? false : false
        let (method, path) = try target(table, of: key)
        var rule = RequestRule(method: method, path: path, response: try ResponseRuleDecoder().answer(table))
        rule.query = try templates.parameters("query", in: table)
        rule.headers = try templates.headers("header", in: table)
        rule.content = try content(table)
        rule.followsRedirects = followsRedirects
        rule.opens = try openedPage(table)
        rule.followsLink = key != "login" && table.value("follow") != nil
        rule.page = try page(rule, table)
        if rule.followsLink {
            if key != "logout" { throw table.fault("follow", "is only for 'login' and 'logout'") }
            if rule.page == nil { throw table.fault("follow", "needs 'page', the page that has the link") }
            if !rule.path.slots.isEmpty || rule.path.source.contains("?") {
                throw table.fault("follow", "must be a path without a query or templates: the page has the rest")
            }
        }
        try checkSlots(rule, table, isLogin: key == "login")
        if rule.response.pending != nil, rule.slots.contains(.code) {
            throw table.fault("pending", "cannot be used with {otp}: a code works once, and this request is sent again")
        }
        if mayTake, rule.slots.contains(.csrf) {
            throw table.fault(nil, "{csrf} is allowed only in requests that are sent with the session")
        }
        if key != "login", rule.slots.contains(.code) { throw table.fault(nil, "{otp} is allowed only in 'login'") }
        return rule
    }

    func session(in profile: StrictTable) throws(UsageFault) -> SessionRule? {
        try profile.table("session").map { (table) throws(UsageFault) in
            try SessionDecoder(requests: self, templates: templates).session(table)
        }
    }

    /// A path of the profile that no template is filled into.
    func plainPath(_ key: String, in table: StrictTable) throws(UsageFault) -> String? {
        guard let text = try table.string(key) else { return nil }
        let path = try path(text, key, table)
        guard path.slots.isEmpty else { throw table.fault(key, "must be a path without templates") }
        return path.parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    private func target(_ table: StrictTable, of key: String) throws(UsageFault) -> (method: String, path: Template) {
        let keys = ["get", "post", "send"] + (key == "login" ? [] : ["follow"])
        let supplied = keys.filter { table.value($0) != nil }
        guard supplied.count == 1, let text = try table.string(supplied[0]) else {
            let methods = key == "logout" ? "'get', 'post', 'send' and 'follow'" : "'get', 'post' and 'send'"
            throw table.fault(nil, "must have exactly one of \(methods)")
        }
        if supplied[0] == "follow" { return ("GET", try path(text, "follow", table)) }
        if supplied[0] != "send" { return (supplied[0].uppercased(), try path(text, supplied[0], table)) }
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, words[0].utf8.allSatisfy({ (65...90).contains($0) }) else {
            throw table.fault("send", "must be a method in capitals and a path, such as \"PROPFIND /\"")
        }
        return (words[0], try path(words[1], "send", table))
    }

    /// Starts with a slash, so that what is appended to the origin can never become part of it.
    private func path(_ text: String, _ key: String, _ table: StrictTable) throws(UsageFault) -> Template {
        guard text.hasPrefix("/") else { throw table.fault(key, "must start with '/'") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw table.fault(key, "contains a blank or a character that a URL cannot have; write it as %XX")
        }
        guard !text.contains("#") else { throw table.fault(key, "contains a '#', which is never sent") }
        return try templates.template(text, key, table)
    }

    /// A URL that the response has, or an earlier one.
    private func openedPage(_ table: StrictTable) throws(UsageFault) -> RequestRule.OpenedPage? {
        guard let text = try table.string("open") else {
            if table.value("origins") != nil { throw table.fault("origins", "needs 'open'") }
            return nil
        }
        let url = try templates.template(text, "open", table)
        let isTaken = url.slots.allSatisfy { if case .taken = $0 { true } else { false } }
        guard isTaken, !url.slots.isEmpty else {
            throw table.fault("open", "must have the URL in values that 'take' names, such as \"{login-url}\"")
        }
        return RequestRule.OpenedPage(url: url, origins: try table.strings("origins"))
    }

    private func page(_ rule: RequestRule, _ table: StrictTable) throws(UsageFault) -> String? {
        guard let path = try plainPath("page", in: table) else { return nil }
        guard rule.followsLink || !RequestRule.onlyReads(rule.method) else {
            throw table.fault("page", "cannot be used with '\(rule.method.lowercased())', which sends no form")
        }
        return path
    }

    private func content(_ table: StrictTable) throws(UsageFault) -> RequestRule.Content {
        let supplied = ["form", "json", "body"].filter { table.value($0) != nil }
        if supplied.count > 1 { throw table.fault(supplied[1], "cannot be used with '\(supplied[0])'") }
        switch supplied.first {
        case "form": return .form(try templates.parameters("form", in: table))
        case "json": return .json(try templates.json("json", in: table))
        case "body": return .body(try table.string("body") ?? "")
        default: return .none
        }
    }

    /// A header of the login may have the password, for services that want it there. Nothing that is typed as a secret gets into a URL.
    private func checkSlots(_ rule: RequestRule, _ table: StrictTable, isLogin: Bool) throws(UsageFault) {
        let slots = rule.urlSlots + rule.headers.flatMap(\.slots).filter { !isLogin && $0 == .password }
        if let slot = slots.first(where: \.isTypedSecret) {
            let places = slot == .password ? "'form' and 'json'" : "'form', 'json' and 'header'"
            throw table.fault(nil, "{\(slot.name)} is allowed only in \(places)")
        }
        if rule.urlSlots.contains(.code) {
            throw table.fault(nil, "{otp} is allowed only in 'form', 'json' and 'header'")
        }
        if rule.path.slots.contains(.csrf) { throw table.fault(nil, "{csrf} is not allowed in a path") }
        for case .secret(let label) in rule.slots {
            try table.check(secretLabel: label, at: nil)
        }
    }
}

/// Reads how the session of a profile is sent.
struct SessionDecoder {
    static let keys = ["header", "write-header", "cookies", "basic", "form", "json", "csrf"]
    static let csrfKeys = ["get", "header", "value", "stale"]

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
        if let slot = rule.slots.first(where: { $0 == .password || $0 == .code }) {
            throw table.fault(nil, "{\(slot.name)} is allowed only in 'form' and 'json' of a request")
        }
        for case .secret(let label) in rule.slots { try table.check(secretLabel: label, at: nil) }
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
        let headers = try templates.headers("header", in: inner)
        if !headers.allSatisfy(\.slots.isEmpty) { throw inner.fault("header", "must be a header without templates") }
        switch (try requests.plainPath("get", in: inner), try rules.conditions("stale", in: inner)) {
        case (let path?, nil): return CSRFRule(source: .fetched(path: path, headers: headers), value: value)
        case (nil, _?) where !headers.isEmpty: throw inner.fault("header", "needs 'get'")
        case (nil, let stale?): return CSRFRule(source: .told(by: stale), value: value)
        case (nil, nil), (_?, _?): throw inner.fault(nil, "must have exactly one of 'get' and 'stale'")
        }
    }
}

/// Reads the templates of a profile's requests.
struct TemplateDecoder {
    /// The names in all tables 'take' of the profile.
    let taken: Set<String>

    func parameters(_ key: String, in table: StrictTable) throws(UsageFault) -> [RequestRule.Parameter] {
        guard let inner = try table.table(key) else { return [] }
        var parameters: [RequestRule.Parameter] = []
        for name in inner.keys {
            for text in try inner.strings(name) {
                parameters.append(RequestRule.Parameter(name: name, value: try template(text, name, inner)))
            }
        }
        return parameters
    }

    /// - Parameter names: whether a name may end in what 'take' names.
    func headers(_ key: String, in table: StrictTable, names: Bool = false) throws(UsageFault) -> [HeaderRule] {
        try table.strings(key).map { (line) throws(UsageFault) in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let name = try name(parts[0], key, table), names || name.slots.isEmpty else {
                throw table.fault(key, "must be \"Name: value\"")
            }
            let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                throw table.fault(key, "contains a control character")
            }
            return HeaderRule(name: name, value: try template(value, key, table))
        }
    }

    /// - Returns: `nil` for a name that no header can have.
    private func name(_ text: String, _ key: String, _ table: StrictTable) throws(UsageFault) -> Template? {
        let name = try template(text, key, table)
        for (index, part) in name.parts.enumerated() {
            switch part {
            case .text(let text): if !text.isHeaderName { return nil }
            case .slot(.taken), .decoded(.taken): if index == 0 { return nil }
            case .slot, .decoded: return nil
            }
        }
        return name.parts.isEmpty ? nil : name
    }

    func json(_ key: String, in table: StrictTable) throws(UsageFault) -> JSONTemplate {
        guard let value = table.value(key) else { return .null }
        return try json(value, key, table)
    }

    private func json(_ value: ConfigValue, _ key: String, _ table: StrictTable) throws(UsageFault) -> JSONTemplate {
        switch value {
        // TOML has no null.
        case .string("{null}"): return .null
        case .string(let text): return .string(try template(text, key, table))
        case .integer(let number): return .integer(number)
        case .number(let number):
            guard number.isFinite else { throw table.fault(key, "JSON has neither 'inf' nor 'nan'") }
            return .number(number)
        case .bool(let flag): return .bool(flag)
        case .array(let elements):
            return .array(try elements.map { (element) throws(UsageFault) in try json(element, key, table) })
        case .table(let members):
            let fields = members.sorted { $0.key < $1.key }
            return .object(
                try fields.map { (name, member) throws(UsageFault) in
                    JSONTemplate.Member(name: name, value: try json(member, "\(key).\(name)", table))
                })
        case .unsupported(let type): throw table.fault(key, "JSON has no \(type); write it as a string")
        }
    }

    func template(_ text: String, _ key: String, _ table: StrictTable) throws(UsageFault) -> Template {
        do {
            return try Template(parsing: text, taken: taken)
        } catch .unknownSlot(let name) {
            throw table.fault(key, "there is no {\(name)}; write a literal brace as '{{'")
        } catch {
            throw table.fault(key, "'{' without '}'; write a literal brace as '{{'")
        }
    }
}
