/// Selects the profile of a command: the argument, `-P`, `AUTHCTL_PROFILE`, the default, the only one, the last one
/// logged in to.
package struct ProfileSelection {
    let context: LoginContext

    /// - Parameters:
    ///   - argument: the name on the command line, if there is one.
    ///   - mayGuess: whether the last one logged in to will do.
    /// - Throws: `usage` for a name that does not exist; `loginRequired` where there is no profile at all.
    package func profile(_ argument: String?, mayGuess: Bool = true) throws(LoginFault) -> Profile {
        if let name = argument ?? context.options.profile ?? context.dependencies.environment["AUTHCTL_PROFILE"] {
            if context.profiles.source(of: name) == nil, Presets(context.dependencies.environment).names.contains(name)
            {
                let login = ShellCommand("authctl", "login", name)
                throw .usage(
                    "there is no profile \(SafeText.quoted(name)) yet, but a preset", next: "to use it: \(login)")
            }
            return try context.profile(named: name)
        }
        if let name = try defaultProfile() {
            guard context.profiles.source(of: name) != nil else {
                throw .usage(
                    .badConfig(
                        file: context.paths.configFile, path: "default", line: nil,
                        problem: "there is no profile '\(name)'"))
            }
            return try context.profile(named: name)
        }
        let names = context.profiles.names
        if names.isEmpty { throw .loginRequired(LoginNeed(why: .noProfile)) }
        if names.count == 1 { return try context.profile(named: names[0]) }
        if mayGuess, let last = try context.document().lastProfile, names.contains(last) {
            context.person.say("using profile \(last), the last one logged in to")
            return try context.profile(named: last)
        }
        throw .usage(.profileNotNamed(known: names))
    }

    /// `default` of `config.toml`, else what `profile default` chose.
    package func defaultProfile() throws(LoginFault) -> String? {
        if let name = context.profiles.defaults.profile { return name }
        return try context.document().defaultProfile.flatMap { context.profiles.source(of: $0) != nil ? $0 : nil }
    }

    /// A profile that no file has, as long as none has its name for something else.
    func adopt(_ made: Profile) throws(LoginFault) -> Profile {
        if let problem = ProfileName.problem(made.name) { throw .usage(problem) }
        if context.profiles.source(of: made.name) == nil {
            context.topic = ErrorContext(profile: made.name)
        } else if try fromUsage(try context.profiles.profile(named: made.name)) != made {
            throw .usage("the configuration has another profile of the name \(SafeText.quoted(made.name))")
        }
        return try context.prepared(made)
    }
}

extension ProfileRecord? {
    /// The reason that no account is active.
    var missing: LoginNeed.Why {
        guard let names = self?.usernames, !names.isEmpty else { return .nothingStored }
        return .noActiveAccount(known: names)
    }
}

extension Environment {
    /// Whether the variables that hold a credential may be used for this profile.
    ///
    /// They belong to the profile or URL that the environment names, and are never sent for another; where it names
    /// none, they serve `login` alone.
    func mayGiveCredential(for profile: Profile, isLogin: Bool, url: String? = nil) -> Bool {
        let named = self["AUTHCTL_PROFILE"]
        let namedURL = self["AUTHCTL_VERIFY_URL"]
        if named == nil && namedURL == nil { return isLogin }
        // A profile that a URL made is what the URL names.
        let profileURL = profile.verify.map { profile.url + $0.path.shown }
        return named == profile.name || (namedURL != nil && (namedURL == url || namedURL == profileURL))
    }
}
