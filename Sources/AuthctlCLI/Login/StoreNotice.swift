import LoginCore
import LoginStores

/// What a person should know about where their login is kept.
struct StoreNotice {
    let record: AccountRecord?
    let run: LoginRun

    private var invocation: Invocation { run.invocation }

    func say() {
        if let record { sayLength(record) }
        guard let record else {
            invocation.say("Nothing is kept: the next command has to log in again.")
            return
        }
        switch record.store {
        case .keyring:
            let isForSession = run.settings.persistence(of: run.profile) == .session
            let until = isForSession ? "this session ends, or this machine restarts" : "this machine restarts"
            invocation.say(
                "Kept in the kernel's keyring until \(until)\(end(record)); other users cannot see it, root can.")
            if !isForSession, let tip = tip(record) { invocation.say(tip) }
        case .plaintext:
            // Said before it was written: `warn`.
            break
        case .file:
            invocation.say("Kept in the encrypted file\(end(record)).")
        case .secretService, .helper:
            invocation.say("Kept in '\(record.store)'\(end(record)).")
        case .none:
            invocation.say("Nothing is kept: the next command has to log in again.")
        }
    }

    /// No store keeps what the service itself will end today.
    func tip(_ record: AccountRecord) -> String? {
        if let expires = record.expires, invocation.world.clock.seconds(until: expires) < 86_400 { return nil }
        let isSetUp: Bool
        do throws(StoreFault) {
            isSetUp = try invocation.shelf().hasEncryptedFile()
        } catch {
            return nil
        }
        guard isSetUp else {
            return "To keep it longer: authctl store init file, then authctl store move keyring file"
        }
        // Whoever named the keyring had no other store considered.
        guard run.settings.store(of: run.profile) == nil else { return nil }
        return "The encrypted file was passed over: its key was not at hand (AUTHCTL_STORE_PASSPHRASE_FILE)."
    }

    /// A service may grant another length than was asked for.
    private func sayLength(_ record: AccountRecord) {
        guard let asked = run.settings.ttl, run.profile.usesTTL, let expires = record.expires else { return }
        let granted = invocation.world.clock.seconds(until: expires)
        guard abs(granted - Int64(asked)) > max(2, Int64(asked) / 20) else { return }
        invocation.say("The service grants \(Duration.inWords(granted)), not the \(asked) seconds that were asked for.")
    }

    private func end(_ record: AccountRecord) -> String {
        guard let expires = record.expires else { return "" }
        if invocation.refreshes(record, of: run.profile) { return ", and the session renews itself" }
        return ", and the session ends in \(Duration.inWords(invocation.world.clock.seconds(until: expires)))"
    }
}

extension Invocation {
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
        let message = LoginError.store(store.fault).message(about: ErrorContext())
        world.streams.say("authctl: warning: the store '\(store.name)' is passed over: \(message.what)")
    }

    /// The same for whoever named the store just now.
    func warn(ofPlain store: StoreName) {
        guard store == .plaintext else { return }
        world.streams.say(
            """
            authctl: warning: the login is kept as plain text in \(SafeText.escaped(paths.stateFolder)), where every program that you run \
            can read it
            """)
    }
}
