// Logins of other machines.
extension LoginContext {
    /// The key of the stores that machines share.
    package var sharedKeyFile: String { profiles.defaults.sharedKeyFile ?? paths.configFolder + "/shared.key" }

    /// The settings of the stores that machines share.
    var sharedStores: SharedStores.Settings {
        let etcd = EtcdClient(self)
        var settings = SharedStores.Settings(keyFile: sharedKeyFile) { (path, body) throws(StoreFault) in
            try etcd.post(path, body)
        }
        settings.cacheTime = profiles.defaults.sharedCache ?? 0
        settings.isOffline = isOffline
        settings.warn = { [unowned self] fault in
            let what = LoginFault.store(fault).message().what
            warnOnce("warning: \(what); using the login as it was read last")
        }
        return settings
    }

    /// Takes note of an account that another machine has logged in, where the profile's store is shared and this machine knows none
    /// that is meant.
    package func adopt(_ profile: Profile, _ username: String?) throws(LoginFault) {
        guard !isOffline, let store = LoginRequest().store(of: profile), store.isShared else { return }
        let record = try record(of: profile)
        let known =
            if let username { record?.account(named: username) } else {
                record?.activeAccount ?? record?.accounts.first
            }
        if let known, !known.mayHaveMoved(to: store) { return }
        var request = LoginRequest()
        request.username = username
        let origin = if let record { record.origin } else { try endpoint(profile).origin }
        let keeper = keeper(profile, origin, request)
        try adopt(by: keeper)
    }

    /// The same before a logout, so that a machine that never used a login can end it. A second logout ends nobody else's login.
    package func adoptForLogout(_ profile: Profile, _ username: String?) throws(LoginFault) {
        let record = try record(of: profile)
        if username == nil, record?.hasKeptLogin == true, record?.activeAccount == nil { return }
        try adopt(profile, username)
    }

    /// The same for the account of a keeper, and says which one it is.
    func adopt(by keeper: StoreKeeper) throws(LoginFault) {
        let (isKnown, adopted) = try fromStore(try keeper.adopt())
        if isKnown { lookAgain() }
        if let adopted {
            say(
                "\(keeper.subject.profile): using the login of \(SafeText.quoted(adopted.username)) in '\(adopted.store)'"
            )
        }
    }

    /// An account of a shared store with what another machine has made of it since, and whether it has a login; `nil` for any other.
    func sharedRecord(
        of account: AccountRecord, in profile: Profile
    ) throws(LoginFault) -> (record: AccountRecord, isStored: Bool)? {
        guard account.store.isShared else { return nil }
        var request = LoginRequest()
        request.username = account.username
        let keeper = keeper(profile, account.origin, request)
        _ = try keeper.fill(account)
        return (keeper.filledRecord ?? account, keeper.filled != nil)
    }

    /// The machine that saved a login last, where other machines have it, too, as of when this one read it last.
    package func lastMachine(of account: AccountRecord, in profile: String) -> String? {
        lastRead(account, in: profile)?.open.machine
    }

    /// The login of a shared store as this machine read it last: the engine is not asked again.
    func lastRead(_ account: AccountRecord, in profile: String) -> SharedValue? {
        guard account.store.isShared else { return nil }
        var value: SharedValue?
        fault { () throws(StoreFault) in
            let store = try stores().open(account.store) as? SharedStore
            value = try store?.remembered(account.id(in: profile))
        }
        return value
    }
}
