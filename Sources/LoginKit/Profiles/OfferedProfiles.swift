import Glibc
import Secrets

/// The profiles in a file that comes from others.
package struct OfferedProfiles {
    package private(set) var profiles: [(name: String, table: StrictTable)]
    /// Where they were fetched, for the head of what is written.
    package var origin: String?

    /// - Parameter name: of the profile, where the file has the keys of one, or in the place of what it says.
    package init(file: String, name: String?) throws(UsageFault) {
        guard let top = try Configuration.table(file) else {
            throw .badConfig(file: file, path: nil, line: nil, problem: "there is no such file")
        }
        try self.init(top, name: name)
    }

    /// A preset for one service.
    /// - Parameter url: its base, or the URL of its MCP endpoint, which is what everybody has; `nil` for the preset's own.
    package init(_ preset: Presets.Preset, url: String?, name: String?) throws(UsageFault) {
        let preset = try OfferedProfiles(file: preset.file, name: name)
        profiles = preset.profiles.map { name, table in
            guard var url else { return (name, table) }
            if case .string(let endpoint) = table.members["mcp"], url.hasSuffix(endpoint) {
                url.removeLast(endpoint.count)
            }
            let members = table.members.merging(["url": .string(url)]) { _, new in new }
            return (name, StrictTable(members, file: table.file, path: table.path))
        }
    }

    /// Reads profiles that were fetched, or came by standard input.
    package init(_ bytes: Secret, from source: String, name: String?) throws(UsageFault) {
        guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .badConfig(file: source, path: nil, line: nil, problem: "is not UTF-8")
        }
        try self.init(try StrictTable(parsing: text, file: source), name: name)
    }

    private init(_ top: StrictTable, name: String?) throws(UsageFault) {
        let file = top.file
        guard let tables = try top["profiles"]?.inner() else {
            guard let name else { throw top.fault(nil, "has no [profiles.NAME] table; use --name") }
            try ProfileName.check(name, file: file)
            profiles = [(name, top)]
            return
        }
        // Other keys at the top are the author's own choices, and not taken.
        var found: [(name: String, table: StrictTable)] = []
        for key in tables.keys {
            if let table = try tables[key]?.inner() { found.append((key, table)) }
        }
        if found.isEmpty { throw top.fault("profiles", "has no profile") }
        if let name {
            guard found.count == 1 else { throw top.fault("profiles", "has several profiles; --name is for one") }
            found = [(name, found[0].table)]
        }
        for profile in found { try ProfileName.check(profile.name, file: file) }
        profiles = found
    }

    /// The keys that can run programs or weaken trust, each with its profile.
    package var risks: [String] {
        get throws(UsageFault) {
            var risks: [String] = []
            for (name, table) in profiles { risks += try table.risks().map { "\(name): \($0)" } }
            return risks
        }
    }

    /// The harmless keys that are left out with the risks: the rest of an `oauth` is of use to its server alone.
    package var consequences: [String] {
        profiles.filter { $0.table["oauth"] != nil && $0.table.withoutRisks["oauth"] == nil }
            .map { "\($0.name): the other keys of oauth" }
    }

    /// The profiles without their risks; what is left of one need not be valid.
    package var withoutRisks: OfferedProfiles {
        var rest = self
        rest.profiles = profiles.map { name, table in
            (name, StrictTable(table.withoutRisks, file: table.file, path: table.path))
        }
        return rest
    }
}

extension StrictTable {
    /// The keys that a person has to see before they take the profile, with their values.
    /// - Throws: `badConfig` for one that is too long to be shown whole, since a person must see what they confirm.
    func risks() throws(UsageFault) -> [String] {
        var risks: [String] = []
        for key in keys { risks += try self.risks(of: key) }
        return risks
    }

    package var withoutRisks: [String: ConfigValue] {
        var rest = members.filter { (try? risks(of: $0.key))?.isEmpty ?? false }
        // The rules stay.
        if case .table(let serve) = members["serve"] { rest["serve"] = .table(serve.filter { $0.key != "overrides" }) }
        return rest
    }

    private func risks(of key: String) throws(UsageFault) -> [String] {
        guard let entry = self[key], let risks = ProfileKeys.profile.first(where: { $0.name == key })?.risks else {
            return []
        }
        return try risks(entry)()
    }
}

