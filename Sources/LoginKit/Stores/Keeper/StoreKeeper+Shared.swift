// What is different about a login that other machines have, too.
extension StoreKeeper {
    private var shared: (any SharedCredentialStore)? { filled?.store.shared }

    /// The lock's time limit in seconds: a third may pass before a request is sent, which may then use up its own time limit.
    private var lockTime: Int { rules.timeLimit * 3 / 2 }

    /// The seconds for which another process of this machine may hold the right to refresh: it may wait for another machine.
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

    /// Whether a refresh may be sent now, since no other machine thinks by then that this one is gone; if not, it begins again.
    /// - Throws: `store(.locked)` after too many tries.
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
        // Read once: another process of this machine may take the login over between two looks.
        let document = try registry.read(), known = try account(named: subject.username, in: document)
        if let known {
            guard known.mayHaveMoved(to: name), try !isThere(known) else { return (true, nil) }
        } else if subject.username == nil, hasAccounts(in: document) {
            // After a logout or a switch the person chooses among those of this machine.
            return (false, nil)
        }
        guard let store = try openStore(name).shared else { return (known != nil, nil) }
        var username = known?.username ?? subject.username
        if username == nil { username = try store.lastAccount(of: subject.profile, at: subject.origin)?.username }
        guard let username else { return (false, nil) }
        let id = AccountID(profile: subject.profile, origin: subject.origin, username: username)
        guard let bytes = try store.find(id) else { return (known != nil, nil) }
        let (login, account) = try StoredLoginCodec.decode(bytes, of: rules.kind, in: name)
        var record = AccountRecord(
            username: id.username, serverName: nil, origin: subject.origin, store: name,
            kind: login.session.map { .init(of: $0, by: .basic) } ?? .token, expires: login.session?.expires,
            savedAt: clock.now())
        record.keepsPassword = login.credential != nil
        if let account { record.takeDetails(of: account) }
        try registry.update { document in
            if document.account(id) != nil {
                return document.updateAccount(id) { if $0.mayHaveMoved(to: name) { $0.move(to: record) } }
            }
            document.noteAccount(record, of: subject.profile, url: subject.url, origin: subject.origin)
            document.updateProfile(subject.profile, url: subject.url, origin: subject.origin) { profile in
                if subject.username == nil { profile.activeUsername = id.username }
                profile.pinnedMethod = profile.pinnedMethod ?? account.flatMap { $0.kind.challengeMethod }
            }
        }
        return (true, record)
    }

    /// Whether the store that an account remembers has its login. One that is not to be had any more may have been left.
    private func isThere(_ account: AccountRecord) throws(StoreFault) -> Bool {
        do {
            let store = try openStore(account.store)
            let isThere = try store.find(account.id(in: subject.profile)) != nil
            return isThere && store.shared?.wasAway != true
        } catch  where error.isOfEngine {
            return false
        } catch .helper, .usage {
            return false
        }
    }

    /// Forgets the end of a login that another machine has erased, where this one can write that down.
    func noteErased(_ record: AccountRecord) -> AccountRecord {
        guard record.store.isShared, record.expires != nil else { return record }
        var noted = record
        noted.expires = nil
        fault { () throws(StoreFault) in
            try registry.update {
                $0.updateAccount(record.id(in: subject.profile)) {
                    if $0.revision == record.revision { $0.expires = nil }
                }
            }
        }
        return noted
    }

    /// Copies the details that another machine has stored into the registry.
    func takeOver(_ found: Filled, into record: inout AccountRecord) throws(StoreFault) {
        guard record.store.isShared else { return }
        var noted = record
        if let account = found.account { noted.takeDetails(of: account) }
        noted.expires = found.login.session?.expires
        guard noted != record else { return }
        noted.savedAt = clock.now()
        record = noted
        try registry.update { document in
            document.updateAccount(noted.id(in: subject.profile)) {
                $0.takeDetails(of: noted)
                $0.savedAt = noted.savedAt
            }
        }
    }

    /// Changes the details of an account whose login stays as it is, for the machines that share it, too.
    func changeDetails(_ change: (inout AccountRecord) -> Void) throws(StoreFault) {
        guard let filled else { return }
        try registry.update { $0.updateAccount(filled.id, change) }
        guard let shared, var record = filledRecord else { return }
        change(&record)
        record.revision = filled.account?.revision ?? filled.revision
        let bytes = try StoredLoginCodec.encode(filled.login, of: record)
        do {
            guard try shared.amend(filled.bytes, as: bytes, for: filled.id) else { return }
            self.filled?.bytes = bytes
            self.filled?.account = record
        } catch  where error.isOfEngine {
            // This machine remembers it; each of the others finds out by itself.
            return
        }
    }

    /// Returns what was read, with details that another machine may have changed since; `nil` if the login itself has changed.
    func unchangedShared(_ filled: Filled) throws(StoreFault) -> Filled? {
        guard let bytes = try filled.store.find(filled.id) else { return nil }
        if bytes == filled.bytes { return filled }
        let (login, account) = try StoredLoginCodec.decode(bytes, of: rules.kind, in: filled.store.name)
        guard login == filled.login else { return nil }
        self.filled?.bytes = bytes
        self.filled?.account = account
        return self.filled
    }
}

extension AccountRecord {
    /// Whether another machine may have moved the login to this store, from one that it shared before.
    func mayHaveMoved(to store: StoreName) -> Bool { self.store.isShared && self.store != store }

    /// Takes over what is known of the login in its new store.
    fileprivate mutating func move(to other: AccountRecord) {
        (store, savedAt, passwordRefused) = (other.store, other.savedAt, other.passwordRefused)
        takeDetails(of: other)
    }
}
