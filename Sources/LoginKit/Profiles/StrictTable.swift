/// A table of a configuration file that is read strictly: a key that nobody knows and a value of another type are
/// errors, which name the file and the key's path.
package struct StrictTable {
    let file: String
    /// From the top of the file, such as `profiles.blog.login`.
    private(set) var path: String
    package private(set) var members: [String: ConfigValue]
    /// The folder that relative paths count from, and the one that `~` stands for.
    var folder = "/", home: String?
    /// The names in all tables `take` of the profile.
    var taken: Set<String> = []

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

    var entries: [Entry] { keys.compactMap { self[$0] } }

    /// - Returns: `nil` where the table does not have the key.
    subscript(key: String) -> Entry? { members[key].map { Entry(key: key, value: $0, table: self) } }

    /// Reads every key that is there, in the order of `keys`.
    /// - Throws: `UsageFault.badConfig` for a key that is not in `keys`, with the nearest that is.
    func read<Whole>(_ keys: [ConfigKey<Whole>], into whole: inout Whole) throws(UsageFault) {
        try allow(keys.map(\.name))
        for key in keys {
            guard let entry = self[key.name] else { continue }
            if let other = key.excludes.first(where: { members[$0] != nil }) {
                throw entry.fault("cannot be used with '\(other)'")
            }
            if let needed = key.needs, members[needed] == nil { throw entry.fault("needs '\(needed)'") }
            try key.read(entry, &whole)
        }
    }

    private func allow(_ known: [String]) throws(UsageFault) {
        for key in keys where !known.contains(key) {
            var hint = known.nearest(to: key).first.map { "; did you mean '\($0)'?" }
            // At the top of config.toml.
            if case .table? = members[key], known.contains("profiles") {
                hint = hint ?? "; the heading of a profile is [profiles.NAME]"
            }
            throw fault(key, "unknown key\(hint ?? "")")
        }
    }

    fileprivate func inner(_ members: [String: ConfigValue], _ key: String) -> StrictTable {
        var inner = self
        (inner.members, inner.path) = (members, pathOf(key))
        return inner
    }

    func fault(_ key: String?, _ problem: String) -> UsageFault {
        let place = key.map(pathOf) ?? path
        return .badConfig(file: file, path: place.isEmpty ? nil : place, line: nil, problem: problem)
    }

    /// - Throws: the problem of a key, or of the whole table where the key is `nil`, if `isWrong`.
    func refuse(_ key: String?, _ problem: @autoclosure () -> String, if isWrong: Bool) throws(UsageFault) {
        if isWrong { throw fault(key, problem()) }
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
}

/// The value of one key in a table, to be read as one of the types that a value may have.
struct Entry {
    /// A function of an entry, such as `Entry.string`.
    typealias Reader<Value> = @Sendable (Entry) -> () throws(UsageFault) -> Value

    let key: String
    let value: ConfigValue
    let table: StrictTable

    /// One that belongs to it, which `table` has under another key or none.
    func part(_ value: ConfigValue, _ name: String? = nil) -> Entry {
        Entry(key: name.map { "\(key).\($0)" } ?? key, value: value, table: table)
    }

    func fault(_ problem: String) -> UsageFault { table.fault(key, problem) }

    func wrongType(_ expected: String) -> UsageFault { fault("must be \(expected), not \(value.kind)") }

    func string() throws(UsageFault) -> String {
        guard case .string(let text) = value else { throw wrongType("a string") }
        return text
    }

    /// A text that is sent unchanged: one line without control characters.
    func line() throws(UsageFault) -> String {
        let text = try string()
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
        else { throw fault("is empty or contains a control character") }
        return text
    }

    func bool() throws(UsageFault) -> Bool {
        guard case .bool(let flag) = value else { throw wrongType("true or false") }
        return flag
    }

    static func integer(in range: ClosedRange<Int64>) -> Reader<Int> {
        { entry in
            { () throws(UsageFault) in
                guard case .integer(let number) = entry.value else { throw entry.wrongType("an integer") }
                guard range.contains(number) else {
                    throw entry.fault("must be from \(range.lowerBound) to \(range.upperBound)")
                }
                return Int(number)
            }
        }
    }

    /// One of the words that a type has for its cases.
    func choice<Choice>() throws(UsageFault) -> Choice
    where Choice: CaseIterable & RawRepresentable, Choice.RawValue == String {
        let name = try string()
        guard let choice = Choice(rawValue: name) else {
            throw fault("'\(name)' is not one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    func inner() throws(UsageFault) -> StrictTable {
        guard case .table(let members) = value else { throw wrongType("a table") }
        return table.inner(members, key)
    }

    /// A table, or a list of tables.
    func inners() throws(UsageFault) -> [StrictTable] {
        guard case .array(let elements) = value else { return [try inner()] }
        var tables: [StrictTable] = []
        for (number, element) in elements.enumerated() {
            guard case .table(let members) = element else {
                throw part(element).wrongType("a table or a list of tables")
            }
            tables.append(table.inner(members, "\(key)[\(number + 1)]"))
        }
        if tables.isEmpty { throw fault("is an empty list") }
        return tables
    }

    /// A text, or a list of texts.
    func strings() throws(UsageFault) -> [String] {
        if case .string(let text) = value { return [text] }
        guard case .array(let elements) = value else { throw wrongType("a string or a list of strings") }
        return try elements.map { (element) throws(UsageFault) in
            guard case .string(let text) = element else {
                throw part(element).wrongType("a string or a list of strings")
            }
            return text
        }
    }

    /// The name of a store.
    func store() throws(UsageFault) -> String {
        let name = try string()
        if name != "auto", StoreName(name) == nil { throw fault("there is no store '\(name)'") }
        return name
    }

    func url() throws(UsageFault) -> String {
        let text = try string()
        if let problem = ProfileURL(text: text).problem { throw fault(problem) }
        return text
    }

    func absoluteFile() throws(UsageFault) -> String { try Paths.absolute(string()) }

    /// A file, relative to the folder of the configuration; `~/` is understood.
    func file() throws(UsageFault) -> String {
        let path = try line()
        if path.hasPrefix("~/"), let home = table.home { return home + path.dropFirst(1) }
        return path.hasPrefix("/") ? path : "\(table.folder)/\(path)"
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
