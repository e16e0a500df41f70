/// The files of the profiles that authctl makes.
package struct GeneratedProfiles {
    private let context: LoginContext
    private var folder: ProfileFolder { ProfileFolder(context.paths) }

    package init(_ context: LoginContext) { self.context = context }

    /// Writes down the profile that a URL made, with the method that worked; a weaker offer is refused from then on.
    /// - Returns: the profile, under the next free name if another login has taken the first one meanwhile.
    func remember(_ target: LoginTarget, method: AuthenticationMethod?) throws(LoginFault) -> Profile {
        guard let new = target.new else { return target.profile }
        var profile = target.profile
        while true {
            // After the name was found free: another login with the same URL may have taken the one before.
            if let known = made(profile), !new.isPreset || known == profile.name {
                profile.name = known
                return profile
            }
            let text = Self.document(table(profile, new, method)), file = "\(profile.name).toml"
            let isWritten = try fromStore(try folder.create(text, name: file))
            if isWritten { return profile }
            profile.name = try new.name()
        }
    }

    /// The name of a profile that was made of the same URL.
    private func made(_ profile: Profile) -> String? {
        context.profiles.names.first { name in
            guard case .made = context.profiles.source(of: name), let known = try? context.profiles.profile(named: name)
            else {
                return false
            }
            return known.url == profile.url && known.verify != nil && known.verify?.path == profile.verify?.path
        }
    }

    private func table(
        _ profile: Profile, _ new: LoginTarget.New, _ method: AuthenticationMethod?
    ) -> [String: ConfigValue] {
        var table = new.table ?? profile.table
        if let method, new.table == nil { table["method"] = .string(method.rawValue) }
        table.merge(connection(new.settings)) { known, _ in known }
        return table
    }

    /// Writes one profile's file.
    /// - Parameter head: what stands above it beside our own line.
    package func write(_ table: [String: ConfigValue], as name: String, head: String? = nil) throws(LoginFault) {
        if ConfigValue.table(table).withoutURLSecrets() != .table(table) {
            context.person.warnOnce(
                """
                warning: \(name): a password or a token in a URL is now in the profile's file as plain text; keep it out of there: \
                see '{secret:LABEL}' in man authctl-config, and for a proxy the variable https_proxy
                """)
        }
        let text = (head.map { "# \($0)\n" } ?? "") + Self.document(table)
        try fromStore(try folder.write(text, name: "\(name).toml"))
    }

    /// Takes the place of the user name out of a profile that a URL made.
    /// - Returns: whether it was there; what a person wrote is left as it is.
    func removeFoundUsername(from profile: Profile) throws(LoginFault) -> Bool {
        guard case .made(let file) = context.profiles.source(of: profile.name),
            try fromUsage(try ConfigFile.read(file))?.hasPrefix(Self.head) == true,
            case .table(var table)? = try fromUsage(try context.profiles.written(profile.name)),
            case .table(var verify)? = table["verify"], verify.removeValue(forKey: "username") != nil
        else { return false }
        table["verify"] = .table(verify)
        try write(table, as: profile.name)
        return true
    }

    /// Writes another verify into a profile.
    /// - Returns: whether authctl keeps its file; what a person wrote is left as it is.
    func replaceVerify(of name: String, by rule: ConfigValue) throws(LoginFault) -> Bool {
        guard case .made = context.profiles.source(of: name),
            case .table(var table)? = try fromUsage(try context.profiles.written(name))
        else { return false }
        table["verify"] = rule
        try write(table, as: name)
        return true
    }

    private static let head = "# Made by authctl; `authctl profile remove` deletes it.\n"

    private static func document(_ table: [String: ConfigValue]) -> String {
        head + ConfigValue.table(table).section([]) + "\n"
    }

    /// The connection options that were given with the URL.
    func connection(_ settings: Profile.Settings) -> [String: ConfigValue] {
        var table: [String: ConfigValue] = [:]
        if settings.allowHTTP { table["allow-http"] = .bool(true) }
        if let file = settings.caFile { table["ca-file"] = .string(file) }
        if let proxy = settings.proxy {
            // A profile holds no secret, and this one may.
            if proxy.contains("@") {
                context.person.say(
                    "the proxy was not saved in the profile, because it contains a user name or a password")
            } else {
                table["proxy"] = .string(proxy)
            }
        }
        return table
    }
}

extension Profile {
    /// The keys of the profile, from a URL and its login.
    fileprivate var table: [String: ConfigValue] {
        var table: [String: ConfigValue] = ["url": .string(url)]
        if let verify, verify != mcp.map(RequestRule.initializingMCP) {
            var rule: [String: ConfigValue] =
                verify.method == "GET"
                ? ["get": .string(verify.path.source)] : ["send": .string("\(verify.method) \(verify.path.source)")]
            let headers = verify.headers.map { ConfigValue.string("\($0.name.shown): \($0.value.shown)") }
            if !headers.isEmpty { rule["header"] = .array(headers) }
            let statuses = (verify.response.loggedIn ?? []).compactMap(\.status)
            if !statuses.isEmpty { rule["logged-in"] = .array(statuses.map { .integer(Int64($0)) }) }
            if let name = verify.response.username { rule["username"] = name.written }
            table["verify"] = .table(rule)
        }
        if let mcp { table["mcp"] = .string(Template(literal: mcp).source) }
        if let oauth { table["oauth"] = .table(oauth.table) }
        return table
    }
}

extension OAuthProfile {
    /// The discovered facts of the authorization server, without the client, which ends with the login.
    fileprivate var table: [String: ConfigValue] {
        let found = [("issuer", issuer), ("resource", resource), ("scope", scope)]
        return Dictionary(uniqueKeysWithValues: found.compactMap { key, text in text.map { (key, .string($0)) } })
    }
}
