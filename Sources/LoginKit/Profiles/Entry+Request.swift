extension StrictTable {
    /// The request that stands behind a key of the profile.
    func request(_ name: String) throws(UsageFault) -> RequestRule {
        var rule = RequestRule(method: "GET", path: Template(parts: []))
        try read(ProfileKeys.request.filter { $0.owners?.contains(name) ?? true }, into: &rule)
        try check(targets: ["get", "post", "send"] + (name == "logout" ? ["follow"] : []))
        try refuse(
            "page", "cannot be used with '\(rule.method.lowercased())', which sends no form",
            if: rule.page != nil && !rule.followsLink && RequestRule.onlyReads(rule.method))
        if rule.followsLink {
            try refuse("follow", "needs 'page', the page that has the link", if: rule.page == nil)
            try refuse(
                "follow", "must be a path without a query or templates: the page has the rest",
                if: !rule.path.slots.isEmpty || rule.path.source.contains("?"))
        }
        try checkSlots(rule, isLogin: name == "login")
        try refuse(
            "pending", "cannot be used with {otp}: a code works once, and this request is sent again",
            if: rule.response.pending != nil && rule.slots.contains(.code))
        try refuse(
            nil, "{csrf} is allowed only in requests that are sent with the session",
            if: ["login", "refresh"].contains(name) && rule.slots.contains(.csrf))
        try refuse(nil, "{otp} is allowed only in 'login'", if: name != "login" && rule.slots.contains(.code))
        return rule
    }

    /// Checks that one of these is there.
    fileprivate func check(targets: [String]) throws(UsageFault) {
        let names = targets.map { "'\($0)'" }, last = names[names.count - 1]
        try refuse(
            nil, "must have exactly one of \(names.dropLast().joined(separator: ", ")) and \(last)",
            if: targets.count { members[$0] != nil } != 1)
    }

    /// A header of the login may have the password, for services that want it there. Nothing that is typed as a secret gets into a URL.
    private func checkSlots(_ rule: RequestRule, isLogin: Bool) throws(UsageFault) {
        let slots = rule.urlSlots + rule.headers.flatMap(\.slots).filter { !isLogin && $0 == .password }
        if let slot = slots.first(where: \.isTypedSecret) {
            let places = slot == .password ? "'form' and 'json'" : "'form', 'json' and 'header'"
            throw fault(nil, "{\(slot.name)} is allowed only in \(places)")
        }
        try refuse(
            nil, "{otp} is allowed only in 'form', 'json' and 'header'", if: rule.urlSlots.contains(.code))
        try refuse(nil, "{csrf} is not allowed in a path", if: rule.path.slots.contains(.csrf))
        for case .secret(let label) in rule.slots { try check(secretLabel: label, at: nil) }
    }
}

/// The requests of a profile, and how its session is sent.
extension Entry {
    private static let mostSteps = 16

    func request() throws(UsageFault) -> RequestRule { try inner().request(key) }

    func refuseLoggedIn(_: inout RequestRule) throws(UsageFault) { throw fault("is only for 'verify'") }

    func refuseFollow(_: inout RequestRule) throws(UsageFault) { throw fault("is only for 'login' and 'logout'") }

    /// One request, or a list of them.
    func steps() throws(UsageFault) -> [RequestRule] {
        let rules = try inners().map { (table) throws(UsageFault) in try table.request(key) }
        for (number, rule) in rules.enumerated() where rules.count > 1 && rule.slots.contains(.code) {
            let guards = [rule] + (number > 0 ? [rules[number - 1]] : [])
            if !guards.contains(where: { $0.response.secondFactor != nil }) {
                throw fault("uses {otp} in step \(number + 1), and the step before it has no 'second-factor'")
            }
        }
        if rules.count > Self.mostSteps { throw fault("has more than \(Self.mostSteps) steps") }
        return rules
    }

    /// Starts with a slash, so that what is appended to the origin can never become part of it.
    func path() throws(UsageFault) -> Template { try path(string()) }

    private func path(_ text: String) throws(UsageFault) -> Template {
        guard text.hasPrefix("/") else { throw fault("must start with '/'") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw fault("contains a blank or a character that a URL cannot have; write it as %XX")
        }
        guard !text.contains("#") else { throw fault("contains a '#', which is never sent") }
        return try template(text)
    }

