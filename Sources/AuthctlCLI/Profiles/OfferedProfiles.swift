import LoginCore

/// The profiles in a file that comes from others.
struct OfferedProfiles {
    let profiles: [(name: String, table: StrictTable)]

    init(_ file: String, name: String?) throws(UsageFault) {
        guard let top = try ProfileBook.table(file) else {
            throw .badConfig(file: file, path: nil, line: nil, problem: "there is no such file")
        }
        guard let tables = try top.table("profiles") else {
            guard let name else { throw top.fault(nil, "has no [profiles.NAME] table; give the profile a --name") }
            try ProfileName.check(name, file: file)
            profiles = [(name, top)]
            return
        }
        // Other keys at the top are the author's own choices, and not taken.
        var found: [(name: String, table: StrictTable)] = []
        for key in tables.keys {
            if let table = try tables.table(key) { found.append((key, table)) }
        }
        if let name {
            guard found.count == 1 else { throw top.fault("profiles", "has several profiles; --name is for one") }
            found = [(name, found[0].table)]
        }
        for profile in found { try ProfileName.check(profile.name, file: file) }
        profiles = found
    }
}

extension StrictTable {
    /// The keys that can run programs or weaken trust.
    private static let riskyKeys = ["password-command", "proxy", "ca-file", "certificate", "key", "allow-http"]

    private func isRisky(_ key: String) -> Bool {
        if Self.riskyKeys.contains(key) { return true }
        guard key == "store", case .string(let store) = value(key) else { return false }
        return store.hasPrefix("helper:")
    }

    var risks: [String] {
        keys.filter(isRisky).map { key in
            switch value(key) {
            case .string(let text): "\(key) = \(text)"
            case .bool(let flag): "\(key) = \(flag)"
            case .integer, .number, .array, .table, .unsupported, nil: key
            }
        }
    }

    var withoutRisks: [String: ConfigValue] {
        members.filter { !isRisky($0.key) }
    }
}
