import LoginCore
import LoginHTTP
import LoginStores
import Secrets

extension Invocation {
    /// Which profile a `request` is for: `-P`, `AUTHCTL_PROFILE`, the one of the URL's origin, then as for other commands.
    func selectProfile(forRequestTo url: String) throws(LoginError) -> Profile {
        guard options.profile == nil, world.environment["AUTHCTL_PROFILE"] == nil, !url.hasPrefix("/"),
            url.contains("://")
        else { return try selectProfile(nil) }
        let names = try profilesNearest(to: parse(url))
        if names.count == 1 { return try profile(named: names[0]) }
        if let name = try defaultProfile(), names.contains(name) { return try profile(named: name) }
        let document = try document()
        let present = names.filter { document.profile($0)?.activeAccount != nil }
        if present.count == 1 { return try profile(named: present[0]) }
        if names.count > 1 { throw .usage(.profileNotNamed(known: names)) }
        return try selectProfile(nil)
    }

    /// The profiles of the URL's origin; of several, those whose own path is the longest part of the URL's.
    private func profilesNearest(to url: ParsedURL) throws(LoginError) -> [String] {
        var known: [String] = []
        for name in profiles.names where try self.origin(of: name) == url.origin { known.append(name) }
        guard known.count > 1 else { return known }
        var names: [(name: String, depth: Int)] = []
        for name in known {
            guard let written = try? profiles.profile(named: name), let base = try? parse(written.url).path else {
                continue
            }
            let path = base.hasSuffix("/") ? base : base + "/"
            names.append((name, (url.path + "/").hasPrefix(path) ? path.utf8.count : 0))
        }
        let deepest = names.map(\.depth).max()
        return names.filter { $0.depth == deepest }.map(\.name)
    }

    /// - Returns: nothing for a profile that cannot be read, which the commands that mean it say.
    func origin(of name: String) throws(LoginError) -> Origin? {
        guard let written = try? profiles.profile(named: name) else { return nil }
        if let record = try document().profile(name), record.url == written.url { return record.origin }
        return try? parse(written.url).origin
    }

    /// The absolute URL of a `request`: a path is appended to the profile's `url`, as its own paths are; a URL has to be on
    /// the profile's origin.
    /// - Throws: `untrusted` for another origin, before anything is connected.
    func requestURL(_ text: String, _ endpoint: ServiceEndpoint) throws(LoginError) -> String {
        // Without a scheme it is another host all the same (RFC 3986, section 4.2).
        if text.hasPrefix("//") { throw .untrusted(.requestElsewhere(target: text)) }
        if text.hasPrefix("/") { return try parse(endpoint.base + text).text }
        guard text.contains("://") else {
            throw .usage(.badURL(url: text, problem: "it is neither a path, which begins with '/', nor a URL"))
        }
        let url = try parse(text)
        guard url.origin == endpoint.origin else { throw .untrusted(.requestElsewhere(target: "\(url.origin)")) }
        guard url.user == nil, url.password == nil else {
            throw .usage(
                .badURL(
                    url: SuppliedURL(text).withoutUserInformation,
                    problem: "it holds user information, which only authctl login takes"))
        }
        return url.text
    }
}

/// The headers of a `request`, as `-H` gives them.
struct RequestHeaders {
    let fields: [HTTPRequestField]
    /// The names of those that are left out.
    let removed: [String]

    /// - Parameters:
    ///   - defaults: what holds where no line says otherwise.
    ///   - taken: the names that the session has its own values for, in lower case.
    init(
        _ lines: [String], defaults: [(name: String, value: String)], taken: Set<String>
    ) throws(LoginError) {
        var fields: [HTTPRequestField] = []
        var named: Set<String> = [], removed: [String] = []
        for line in try Self.expanded(lines) {
            let field = try Self.field(line)
            let name = field.name.lowercased()
            guard !taken.contains(name) else {
                throw .usage(
                    .badValue(
                        option: "-H", problem: "the session sets the header \(SafeText.quoted(field.name)) itself"))
            }
            named.insert(name)
            if let value = field.value {
                fields.append(HTTPRequestField(name: field.name, value: value))
            } else {
                removed.append(field.name)
            }
        }
        for header in defaults where !named.contains(header.name.lowercased()) {
            fields.append(HTTPRequestField(name: header.name, value: Secret(header.value)))
        }
        self.fields = fields
        // 'Name:' beside 'Name: value' changes nothing, as in curl.
        self.removed = removed.filter { name in !fields.contains { $0.name.lowercased() == name.lowercased() } }
    }

    /// `@FILE` stands for the lines of a file.
    private static func expanded(_ lines: [String]) throws(LoginError) -> [String] {
        var all: [String] = []
        for line in lines {
            guard line.hasPrefix("@") else {
                all.append(line)
                continue
            }
            let text = try BodyInput(line, option: "-H").all(limit: 256 << 10).unprotectedText
            // At line feeds alone: other line ends are part of a value, which may not hold them.
            let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            all += lines.map {
                $0.utf8.last == UInt8(ascii: "\r") ? String(decoding: $0.utf8.dropLast(), as: UTF8.self) : $0
            }
        }
        return all
    }

    /// `Name: value`; `Name;` has an empty value, and `Name:` takes a header away.
    private static func field(_ line: String) throws(LoginError) -> (name: String, value: Secret?) {
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (String(line[..<colon]), value.isEmpty ? nil : Secret(String(value)))
        }
        guard line.hasSuffix(";") else {
            throw .usage(.badValue(option: "-H", problem: "a header is written 'Name: value'"))
        }
        return (String(line.dropLast()), Secret(""))
    }
}
