import Secrets

/// Ends the logins of accounts: at the servers where the profiles say how, then here, whatever the servers said.
package struct AccountLogout {
    package typealias Account = (profile: ProfileRecord, record: AccountRecord)

    private let context: LoginContext
    private let accounts: [Account]
    private let made: Profile?

    /// - Parameter made: the profile of all accounts where no file has it.
    package init(context: LoginContext, accounts: [Account], as made: Profile? = nil) {
        (self.context, self.accounts, self.made) = (context, accounts, made)
    }

    /// Ends all of them.
    /// - Returns: a receipt for each, in their order; what could not be erased here is in it.
    /// - Throws: what keeps all of it from being done, before any server is asked.
    package func perform(asksServer: Bool) throws(LoginFault) -> [Receipt] {
        guard let first = accounts.first else { return [] }
        context.topic = ErrorContext(profile: first.profile.name, origin: first.record.origin)
        let ids = accounts.map { $0.record.id(in: $0.profile.name) }
        // A refresh that is on its way would bring a session that nobody ends.
        let refreshLock = asksServer ? try lock(ids) : nil
        var receipts = asksServer ? askServers() : accounts.map(receipt)
        let erased = context.registry.forget(ids, opening: context.stores().open)
        for (index, id) in ids.enumerated() {
            switch erased[id] {
            case .success(let had): receipts[index].copy = had ? .erased : .none
            case .failure(let fault): receipts[index].fault = .store(fault)
            case nil: break
            }
        }
        withExtendedLifetime(refreshLock) {}
        return receipts
    }

    private func lock(_ ids: [AccountID]) throws(LoginFault) -> LoginsLock {
        context.accounts.unlock(accounts.map { ($0.profile.name, $0.record) })
        let refreshLock = try fromStore(try context.registry.lockRefresh(of: ids.map(\.profile)))
        try fromStore(try context.registry.checkErasable(ids, opening: context.stores().open))
        return refreshLock
    }

    private func receipt(_ account: Account) -> Receipt {
        let record = account.record
        var receipt = Receipt(
            profile: account.profile.name, place: record.origin, username: record.identity.displayName,
            facts: LogoutFacts(), expires: record.kind == .basic ? nil : record.expires)
        receipt.hadTicket = record.kind == .ticket
        receipt.hadWindow = (try? context.profiles.profile(named: account.profile.name))?.traits.opensWindow == true
        receipt.sharedStore = record.store.isShared ? record.store : nil
        receipt.hadSession = record.kind == .token || record.kind == .cookies
        return receipt
    }

    private func askServers() -> [Receipt] {
        context.concurrently(accounts) { context, account in
            var receipt = receipt(account)
            guard account.record.origin == account.profile.origin, !account.record.isNewer else { return receipt }
            context.topic = ErrorContext(profile: account.profile.name, origin: account.record.origin)
            receipt.end { () throws(LoginFault) in try askServer(account, context) }
            return receipt
        }
    }

    /// - Returns: `nil` where there is nobody to ask, or nothing to ask with.
    private func askServer(_ account: Account, _ context: LoginContext) throws(LoginFault) -> Service.LogoutOutcome? {
        let name = account.profile.name
        guard made != nil || context.profiles.source(of: name) != nil else { return nil }
        let profile = if let made { made } else { try context.profile(named: name) }
        guard profile.logout != nil || profile.oauth != nil else {
            return Service.LogoutOutcome(facts: LogoutFacts(request: .noLogout))
        }
        guard try context.record(of: profile) != nil else { return nil }
        var request = LoginRequest(username: account.record.username)
        request.mayDoWithoutKey = true
        let run = try LoginRun(context, profile, request)
        let stored = try run.keeper.fill()
        guard let session = stored.session else { return nil }
        run.service.hold(stored.extraSecrets)
        run.service.owner = account.record.identity
        defer { context.person.sayIfUndeleted(run.service) }
        return try run.service.logout(session, username: account.record.username)
    }
}

