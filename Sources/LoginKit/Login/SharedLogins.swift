import Secrets

// Logins of other machines.
extension StoredAccounts {
    /// Takes note of an account that another machine has logged in, where the profile's store is shared and this machine knows none
    /// that is meant.
    package func adopt(_ profile: Profile, _ username: String?) throws(LoginFault) {
        guard !context.isOffline, let store = LoginRequest().store(of: profile), store.isShared else { return }
        let record = try context.record(of: profile)
        let known =
            if let username { record?.account(named: username) } else {
                record?.activeAccount ?? record?.accounts.first
            }
        if let known, !known.mayHaveMoved(to: store) { return }
        let origin = if let record { record.origin } else { try context.connections.endpoint(profile).origin }
        try adopt(by: keeper(profile, origin, LoginRequest(username: username)))
    }

    /// The same before a logout, so that a machine that never used a login can end it. A second logout ends nobody else's login.
    package func adoptForLogout(_ profile: Profile, _ username: String?) throws(LoginFault) {
        let record = try context.record(of: profile)
        if username == nil, record?.hasKeptLogin == true, record?.activeAccount == nil { return }
        try adopt(profile, username)
    }

    /// The same for the account of a keeper, and says which one it is.
    func adopt(by keeper: StoreKeeper) throws(LoginFault) {
        let (isKnown, adopted) = try fromStore(try keeper.adopt())
        if isKnown { context.lookAgain() }
        if let adopted {
            context.person.say(
                "\(keeper.subject.profile): using the login of \(SafeText.quoted(adopted.username)) in '\(adopted.store)'"
            )
        }
    }

    /// An account of a shared store with what another machine has made of it since, and whether it has a login; `nil` for any other.
    func sharedRecord(
        of account: AccountRecord, in profile: Profile
    ) throws(LoginFault) -> (record: AccountRecord, isStored: Bool)? {
        guard account.store.isShared else { return nil }
        let keeper = keeper(of: account, in: profile)
        _ = try keeper.fill(account)
        return (keeper.filledRecord ?? account, keeper.filled != nil)
    }

    /// The machine that saved a login last, where other machines have it, too, as of when this one read it last.
    package func lastMachine(of account: AccountRecord, in profile: String) -> String? {
        lastRead(account, in: profile)?.machine
    }

    /// The login of a shared store as this machine read it last: the engine is not asked again.
    func lastRead(_ account: AccountRecord, in profile: String) -> (secret: Secret, machine: String)? {
        guard account.store.isShared else { return nil }
        var found: (secret: Secret, machine: String)?
        fault { () throws(StoreFault) in
            found = try context.stores().open(account.store).shared?.lastRead(account.id(in: profile))
        }
        return found
    }
}

extension UsageFault {
    /// The login to an engine, which is to be put where it would be needed first.
    package static func engineLogin(of store: StoreName, profile: String) -> UsageFault {
        .other(
            "the profile \(SafeText.quoted(profile)) logs in to the engine of '\(store)', so its own login cannot be there"
        )
    }
}

extension Configuration {
    /// The key of the stores that machines share.
    package var sharedKeyFile: String { defaults.sharedKeyFile ?? paths.configFolder + "/shared.key" }
}