/// The risks of a key, each as it is shown.
extension Entry {
    /// Longer ones would not be read to their end.
    private static let longestRisk = 500

    func itself() throws(UsageFault) -> [String] {
        switch value {
        case .string(let text): ["\(key) = \(try checked(text.inFullView, length: text.count))"]
        case .bool(let flag): ["\(key) = \(flag)"]
        case .integer, .number, .array, .table, .unsupported: [key]
        }
    }

    func wholeList() throws(UsageFault) -> [String] { ["\(key) = \(try inFullView())"] }

    /// One with a colon is a program's.
    func riskOfStore() throws(UsageFault) -> [String] {
        guard case .string(let store) = value, store.contains(":") || StoreName(store)?.isPlain == true else {
            return []
        }
        return try itself()
    }

    /// Bodies could name methods that the person's own rules refuse.
    func risksOfServe() -> [String] {
        guard case .table(let serve) = value, serve["overrides"] == .bool(false) else { return [] }
        return ["serve.overrides = false"]
    }

    /// The servers that `oauth` names on another origin than `url`, and what a machine would prove itself with.
    func risksOfOAuth() throws(UsageFault) -> [String] {
        let oauth = try inner()
        let home = try table["url"].map { (url) throws(UsageFault) in Self.authority(try url.string()) } ?? ""
        let proofs = try proofs(in: oauth)
        let issuer = try oauth["issuer"]?.string()
        // What proves something is shown with the place that it goes to, and so is where the tokens of another issuer go.
        let showsAll = !proofs.isEmpty || issuer.map { Self.authority($0) != home } ?? false
        return proofs
            + oauth.keys.compactMap { key in
                guard key == "issuer" || key.hasSuffix("-endpoint"), case .string(let text)? = oauth.members[key],
                    showsAll || !text.hasPrefix("/") && Self.authority(text) != home
                else { return nil }
                return "oauth.\(key) = \(SafeText.quoted(url: text, limit: .max))"
            }
    }

    /// Returns the keys for a machine's proof of identity: a file of the person's, a program, or another login.
    private func proofs(in oauth: StrictTable) throws(UsageFault) -> [String] {
        var proofs: [String] = []
        func show(_ entries: [Entry], _ path: String) throws(UsageFault) {
            for entry in entries { proofs.append("\(path)\(entry.key) = \(try entry.inFullView())") }
        }
        if let file = oauth["key-file"] {
            try show([file], "oauth.")
            try show(oauth["claims"]?.inner().entries ?? [], "oauth.claims.")
        }
        try show(oauth["identity"]?.inner().entries.filter { $0.key != "opaque" } ?? [], "oauth.identity.")
        if !proofs.isEmpty, let url = table["url"] { try show([url], "") }
        return proofs
    }

    /// A text, or a list of them.
    private func inFullView() throws(UsageFault) -> String {
        let shown = try strings().map(\.inFullView).joined(separator: " ")
        return try checked(shown, length: shown.count)
    }

    private func checked(_ shown: String, length: Int) throws(UsageFault) -> String {
        guard length <= Self.longestRisk else {
            throw fault("has more than \(Self.longestRisk) characters, too many to review")
        }
        return shown
    }

    /// Scheme and authority as they are written: what is written in another way is asked about.
    private static func authority(_ url: String) -> String {
        url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/").lowercased()
    }
}

extension String {
    /// Quoted and whole. Of blanks in a row only the first is written as a blank, since the others would push what follows out of
    /// sight.
    fileprivate var inFullView: String {
        var text = "", isBlank = false
        for character in SafeText.quoted(self, limit: .max) {
            text += character.isWhitespace && isBlank ? "\\u{20}" : String(character)
            isBlank = character.isWhitespace
        }
        return text
    }
}

