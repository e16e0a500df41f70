import Secrets

extension ProfileSelection {
    /// Selects the profile of a `request`: `-P`, `AUTHCTL_PROFILE`, the one of the URL's origin (of several, the one with a
    /// login), then as for other commands.
    package func profile(forRequestTo url: String) throws(LoginFault) -> Profile {
        guard isSelected(by: url) else { return try profile(nil) }
        let names = try profilesNearest(to: URLParser.parsed(url))
        if names.isEmpty { try checkUnreadableProfiles(at: URLParser.parsed(url).origin) }
        if names.count == 1 { return try context.profile(named: names[0]) }
        let document = try context.document()
        let present = names.filter { document.profile($0)?.activeAccount != nil }
        if present.count == 1 { return try context.profile(named: present[0]) }
        if let name = try defaultProfile(), names.contains(name) { return try context.profile(named: name) }
        if names.count > 1 { throw .usage(.profileNotNamed(known: names)) }
        return try profile(nil)
    }

    /// Whether the URL selects the profile: nothing else names one.
    private func isSelected(by url: String) -> Bool {
        context.options.profile == nil && context.dependencies.environment["AUTHCTL_PROFILE"] == nil
            && !url.hasPrefix("/") && url.contains("://")
    }

    /// The profiles of the URL's origin; of several, those whose own path is the longest part of the URL's.
    private func profilesNearest(to url: ParsedURL) throws(LoginFault) -> [String] {
        var known: [String] = []
        for name in context.profiles.names where try self.origin(of: name) == url.origin { known.append(name) }
        guard known.count > 1 else { return known }
        var names: [(name: String, depth: Int)] = []
        for name in known {
            guard let written = try? context.profiles.profile(named: name),
                let base = try? URLParser.parsed(written.url).path
            else {
                continue
            }
            let path = base.hasSuffix("/") ? base : base + "/"
            names.append((name, (url.path + "/").hasPrefix(path) ? path.utf8.count : 0))
        }
        let deepest = names.map(\.depth).max()
        return names.filter { $0.depth == deepest }.map(\.name)
    }

    /// - Returns: `nil` for a profile that cannot be read, which the commands that mean it say.
    package func origin(of name: String) throws(LoginFault) -> Origin? {
        guard let written = try? context.profiles.profile(named: name) else { return nil }
        if let record = try context.document().profile(name), record.url == written.url { return record.origin }
        return try? URLParser.parsed(written.url).origin
    }

    /// Looks for profiles that cannot be read and, by their `url`, are for this origin, or for one that nobody can tell.
    /// - Throws: `usage`, with the file and the key of the first one.
    package func checkUnreadableProfiles(at origin: Origin) throws(LoginFault) {
        for name in context.profiles.names {
            do {
                _ = try context.profiles.profile(named: name)
            } catch {
                if case .table(let members)? = try? context.profiles.written(name),
                    case .string(let url)? = members["url"],
                    let other = try? URLParser.parsed(url).origin, other != origin
                {
                    continue
                }
                context.topic = ErrorContext(profile: name, origin: origin)
                throw .usage(error)
            }
        }
    }

    /// The profile of the URL's origin; if there is none, one for this URL alone.
    package func profile(forAnonymousRequestTo url: String) throws(LoginFault) -> Profile {
        guard isSelected(by: url) else { return try profile(nil) }
        let parsed = try URLParser.parsed(url)
        for name in context.profiles.names where try origin(of: name) == parsed.origin {
            return try profile(forRequestTo: url)
        }
        context.topic = ErrorContext(origin: parsed.origin)
        var profile = Profile(
            name: parsed.origin.description, url: parsed.origin.description,
            verify: RequestRule(method: "GET", path: Template(literal: "/")))
        try profile.settings.override(by: context.dependencies.environment)
        return profile
    }
}

extension ServiceEndpoint {
    /// The absolute URL of a `request`: a path is appended to the profile's `url`, as its own paths are; a URL has to be on
    /// the profile's origin.
    /// - Throws: `untrusted` for another origin, before anything is connected.
    package func requestURL(_ text: String) throws(LoginFault) -> String {
        // Without a scheme it is another host all the same (RFC 3986, section 4.2).
        if text.hasPrefix("//") { throw .untrusted(.requestElsewhere(target: text)) }
        if text.hasPrefix("/") { return try URLParser.parsed(base + text).text }
        guard text.contains("://") else {
            throw .usage(.badURL(url: text, problem: "neither a path (which begins with '/') nor a URL"))
        }
        let url = try URLParser.parsed(text)
        guard url.origin == origin else { throw .untrusted(.requestElsewhere(target: "\(url.origin)")) }
        guard url.user == nil, url.password == nil else {
            throw .usage(
                .badURL(
                    url: SuppliedURL(text).withoutUserInformation,
                    problem: "it contains a user name or password, which only 'authctl login' accepts"))
        }
        return url.text
    }
}
