/// Selects the profile of a command: the argument, `-P`, `AUTHCTL_PROFILE`, the default, the only one, the last one
/// logged in to.
extension LoginContext {
    /// - Parameters:
    ///   - argument: the name on the command line, if there is one.
    ///   - mayGuess: whether the last one logged in to will do.
    /// - Throws: `usage` for a name that does not exist; `loginRequired` where there is no profile at all.
    package func selectProfile(_ argument: String?, mayGuess: Bool = true) throws(LoginFault) -> Profile {
        if let name = argument ?? options.profile ?? dependencies.environment["AUTHCTL_PROFILE"] {
            return try profile(named: name)
        }
        if let name = try defaultProfile() {
            guard profiles.source(of: name) != nil else {
                throw .usage(
                    .badConfig(
                        file: paths.configFile, path: "default", line: nil, problem: "there is no profile '\(name)'"))
            }
            return try profile(named: name)
        }
        let names = profiles.names
        if names.isEmpty { throw .loginRequired(LoginNeed(why: .noProfile)) }
        if names.count == 1 { return try profile(named: names[0]) }
        if mayGuess, let last = try document().lastProfile, names.contains(last) {
            person.say("using profile \(last), the last one logged in to")
            return try profile(named: last)
        }
        throw .usage(.profileNotNamed(known: names))
    }

    /// `default` of `config.toml`, else what `profile default` chose.
    package func defaultProfile() throws(LoginFault) -> String? {
        if let name = profiles.defaults.profile { return name }
        return try document().defaultProfile.flatMap { profiles.source(of: $0) != nil ? $0 : nil }
    }

    /// The account that is meant: of `-u`, or of `AUTHCTL_USERNAME` where the environment names this profile, as within an
    /// `exec`; `nil` for the active one.
    package func username(for profile: Profile) -> String? {
        let mayUse = mayUseSuppliedVariables(for: profile, isLogin: false)
        return options.username ?? (mayUse ? dependencies.environment["AUTHCTL_USERNAME"] : nil)
    }

    /// Whether the variables that hold a credential may be used for this profile.
    ///
    /// They belong to the profile or URL that the environment names, and are never sent for another; where it names
    /// none, they serve `login` alone.
    func mayUseSuppliedVariables(for profile: Profile, isLogin: Bool, url: String? = nil) -> Bool {
        let named = dependencies.environment["AUTHCTL_PROFILE"]
        let namedURL = dependencies.environment["AUTHCTL_VERIFY_URL"]
        if named == nil && namedURL == nil { return isLogin }
        // A profile that a URL made is what the URL names.
        let profileURL = profile.verify.map { profile.url + $0.path.shown }
        return named == profile.name || (namedURL != nil && (namedURL == url || namedURL == profileURL))
    }
}

extension LoginContext {
    /// A profile that no file has, as long as none has its name for something else.
    func adopt(_ made: Profile) throws(LoginFault) -> Profile {
        if let problem = ProfileName.problem(made.name) { throw .usage(problem) }
        if profiles.source(of: made.name) == nil {
            topic = ErrorContext(profile: made.name)
        } else if try fromUsage(try profiles.profile(named: made.name)) != made {
            throw .usage("the configuration has another profile of the name \(SafeText.quoted(made.name))")
        }
        return try prepared(made)
    }
}

extension LoginContext {
    /// The account that a command means, from what is remembered: no network, no libcurl, no store.
    /// - Throws: `loginRequired` if there is none.
    func account(_ profile: Profile) throws(LoginFault) -> AccountRecord {
        let username = username(for: profile)
        try adopt(profile, username)
        let record = try record(of: profile)
        topic.origin = record?.origin ?? topic.origin
        guard let username else {
            guard let account = record?.activeAccount else { throw .loginRequired(LoginNeed(why: record.missing)) }
            try fromStore(try registry.check(account, of: profile.name))
            return account
        }
        guard let account = record?.account(named: username) else {
            throw .loginRequired(LoginNeed(why: .noSuchAccount(username: username, known: record?.usernames ?? [])))
        }
        try fromStore(try registry.check(account, of: profile.name))
        return account
    }

    /// The account, if its secret is stored and has not expired.
    package func usableAccount(_ profile: Profile) throws(LoginFault) -> AccountRecord {
        let account = try account(profile)
        if let problem = try problem(with: account, of: profile) { throw problem }
        return account
    }

    /// Says that the clock cannot tell when a login ends.
    func tellOfClock(_ account: AccountRecord, of profile: String) {
        guard let difference = account.clockDifference(at: dependencies.clock) else { return }
        person.warn("\(difference.setBackWarning(of: profile))")
    }

    /// The reason that an account cannot be used, as far as known without the network.
    package func problem(with account: AccountRecord, of profile: Profile) throws(LoginFault) -> LoginFault? {
        try fromStore(try registry.check(account, of: profile.name))
        let shared = try sharedRecord(of: account, in: profile), account = shared?.record ?? account
        if account.passwordRefused { return .loginRequired(LoginNeed(why: .passwordRefusedBefore)) }
        if let other = account.otherPerson { return .loginRequired(LoginNeed(why: .sessionOfAnother(other))) }
        if dependencies.clock.isOver(account.expires) { return .loginRequired(LoginNeed(why: .sessionExpired)) }
        if let difference = account.clockDifference(at: dependencies.clock) {
            return .loginRequired(LoginNeed(why: .clockSetBack(difference)))
        }
        let isStored =
            if let shared { shared.isStored } else { try fromStore(try isStored(account, of: profile.name)) }
        return isStored ? nil : .loginRequired(LoginNeed(why: .nothingStored))
    }

    /// Where the store has nothing, another process may just have moved the login: the registry is read once more.
    private func isStored(_ account: AccountRecord, of profile: String) throws(StoreFault) -> Bool {
        let id = account.id(in: profile)
        if try stores().open(account.store).contains(id) { return true }
        guard let present = try registry.read().account(id), present.store != account.store else { return false }
        return try stores().open(present.store).contains(id)
    }
}

extension ProfileRecord? {
    /// The reason that no account is active.
    var missing: LoginNeed.Why {
        guard let names = self?.usernames, !names.isEmpty else { return .nothingStored }
        return .noActiveAccount(known: names)
    }
}