/// Profiles that come with authctl, one file each, for kinds of services that many people run. They have a `url` only where the
/// service has one place in the world.
package struct Presets {
    /// One of them.
    package struct Preset: Equatable, Encodable {
        package let name: String
        package let file: String
        /// On which software and version it was tried; `nil` if it was only taken from public documentation.
        package let tried: String?
        /// The software it is for, and the form of its URL.
        package let about: String
        /// Whether the service has one place in the world, which the preset names.
        package let hasURL: Bool

        /// Logs in by it.
        package var command: String { "authctl login \(name)\(hasURL ? "" : " --url URL")" }

        /// The file is this machine's own.
        private enum CodingKeys: String, CodingKey {
            case name, tried, about
        }
    }

    private let folders: [String]

    /// - Parameter environment: `XDG_DATA_DIRS` as the XDG Base Directory Specification has it.
    package init(_ environment: Environment) {
        let data = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        let known = data.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        folders = (Self.besideProgram + known).map { "\($0)/authctl/presets" }
    }

    /// `share` beside the program's `bin`, wherever both were installed; in a built source tree, the tree's own.
    private static var besideProgram: [String] {
        guard let path = realpath("/proc/self/exe", nil) else { return [] }
        defer { free(path) }
        let folders = String(cString: path).split(separator: "/").dropLast()
        if folders.last == "bin" { return ["/" + (folders.dropLast() + ["share"]).joined(separator: "/")] }
        guard let build = folders.lastIndex(of: ".build") else { return [] }
        return ["/" + (folders[..<build] + ["share"]).joined(separator: "/")]
    }

    /// Names of all presets; the earlier folder wins.
    package var names: [String] {
        var names: Set<String> = []
        for folder in folders { names.formUnion(ConfigFile.profileNames(in: folder)) }
        return names.sorted()
    }

    /// The presets whose name a service uses for itself, as a whole word: `transmission` for the realm "Transmission", `tt-rss` for the
    /// title "Tiny Tiny RSS", on which it was tried.
    func named(by texts: [String]) -> [String] {
        let texts = texts.map { $0.prefix(1000).words }
        let words = Set(texts.flatMap(\.self))
        return names.filter { name in
            if name.words.allSatisfy(words.contains) { return true }
            let tried = program(ofPreset: name)
            return tried.count > 1 && texts.contains { $0.firstRange(of: tried) != nil }
        }
    }

    /// The words of the program that a preset was tried on; none where it was not tried, or cannot be read.
    private func program(ofPreset name: String) -> [String] {
        let tried = (try? preset(named: name))?.tried ?? ""
        return tried.prefix { $0 != "," && !$0.isNumber && $0 != "(" }.words
    }

    /// The error for an unknown preset, with the nearest one.
    package func problem(with name: String) -> String {
        let near = names.nearest(to: name).first.map { "; did you mean '\($0)'?" } ?? ""
        return "there is no preset of this name\(near)"
    }

    /// The profile of a preset at its own URL or another.
    /// - Parameter command: names the preset, and takes `--url`.
    /// - Throws: `usage` if there is no such preset, or if it needs a URL.
    package func offered(
        _ name: String, url: String?, name newName: String?, for command: String...
    ) throws(LoginFault) -> OfferedProfiles {
        guard let found = try fromUsage(try preset(named: name)) else {
            throw .usage(.badValue(option: "--preset", problem: problem(with: name)))
        }
        let offered = try fromUsage(try OfferedProfiles(found, url: url, name: newName))
        guard offered.profiles.allSatisfy({ $0.table.members["url"] != nil }) else {
            throw .usage(
                "the preset \(name) needs the URL of your service: \(SafeText.line(found.about))",
                next: "\(ShellCommand(["authctl"] + command + ["--url", "URL"]))")
        }
        return offered
    }

    /// - Throws: `badConfig` for a file that cannot be read.
    /// - Returns: `nil` if there is none of this name.
    package func preset(named name: String) throws(UsageFault) -> Preset? {
        guard ProfileName.problem(name) == nil else { return nil }
        for folder in folders {
            let file = "\(folder)/\(name).toml"
            guard let text = try ConfigFile.read(file) else { continue }
            let comments = text.split(whereSeparator: \.isNewline).prefix { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }
            let tried = comments.first.flatMap { $0.hasPrefix("tried: ") ? String($0.dropFirst(7)) : nil }
            return Preset(
                name: name, file: file, tried: tried, about: comments.dropFirst().joined(separator: " "),
                hasURL: text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("url ") })
        }
        return nil
    }
}

extension StringProtocol {
    /// In lower case; runs of ASCII letters and digits.
    fileprivate var words: [String] {
        lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
    }
}
