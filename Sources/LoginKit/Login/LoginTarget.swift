import Secrets

/// The target of a login.
package struct LoginTarget {
    /// A profile of that name, or the one for a URL, stored or not.
    package var profile: Profile
    /// The URL of the verify endpoint as it was given, if it was one.
    var url: String?
    /// The user in the URL.
    var user: String?
    var password: Secret?
    /// The facts of a profile that is not written down yet.
    var new: New?

    /// Whether it is a URL or a preset that no profile has yet.
    package var isNew: Bool { new != nil }
    /// Whether nothing was known of the service but a URL.
    package var isFound: Bool { new?.isPreset == false }

    struct New {
        /// The keys to write beside the URL.
        let settings: Profile.Settings
        /// The profile that was proposed and taken, where the URL alone is not enough.
        var table: [String: ConfigValue]?
        /// The challenges for an anonymous client at the URL.
        var offered: [AuthenticateChallenge] = []
        /// Whether it is a preset's, which says all that a login needs.
        var isPreset = false
        /// Finds a name that is free.
        let name: () throws(LoginFault) -> String
    }

    /// The option that names the account: `-u NAME`.
    package static func userOption(_ name: String) -> [String] {
        name.hasPrefix("-") ? ["--username=\(name)"] : ["-u", name]
    }
}

extension ProfileSelection {
    /// Finds out what the argument means: the name of a profile or a preset, or the URL of a verify endpoint.
    package func target(_ argument: String?, request: LoginRequest) throws(LoginFault) -> LoginTarget {
        let environment = context.dependencies.environment
        let hasProfile = context.options.profile != nil
        guard let text = argument ?? (hasProfile ? nil : environment["AUTHCTL_VERIFY_URL"]) else {
            let name = context.options.profile ?? environment["AUTHCTL_PROFILE"]
            if let name, let target = try presetTarget(name, request) { return target }
            return LoginTarget(profile: try request.applied(to: try profile(nil)))
        }
        if let target = try presetTarget(text, request) { return target }
        if text.contains("://") {
            let target = try urlTarget(text, request)
            if target.password != nil && argument != nil {
                context.person.warn(
                    "warning: other users of this machine can read a password in a URL; use --password-stdin")
            }
            return target
        }
        if context.profiles.source(of: text) == nil, text.contains(where: { ".:/".contains($0) }) || text == "localhost"
        {
            throw .usage(.missingScheme(host: text))
        }
        if request.name != nil {
            throw .usage(
                .badValue(option: "--name", problem: "it is only for a URL or a preset, and this is a profile"))
        }
        return LoginTarget(profile: try request.applied(to: try context.profile(named: text)))
    }

    private func urlTarget(_ text: String, _ request: LoginRequest) throws(LoginFault) -> LoginTarget {
        let url = try URLParser.parsed(text)
        context.topic.origin = url.origin
        // Before anything is sent: without a profile, the method is one of HTTP authentication.
        if let user = context.options.username ?? url.user { try fromUsage(try BasicCredential.check(username: user)) }
        if url.password?.isUTF8 == false { throw .usage(.invalidUTF8(.password)) }
        var target: LoginTarget
        if let known = try remembered(url.origin, url.target, request) {
            target = LoginTarget(profile: known)
        } else {
            // A fault on the way to a profile is about the URL as well.
            context.topic.url = "\(url.origin)\(url.target)"
            context.topic.options = url.user.map(LoginTarget.userOption) ?? []
            target = try context.dependencies.discover(context, url, request)
        }
        context.topic.profile = target.profile.name
        (target.url, target.user, target.password) = (text, url.user, url.password)
        return target
    }

    /// A profile of nothing but a URL, as variables and options have it.
    /// - Returns: with what of that is written down: variables hold for this run, options last.
    func bareProfile(
        _ url: ParsedURL, name: String, _ request: LoginRequest
    ) throws(LoginFault) -> (profile: Profile, lasting: Profile.Settings) {
        let bare = Profile(
            name: name, url: url.origin.description,
            verify: RequestRule(method: "GET", path: Template(literal: url.target)))
        var profile = context.profiles.withDefaults(bare)
        try profile.settings.override(by: context.dependencies.environment)
        return (try request.applied(to: profile), try request.applied(to: bare).settings)
    }

