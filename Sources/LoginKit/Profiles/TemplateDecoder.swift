import LoginCore

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
        var rules: [HeaderRule] = []
        for line in try table.strings(key) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let name = try name(parts[0], key, table), names || name.slots.isEmpty else {
                throw table.fault(key, "must be \"Name: value\"")
            }
            let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                throw table.fault(key, "contains a control character")
            }
            rules.append(HeaderRule(name: name, value: try template(value, key, table)))
        }
        return rules
    }

    /// - Returns: `nil` for a name that no header can have.
    private func name(_ text: String, _ key: String, _ table: StrictTable) throws(UsageFault) -> Template? {
        let name = try template(text, key, table)
        for (index, part) in name.parts.enumerated() {
            switch part {
            case .text(let text): if !text.isHeaderName { return nil }
            case .slot(.taken): if index == 0 { return nil }
            case .slot: return nil
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
        case .string(let text): return .string(try template(text, key, table))
        case .integer(let number): return .integer(number)
        case .number(let number):
            guard number.isFinite else { throw table.fault(key, "JSON has neither 'inf' nor 'nan'") }
            return .number(number)
        case .bool(let flag): return .bool(flag)
        case .array(let elements):
            var templates: [JSONTemplate] = []
            for element in elements { templates.append(try json(element, key, table)) }
            return .array(templates)
        case .table(let members):
            var fields: [JSONTemplate.Member] = []
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                fields.append(JSONTemplate.Member(name: name, value: try json(member, "\(key).\(name)", table)))
            }
            return .object(fields)
        case .unsupported(let type): throw table.fault(key, "JSON has no \(type); write it as a string")
        }
    }

    func template(_ text: String, _ key: String, _ table: StrictTable) throws(UsageFault) -> Template {
        do throws(Template.Malformed) {
            return try Template(parsing: text, taken: taken)
        } catch .unknownSlot(let name) {
            throw table.fault(key, "there is no {\(name)}; write a literal brace as '{{'")
        } catch {
            throw table.fault(key, "'{' without '}'; write a literal brace as '{{'")
        }
    }
}
