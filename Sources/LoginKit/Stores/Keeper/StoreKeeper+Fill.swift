import Secrets

// Reading what is stored, and taking note of a refusal.
extension StoreKeeper {
    /// Reads the stored login of the account; empty where there is none.
    /// - Throws: `store` where its store cannot be read, or holds for it what is no stored login.
    package func fill() throws(LoginFault) -> StoredLogin { try fromStore(try read()) }

    func read() throws(StoreFault) -> StoredLogin {
        if let record = try account() { return try find(record) }
        (filled, password, filledRecord) = (nil, nil, nil)
        return StoredLogin()
    }

    /// The same for an account that was looked up already, which saves reading the registry once more.
    package func fill(_ record: AccountRecord) throws(LoginFault) -> StoredLogin {
        try fromStore(try find(record))
    }

    private func find(_ record: AccountRecord) throws(StoreFault) -> StoredLogin {
        (filled, password, filledRecord) = (nil, nil, record)
        try registry.check(record, of: subject.profile)
        guard let (found, present) = try locate(record) else {
            let record = noteErased(record)
            filledRecord = record
            return StoredLogin(endedAt: clock.isOver(record.expires) ? record.expires : nil)
        }
        var record = present
        filled = found
        try takeOver(found, into: &record)
        filledRecord = record
        var stored = found.login.found(as: record.username, credentialWasRefused: record.passwordRefused)
        stored.endedAt = stored.session.flatMap { clock.isOver($0) ? $0.expires : nil }
        password = stored.credential
        return judged(stored, by: record)
    }

    /// Reads what the account's store has. Where that is nothing, another process may just have moved the login, so the registry
    /// is read once more.
    private func locate(_ record: AccountRecord) throws(StoreFault) -> (Filled, AccountRecord)? {
        if let found = try read(record) { return (found, record) }
        guard let present = try registry.read().account(record.id(in: subject.profile)), present.store != record.store,
            let found = try read(present)
        else { return nil }
        filledRecord = present
        return (found, present)
    }

    /// A session that was refreshed for somebody else is not used at all, and one that may be is verified first; so is one whose
    /// end the clock cannot tell.
    private func judged(_ stored: StoredLogin, by record: AccountRecord) -> StoredLogin {
        var stored = stored
        switch record.doubt {
        case .otherPerson:
            return StoredLogin(
                credential: stored.credential, username: stored.username,
                credentialWasRefused: stored.credentialWasRefused, extraSecrets: stored.extraSecrets)
        case .unverified: stored.mustBeVerified = true
        case nil: stored.mustBeVerified = record.clockDifference(at: clock) != nil
        }
        return stored
    }

    /// - Throws: `damaged` for bytes that are no stored login; they stay where they are.
    func read(_ record: AccountRecord) throws(StoreFault) -> Filled? {
        let id = record.id(in: subject.profile)
        let store = try openStore(record.store)
        guard let bytes = try store.find(id) else { return nil }
        let (login, account) = try StoredLoginCodec.decode(bytes, of: rules.kind, in: record.store)
        return Filled(id: id, store: store, bytes: bytes, login: login, account: account, revision: record.revision)
    }

    /// Takes note of a refusal of what the last fill read: a session is erased, a password marked. What another process has
    /// saved since stays.
    func reject(_ part: StoredLogin.Part) throws(LoginFault) {
        // The password beside a session is tried next: nobody else tries it meanwhile.
        if part == .credential { password = nil }
        space = []
        defer {
            if password == nil {
                cancelSharedRefresh()
                refresh = nil
            }
        }
        try fromStore(try rejectFilled(part))
    }

    private func rejectFilled(_ part: StoredLogin.Part) throws(StoreFault) {
        if filled == nil, let record = try account() { (filled, filledRecord) = (try read(record), record) }
        // What was read a while ago may be what was refused.
        filled?.store.shared?.cacheTime = 0
        guard let filled, filled.login.session?.isOurs != false else { return }
        try registry.changing(loginsOf: [subject.profile]) { () throws(StoreFault) in
            // Saved by another process since: of that, nothing was said.
            guard let filled = try unchanged(filled) else { return }
            switch (part, filled.login.session) {
            case (.credential, _), (.session, .credential): try changeDetails { $0.passwordRefused = true }
            case (.session, _): try eraseSession(filled)
            }
        }
    }

    /// Erases the session; what is kept beside it stays.
    private func eraseSession(_ filled: Filled) throws(StoreFault) {
        let login = filled.login
        let asked = login.extraSecrets.asked
        guard login.credential != nil || !asked.isEmpty else {
            try revise(filled.id)
            if let shared = filled.store.shared {
                switch try shared.refuse(filled.bytes, for: filled.id) {
                case .ended: break
                case .changed: return
                case .unfinished(let machine): return unfinished = machine
                }
            } else {
                try filled.store.erase(filled.id)
            }
            self.filled = nil
            // Nothing of it lives on; an end that has come goes on telling why.
            try registry.update { $0.updateAccount(filled.id) { if !clock.isOver($0.expires) { $0.expires = nil } } }
            return
        }
        let rest = StoredLogin(credential: login.credential, extraSecrets: asked)
        try save(rest, filled.id, in: filled.store, over: filled, about: filledRecord)
    }

    /// Returns what was read if the stored login is still that one. Called with the registry's lock held.
    func unchanged(_ filled: Filled) throws(StoreFault) -> Filled? {
        // Other machines do not write into this registry.
        if filled.store.name.isShared { return try unchangedShared(filled) }
        guard let revision = filled.revision else {
            return try filled.store.find(filled.id) == filled.bytes ? filled : nil
        }
        let present = try registry.read().account(filled.id)
        return present?.revision == revision && present?.store == filled.store.name ? filled : nil
    }
}

extension Session {
    /// Whether what proves it is kept here, so that a refusal says something of it. A ticket or a bare key is kept elsewhere, and
    /// the next one may be good.
    fileprivate var isOurs: Bool {
        switch self {
        case .token, .cookies: return true
        case .credential(let credential):
            switch credential.kind {
            case .password, .token, .grant, .noSecret, .copied: return true
            case .certificate(let passphrase): return passphrase != nil
            case .ticket: return false
            }
        }
    }
}
