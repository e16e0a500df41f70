package import LoginCore

/// Reads one profile out of its table.
package struct ProfileDecoder {
    /// The folder that relative files of the profile are looked for in.
    private let folder: String
    private let home: String?

    package init(folder: String, home: String?) {
        (self.folder, self.home) = (folder, home)
    }

    static let keys = [
        "url", "method", "login", "verify", "refresh", "logout", "session", "user", "signup", "anonymous", "logged-out",
        "forbidden", "certificate", "key", "ca-file", "allow-http", "proxy", "timeout", "store", "persist",
        "keep-password", "password-command", "otp-command", "oauth", "browser", "user-agent", "serve",
    ]

    package func profile(named name: String, _ table: StrictTable) throws(UsageFault) -> Profile {
        try table.allow(Self.keys)
        try table.require("url")
        let requests = try RequestDecoder(table)
        guard let url = try table.string("url") else { throw table.fault("url", "is missing") }
        if let problem = ProfileURL(text: url).problem { throw table.fault("url", problem) }
        var profile = Profile(name: name, url: url, methods: try methods(table), proof: try proof(requests, table))
        profile.loginSteps = try requests.steps("login", in: table)
        profile.refresh = try requests.request("refresh", in: table)
        profile.logout = try requests.request("logout", in: table)
        profile.session = try requests.session(in: table)
        profile.oauth = try OAuthDecoder().oauth(in: table, profile.methods)
        profile.user = try table.string("user")
        profile.signup = try requests.plainPath("signup", in: table)
        profile.mayReadAnonymously = try table.bool("anonymous") ?? true
        profile.serve = try ServeDecoder().settings(in: table)
        profile.settings = try settings(table)
        try check(profile, table)
        return profile
    }

    private func proof(_ requests: RequestDecoder, _ table: StrictTable) throws(UsageFault) -> Proof {
        guard let verify = try requests.request("verify", in: table) else {
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
        if methods.count > 1, methods.contains(where: { [.auto, .certificate, .cookie, .token, .oauth].contains($0) }) {
            throw table.fault("method", "'auto', 'certificate', 'cookie', 'token' and 'oauth' cannot be in a list")
        }
        return methods.strongestFirst
    }

    private func settings(_ table: StrictTable) throws(UsageFault) -> Profile.Settings {
        var settings = Profile.Settings()
        settings.allowHTTP = try table.bool("allow-http") ?? false
        settings.proxy = try table.string("proxy")
        settings.caFile = try table.string("ca-file").map(resolve)
        settings.certificate = try table.string("certificate").map(resolve)
        settings.key = try table.string("key").map(resolve)
        settings.timeout = try table.integer("timeout", in: 1...3600)
        settings.userAgent = try userAgent(table)
        settings.store = try table.string("store")
        settings.keepPassword = try table.bool("keep-password") ?? false
        settings.passwordCommand = try table.string("password-command")
        settings.otpCommand = try table.string("otp-command")
        settings.browser = try table.string("browser")
        if let name = try table.string("persist") {
            guard let persist = Persistence(rawValue: name) else {
                throw table.fault("persist", "'\(name)' is not one of none, session, permanent")
            }
            settings.persist = persist
        }
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
    private func resolve(_ path: String) -> String {
        if path.hasPrefix("~/"), let home { return home + path.dropFirst(1) }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
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
        case .pasted, .oauth: break
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
        if csrf.path != nil, profile.verify?.slots.contains(.csrf) == true {
            throw table.fault("verify", "cannot use {csrf} with 'get' in 'session.csrf'")
        }
    }

    /// Refuses requests that need a session which the login does not leave.
    private func checkSession(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        let rule = profile.sessionRule
        let slots = rule.slots
        switch profile.kind {
        case .exchange(for: .cookies):
            if !rule.cookies, profile.loginResponse?.token == nil {
                throw table.fault("session", "must have 'cookies = true' with method 'cookie'")
            }
        case .pasted, .oauth:
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