extension Person {
    /// Tells of a client that was registered for a login, and lives on after it.
    func sayIfUndeleted(_ service: Service) {
        guard let id = service.undeletedClient else { return }
        say(
            "the client \(SafeText.quoted(id)), registered for this login, could not be deleted at the authorization server"
        )
    }
}

extension AccountLogout {
    /// Ends the login of one account, and throws what could not be erased here.
    package static func ofOne(
        _ account: AccountRecord, of profile: ProfileRecord, in context: LoginContext, as made: Profile? = nil
    ) throws(LoginFault) -> Receipt? {
        let logout = AccountLogout(context: context, accounts: [(profile, account)], as: made)
        let receipt = try logout.perform(asksServer: true).first
        if let fault = receipt?.fault { throw fault }
        return receipt
    }
}

/// The result of a logout for one account.
package struct Receipt {
    package let profile: String
    package let place: Origin
    let username: String
    /// The known state of the login at the server.
    package var facts: LogoutFacts
    var copy = Copy.none
    /// When whatever the server still accepts expires, in seconds of Unix time.
    var expires: Int64?
    /// The reason why the logout at the server is incomplete; `nil` if it is not.
    package var problem: String?
    /// Whether the login used a Kerberos ticket, which is not authctl's to end.
    var hadTicket = false
    /// Whether the login was made in a browser window: perhaps at a provider, which has a session of its own.
    var hadWindow = false
    /// Whether there is a session at the server, which may live on; a credential that is sent each time has none.
    var hadSession = true
    /// The store that shares the login with other machines.
    var sharedStore: StoreName?
    /// The fault that prevented erasing the local copy.
    package var fault: LoginFault?

    /// The copy of the login on this machine.
    enum Copy: Equatable {
        case erased
        /// There was none: the session had been refused, or another machine has logged out.
        case none
        /// The login was made for one command, and was never stored.
        case neverStored
    }

    /// The receipt of a login that was never stored, after its logout.
    package static func ofUnstored(_ account: AccountSession) -> Receipt {
        let (run, session, identity) = (account.run, account.session, account.identity)
        var receipt = Receipt(
            profile: run.profile.name, place: run.endpoint.origin, username: identity.displayName,
            facts: LogoutFacts(), expires: session.expires)
        receipt.copy = .neverStored
        receipt.hadWindow = run.profile.traits.opensWindow
        if case .credential(let credential) = session {
            (receipt.hadSession, receipt.hadTicket) = (false, credential.kind == .ticket)
        }
        receipt.end { () throws(LoginFault) in try run.service.logout(session, username: identity.username) }
        return receipt
    }

    /// Ends the login at the server, and notes what came of it.
    /// - Parameter logout: returns `nil` where the server is not to be asked.
    mutating func end(_ logout: () throws(LoginFault) -> Service.LogoutOutcome?) {
        var fault: LoginFault?
        do {
            guard let outcome = try logout() else { return }
            (facts, fault, expires) = (outcome.facts, outcome.fault, outcome.expires ?? expires)
        } catch {
            fault = error
            (facts.request, facts.session) = (.logout, .failed)
        }
        guard facts.isIncomplete else { return }
        let first = fault.map { [$0.message().what] } ?? []
        let untold = facts.refreshToken == .failed ? ["the refresh token may live on"] : []
        problem = (first + remains + untold).joined(separator: "; ")
    }

    /// A clause for each part of the login that is known to live on at the server.
    var remains: [String] {
        facts.livesOn.map { part in
            switch part {
            case .session: "the server still accepts the session"
            case .accessToken where facts.check != .accepted: "the server does not revoke access tokens"
            case .accessToken:
                "the server still accepts the access token"
                    + (expires == nil ? ", and does not say when it expires" : "")
            case .refreshToken where facts.refreshToken == .unsupported: "the server does not revoke refresh tokens"
            case .refreshToken: "the refresh token was not ended"
            }
        }
    }
}
