/// Reads one profile out of its table.
package struct ProfileDecoder {
    /// The folder that relative files of the profile are looked for in.
    let folder: String
    let home: String?

    package init(folder: String, home: String?) {
        (self.folder, self.home) = (folder, home)
    }

    package func profile(named name: String, _ table: StrictTable) throws(UsageFault) -> Profile {
        var table = table
        (table.folder, table.home) = (folder, home)
        // Any request may send what another one was answered.
        for entry in ["login", "refresh"].compactMap({ table[$0] }) {
            for request in try entry.inners() { table.taken.formUnion(try request["take"]?.inner().keys ?? []) }
        }
        var profile = Profile(name: name, url: "", proof: .loginResponse(ResponseRule()))
        try table.read(ProfileKeys.profile, into: &profile)
        if profile.methods == [.oauth], profile.oauth == nil { profile.oauth = OAuthProfile() }
        // The secret, or the passphrase, earns the next token.
        if profile.traits.isForMachines { profile.settings.keepPassword = true }
        try table.check(profile)
        try table.checkSession(profile)
        try table.checkCSRF(profile)
        try table.refuse(
            "login.refresh-token", "is missing: 'refresh' sends this token",
            if: profile.refresh != nil && profile.loginResponse?.refreshToken == nil)
        return profile
    }
}

extension StrictTable {
    /// Checks that need the whole profile.
    fileprivate func check(_ profile: Profile) throws(UsageFault) {
        let traits = profile.traits, settings = profile.settings, kind = profile.kind, rule = profile.sessionRule
        try refuse("url", "is missing", if: self["url"] == nil)
        try refuse(
            "verify", "is missing; it is optional only with a 'login'",
            if: profile.verify == nil && self["login"] == nil)
        for key in ProfileKeys.profile where self[key.name] != nil {
            guard let unfit = key.unfit, profile.methods == [unfit] else { continue }
            throw fault(key.name, "cannot be used with method '\(unfit.rawValue)'")
        }
        try refuse(
            "certificate", "is missing: method 'certificate' needs a file",
            if: traits.isProvedByCertificate && settings.certificate == nil)
        try refuse(
            "certificate", "is missing: 'key' needs a certificate",
            if: settings.key != nil && settings.certificate == nil)
        try refuse(
            "session", "must have 'cookies = true' or use {token}, since only the login request carries the credential",
            if: traits.authenticatesRequests && profile.login != nil && !rule.cookies && !rule.slots.contains(.token))
        try refuse(
            "login", "is missing: method 'cookie' needs a request that sets cookies",
            if: kind == .exchange(for: .cookies) && profile.login == nil)
        try refuse(
            "login.token", "is missing: the place of the token in the response",
            if: kind == .exchange(for: .token) && profile.loginResponse?.token == nil)
        try refuse(
            "verify", "is missing: it tells when a person has logged in in the browser",
            if: traits.opensWindow && profile.verify == nil)
        try refuse(
            "certificate", "is missing: client-auth 'tls' proves the client with it",
            if: profile.oauth?.clientAuthentication == .tls && settings.certificate == nil)
        try refuse("parent-cookies", "needs method 'browser'", if: settings.parentCookies && !traits.opensWindow)
        try refuse("user-agent", "'browser' needs method 'browser'", if: settings.takesUserAgent && !traits.opensWindow)
        try refuse(
            "graphql", "is missing: 'serve' has rules for GraphQL, which judge what is sent there",
            if: profile.serve.rules.hasGraphQL && profile.graphql == nil)
        // Only a grant comes with an id_token.
        if case .identityToken? = profile.verify?.response.username, profile.oauth == nil {
            throw fault("verify.username", "'id-token:' needs method 'oauth'")
        }
    }

    /// Refuses requests that need a session which the login does not leave.
    fileprivate func checkSession(_ profile: Profile) throws(UsageFault) {
        let rule = profile.sessionRule, slots = rule.slots
        switch profile.kind {
        case .browser:
            try refuse(
                "session", "must have 'cookies = true' with method 'browser'",
                if: !rule.cookies && profile.takesHeader == nil)
            return try checkWindow(profile)
        case .exchange(for: .cookies):
            try refuse(
                "session", "must have 'cookies = true' with method 'cookie'",
                if: !rule.cookies && profile.loginResponse?.token == nil)
        case .pasted, .oauth, .machine, .exchange(for: .token):
            try refuse(
                "session.cookies", "needs a 'login': a token is not a cookie",
                if: rule.cookies && profile.login == nil)
            try refuse("session", "must use {token}", if: !rule.cookies && !slots.contains(.token))
        case .challenge, .certificate:
            try refuse("session.cookies", "needs a 'login' to set them", if: rule.cookies && profile.login == nil)
        }
        let sendsToken = slots.contains(.token) || slots.contains(.refreshToken)
        try refuse(
            "session", "{token} beside 'cookies = true' needs 'token' in 'login'",
            if: rule.cookies && sendsToken && profile.loginResponse?.token == nil)
        for case .cookie(let name) in slots where !rule.cookies {
            throw fault("session", "{cookie:\(name)} is not available without 'cookies = true'")
        }
    }

