package import LoginCore

extension LoginContext {
    /// Says, before anything is written, that a store protects nothing; a person who chose it in their own configuration
    /// knows. A login that fails before that has nothing to be warned of.
    func warnOfStore(for profile: Profile) {
        guard let store = chosenStore else { return }
        chosenStore = nil
        guard store == .plaintext, profiles.defaults.store != "plaintext" else { return }
        if case .config = profiles.source(of: profile.name),
            let written = try? profiles.profile(named: profile.name), written.settings.store == "plaintext"
        {
            return
        }
        warn(ofPlain: store)
    }

    /// Says why `auto` takes another store, where that is no matter of what is installed.
    func tell(ofPassing store: UnusableStore) {
        guard case .secretService(.foreignBus) = store.fault else { return }
        let message = LoginFault.store(store.fault).message(about: ErrorContext())
        warn("warning: the store '\(store.name)' is skipped: \(message.what)")
    }

    /// The warning for a store that was named just now.
    package func warn(ofPlain store: StoreName) {
        guard store == .plaintext else { return }
        warn(
            """
            warning: the login is stored as plain text in \(SafeText.escaped(paths.stateFolder)), where every program that you run \
            can read it
            """)
    }
}
