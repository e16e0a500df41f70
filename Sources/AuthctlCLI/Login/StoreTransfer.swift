import LoginKit

/// One line of `store move --json`.
struct MovedAccount: Encodable {
    let profile: String
    let origin: String
    let username: String
    let from: String
    let to: String
}

/// Moves accounts: what a store says about one of them does not keep the others from moving.
struct StoreTransfer {
    let invocation: Invocation
    let source: StoreName
    let target: StoreName

    /// - Returns: what was moved, and the first fault.
    func run() throws(LoginFault) -> ([MovedAccount], LoginFault?) {
        let accounts = try accounts()
        guard !accounts.isEmpty else { return ([], nil) }
        let outcomes = try fromStore(try begin()).move(accounts.map { $0.account.id(in: $0.profile.name) })
        var moved: [MovedAccount] = []
        var fault: LoginFault?
        for (profile, account) in accounts {
            switch outcomes[account.id(in: profile.name)] {
            case .success(let outcome): say(outcome, profile, account, &moved)
            case .failure(let problem):
                let error = LoginFault.store(problem),
                    topic = ErrorContext(profile: profile.name, origin: account.origin)
                // What keeps all of them from moving is said once.
                if error != fault { invocation.streams.say("authctl: \(error.message(about: topic).what)") }
                if fault == nil { invocation.context.topic = topic }
                fault = fault ?? error
            case nil: break
            }
        }
        return (moved, fault)
    }

    /// Tries the new store before anything is touched.
    private func begin() throws(StoreFault) -> AccountMove {
        let stores = invocation.context.stores()
        let target = try stores.open(target)
        invocation.context.warn(ofPlain: self.target)
        try stores.test(target)
        return AccountMove(registry: invocation.context.registry, from: try stores.open(source), to: target)
    }

    private func say(
        _ outcome: AccountMove.Outcome, _ profile: ProfileRecord, _ account: AccountRecord,
        _ moved: inout [MovedAccount]
    ) {
        let name = SafeText.name(account.identity.displayName)
        let who = "\(name.isEmpty ? "" : "\(name) of ")\(profile.name) (\(account.origin))"
        switch outcome {
        case .moved:
            let others = source.isShared ? " Other machines do not have it any more." : ""
            invocation.say("Moved \(who) from '\(source)' to '\(target)'.\(others)")
            moved.append(moving(profile, account, to: target))
        case .cleared(let store):
            invocation.say("\(who): already in '\(store)'; the old copy in '\(source)' was erased.")
            moved.append(moving(profile, account, to: store))
        case .nothingThere: invocation.say("\(who): no longer in '\(source)'.")
        case .elsewhere: invocation.say("\(who): another process has changed it; nothing was moved.")
        }
    }

    private func moving(_ profile: ProfileRecord, _ account: AccountRecord, to store: StoreName) -> MovedAccount {
        MovedAccount(
            profile: profile.name, origin: account.origin.description, username: account.username,
            from: "\(source)", to: "\(store)")
    }

    /// Those in the store, be it with a copy that was left there, of former origins too, as far as `-P` and `-u` leave them.
    private func accounts() throws(LoginFault) -> [(profile: ProfileRecord, account: AccountRecord)] {
        let name = invocation.options.profile
        if let name { _ = try invocation.context.profile(named: name) }
        let profiles = try invocation.context.document().profiles.filter {
            name == nil || $0.name.isSame(as: name ?? "")
        }
        let username = invocation.options.username
        // By it the engine is logged in to.
        func isEngine(_ name: String) -> Bool { target.isShared && invocation.context.profiles.isOfEngine(name) }
        if let name, isEngine(name) { throw .store(.usage(.engineLogin(of: target, profile: name))) }
        return profiles.filter { !isEngine($0.name) }.flatMap { profile in
            profile.accounts.filter { account in
                (account.store == source || account.otherCopies.contains(source))
                    && username.map { account.goes(by: $0) } ?? true
            }.map { (profile, $0) }
        }
    }
}

extension AccountRecord {
    fileprivate func goes(by name: String) -> Bool {
        username.isSame(as: name) || serverName.map { $0.isSame(as: name) } ?? false
    }
}
