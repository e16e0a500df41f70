/// Reads one profile out of its table.
package struct ProfileDecoder {
    /// The folder that relative files of the profile are looked for in.
    let folder: String
    let home: String?

    package init(folder: String, home: String?) {
        (self.folder, self.home) = (folder, home)
    }

    /// The keys of a profile: those whose value says whether it is a risk, and the rest.
    static let keys = safeKeys + riskyKeys + ["store", "oauth"]

    /// The keys that are no risk in a profile that somebody else wrote.
    private static let safeKeys = [
        "url", "method", "login", "verify", "refresh", "logout", "session", "user", "signup", "anonymous", "logged-out",
        "forbidden", "timeout", "persist", "keep-password", "user-agent", "serve", "mcp",
    ]

    /// The keys that can run a program, read a file or weaken trust: a person sees them before they take such a profile.
    static let riskyKeys = [
        "password-command", "otp-command", "browser", "proxy", "ca-file", "certificate", "key", "allow-http",
        "parent-cookies", "lend-to",
    ]

    package func profile(named name: String, _ table: StrictTable) throws(UsageFault) -> Profile {
        try table.allow(Self.keys)
        guard let url = try table.string("url") else { throw table.fault("url", "is missing") }
        let requests = try RequestDecoder(table)
        if let problem = ProfileURL(text: url).problem { throw table.fault("url", problem) }
        var profile = Profile(name: name, url: url, methods: try methods(table), proof: try proof(requests, table))
        profile.refresh = try requests.request("refresh", in: table)
        profile.logout = try requests.request("logout", in: table)
        profile.session = try requests.session(in: table)
        if profile.traits.opensWindow {
            try readWindow(requests, table, &profile)
        } else {
            profile.loginSteps = try requests.steps("login", in: table)
        }
        profile.oauth = try OAuthDecoder(resolve: resolve).oauth(in: table, profile.methods)
        profile.user = try table.string("user")
        profile.signup = try requests.plainPath("signup", in: table)
        profile.mcp = try requests.plainPath("mcp", in: table)
        profile.mayReadAnonymously = try table.bool("anonymous") ?? true
        profile.serve = try ServeDecoder().settings(in: table)
        profile.settings = try settings(table)
        // The secret, or the passphrase, earns the next token.
        if profile.traits.isForMachines { profile.settings.keepPassword = true }
        try check(profile, table)
        return profile
    }

    private func proof(_ requests: RequestDecoder, _ table: StrictTable) throws(UsageFault) -> Proof {
        let written = try requests.request("verify", in: table), mcp = try requests.plainPath("mcp", in: table)
        guard let verify = written ?? mcp.map(RequestRule.initializingMCP) else {
            guard table.value("login") != nil else {
                throw table.fault("verify", "is missing; it is optional only with a 'login'")
            }
            return .loginResponse(try ResponseRuleDecoder().requestRules(table))
        }
        for key in ["logged-out", "forbidden"] where table.value(key) != nil {
            throw table.fault(key, "belongs in 'verify'")
        }
        return .verify(verify)
    }

    private func methods(_ table: StrictTable) throws(UsageFault) -> [AuthenticationMethod] {
        let names = try table.strings("method")
        if table.value("method") == nil { return [.auto] }
        var methods: [AuthenticationMethod] = []
        for name in names {
            guard let method = AuthenticationMethod(rawValue: name) else {
                let known = AuthenticationMethod.allCases.map(\.rawValue)
                throw table.fault("method", "'\(name)' is not one of \(known.joined(separator: ", "))")
            }
            methods.append(method)
        }
        if methods.isEmpty { throw table.fault("method", "must name at least one method") }
        if methods.count > 1, methods.contains(where: { HTTPScheme($0) == nil }) {
            let alone = AuthenticationMethod.allCases.filter { HTTPScheme($0) == nil }.map { "'\($0.rawValue)'" }
            throw table.fault(
                "method",
                "\(alone.dropLast().joined(separator: ", ")) and \(alone[alone.count - 1]) cannot be in a list")
        }
        return methods.strongestFirst
    }

    private static let noToken = "must use {token}"

    /// Checks that need the whole profile.
    private func check(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        try checkCertificate(profile, table)
        switch profile.kind {
        case .challenge, .certificate:
            let rule = profile.sessionRule
            if profile.login != nil, !rule.cookies, !rule.slots.contains(.token) {
                throw table.fault(
                    "session",
                    "must have 'cookies = true' or use {token}, since only the login request carries the credential")
            }
        case .exchange(for: .cookies):
            if profile.login == nil {
                throw table.fault("login", "is missing: method 'cookie' needs a request that sets cookies")
            }
        case .exchange(for: .token):
            if profile.loginResponse?.token == nil {
                throw table.fault("login.token", "is missing: the place of the token in the response")
            }
        case .browser:
            if profile.verify == nil {
                throw table.fault("verify", "is missing: it tells when a person has logged in in the browser")
            }
        case .pasted, .oauth, .machine: break
        }
        if profile.oauth?.clientAuthentication == .tls, profile.settings.certificate == nil {
            throw table.fault("certificate", "is missing: client-auth 'tls' proves the client with it")
        }
        if !profile.traits.opensWindow {
            if profile.settings.parentCookies { throw table.fault("parent-cookies", "needs method 'browser'") }
            if profile.settings.takesUserAgent { throw table.fault("user-agent", "'browser' needs method 'browser'") }
        }
        try checkName(profile, table)
        try checkSession(profile, table)
        try checkCSRF(profile, table)
        if profile.refresh != nil && profile.loginResponse?.refreshToken == nil {
            throw table.fault("login.refresh-token", "is missing: 'refresh' sends this token")
        }
    }

    private func checkCertificate(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        if profile.settings.certificate != nil { return }
        if profile.traits.isProvedByCertificate {
            throw table.fault("certificate", "is missing: method 'certificate' needs a file")
        }
        if profile.settings.key != nil {
            throw table.fault("certificate", "is missing: 'key' needs a certificate")
        }
    }

    /// Only a grant comes with an id_token.
    private func checkName(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        guard case .identityToken? = profile.verify?.response.username, profile.oauth == nil else { return }
        throw table.fault("verify.username", "'id-token:' needs method 'oauth'")
    }

    /// Verify is asked where a page has no value, so it cannot wait for one itself.
    private func checkCSRF(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        let rule = profile.sessionRule
        let requests = [profile.verify, profile.logout].compactMap { $0 }
        guard requests.contains(where: { $0.slots.contains(.csrf) }) || rule.slots.contains(.csrf) else { return }
        guard let csrf = rule.csrf else {
            throw table.fault("session.csrf", "is missing: it says where {csrf} comes from")
        }
        if csrf.request != nil, profile.verify?.slots.contains(.csrf) == true {
            throw table.fault("verify", "cannot use {csrf} with 'get' in 'session.csrf'")
        }
    }

    /// Refuses requests that need a session which the login does not leave.
    private func checkSession(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        let rule = profile.sessionRule
        let slots = rule.slots
        switch profile.kind {
        case .browser:
            if !rule.cookies, profile.takesHeader == nil {
                throw table.fault("session", "must have 'cookies = true' with method 'browser'")
            }
            return try checkWindow(profile, table)
        case .exchange(for: .cookies):
            if !rule.cookies, profile.loginResponse?.token == nil {
                throw table.fault("session", "must have 'cookies = true' with method 'cookie'")
            }
        case .pasted, .oauth, .machine:
            if rule.cookies {
                throw table.fault("session.cookies", "needs a 'login': a token is not a cookie")
            }
            if !slots.contains(.token) { throw table.fault("session", Self.noToken) }
        case .exchange(for: .token):
            if !rule.cookies, !slots.contains(.token) { throw table.fault("session", Self.noToken) }
        case .challenge, .certificate:
            if rule.cookies, profile.login == nil {
                throw table.fault("session.cookies", "needs a 'login' to set them")
            }
        }
        if rule.cookies, profile.loginResponse?.token == nil, slots.contains(.token) || slots.contains(.refreshToken) {
            throw table.fault("session", "{token} beside 'cookies = true' needs 'token' in 'login'")
        }
        for case .cookie(let name) in slots where !rule.cookies {
            throw table.fault("session", "{cookie:\(name)} is not available without 'cookies = true'")
        }
    }
}

