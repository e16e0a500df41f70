import LoginKit

/// Moves accounts from one store to another. One that fails does not stop the others.
struct StoreTransfer {
    let invocation: Invocation
    let source: StoreName
    let target: StoreName

    /// - Returns: the rows of `store move --json` for what was moved, and the first fault.
    func run() throws(LoginFault) -> ([[String: String]], LoginFault?) {
        let accounts = try accounts()
        guard !accounts.isEmpty else { return ([], nil) }
        let outcomes = try fromStore(try openedStores()).move(accounts.map { $0.account.id(in: $0.profile.name) })
        var moved: [[String: String]] = []
        var faults: [LoginFault] = []
        for (profile, account) in accounts {
            switch outcomes[account.id(in: profile.name)] {
            case .success(let outcome): say(outcome, profile, account, &moved)
            case .failure(let problem):
                let error = LoginFault.store(problem),
                    topic = ErrorContext(profile: profile.name, origin: account.origin)
                // Each once, however many accounts it stops; the first is told by whoever called this.
                if faults.isEmpty {
                    invocation.context.topic = topic
                } else if !faults.contains(error) {
                    invocation.streams.say("authctl: \(error.message(about: topic).what)")
                }
                faults.append(error)
            case nil: break
            }
        }
        return (moved, faults.first)
    }

    /// Opens both stores, and tests the new one before anything is moved.
    private func openedStores() throws(StoreFault) -> AccountMove {
        let stores = invocation.context.stores()
        let opened = try stores.open(target)
        invocation.context.accounts.warn(ofPlain: target)
        try stores.test(opened)
        return AccountMove(registry: invocation.context.registry, from: try stores.open(source), to: opened)
    }

    private func say(
        _ outcome: AccountMove.Outcome, _ profile: ProfileRecord, _ account: AccountRecord,
        _ moved: inout [[String: String]]
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

    private func moving(
        _ profile: ProfileRecord, _ account: AccountRecord, to store: StoreName
    ) -> [String: String] {
        [
            "profile": profile.name, "origin": "\(account.origin)", "username": account.username, "from": "\(source)",
            "to": "\(store)",
        ]
    }

    /// The accounts that are kept in `source` or have a copy left there, of former origins too, limited by `-P` and `-u`.
    private func accounts() throws(LoginFault) -> [(profile: ProfileRecord, account: AccountRecord)] {
        let name = invocation.options.profile
        if let name { _ = try invocation.context.profile(named: name) }
        let profiles = try invocation.context.document().profiles.filter { name.map($0.name.isSame(as:)) ?? true }
        let username = invocation.options.username
        // The login of a profile that the engine itself needs cannot be kept in the engine.
        func isEngine(_ name: String) -> Bool { target.isShared && invocation.context.profiles.isOfEngine(name) }
        if let name, isEngine(name) { throw .store(.usage(.engineLogin(of: target, profile: name))) }
        return profiles.filter { !isEngine($0.name) }.flatMap { profile in
            profile.accounts.filter { account in
                (account.store == source || account.otherCopies.contains(source))
                    && username.map { account.username.isSame(as: $0) || account.serverName?.isSame(as: $0) == true }
                        ?? true
            }.map { (profile, $0) }
        }
    }
}
