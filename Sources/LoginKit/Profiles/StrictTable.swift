/// A table of a configuration file that is read strictly: a key that nobody knows and a value of another type are
/// errors, which name the file and the key's path.
package struct StrictTable {
    let file: String
    /// From the top of the file, such as `profiles.blog.login`.
    let path: String
    package let members: [String: ConfigValue]

    init(_ members: [String: ConfigValue], file: String, path: String) {
        self.members = members
        self.file = file
        self.path = path
    }

    /// A whole file.
    init(parsing text: String, file: String) throws(UsageFault) {
        guard case .table(let members) = try ConfigValue.parse(text, file: file) else {
            throw .badConfig(file: file, path: nil, line: nil, problem: "is not a table")
        }
        self.init(members, file: file, path: "")
    }

    var keys: [String] { members.keys.sorted() }

    /// - Throws: `UsageFault.badConfig` for a key that is not in `known`, with the nearest that is.
    func allow(_ known: [String]) throws(UsageFault) {
        for key in keys where !known.contains(key) {
            var hint = known.nearest(to: key).first.map { "; did you mean '\($0)'?" }
            // At the top of config.toml.
            if case .table? = members[key], known.contains("profiles") {
                hint = hint ?? "; the heading of a profile is [profiles.NAME]"
            }
            throw fault(key, "unknown key\(hint ?? "")")
        }
    }

    func value(_ key: String) -> ConfigValue? { members[key] }

    func string(_ key: String) throws(UsageFault) -> String? {
        guard let value = members[key] else { return nil }
        guard case .string(let text) = value else { throw wrongType(key, value, "a string") }
        return text
    }

    func bool(_ key: String) throws(UsageFault) -> Bool? {
        guard let value = members[key] else { return nil }
        guard case .bool(let flag) = value else { throw wrongType(key, value, "true or false") }
        return flag
    }

    func integer(_ key: String, in range: ClosedRange<Int64>) throws(UsageFault) -> Int? {
        guard let value = members[key] else { return nil }
        guard case .integer(let number) = value else { throw wrongType(key, value, "an integer") }
        guard range.contains(number) else {
            throw fault(key, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(number)
    }

    /// One of the words that a type has for its cases.
    func choice<Choice>(_ key: String) throws(UsageFault) -> Choice?
    where Choice: CaseIterable & RawRepresentable, Choice.RawValue == String {
        guard let name = try string(key) else { return nil }
        guard let choice = Choice(rawValue: name) else {
            throw fault(key, "'\(name)' is not one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    func table(_ key: String) throws(UsageFault) -> StrictTable? {
        guard let value = members[key] else { return nil }
        guard case .table(let inner) = value else { throw wrongType(key, value, "a table") }
        return StrictTable(inner, file: file, path: pathOf(key))
    }

    /// A table, or a list of tables; none where nothing is said.
    func tables(_ key: String) throws(UsageFault) -> [StrictTable] {
        guard case .array(let elements) = members[key] else { return try table(key).map { [$0] } ?? [] }
        var tables: [StrictTable] = []
        for (number, element) in elements.enumerated() {
            guard case .table(let inner) = element else { throw wrongType(key, element, "a table or a list of tables") }
            tables.append(StrictTable(inner, file: file, path: "\(pathOf(key))[\(number + 1)]"))
        }
        if tables.isEmpty { throw fault(key, "is an empty list") }
        return tables
    }

    /// A text, or a list of texts.
    func strings(_ key: String) throws(UsageFault) -> [String] {
        guard let value = members[key] else { return [] }
        if case .string(let text) = value { return [text] }
        guard case .array(let elements) = value else { throw wrongType(key, value, "a string or a list of strings") }
        return try elements.map { (element) throws(UsageFault) in
            guard case .string(let text) = element else {
                throw wrongType(key, element, "a string or a list of strings")
            }
            return text
        }
    }

    func fault(_ key: String?, _ problem: String) -> UsageFault {
        let place = key.map(pathOf) ?? path
        return .badConfig(file: file, path: place.isEmpty ? nil : place, line: nil, problem: problem)
    }

    /// - Parameter label: of `{secret:LABEL}`: it is shown at the prompt, and names what is stored.
    func check(secretLabel label: String, at key: String?) throws(UsageFault) {
        guard (1...60).contains(label.count), SafeText.escaped(label) == label else {
            throw fault(key, "{secret:…} needs a label of at most 60 plain characters")
        }
    }

    private func pathOf(_ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    private func wrongType(_ key: String, _ value: ConfigValue, _ expected: String) -> UsageFault {
        fault(key, "must be \(expected), not \(value.kind)")
    }
}

extension [String] {
    /// Those that differ from `name` by few letters or begin with it, the nearest first.
    package func nearest(to name: String) -> [String] {
        map { ($0, name.count > 2 && $0.hasPrefix(name) ? 0 : $0.editDistance(to: name)) }
            .filter { $0.1 <= Swift.max(2, name.count / 3) && $0.1 < name.count }
            .sorted { $0.1 < $1.1 }
            .map(\.0)
    }
}

extension String {
    /// The number of letters to insert, remove or replace to make `other` of it (Levenshtein).
    fileprivate func editDistance(to other: String) -> Int {
        let target = Array(other)
        var row = Array(0...target.count)
        for (index, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in target.indices {
                let substitution = diagonal + (target[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(substitution, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
