import Secrets

/// The passphrase of the encrypted file: out of the file that the environment names, which is read once, or from a person,
/// who may be wrong about it twice.
struct StorePassphrase {
    unowned let context: LoginContext

    /// The number of attempts.
    static let tries = 3

    func first() throws(StoreFault) -> Secret {
        if let file { return try SecretFile.passphrase(file) }
        guard context.person.mayUnlock else { throw .passphraseMissing(path: context.paths.encryptedFile) }
        return try typed(at: "Passphrase of authctl's encrypted file: ")
    }

    /// - Parameter failures: how many were wrong.
    /// - Returns: `nil` if there is no further one.
    func another(after failures: Int) throws(StoreFault) -> Secret? {
        guard file == nil, context.person.mayUnlock, failures < Self.tries else { return nil }
        return try typed(at: "Wrong passphrase. Attempt \(failures + 1) of \(Self.tries): ")
    }

    private var file: String? { context.dependencies.environment["AUTHCTL_STORE_PASSPHRASE_FILE"] }

    private func typed(at label: String) throws(StoreFault) -> Secret {
        let typed: Secret?
        do {
            typed = try context.person.dialogue.askPassphrase(label, confirm: false)
        } catch .store(.passphraseBlank) {
            // Wrong like any other.
            return Secret("")
        } catch .store(let fault) {
            throw fault
        } catch .promptExpired(let seconds) {
            throw .passphraseExpired(seconds: seconds)
        } catch {
            throw .passphraseMissing(path: context.paths.encryptedFile)
        }
        guard let typed else { throw .passphraseCancelled }
        return typed
    }
}

extension Dependencies {
    /// The location and the settings of the stores.
    package struct StoreLocation {
        let stateFolder: String
        /// The time for which the key of the encrypted file is held, in seconds; `nil` for not at all.
        var holding: Int?
        var desktop = DesktopSession.absent
        /// The stores that are shared with other machines.
        var shared: (any SharedCredentialStores)?
        /// Asks for another passphrase of the encrypted file after so many wrong ones; `nil` if there is none.
        var anotherPassphrase: (_ failures: Int) throws(StoreFault) -> Secret? = { _ in nil }
        /// Called when the derivation of a key from a passphrase begins, and when it ends.
        var deriving: (_ isUnderWay: Bool) -> Void = { _ in }

        package init(stateFolder: String) {
            self.stateFolder = stateFolder
        }
    }
}

extension StoredAccounts {
    /// Says, before anything is written, that a store protects nothing; a person who chose it in their own configuration
    /// knows. A login that fails before that has nothing to be warned of.
    func warnOfStore(for profile: Profile) {
        guard let store = context.chosenStore else { return }
        context.chosenStore = nil
        guard store.isPlain, context.profiles.defaults.store != store.description else { return }
        if case .config = context.profiles.source(of: profile.name),
            let written = try? context.profiles.profile(named: profile.name),
            written.settings.store == store.description
        {
            return
        }
        warn(ofPlain: store)
    }

    /// Says why `auto` takes another store, where that is no matter of what is installed.
    func tell(ofPassing store: UnusableStore) {
        guard case .secretService(.foreignBus) = store.fault else { return }
        let message = LoginFault.store(store.fault).message()
        context.person.warn("warning: the store '\(store.name)' is skipped: \(message.what)")
    }

    /// The warning for a store that was named just now.
    package func warn(ofPlain store: StoreName) {
        guard store.isPlain else { return }
        context.person.warn(
            """
            warning: the login is stored as plain text in \(SafeText.escaped(context.paths.stateFolder)), where every program that you run \
            can read it
            """)
    }
}

extension Paths {
    /// Where the encrypted file is, or will be.
    package var encryptedFile: String { "\(stateFolder)/\(EncryptedFileStore.fileName)" }
}
