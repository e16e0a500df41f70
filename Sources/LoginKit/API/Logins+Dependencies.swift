import Glibc
import LoginCore

extension Logins {
    /// One piece of work, on the thread that calls this.
    func context(for username: String? = nil) throws(LoginFault) -> LoginContext {
        var options = LoginContext.Options()
        (options.folder, options.config, options.username) = (folder, config, username)
        (options.mayAsk, options.mayUnlock) = (true, true)
        let delegate = delegate
        return try LoginContext(
            dependencies, options, Messages(note: { delegate.note($0) }, warn: { delegate.note($0) }))
    }

    /// The dependencies of a login that a program runs.
    private var dependencies: Dependencies {
        var dependencies = Dependencies.real(environment)
        let hold = CancellationHold()
        let isCancelled: @Sendable () -> Bool = { hold.isCancelled }
        (dependencies.isCancelled, dependencies.promptLock) = (isCancelled, promptLock)
        // The signals are the program's own.
        dependencies.postponement = Dependencies.Postponement(begin: { _ in hold.begin() }, end: { hold.end() })
        if let terminal = delegate as? TerminalDelegate {
            dependencies.dialogue = { _ in terminal.prompt }
        } else {
            dependencies.hasTerminal = { true }
            let dialogue = DelegateDialogue(delegate: delegate, isCancelled: isCancelled)
            dependencies.consent = { DelegateConsent($0, dialogue) }
            dependencies.dialogue = { _ in dialogue }
            dependencies.noticeLine = Dependencies.NoticeLine(show: { _ in false }, hide: {})
        }
        return dependencies
    }
}

extension LoginContext {
    /// A profile that no file has, as long as none has its name for something else.
    func adopt(_ made: Profile) throws(LoginFault) -> Profile {
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
