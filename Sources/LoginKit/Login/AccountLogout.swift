package import LoginCore
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
        let open = open
        guard let first = accounts.first else { return [] }
        context.topic = ErrorContext(profile: first.profile.name, origin: first.record.origin)
        let ids = accounts.map { $0.record.id(in: $0.profile.name) }
        // A refresh that is on its way would bring a session that nobody ends.
        let refreshLock = asksServer ? try lock(ids) : nil
        var receipts = asksServer ? askServers() : accounts.map(receipt)
        let erased = context.registry.forget(ids, opening: open)
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

    private func lock(_ ids: [AccountID]) throws(LoginFault) -> RefreshLock {
        context.unlock(accounts.map { ($0.profile.name, $0.record) })
        let refreshLock = try fromStore(try context.registry.lockRefresh(of: ids.map(\.profile)))
        try fromStore(try context.registry.checkErasable(ids, opening: open))
        return refreshLock
    }

    private var open: (StoreName) throws(StoreFault) -> any CredentialStore {
        let stores = context.stores()
        return { (name) throws(StoreFault) in try stores.open(name) }
    }

    private func receipt(_ account: Account) -> Receipt {
        let record = account.record
        var receipt = Receipt(
            profile: account.profile.name, place: record.origin, username: record.identity.displayName,
            facts: LogoutFacts(), expires: record.kind == .basic ? nil : record.expires)
        receipt.hadTicket = record.kind == .ticket
        receipt.hadWindow = (try? context.profiles.profile(named: account.profile.name))?.kind == .browser
        receipt.sharedStore = record.store.isShared ? record.store : nil
        receipt.hadSession = record.kind == .token || record.kind == .cookies
        return receipt
    }

    private func askServers() -> [Receipt] {
        context.concurrently(accounts) { context, account in
            var receipt = receipt(account)
            guard account.record.origin == account.profile.origin else { return receipt }
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
        var request = LoginRequest()
        request.username = account.record.username
        request.mayDoWithoutKey = true
        let run = try LoginRun(context, profile, request)
        let stored = try run.keeper.fill()
        guard let session = stored.session else { return nil }
        run.service.hold(stored.extraSecrets)
        defer {
            if let id = run.service.undeletedClient {
                context.say(
                    "the client \(SafeText.quoted(id)), registered for this login, could not be deleted at the authorization server"
                )
            }
        }
        return try run.service.logout(session, username: account.record.username)
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
