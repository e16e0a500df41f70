import LoginCore

/// Reads the table `serve` of a profile.
struct ServeDecoder {
    static let keys = ["allow", "ask", "deny", "log", "overrides"]

    func settings(in profile: StrictTable) throws(UsageFault) -> ServeSettings {
        var settings = ServeSettings()
        guard let table = try profile.table("serve") else { return settings }
        try table.allow(Self.keys)
        settings.rules.allow = try rules("allow", table)
        settings.rules.ask = try rules("ask", table)
        settings.rules.deny = try rules("deny", table)
        guard settings.rules.count <= ServeRuleSet.most else {
            throw table.fault(nil, "has more than \(ServeRuleSet.most) rules")
        }
        settings.hasLog = try table.bool("log") ?? false
        settings.searchesBodies = try table.bool("overrides") ?? true
        return settings
    }

    private func rules(_ key: String, _ table: StrictTable) throws(UsageFault) -> [ServeRule] {
        if let value = table.value(key), case .array = value {
        } else if table.value(key) != nil {
            throw table.fault(key, "must be a list of rules, such as [\"GET /**\"]")
        }
        var rules: [ServeRule] = []
        for (index, text) in try table.strings(key).enumerated() {
            do throws(ServeRuleFault) {
                rules.append(try ServeRule(text))
            } catch {
                throw table.fault("\(key)[\(index + 1)]", error.words)
            }
        }
        return rules
    }
}
