import LoginCore

// What is different about a login that other machines have, too.
extension StoreKeeper {
    private var shared: SharedStore? { filled?.store as? SharedStore }

    /// A third of it may be gone before a request is sent, which takes as long as it may; in seconds.
    private var lockTime: Int { rules.timeLimit * 3 / 2 }

    /// How long another process of this machine may have the right to refresh, in seconds: it may wait for another machine.
    var refreshPatience: Int {
        guard shared != nil else { return 30 }
        return 30 + 3 * lockTime
    }

    /// Takes the right to refresh from the other machines, or waits for the one that has it.
    func beginSharedRefresh() throws(LoginFault) {
        guard let filled, let shared else { return }
        shared.lockTime = lockTime
        let right = try fromStore(
            try shared.beginRefresh(of: filled.id, ifStill: filled.bytes, hasOtherProof: password != nil))
        if case .unfinished(let machine) = right {
            throw .loginRequired(LoginNeed(why: .unfinishedRefresh(machine: machine)))
        }
    }

    /// Whether what comes next is the answer to the refresh for which all other machines wait.
    var hasBegunSharedRefresh: Bool {
        get throws(StoreFault) {
            guard let filled, let shared else { return false }
            return try shared.hasBegunRefresh(of: filled.id)
        }
    }

    /// Whether a refresh may be sent now, since no other machine thinks by then that this one is gone.
    func isInTime() throws(LoginFault) -> Bool {
        guard let filled, let shared else { return true }
        return try fromStore(try shared.isInTime(filled.id))
    }

    /// The session that another machine has saved while this one was refused.
    func newerSession(than session: Session) throws(LoginFault) -> Session? {
        guard let shared else { return nil }
        shared.cacheTime = 0
        let present = try fromStore(try read().session)
        return present == session ? nil : present
    }

    /// Lets other machines refresh at once, where nothing was used up.
    func cancelSharedRefresh() {
        if let filled { shared?.cancelRefresh(of: filled.id) }
    }

    /// Takes note of an account that another machine has logged in, where this one knows none that is meant.
    /// - Returns: whether the registry knows one now, and the one that it did not know before.
    func adopt() throws(StoreFault) -> (isKnown: Bool, adopted: AccountRecord?) {
        guard let name = rules.sharedStore else { return (false, nil) }
        // Another process of this machine may have been faster.
        if try account() != nil { return (true, nil) }
        guard let store = try stores.open(name) as? SharedStore else { return (false, nil) }
        let id: AccountID
        if let username = subject.username {
            id = AccountID(profile: subject.profile, origin: subject.origin, username: username)
        } else if let last = try store.lastAccount(of: subject.profile, at: subject.origin) {
            id = last
        } else {
            return (false, nil)
        }
        guard let bytes = try store.find(id) else { return (false, nil) }
        let login: StoredLogin
        do throws(StoredLoginCodec.Malformed) {
            login = try StoredLoginCodec.decode(bytes, of: rules.kind)
        } catch {
            throw error.fault(in: name)
        }
        var record = AccountRecord(
            username: id.username, serverName: nil, origin: subject.origin, store: name,
            kind: login.session.map { kind(of: $0, by: .basic) } ?? .token, expires: login.session?.expires,
            savedAt: clock.now())
        record.keepsPassword = login.credential != nil
        try registry.update { document in
            guard document.account(id) == nil else { return }
            document.noteAccount(record, of: subject.profile, url: subject.url, origin: subject.origin)
            document.updateProfile(subject.profile, url: subject.url, origin: subject.origin) { profile in
                if subject.username == nil { profile.activeUsername = id.username }
            }
        }
        return (true, record)
    }

    /// Has the registry say when a session ends that another machine has saved.
    func noteEnd(of session: Session?, in record: inout AccountRecord) throws(StoreFault) {
        guard record.store.isShared, session?.expires != record.expires else { return }
        (record.expires, record.savedAt) = (session?.expires, clock.now())
        let noted = record
        try registry.update { document in
            document.updateAccount(noted.id(in: subject.profile)) {
                ($0.expires, $0.savedAt) = (noted.expires, noted.savedAt)
            }
        }
    }
}