extension ProfileDecoder {
    /// Reads the page that a login in a browser begins with, and the header that it takes besides cookies or instead of them.
    private func readWindow(_ requests: RequestDecoder, _ table: StrictTable, _ profile: inout Profile)
        throws(UsageFault)
    {
        guard let login = try table.table("login") else { return }
        try login.allow(["page", "take-header"])
        profile.windowPage = try requests.plainPath("page", in: login)
        guard let name = try login.string("take-header") else { return }
        guard name.isHeaderName, name.lowercased() != "cookie" else {
            throw login.fault("take-header", "must be the name of a header other than Cookie")
        }
        profile.takesHeader = name
        if profile.session == nil { profile.session = SessionRule(taking: name) }
    }

    /// The header that is taken is the one that is sent.
    private func checkWindow(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        let rule = profile.sessionRule
        guard let name = profile.takesHeader else {
            if rule.slots.contains(.token) { throw table.fault("session", "{token} needs 'take-header' in 'login'") }
            return
        }
        let sent = (rule.headers + rule.writeHeaders).contains {
            $0.shownName == name.lowercased() && $0.value.slots == [.token]
        }
        if !sent { throw table.fault("session", "must send {token} in the header that 'take-header' names") }
    }
}

extension SessionRule {
    /// The header as it was taken: for `Authorization` with the scheme of bearer tokens.
    fileprivate init(taking name: String) {
        self = .bearer
        guard name.lowercased() != "authorization" else { return }
        headers = [HeaderRule(name: name, value: Template(parts: [.slot(.token)]))]
    }
}

