import Secrets

// Logins in which nobody is asked.
extension StoredAccounts {
    /// A request for the account of this name; the code of a second factor comes from a variable or the profile's command.
    func unattendedRequest(_ profile: Profile, _ username: String?) -> LoginRequest {
        var request = LoginRequest(username: username, mayAsk: false)
        let mayUse = context.dependencies.environment.mayGiveCredential(for: profile, isLogin: false)
        request.code = request.suppliedCode(profile, context.dependencies, mayUseVariables: mayUse)
        return request
    }

    /// Prepares to ask the service about the login that is stored (or given by variable).
    /// - Parameters:
    ///   - username: the account; `nil` for the one that `-u` names, or the active one.
    ///   - persist: what becomes of a login with a given password.
    package func verifyingRun(
        _ profile: Profile, username: String? = nil, persist: Persistence? = Persistence.none
    ) throws(LoginFault) -> LoginRun {
        var request = unattendedRequest(profile, username ?? context.username(for: profile))
        try takeSupplied(profile, into: &request)
        if request.supplied != nil || request.passphrase != nil && profile.traits.isForMachines {
            request.persist = persist
        }
        if request.supplied == nil, username == nil, request.username != nil {
            // Said before the server is asked: a name that nobody logged in with.
            _ = try account(profile)
        }
        return try LoginRun(context, profile, request)
    }

    /// Takes what the environment gives for a login of this profile.
    func takeSupplied(_ profile: Profile, into request: inout LoginRequest) throws(LoginFault) {
        let environment = context.dependencies.environment
        let mayUse = environment.mayGiveCredential(for: profile, isLogin: false)
        guard let source = SuppliedCredential.variable(environment, mayUse) else { return }
        let secret = try SuppliedCredential(source: source, allowsBlank: false).secret(context.dependencies) {
            context.person.warnOnce($0)
        }
        if profile.givenPassphrase != nil {
            request.passphrase = secret
        } else if !profile.provesItself {
            request.supplied = try credential(secret, of: request.username ?? environment["AUTHCTL_USERNAME"], profile)
        }
    }
}

extension LoginRun {
    /// Has the service judge the login.
    /// - Throws: the reason that nobody is logged in.
    package func verifiedIdentity() throws(LoginFault) -> Identity {
        do {
            return try run().identity
        } catch .loginRequired(let need) where request.supplied == nil {
            // What is missing can be given to `login` alone.
            throw .loginRequired(LoginNeed(why: try why(need.why)))
        }
    }

    /// A store drops by itself what is past its end; the registry still knows.
    private func why(_ found: LoginNeed.Why) throws(LoginFault) -> LoginNeed.Why {
        guard found == .nothingStored else { return found }
        if request.username == nil, let record = try context.record(of: profile), record.activeAccount == nil {
            return Optional(record).missing
        }
        guard let record = try account(), context.dependencies.clock.isOver(record.expires) else { return found }
        return .sessionExpired
    }
}

extension Person {
    /// Without a verify endpoint, it is not known whether the service still accepts the stored session.
    package func sayIfUnverifiable(_ profile: Profile) {
        guard profile.verify == nil else { return }
        say("\(profile.name): this service has no way to check a login; showing what is stored")
    }

    /// Where neither a person nor the service has told a name: how the profile could have the service tell it.
    package func sayIfNameless(_ identity: Identity, of profile: Profile) {
        guard identity.displayName.isEmpty else { return }
        let remedy =
            profile.verify == nil
            ? "a 'verify' request with 'username' in the profile would tell it"
            : "add 'username' to 'verify' in the profile: username = \"/PLACE\", where the name is in the response"
        say("\(profile.name): no user name is known; \(remedy)")
    }
}
