import Secrets

// Keeping a login that the verify endpoint confirmed.
extension StoreKeeper {
    /// The copy in a store that the account had before goes last.
    func approve(_ login: Login, _ approval: Approval) throws(LoginFault) {
        defer { endRefresh() }
        space = []
        switch approval {
        case .login(let method): try fromStore(try keep(login, method))
        case .refresh: try fromStore(try replace(with: login))
        }
    }

    /// What has proved a new login, as the profile's record keeps it.
    private typealias Proof = (method: AuthenticationMethod, verify: AcceptedVerify?)

    private func keep(_ login: Login, _ method: AuthenticationMethod) throws(StoreFault) {
        if rules.persistence == .none { return }
        let store = try storeForSaving()
        if store.name == .none { return }
        let kept = StoredLogin(
            session: login.session, credential: rules.keepsPassword ? login.credential : nil,
            extraSecrets: login.extraSecrets)
        let record = AccountRecord(
            username: login.identity.accountName, serverName: login.identity.serverName, origin: subject.origin,
            store: store.name, kind: .init(of: login.session, by: method), expires: login.session.expires,
            savedAt: clock.now(), keepsPassword: kept.credential != nil, anonymousResponse: login.anonymousResponse,
            space: login.space, bindsToDevice: login.bindsToDevice)
        unlockFormerStores(of: record.id(in: subject.profile), but: store.name)
        try registry.changing(loginsOf: [subject.profile]) { () throws(StoreFault) in
            try put(kept, record, (method, login.accepted), in: store)
        }
    }

    private func put(
        _ kept: StoredLogin, _ record: AccountRecord, _ proof: Proof, in store: any CredentialStore
    ) throws(StoreFault) {
        let id = record.id(in: subject.profile)
        guard let before = try registry.read().account(id) else {
            try add(kept, record, in: store)
            return try use(record, proof)
        }
        try registry.check(before, of: subject.profile)
        let isSession = [.token, .cookies].contains(before.kind) && before.otherPerson == nil
        do {
            let former = isSession ? try read(before)?.login : nil
            replaced = former?.found(as: before.username, credentialWasRefused: false)
        } catch {
            // What cannot be read does not keep the new one from being saved.
            replaced = nil
        }
        var record = record
        record.otherCopies = before.copies(outside: store.name)
        let hasOtherCopies = !record.otherCopies.isEmpty
        try save(kept, id, in: store, about: record) { if hasOtherCopies { $0.noteCopy(in: store.name) } }
        try use(record, proof)
        try registry.eraseOtherCopies(of: id, opening: openStore, orElse: leftBehind)
    }

    /// A new account is noted before its secret is there: a crash between the two leaves an account without a secret,
    /// never a secret that no logout finds. What is there already is noted after its new secret.
    private func add(_ kept: StoredLogin, _ record: AccountRecord, in store: any CredentialStore) throws(StoreFault) {
        let id = record.id(in: subject.profile)
        try registry.update { $0.noteAccount(record, of: subject.profile, url: subject.url, origin: subject.origin) }
        do {
            try save(kept, id, in: store, about: record)
        } catch {
            takeBack(id, from: store, after: error)
            throw error
        }
    }

    /// A save may fail and have written all the same. So the record goes only once the store has nothing of the account;
    /// until then a logout finds it.
    private func takeBack(_ id: AccountID, from store: any CredentialStore, after fault: StoreFault) {
        // The store may still be at it, and write after it was told to erase; the engine of a shared one may have it.
        if case .timedOut = fault { return }
        if case .shared(_, .engineAway) = fault { return }
        do {
            // What is in a shared store may be another machine's login.
            if !store.name.isShared { try store.erase(id) }
            try registry.update { $0.removeAccounts([id]) }
        } catch {
            // What failed first is told.
            return
        }
    }

    /// Makes the account, whose secret is there, the one in use.
    private func use(_ record: AccountRecord, _ proof: Proof) throws(StoreFault) {
        let id = record.id(in: subject.profile)
        var record = record
        record.revision = filled?.revision
        try registry.update { document in
            document.updateProfile(subject.profile, url: subject.url, origin: subject.origin) { profile in
                profile.accounts.removeAll { $0.isOf(id) }
                profile.accounts.append(record)
                profile.activeUsername = record.username
                (profile.pinnedMethod, profile.accepted) = (proof.method, proof.verify ?? profile.accepted)
            }
            document.lastProfile = subject.profile
        }
    }