extension ProfileDecoder {
    /// Everything that is not about requests.
    func settings(_ table: StrictTable) throws(UsageFault) -> Profile.Settings {
        var settings = Profile.Settings()
        settings.allowHTTP = try table.bool("allow-http") ?? false
        settings.proxy = try table.string("proxy")
        settings.caFile = try table.string("ca-file").map(resolve)
        settings.certificate = try table.string("certificate").map(resolve)
        settings.key = try table.string("key").map(resolve)
        settings.timeout = try table.integer("timeout", in: 1...3600)
        settings.userAgent = try userAgent(table)
        if settings.userAgent == "browser" { (settings.userAgent, settings.takesUserAgent) = (nil, true) }
        settings.parentCookies = try table.bool("parent-cookies") ?? false
        settings.store = try table.string("store")
        settings.keepPassword = try table.bool("keep-password") ?? false
        settings.passwordCommand = try table.string("password-command")
        settings.otpCommand = try table.string("otp-command")
        settings.browser = try table.string("browser")
        settings.lendTo = try table.strings("lend-to")
        settings.persist = try table.choice("persist")
        if let store = settings.store, store != "auto", StoreName(store) == nil {
            throw table.fault("store", "there is no store '\(store)'")
        }
        return settings
    }

    private func userAgent(_ table: StrictTable) throws(UsageFault) -> String? {
        guard let text = try table.string("user-agent") else { return nil }
        guard (1...1000).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
            throw table.fault("user-agent", "must be 1 to 1000 printable ASCII characters")
        }
        return text
    }

    /// Relative to the folder of the file; `~/` is understood.
    func resolve(_ path: String) -> String {
        if path.hasPrefix("~/"), let home { return home + path.dropFirst(1) }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }
}

/// Reads the table `serve` of a profile.
struct ServeDecoder {
    static let keys = ["allow", "ask", "deny", "log", "overrides", "placeholder"]

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
        settings.placeholders = try table.strings("placeholder")
        // The value is a fixed word; even so nobody else's profile sets what another program obeys.
        guard settings.placeholders.allSatisfy(Self.isTokenVariable) else {
            throw table.fault("placeholder", "must be the name of a variable for a token, such as GH_TOKEN")
        }
        return settings
    }

    private static func isTokenVariable(_ name: String) -> Bool {
        ["_TOKEN", "_KEY", "_PASSWORD", "_SECRET"].contains { name.hasSuffix($0) && name.count > $0.count }
            && !name.hasPrefix("AUTHCTL_")
            && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private func rules(_ key: String, _ table: StrictTable) throws(UsageFault) -> [ServeRule] {
        if case .array? = table.value(key) {
        } else if table.value(key) != nil {
            throw table.fault(key, "must be a list of rules, such as [\"GET /**\"]")
        }
        return try table.strings(key).enumerated().map { (index, text) throws(UsageFault) in
            do throws(ServeRuleFault) {
                return try ServeRule(text)
            } catch {
                throw table.fault("\(key)[\(index + 1)]", error.words)
            }
        }
    }
}
