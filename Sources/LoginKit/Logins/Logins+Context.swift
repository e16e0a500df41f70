import Glibc
public import LoginCore

extension Logins {
    /// The names of all profiles, those of `config.toml` first.
    /// - Throws: `LoginError.usage` for a configuration that cannot be read.
    public var profileNames: [String] {
        get throws(LoginError) { try context().profiles.names }
    }

    /// A profile as the person wrote it down.
    /// - Throws: `LoginError.usage` for one that is not there or cannot be read.
    public func profile(named name: String) throws(LoginError) -> Profile { try context().profile(named: name) }

    /// Whose logins are kept for a profile, the active one first, without a look at any store or server.
    /// - Throws: `LoginError.usage` for a profile that cannot be read; `LoginError.store` for what is remembered.
    public func identities(of name: String) throws(LoginError) -> [Identity] {
        let context = try context()
        guard let record = try context.record(of: try context.profile(named: name)) else { return [] }
        let (active, accounts) = (record.activeAccount, record.accounts.filter { $0.origin == record.origin })
        return accounts.sorted { first, _ in first == active }.map(\.identity)
    }

    /// One piece of work, on the thread that calls this.
    func context(for username: String? = nil) throws(LoginError) -> LoginContext {
        var options = LoginContext.Options()
        (options.folder, options.config, options.username) = (folder, config, username)
        (options.mayAsk, options.mayUnlock) = (true, true)
        let delegate = delegate
        return try LoginContext(
            dependencies, options, Messages(note: { delegate.note($0) }, warn: { delegate.note($0) }))
    }

    /// What the context of a login is made of where a program runs it.
    private var dependencies: Dependencies {
        var dependencies = Dependencies.real(environment)
        let hold = CancellationHold()
        let isCancelled: @Sendable () -> Bool = { hold.isCancelled }
        (dependencies.isCancelled, dependencies.turn) = (isCancelled, turn)
        // The signals are the program's own.
        dependencies.postponement = Dependencies.Postponement(begin: { _ in hold.begin() }, end: { hold.end() })
        if let terminal = delegate as? TerminalDelegate {
            dependencies.dialogue = { _ in terminal.prompt }
        } else {
            dependencies.hasTerminal = { true }
            // A delegate answers questions, and has no browser.
            dependencies.consent = { _ in NoConsent() }
            dependencies.dialogue = { [delegate] _ in DelegateDialogue(delegate: delegate, isCancelled: isCancelled) }
            dependencies.noticeLine = Dependencies.NoticeLine(show: { _ in false }, hide: {})
        }
        return dependencies
    }
}

extension LoginContext {
    /// A profile that no file has, as long as none has its name for something else.
    func adopt(_ made: Profile) throws(LoginError) -> Profile {
        if let problem = ProfileName.problem(made.name) { throw .usage(.other(problem)) }
        guard profiles.source(of: made.name) == nil else {
            let written = try LoginContext.fromConfig { () throws(UsageFault) in try profiles.profile(named: made.name)
            }
            guard written == made else {
                throw .usage(.other("the configuration has another profile of the name \(SafeText.quoted(made.name))"))
            }
            return try prepared(made)
        }
        topic = ErrorContext(profile: made.name)
        return try prepared(made)
    }
}
