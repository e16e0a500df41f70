import Secrets

/// Asks the service about the login that is stored (or given by variable), without ever asking a person.
package struct SessionVerifier {
    package let run: LoginRun

    /// - Parameters:
    ///   - username: the account; `nil` for the one that `-u` names, or the active one.
    ///   - persist: what becomes of a login with a given password.
    package init(
        _ context: LoginContext, _ profile: Profile, username: String? = nil, persist: Persistence? = Persistence.none
    ) throws(LoginFault) {
        var request = LoginRequest()
        request.username = username ?? context.username(for: profile)
        request.policy = LoginFlow.Policy(mayAsk: false)
        try Self.takeSupplied(context, profile, into: &request)
        if request.passphrase != nil, profile.traits.isForMachines { request.persist = persist }
        if request.supplied != nil {
            request.policy.hasSuppliedCredential = true
            request.persist = persist
        } else if username == nil, request.username != nil {
            // Said before the server is asked: a name that nobody logged in with.
            _ = try context.account(profile)
        }
        run = try LoginRun(context, profile, request)
    }

    /// - Throws: the reason that nobody is logged in.
    package func identity() throws(LoginFault) -> Identity {
        do {
            return try run.run().identity
        } catch .loginRequired(let need) where run.request.supplied == nil {
            // What is missing can be given to `login` alone.
            throw .loginRequired(LoginNeed(why: try why(need.why)))
        }
    }

    /// A store drops by itself what is past its end; the registry still knows.
    private func why(_ found: LoginNeed.Why) throws(LoginFault) -> LoginNeed.Why {
        guard found == .nothingStored else { return found }
        if run.request.username == nil, let record = try run.context.record(of: run.profile),
            record.activeAccount == nil
        {
            return Optional(record).missing
        }
        guard let record = try run.account(),
            run.context.dependencies.clock.isOver(record.expires)
        else { return found }
        return .sessionExpired
    }

    /// Takes what the environment gives for a login of this profile.
    static func takeSupplied(
        _ context: LoginContext, _ profile: Profile, into request: inout LoginRequest
    ) throws(LoginFault) {
        let environment = context.dependencies.environment
        let mayUse = context.mayUseSuppliedVariables(for: profile, isLogin: false)
        request.code = LoginRequest().suppliedCode(profile, context.dependencies, mayUseVariables: mayUse)
        guard let source = SuppliedCredential.variable(environment, mayUse) else { return }
        let secret = try SuppliedCredential(source: source, allowsBlank: false).secret(context.dependencies) {
            context.warnOnce($0)
        }
        if profile.givenPassphrase != nil {
            request.passphrase = secret
        } else if !profile.provesItself {
            let username = request.username ?? environment["AUTHCTL_USERNAME"]
            request.supplied = try context.credential(secret, of: username, profile)
        }
    }
}

extension LoginContext {
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

    /// The account that a command means, from what is remembered: no network, no libcurl, no store.
    /// - Throws: `loginRequired` if there is none.
    func account(_ profile: Profile) throws(LoginFault) -> AccountRecord {
        let username = username(for: profile)
        try adopt(profile, username)
        let record = try record(of: profile)
        topic.origin = record?.origin ?? topic.origin
        guard let username else {
            guard let account = record?.activeAccount else { throw .loginRequired(LoginNeed(why: record.missing)) }
            return account
        }
        guard let account = record?.account(named: username) else {
            throw .loginRequired(LoginNeed(why: .noSuchAccount(username: username, known: record?.usernames ?? [])))
        }
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
        warn("\(difference.setBackWarning(of: profile))")
    }

    /// The reason that an account cannot be used, as far as known without the network.
    package func problem(with account: AccountRecord, of profile: Profile) throws(LoginFault) -> LoginFault? {
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
    fileprivate var missing: LoginNeed.Why {
        guard let names = self?.usernames, !names.isEmpty else { return .nothingStored }
        return .noActiveAccount(known: names)
    }
}