    /// In the store that the account remembers, and only if nobody has logged in or out since the last fill: a slow
    /// command must not bring back what another one has ended.
    private func replace(with login: Login) throws(StoreFault) {
        // What another process has refreshed is there already.
        guard let filled, filled.login.session != login.session || login.credential != nil else { return }
        try registry.changing(loginsOf: [subject.profile]) { () throws(StoreFault) in
            // What a provider gave for a refresh that all machines wait for is noted before the engine is asked anything.
            let hasBegun = try filled.store.shared?.hasBegunRefresh(of: filled.id) ?? false
            if let filled = try hasBegun ? filled : unchanged(filled) { try replace(filled, with: login) }
        }
    }

    private func replace(_ filled: Filled, with login: Login) throws(StoreFault) {
        let isPassword = if case .credential = login.session { true } else { false }
        let credential = isPassword ? nil : login.credential ?? filled.login.credential
        let kept = StoredLogin(
            session: login.session, credential: rules.keepsPassword ? credential : nil,
            extraSecrets: filled.login.extraSecrets.merging(login.extraSecrets) { $1 })
        // What was earned with a password is no refresh.
        if login.credential != nil {
            replaced = filled.login.found(as: filled.id.username, credentialWasRefused: false)
        }
        let doubt = doubt
        func changed(_ record: AccountRecord) -> AccountRecord {
            var record = record
            record.doubt = doubt
            record.serverName = login.identity.serverName ?? record.serverName
            record.expires = login.session.expires
            record.savedAt = clock.now()
            record.anonymousResponse = login.anonymousResponse ?? record.anonymousResponse
            record.keepsPassword = kept.credential != nil
            // A new session proves a password only if it was earned with it.
            if login.credential != nil { record.passwordRefused = false }
            return record
        }
        // Before the secret: a crash in between has the old session verified once more, and never the new one used.
        try save(kept, filled.id, in: filled.store, over: filled, about: filledRecord.map(changed)) {
            if doubt != nil { $0.doubt = doubt }
        }
        filledRecord?.doubt = doubt
        self.doubt = nil
        try registry.update { $0.updateAccount(filled.id) { $0 = changed($0) } }
    }

    /// Saves the secret of an account that the registry has.
    /// - Parameters:
    ///   - former: what it takes the place of, where a login of another machine meanwhile is to stay.
    ///   - account: the record once it is saved, for other machines that share the login.
    ///   - change: what the record has to say before the new secret is there.
    func save(
        _ login: StoredLogin, _ id: AccountID, in store: any CredentialStore, over former: Filled? = nil,
        about account: AccountRecord?, noting change: (inout AccountRecord) -> Void = { _ in }
    ) throws(StoreFault) {
        let revision = AccountRecord.newRevision()
        var details = store.name.isShared ? account : nil
        details?.revision = revision
        let bytes = try StoredLoginCodec.encode(login, of: details)
        try revise(id, to: revision, noting: change)
        if let former, let shared = store.shared {
            guard try shared.keep(bytes, over: former.bytes, for: id) else { return }
        } else {
            try store.save(bytes, for: id, expires: login.lastUse)
        }
        filled = Filled(id: id, store: store, bytes: bytes, login: login, revision: revision)
    }

    /// Gives the record a new revision, before its secret changes: a process that read the old one sees then that there may
    /// be another, even if this one is killed in between.
    func revise(
        _ id: AccountID, to revision: Int64 = AccountRecord.newRevision(),
        noting change: (inout AccountRecord) -> Void = { _ in }
    ) throws(StoreFault) {
        try registry.update { document in
            document.updateAccount(id) { record in
                record.revision = revision
                change(&record)
            }
        }
    }

    /// A passphrase is asked for here, while nobody has to wait for it. What cannot be opened is told when it is erased.
    private func unlockFormerStores(of id: AccountID, but store: StoreName) {
        fault { () throws(StoreFault) in
            for name in try registry.read().account(id)?.copies(outside: store) ?? [] {
                fault { () throws(StoreFault) in _ = try openStore(name).find(id) }
            }
        }
    }
}