    /// A path of the profile that no template is filled into.
    func plainPath() throws(UsageFault) -> String {
        let path = try path()
        guard path.slots.isEmpty else { throw fault("must be a path without templates") }
        return path.parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    func methodAndPath() throws(UsageFault) -> (method: String, path: Template) {
        let words = try string().split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, words[0].utf8.allSatisfy({ (65...90).contains($0) }) else {
            throw fault("must be a method in capitals and a path, such as \"PROPFIND /\"")
        }
        return (words[0], try path(words[1]))
    }

    /// A URL that the response has, or an earlier one.
    func openedPage() throws(UsageFault) -> RequestRule.OpenedPage {
        let url = try template(string())
        let isTaken = url.slots.allSatisfy { if case .taken = $0 { true } else { false } }
        guard isTaken, !url.slots.isEmpty else {
            throw fault("must have the URL in values that 'take' names, such as \"{login-url}\"")
        }
        return RequestRule.OpenedPage(url: url, origins: [])
    }

    func session() throws(UsageFault) -> SessionRule {
        let table = try inner()
        var rule = SessionRule()
        try table.read(ProfileKeys.session, into: &rule)
        if let slot = rule.slots.first(where: { $0 == .password || $0 == .code }) {
            throw table.fault(nil, "{\(slot.name)} is allowed only in 'form' and 'json' of a request")
        }
        for case .secret(let label) in rule.slots { try table.check(secretLabel: label, at: nil) }
        try table.refuse(nil, "is empty", if: rule == SessionRule())
        return rule
    }

    func basic() throws(UsageFault) -> SessionRule.BasicRule {
        let pair = try string()
        // The colon that separates the two is the first of the text, as in the pair itself.
        guard let colon = pair.firstIndex(of: ":") else {
            throw fault("must be a user name and a password with a colon between them")
        }
        let username = try template(String(pair[..<colon]))
        let password = try template(String(pair[pair.index(after: colon)...]))
        if (username.slots + password.slots).contains(.csrf) { throw fault("cannot use {csrf}") }
        return SessionRule.BasicRule(username: username, password: password)
    }

    func members() throws(UsageFault) -> [JSONTemplate.Member] {
        guard case .object(let members) = try json() else { throw fault("must be a table") }
        if let name = members.first(where: { $0.name.hasPrefix("/") && $0.arrayName == nil })?.name {
            throw fault("'\(name)' must be '/NAME/0', for what is put first in the array NAME")
        }
        return members
    }

    func csrf() throws(UsageFault) -> CSRFRule {
        let table = try inner()
        var rule = CSRFRule(source: .told(by: []), value: .text)
        try table.read(ProfileKeys.csrf, into: &rule)
        try table.refuse("value", "is missing", if: table["value"] == nil)
        try table.check(targets: ["get", "stale"])
        return rule
    }

    func parameters() throws(UsageFault) -> [RequestRule.Parameter] {
        var parameters: [RequestRule.Parameter] = []
        for entry in try inner().entries {
            for text in try entry.strings() {
                parameters.append(RequestRule.Parameter(name: entry.key, value: try entry.template(text)))
            }
        }
        return parameters
    }

    func headers() throws(UsageFault) -> [HeaderRule] { try headers { $0.slots.isEmpty } }

    /// Headers whose names may end in what 'take' names.
    func filledHeaders() throws(UsageFault) -> [HeaderRule] { try headers { _ in true } }

    func plainHeaders() throws(UsageFault) -> [HeaderRule] {
        let headers = try headers()
        if !headers.allSatisfy(\.slots.isEmpty) { throw fault("must be a header without templates") }
        return headers
    }

    private func headers(_ isName: (Template) -> Bool) throws(UsageFault) -> [HeaderRule] {
        try strings().map { (line) throws(UsageFault) in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let name = try headerName(parts[0]), isName(name) else {
                throw fault("must be \"Name: value\"")
            }
            let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                throw fault("contains a control character")
            }
            return HeaderRule(name: name, value: try template(value))
        }
    }

    /// - Returns: `nil` for a name that no header can have.
    private func headerName(_ text: String) throws(UsageFault) -> Template? {
        let name = try template(text)
        for (index, part) in name.parts.enumerated() {
            switch part {
            case .text(let text): if !text.isHeaderName { return nil }
            case .slot(.taken), .decoded(.taken): if index == 0 { return nil }
            case .slot, .decoded: return nil
            }
        }
        return name.parts.isEmpty ? nil : name
    }

    func json() throws(UsageFault) -> JSONTemplate {
        switch value {
        // TOML has no null.
        case .string("{null}"): return .null
        case .string(let text): return .string(try template(text))
        case .integer(let number): return .integer(number)
        case .number(let number):
            guard number.isFinite else { throw fault("JSON has neither 'inf' nor 'nan'") }
            return .number(number)
        case .bool(let flag): return .bool(flag)
        case .array(let elements):
            return .array(try elements.map { (element) throws(UsageFault) in try part(element).json() })
        case .table(let members):
            let fields = members.sorted { $0.key < $1.key }
            return .object(
                try fields.map { (name, member) throws(UsageFault) in
                    JSONTemplate.Member(name: name, value: try part(member, name).json())
                })
        case .unsupported(let type): throw fault("JSON has no \(type); write it as a string")
        }
    }

    private func template(_ text: String) throws(UsageFault) -> Template {
        do {
            return try Template(parsing: text, taken: table.taken)
        } catch .unknownSlot(let name) {
            throw fault("there is no {\(name)}; write a literal brace as '{{'")
        } catch {
            throw fault("'{' without '}'; write a literal brace as '{{'")
        }
    }
}