    /// A URL that is asked without a login.
    func parseBare(_ text: String) throws(LoginFault) -> ParsedURL {
        let url = try URLParser.parsed(text)
        context.topic.origin = url.origin
        guard url.user == nil, url.password == nil else {
            throw .usage(
                .badURL(url: url.text, problem: "nothing is sent but the URL; leave user name and password out"))
        }
        return url
    }

    /// The profile that an earlier `login` made of this URL.
    func remembered(
        _ origin: Origin, _ target: String, _ request: LoginRequest
    ) throws(LoginFault) -> Profile? {
        for name in context.profiles.names {
            guard case .made = context.profiles.source(of: name) else { continue }
            // One that cannot be read is no reason not to log in elsewhere; the commands that mean it say so.
            guard let written = try? context.profiles.profile(named: name), written.isOf(target, on: origin)
            else { continue }
            if let asked = request.name, asked != name {
                let logout = ShellCommand("authctl", "logout", name, "--all")
                let removal = "\(logout) && \(ShellCommand("authctl", "profile", "remove", name))"
                let problem =
                    "this URL already has the profile '\(name)'; use that name, or remove it first: \(removal)"
                throw .usage(.badValue(option: "--name", problem: problem))
            }
            return try request.applied(to: try context.profile(named: name))
        }
        return nil
    }
}

extension Configuration {
    /// The host, with `:port` unless it is the usual one; `-2` and so on where another profile has the name.
    func newName(for origin: Origin, _ asked: String?) throws(LoginFault) -> String {
        let taken = names
        if let asked {
            if let problem = ProfileName.problem(asked) {
                throw .usage(.badValue(option: "--name", problem: problem))
            }
            guard !taken.contains(asked) else {
                throw .usage(.badValue(option: "--name", problem: "a profile of this name already exists"))
            }
            return asked
        }
        let name = origin.authority
        if !taken.contains(name) { return name }
        var number = 2
        while taken.contains("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }
}

extension Profile {
    /// Makes it take a token that a person pastes; at an MCP endpoint, that proves itself by the protocol's first message.
    mutating func takePastedToken() {
        (methods, oauth) = ([.token], nil)
        if let mcp { proof = .verify(.initializingMCP(at: mcp)) }
    }

    /// Whether its verify request or its login form is at a URL.
    fileprivate func isOf(_ target: String, on origin: Origin) -> Bool {
        [verify?.path.source, loginSteps.first?.page].contains { path in
            guard let path, let known = try? URLParser.parsed(url + path) else { return false }
            return known.origin == origin && known.target == target
        }
    }
}

extension LoginTarget {
    /// A profile that is written down already.
    package init(profile: Profile) {
        self.init(profile: profile, new: nil)
    }

    /// A service whose tokens a person creates and pastes.
    package var withPastedToken: LoginTarget {
        var target = self
        target.profile.takePastedToken()
        return target
    }

    /// The error for a URL whose challenge authctl cannot answer without a profile.
    func fault(of method: AuthenticationMethod?) -> LoginFault? {
        guard case .challenge = profile.kind, let offered = new?.offered, !offered.isEmpty, !offered.areAnswered
        else { return nil }
        return .untrusted(.weakerMethod(offered: offered.map(\.scheme), accepted: [method ?? .auto]))
    }
}

extension [AuthenticateChallenge] {
    /// Whether a token is all that the service takes (RFC 6750, section 3).
    var wantsToken: Bool { contains { $0.scheme == "bearer" } && !areAnswered }

    /// Whether nothing speaks against a Bearer token: many services take one and answer without a challenge.
    var canBeBearer: Bool { !areAnswered && !contains { $0.scheme == "token" } }
}
