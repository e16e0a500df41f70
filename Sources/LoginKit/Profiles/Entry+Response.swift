/// The rules of a profile for a response.
extension Entry {
    /// The names that a request gives to parts of its response, with their places.
    func taken() throws(UsageFault) -> [ResponseRule.Taken] {
        try inner().entries.map { (entry) throws(UsageFault) in
            let name = entry.key
            let isName = name.utf8.allSatisfy(ConfigScan.isBare) && name.utf8.count <= 40 && name == name.lowercased()
            guard isName, name.first?.isLetter == true, Template.Slot(name) == nil, name != "null" else {
                throw entry.fault("must be a name of its own, of small letters, digits, '-' and '_'")
            }
            return ResponseRule.Taken(name: name, place: try entry.cutPlace())
        }
    }

    /// A place, or a place and what lies there between two texts.
    func cutPlace() throws(UsageFault) -> Place {
        guard case .array(let elements) = value else { return try place() }
        guard elements.count == 2, case .string = elements[0], case .string(let cut) = elements[1] else {
            throw fault("must be a place, or a list of a place and \"BEFORE*AFTER\"")
        }
        let place = try part(elements[0]).place()
        let halves = cut.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2, cut != "*" else {
            throw fault("must have one '*' for what is meant, and text before or after it")
        }
        return .between(place, before: halves[0], after: halves[1])
    }

    func place() throws(UsageFault) -> Place { try place(string()) }

    private func place(_ text: String) throws(UsageFault) -> Place {
        guard let place = Place(text) else {
            throw fault(
                "must be '/json/pointer', 'header:NAME', 'cookie:NAME', 'form:NAME', 'xml:/PATH' or 'text'")
        }
        return place
    }

    /// The conditions that prove a login at verify.
    func loggedIn() throws(UsageFault) -> [Condition] {
        let conditions = try conditions()
        for status in conditions.compactMap(\.status) where ResponseRule.provesNoLogin(status) {
            throw fault("\(status) never proves a login")
        }
        return conditions
    }

    /// Rules at the top of a profile are for a person's own requests, where no verify has them.
    func readLoggedOut(_ profile: inout Profile) throws(UsageFault) { try readRules(&profile) { $0.loggedOut = $1 } }

    func readForbidden(_ profile: inout Profile) throws(UsageFault) { try readRules(&profile) { $0.forbidden = $1 } }

    private func readRules(
        _ profile: inout Profile, _ place: (inout ResponseRule, [Condition]) -> Void
    ) throws(UsageFault) {
        guard case .loginResponse(var rules) = profile.proof else { throw fault("belongs in 'verify'") }
        place(&rules, try conditions())
        profile.proof = .loginResponse(rules)
    }

    func conditions() throws(UsageFault) -> [Condition] {
        guard case .array(let elements) = value else { throw wrongType("a list of statuses and tables") }
        return try elements.map { (element) throws(UsageFault) in try part(element).condition() }
    }

    private func condition() throws(UsageFault) -> Condition {
        switch value {
        case .integer(let status): return Condition(status: try self.status(status))
        case .table(let members):
            var condition = Condition()
            for (name, pattern) in members.sorted(by: { $0.key < $1.key }) {
                if name == "status", case .integer(let status) = pattern {
                    condition.status = try self.status(status)
                    continue
                }
                let entry = part(pattern, name)
                condition.places.append(
                    Condition.PlacePattern(place: try entry.place(name), pattern: TextPattern(try entry.text())))
            }
            if condition == Condition() { throw fault("an empty table would match every response") }
            return condition
        case .string, .number, .bool, .array, .unsupported:
            throw fault("must be a list of statuses and tables; \(value.kind) is neither")
        }
    }

    private func status(_ number: Int64) throws(UsageFault) -> Int {
        guard (100...599).contains(number) else { throw fault("\(number) is not an HTTP status") }
        return Int(number)
    }

    private func text() throws(UsageFault) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .bool(let flag): return String(flag)
        case .number, .array, .table, .unsupported: throw fault("must be a string, an integer, true or false")
        }
    }
}