    /// The header that is taken is the one that is sent.
    private func checkWindow(_ profile: Profile) throws(UsageFault) {
        let rule = profile.sessionRule
        guard let name = profile.takesHeader else {
            return try refuse("session", "{token} needs 'take-header' in 'login'", if: rule.slots.contains(.token))
        }
        let sends = { (header: HeaderRule) in header.shownName == name.lowercased() && header.value.slots == [.token] }
        try refuse(
            "session", "must send {token} in the header that 'take-header' names",
            if: !(rule.headers + rule.writeHeaders).contains(where: sends))
    }

    /// Verify is asked where a page has no value, so it cannot wait for one itself.
    fileprivate func checkCSRF(_ profile: Profile) throws(UsageFault) {
        let rule = profile.sessionRule, verifyNeeds = profile.verify?.slots.contains(.csrf) ?? false
        let needs = verifyNeeds || profile.logout?.slots.contains(.csrf) ?? false || rule.slots.contains(.csrf)
        try refuse("session.csrf", "is missing: it says where {csrf} comes from", if: needs && rule.csrf == nil)
        try refuse(
            "verify", "cannot use {csrf} with 'get' in 'session.csrf'", if: verifyNeeds && rule.csrf?.request != nil)
    }
}

/// The other keys of a profile.
extension Entry {
    func methods() throws(UsageFault) -> [AuthenticationMethod] {
        let methods = try strings().map { (name) throws(UsageFault) in
            try part(.string(name)).choice() as AuthenticationMethod
        }
        if methods.isEmpty { throw fault("must name at least one method") }
        if methods.count > 1, methods.contains(where: { HTTPScheme($0) == nil }) {
            let alone = AuthenticationMethod.allCases.filter { HTTPScheme($0) == nil }.map { "'\($0.rawValue)'" }
            throw fault(
                "\(alone.dropLast().joined(separator: ", ")) and \(alone[alone.count - 1]) cannot be in a list")
        }
        return methods.strongestFirst
    }

    /// The requests of a login; for one in a browser the page that it begins with, and the header that it takes besides cookies or
    /// instead of them.
    func readLogin(_ profile: inout Profile) throws(UsageFault) {
        guard profile.traits.opensWindow else {
            profile.loginSteps = try steps()
            return
        }
        try inner().read(ProfileKeys.window, into: &profile)
        guard let name = profile.takesHeader, profile.session == nil else { return }
        profile.session = .bearer
        // As it was taken: for `Authorization` with the scheme of bearer tokens.
        if name.lowercased() != "authorization" {
            profile.session?.headers = [HeaderRule(name: name, value: Template(parts: [.slot(.token)]))]
        }
    }

    func takenHeader() throws(UsageFault) -> String {
        let name = try string()
        guard name.isHeaderName, name.lowercased() != "cookie" else {
            throw fault("must be the name of a header other than Cookie")
        }
        return name
    }

    func userAgent() throws(UsageFault) -> String {
        let text = try string()
        guard (1...1000).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
            throw fault("must be 1 to 1000 printable ASCII characters")
        }
        return text
    }

    func graphQLPath() throws(UsageFault) -> String {
        let path = try plainPath()
        guard GraphQLEndpoint(path) != nil else {
            throw fault("must be a path without a query that every service reads in the same way")
        }
        return path
    }

    func serve() throws(UsageFault) -> ServeSettings {
        let table = try inner()
        var settings = ServeSettings()
        try table.read(ProfileKeys.serve, into: &settings)
        try table.refuse(nil, "has more than \(ServeRuleSet.most) rules", if: settings.rules.count > ServeRuleSet.most)
        return settings
    }

    /// Names of variables for tokens. Their value is a fixed word; even so nobody else's profile sets what another program obeys.
    func placeholders() throws(UsageFault) -> [String] {
        let names = try strings()
        let endings = ["_TOKEN", "_KEY", "_PASSWORD", "_SECRET"]
        let areTokens = names.allSatisfy { name in
            endings.contains { name.hasSuffix($0) && name.count > $0.count } && !name.hasPrefix("AUTHCTL_")
                && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") }
        }
        guard areTokens else { throw fault("must be the name of a variable for a token, such as GH_TOKEN") }
        return names
    }

    func serveRules() throws(UsageFault) -> [ServeRule] {
        guard case .array = value else { throw fault("must be a list of rules, such as [\"GET /**\"]") }
        return try strings().enumerated().map { (index, text) throws(UsageFault) in
            do throws(ServeRuleFault) {
                return try ServeRule(text)
            } catch {
                throw table.fault("\(key)[\(index + 1)]", error.words)
            }
        }
    }
}
