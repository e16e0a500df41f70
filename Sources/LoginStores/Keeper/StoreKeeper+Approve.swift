public import LoginCore
internal import Secrets

// Keeping a login that the verify endpoint confirmed.
extension StoreKeeper {
    /// Saves the secret first, then the book: a crash between the two leaves a secret that nothing refers to, never an
    /// account without its secret. The copy in a store that the account had before goes last.
    public func approve(_ login: Login) throws(LoginError) {
        if rules.persistence == .none { return }
        try fromStore { () throws(StoreFault) in
            let store = try storeForApproved(login)
            if store.name == .none { return }
            try keep(login, in: store)
        }
    }

    /// Where a login was begun, the store that was chosen for it; where a session was only renewed, the one that the
    /// account remembers.
    private func storeForApproved(_ login: Login) throws(StoreFault) -> any CredentialStore {
        let id = AccountID(profile: subject.profile, origin: subject.origin, username: login.identity.accountName)
        guard !isPrepared, let record = try book.read().account(id) else { return try storeForSaving() }
        return try stores.open(record.store)
    }

    private func keep(_ login: Login, in store: any CredentialStore) throws(StoreFault) {
        var record = record(of: login, in: store.name)
        let id = record.id(in: subject.profile)
        let before = try book.read().account(id)
        record.serverName = record.serverName ?? before?.serverName
        let carried = carriedOver(login, id)
        let kept = StoredLogin(
            session: login.session, credential: rules.keepsPassword ? login.credential ?? carried : nil)
        record.keepsPassword = kept.credential != nil
        // A renewed session proves nothing about a password that was refused.
        record.passwordRefused = carried != nil && before?.passwordRefused ?? false
        try save(kept, record, before, in: store)
        if let before, before.store != store.name { eraseFormerCopy(of: id, in: before.store) }
    }

    /// The password that is kept already, where a session was renewed without one.
    private func carriedOver(_ login: Login, _ id: AccountID) -> Credential? {
        guard rules.keepsPassword, login.credential == nil, let filled, filled.id == id else { return nil }
        return filled.login.credential
    }

    private func save(
        _ kept: StoredLogin, _ record: AccountRecord, _ before: AccountRecord?, in store: any CredentialStore
    ) throws(StoreFault) {
        let id = record.id(in: subject.profile)
        let bytes = try encoded(kept)
        try store.save(bytes, for: id, expires: kept.lastUse)
        do throws(StoreFault) {
            try note(record)
        } catch {
            if before == nil { erase(id, in: store) }
            throw error
        }
        filled = Filled(id: id, store: store, bytes: bytes, login: kept)
    }

    private func note(_ record: AccountRecord) throws(StoreFault) {
        try book.update { document in
            document.updateProfile(subject.profile, url: subject.url, origin: subject.origin) { profile in
                profile.accounts.removeAll { $0.isOf(record.id(in: subject.profile)) }
                profile.accounts.append(record)
                if isPrepared { profile.activeUsername = record.username }
                profile.pinnedMethod = method ?? profile.pinnedMethod
            }
            if isPrepared { document.lastProfile = subject.profile }
        }
    }

    private func record(of login: Login, in store: StoreName) -> AccountRecord {
        let kind: AccountRecord.SessionKind =
            switch login.session {
            case .credential: .basic
            case .token: .token
            case .cookies: .cookies
            }
        return AccountRecord(
            username: login.identity.accountName,
            serverName: login.identity.serverName, origin: subject.origin, store: store, kind: kind,
            expires: login.session.expires, savedAt: clock.now())
    }

    private func eraseFormerCopy(of id: AccountID, in name: StoreName) {
        do throws(StoreFault) {
            erase(id, in: try stores.open(name))
        } catch {
            leftBehind(name, error)
        }
    }

    /// The login stands, whatever comes of this.
    private func erase(_ id: AccountID, in store: any CredentialStore) {
        do throws(StoreFault) {
            try store.erase(id)
        } catch {
            leftBehind(store.name, error)
        }
    }
}

extension Identity {
    /// What the account is found by: the name typed, else the server's.
    var accountName: String { username.isEmpty ? serverName ?? "" : username }
}

extension StoredLogin {
    /// When nothing in it is of use any more, in seconds of Unix time; nothing if that never comes or is not known.
    ///
    /// A refresh token and a password outlive the session that they renew, and cookies end one by one.
    var lastUse: Int64? {
        if credential != nil { return nil }
        switch session {
        case .credential, nil: return nil
        case .token(let token): return token.refreshToken == nil ? token.expires : nil
        case .cookies(let cookies):
            let ends = cookies.compactMap(\.expires)
            return ends.count == cookies.count ? ends.max() : nil
        }
    }
}
