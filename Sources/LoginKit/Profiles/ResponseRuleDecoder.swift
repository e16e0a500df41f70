/// Reads what a profile says of an answer.
struct ResponseRuleDecoder {
    func answer(_ table: StrictTable) throws(UsageFault) -> ResponseRule {
        var rule = ResponseRule()
        rule.refused = try conditions("refused", in: table)
        rule.loggedOut = try conditions("logged-out", in: table)
        rule.loggedIn = try loggedIn(table)
        rule.forbidden = try conditions("forbidden", in: table)
        rule.secondFactor = try conditions("second-factor", in: table)
        rule.pending = try conditions("pending", in: table)
        rule.interval = try table.integer("interval", in: 1...60) ?? rule.interval
        rule.message = try value("message", in: table)
        rule.username = try value("username", in: table)
        rule.token = try place("token", in: table)
        rule.refreshToken = try place("refresh-token", in: table)
        rule.expiry = try expiry(table)
        rule.taken = try taken(table)
        return rule
    }

    /// The names that a request gives to parts of its response.
    static func takenNames(_ table: StrictTable) throws(UsageFault) -> [String] { try table.table("take")?.keys ?? [] }

    private func taken(_ table: StrictTable) throws(UsageFault) -> [ResponseRule.Taken] {
        guard let inner = try table.table("take") else { return [] }
        var taken: [ResponseRule.Taken] = []
        for name in inner.keys {
            let isName = name.utf8.allSatisfy(ConfigScan.isBare) && name.utf8.count <= 40 && name == name.lowercased()
            guard isName, name.first?.isLetter == true, Template.Slot(name) == nil, name != "null" else {
                throw inner.fault(name, "must be a name of its own, of small letters, digits, '-' and '_'")
            }
            guard let place = try value(name, in: inner) else { continue }
            taken.append(ResponseRule.Taken(name: name, place: place))
        }
        return taken
    }

    /// A place, or a place and what lies there between two texts.
    func value(_ key: String, in table: StrictTable) throws(UsageFault) -> Place? {
        guard case .array(let elements) = table.value(key) else { return try place(key, in: table) }
        guard elements.count == 2, case .string(let text) = elements[0], case .string(let cut) = elements[1] else {
            throw table.fault(key, "must be a place, or a list of a place and \"BEFORE*AFTER\"")
        }
        guard let place = Place(text) else { throw table.fault(key, Self.placeForms) }
        let halves = cut.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2, cut != "*" else {
            throw table.fault(key, "must have one '*' for what is meant, and text before or after it")
        }
        return .between(place, before: halves[0], after: halves[1])
    }

    /// Reads the rules at the top of a profile, for a person's own requests.
    func requestRules(_ profile: StrictTable) throws(UsageFault) -> ResponseRule {
        ResponseRule(
            loggedOut: try conditions("logged-out", in: profile), forbidden: try conditions("forbidden", in: profile))
    }

    /// Reads the conditions that prove a login at verify.
    private func loggedIn(_ table: StrictTable) throws(UsageFault) -> [Condition]? {
        let conditions = try conditions("logged-in", in: table)
        for status in (conditions ?? []).compactMap(\.status) where ResponseRule.provesNoLogin(status) {
            throw table.fault("logged-in", "\(status) never proves a login")
        }
        return conditions
    }

    private func expiry(_ table: StrictTable) throws(UsageFault) -> ResponseRule.Expiry? {
        let supplied = ["expires", "expires-in", "expires-in-ms"].filter { table.value($0) != nil }
        if supplied.count > 1 { throw table.fault(supplied[1], "cannot be used with '\(supplied[0])'") }
        if let at = try place("expires", in: table) { return .at(at) }
        if let seconds = try place("expires-in", in: table) { return .inSeconds(seconds) }
        return try place("expires-in-ms", in: table).map { .inMilliseconds($0) }
    }

    private func place(_ key: String, in table: StrictTable) throws(UsageFault) -> Place? {
        guard let text = try table.string(key) else { return nil }
        guard let place = Place(text) else { throw table.fault(key, Self.placeForms) }
        return place
    }

    func conditions(_ key: String, in table: StrictTable) throws(UsageFault) -> [Condition]? {
        guard let value = table.value(key) else { return nil }
        guard case .array(let elements) = value else {
            throw table.fault(key, "must be a list of statuses and tables, not \(value.kind)")
        }
        return try elements.map { (element) throws(UsageFault) in try condition(element, key, table) }
    }

    private func condition(_ value: ConfigValue, _ key: String, _ table: StrictTable) throws(UsageFault) -> Condition {
        switch value {
        case .integer(let status):
            return Condition(status: try self.status(status, key, table))
        case .table(let members):
            var condition = Condition()
            for (name, pattern) in members.sorted(by: { $0.key < $1.key }) {
                if name == "status", case .integer(let status) = pattern {
                    condition.status = try self.status(status, key, table)
                    continue
                }
                guard let place = Place(name) else { throw table.fault("\(key).\(name)", Self.placeForms) }
                let text = try text(pattern, "\(key).\(name)", table)
                condition.places.append(Condition.PlacePattern(place: place, pattern: TextPattern(text)))
            }
            if condition == Condition() { throw table.fault(key, "an empty table would match every response") }
            return condition
        case .string, .number, .bool, .array, .unsupported:
            throw table.fault(key, "must be a list of statuses and tables; \(value.kind) is neither")
        }
    }

    private func status(_ number: Int64, _ key: String, _ table: StrictTable) throws(UsageFault) -> Int {
        guard (100...599).contains(number) else { throw table.fault(key, "\(number) is not an HTTP status") }
        return Int(number)
    }

    private func text(_ value: ConfigValue, _ key: String, _ table: StrictTable) throws(UsageFault) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .bool(let flag): return String(flag)
        case .number, .array, .table, .unsupported:
            throw table.fault(key, "must be a string, an integer, true or false")
        }
    }

    private static let placeForms =
        "must be '/json/pointer', 'header:NAME', 'cookie:NAME', 'form:NAME', 'xml:/PATH' or 'text'"
}
