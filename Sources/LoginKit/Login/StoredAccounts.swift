import Secrets

/// The stored accounts of a piece of work.
package struct StoredAccounts {
    let context: LoginContext

    /// The keeper of one account of a profile.
    package func keeper(_ profile: Profile, _ origin: Origin, _ request: LoginRequest = LoginRequest())
        -> StoreKeeper
    {
        let stores = context.stores()
        let persist = request.persistence(of: profile), store = request.store(of: profile)
        return StoreKeeper(
            subject: StoreKeeper.Subject(
                profile: profile.name, url: profile.url, origin: origin, username: request.username),
            rules: StoreKeeper.Rules(
                persistence: persist ?? .permanent, keepsPassword: profile.settings.keepPassword,
                kind: profile.kind, sharedStore: store.flatMap { $0.isShared ? $0 : nil },
                timeLimit: max(
                    Service.leastTime,
                    context.options.timeout ?? profile.settings.timeout ?? StoreKeeper.Rules().timeLimit)),
            registry: context.registry,
            chooseStore: { () throws(StoreFault) in
                if let store, store.isShared, context.profiles.isOfEngine(profile.name) {
                    throw .usage(.engineLogin(of: store, profile: profile.name))
                }
                let chosen = try stores.chooser()
                    .choose(store, persistence: persist) { tell(ofPassing: $0) }
                context.chosenStore = chosen.name
                return chosen
            },
            openStore: stores.open, clock: context.dependencies.clock,
            leftBehind: { [messages = context.person.messages] store, fault in
                messages.warn(
                    "the old copy in '\(store)' could not be erased: \(LoginFault.store(fault).message().what)"
                )
            })
    }

    /// The keeper of an account that the registry has.
    package func keeper(of account: AccountRecord, in profile: Profile) -> StoreKeeper {
        keeper(profile, account.origin, LoginRequest(username: account.username))
    }

    /// The account that a command means, from what is remembered: no network, no libcurl, no store.
    /// - Throws: `loginRequired` if there is none.
    func account(_ profile: Profile) throws(LoginFault) -> AccountRecord {
        let username = context.username(for: profile)
        try adopt(profile, username)
        let record = try context.record(of: profile)
        context.topic.origin = record?.origin ?? context.topic.origin
        guard let username else {
            guard let account = record?.activeAccount else { throw .loginRequired(LoginNeed(why: record.missing)) }
            try fromStore(try context.registry.check(account, of: profile.name))
            return account
        }
        guard let account = record?.account(named: username) else {
            throw .loginRequired(LoginNeed(why: .noSuchAccount(username: username, known: record?.usernames ?? [])))
        }
        try fromStore(try context.registry.check(account, of: profile.name))
        return account
    }

    /// The account, if its secret is stored and has not expired.
    package func usable(_ profile: Profile) throws(LoginFault) -> AccountRecord {
        let account = try account(profile)
        if let problem = try problem(with: account, of: profile) { throw problem }
        return account
    }

    /// Says that the clock cannot tell when a login ends.
    func tellOfClock(_ account: AccountRecord, of profile: String) {
        guard let difference = account.clockDifference(at: context.dependencies.clock) else { return }
        context.person.warn("\(difference.setBackWarning(of: profile))")
    }

    /// The reason that an account cannot be used, as far as known without the network.
    package func problem(with account: AccountRecord, of profile: Profile) throws(LoginFault) -> LoginFault? {
        try fromStore(try context.registry.check(account, of: profile.name))
        let shared = try sharedRecord(of: account, in: profile), account = shared?.record ?? account
        if account.passwordRefused { return .loginRequired(LoginNeed(why: .passwordRefusedBefore)) }
        if let other = account.otherPerson { return .loginRequired(LoginNeed(why: .sessionOfAnother(other))) }
        if context.dependencies.clock.isOver(account.expires) { return .loginRequired(LoginNeed(why: .sessionExpired)) }
        if let difference = account.clockDifference(at: context.dependencies.clock) {
            return .loginRequired(LoginNeed(why: .clockSetBack(difference)))
        }
        let isStored =
            if let shared { shared.isStored } else { try fromStore(try isStored(account, of: profile.name)) }
        return isStored ? nil : .loginRequired(LoginNeed(why: .nothingStored))
    }

    /// Where the store has nothing, another process may just have moved the login: the registry is read once more.
    private func isStored(_ account: AccountRecord, of profile: String) throws(StoreFault) -> Bool {
        let id = account.id(in: profile)
        if try context.stores().open(account.store).contains(id) { return true }
        guard let present = try context.registry.read().account(id), present.store != account.store else {
            return false
        }
        return try context.stores().open(present.store).contains(id)
    }

    /// Whether authctl gets a new session by itself once this one has ended: with a refresh token, or the password that is kept.
    ///
    /// Only the store knows; what cannot be read there is told of elsewhere.
    package func refreshes(_ account: AccountRecord, of profile: Profile) -> Bool {
        if account.passwordRefused { return false }
        if account.keepsPassword { return true }
        guard account.kind == .token, profile.refresh != nil || profile.oauth != nil else { return false }
        var session: Session?
        if account.store.isShared {
            guard let secret = lastRead(account, in: profile.name)?.secret else { return false }
            session = try? StoredLoginCodec.decode(secret, of: profile.kind, in: account.store).login.session
        } else {
            session = try? keeper(of: account, in: profile).fill(account).session
        }
        guard case .token(let token) = session else { return false }
        return token.refreshToken != nil
    }

    /// Has the stores of these accounts unlocked, while nobody has to wait for that, and before there are several threads.
    package func unlock(_ accounts: [(profile: String, record: AccountRecord)]) {
        var tried: Set<StoreName> = []
        for (profile, record) in accounts where tried.insert(record.store).inserted {
            // A helper is unlocked by its own agent, for each entry.
            if record.store.program != nil { continue }
            do {
                let store = try context.stores().open(record.store), id = record.id(in: profile)
                if try store.contains(id) { _ = try store.find(id) }
            } catch {
                // Whoever needs the store is told.
                continue
            }
        }
    }

    /// A given password with its user name, which it needs from somewhere where the login has one: as named, else the
    /// profile's, else that of the active account.
    func credential(_ secret: Secret, of named: String?, _ profile: Profile) throws(LoginFault) -> Credential {
        let kind = profile.traits.credential(secret)
        guard profile.fields.contains(.username) else { return Credential(username: nil, kind) }
        let active = try context.document().profile(profile.name)?.activeAccount?.username
        // HTTP authentication knows an empty name (RFC 7617, section 2).
        guard let username = named ?? profile.user ?? active, !username.isEmpty || profile.traits.answersChallenges
        else {
            throw .loginRequired(LoginNeed(why: .nothingStored, missing: [.username]))
        }
        return Credential(username: username, kind)
    }
}
