package import LoginCore

/// Reads one profile out of its table.
package struct ProfileDecoder {
    /// The folder that relative files of the profile are looked for in.
    let folder: String
    let home: String?

    package init(folder: String, home: String?) {
        (self.folder, self.home) = (folder, home)
    }

    static let keys = [
        "url", "method", "login", "verify", "refresh", "logout", "session", "user", "signup", "anonymous", "logged-out",
        "forbidden", "certificate", "key", "ca-file", "allow-http", "proxy", "timeout", "store", "persist",
        "keep-password", "password-command", "otp-command", "oauth", "browser", "user-agent", "parent-cookies", "serve",
        "lend-to",
    ]

    package func profile(named name: String, _ table: StrictTable) throws(UsageFault) -> Profile {
        try table.allow(Self.keys)
        try table.require("url")
        let requests = try RequestDecoder(table)
        guard let url = try table.string("url") else { throw table.fault("url", "is missing") }
        if let problem = ProfileURL(text: url).problem { throw table.fault("url", problem) }
        var profile = Profile(name: name, url: url, methods: try methods(table), proof: try proof(requests, table))
        profile.refresh = try requests.request("refresh", in: table)
        profile.logout = try requests.request("logout", in: table)
        profile.session = try requests.session(in: table)
        if profile.kind == .browser {
            try readWindow(requests, table, &profile)
        } else {
            profile.loginSteps = try requests.steps("login", in: table)
        }
        profile.oauth = try OAuthDecoder(resolve: resolve).oauth(in: table, profile.methods)
        profile.user = try table.string("user")
        profile.signup = try requests.plainPath("signup", in: table)
        profile.mayReadAnonymously = try table.bool("anonymous") ?? true
        profile.serve = try ServeDecoder().settings(in: table)
        profile.settings = try settings(table)
        // The secret, or the passphrase, earns the next token.
        if profile.kind == .machine { profile.settings.keepPassword = true }
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
        if methods.count > 1, methods.contains(where: { $0.isAlone }) {
            let alone = AuthenticationMethod.allCases.filter(\.isAlone).map { "'\($0.rawValue)'" }
            throw table.fault(
                "method",
                "\(alone.dropLast().joined(separator: ", ")) and \(alone[alone.count - 1]) cannot be in a list")
        }
        return methods.strongestFirst
    }

    static let noToken = "must use {token}"

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
        if profile.kind != .browser {
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
        if csrf.path != nil, profile.verify?.slots.contains(.csrf) == true {
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

extension AuthenticationMethod {
    /// Whether there is no choice between it and another one.
    fileprivate var isAlone: Bool {
        switch self {
        case .negotiate, .digest, .basic: false
        case .auto, .certificate, .cookie, .token, .oauth, .browser: true
        }
    }
}
