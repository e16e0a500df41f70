extension StoreFault {
    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .unavailable(let store, let problem):
            return Message("the store '\(store)' cannot be used: \(SafeText.escaped(problem))", next: topic.otherStores)
        case .noneWorks(let stores):
            let reasons = stores.map { "\($0.name): \($0.fault.message(topic).what)" }
            return Message("no store works here: \(reasons.joined(separator: "; "))", next: topic.otherStores)
        case .locked(let path, let seconds):
            return Message(
                "another authctl has held the lock on \(SafeText.escaped(path)) for more than \(seconds) seconds",
                next: "try again")
        case .wrongPassphraseOrDamaged(let path):
            return Message(
                "\(SafeText.escaped(path)): wrong passphrase, or the file is damaged; it was left as it is",
                next: "try the passphrase again, or restore the file from a backup")
        case .damaged(let path, let problem):
            return Message(
                "\(SafeText.escaped(path)) is damaged (\(problem)); it was left as it is",
                next: "restore it from a backup, or move it away and log in again")
        case .newerVersion(let path, nil):
            return Message(
                "\(SafeText.escaped(path)) was written by a newer authctl; it was left as it is",
                next: "upgrade authctl")
        case .newerVersion(let path, let name?):
            return Message(
                """
                the login of \(SafeText.quoted(name)) in \(SafeText.escaped(path)) was written by a newer authctl; it was left \
                as it is
                """,
                next: "upgrade authctl; your other logins work with this version, too")
        case .noSpace(let path, let errno):
            return Message(
                """
                there is no room to write \(SafeText.escaped(path)) (\(SystemWords.of(errno))); nothing was sent, and stored \
                logins are unchanged
                """,
                next: "free some space, then try again")
        case .unsafeFile(let path, let problem):
            return Message(
                "\(SafeText.escaped(path)) is not safe to use: \(problem)", next: "fix that, then try again")
        case .notSetUp(let store):
            return Message("the store '\(store)' is not set up", next: "set it up: authctl store init \(store)")
        case .alreadySetUp(let store, let path):
            return Message(
                "the store '\(store)' is already set up: \(SafeText.escaped(path)); it was left as it is",
                next: "to start over, log out of its accounts and move the file away")
        case .passphraseMissing(let path):
            return Message(
                "the passphrase of \(SafeText.escaped(path)) is needed, but cannot be asked for here",
                next: """
                    run it at a terminal, put the passphrase in a file and set AUTHCTL_STORE_PASSPHRASE_FILE, or set \
                    passphrase-cache in config.toml; if the passphrase is lost, so are the logins in the file: remove it, \
                    then: authctl logout --all
                    """)
        case .system(_, let path, SystemWords.noSuchFile):
            return Message(
                "there is no file \(SafeText.quoted(path)); stored logins are unchanged",
                next: "restore it, for example from a backup")
        case .system("mkdir", let path, let errno) where SystemWords.forbidsWriting(errno):
            return Message(
                "cannot make the folder \(SafeText.escaped(path)) (\(SystemWords.of(errno))); stored logins are unchanged",
                next: """
                    set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME, to a folder that this user can write to, or keep \
                    nothing: \(topic.loginCommand("--store", "none"))
                    """)
        case .system(let call, let path, let errno):
            return Message(
                "\(call) failed on \(SafeText.escaped(path)) (\(SystemWords.of(errno))); stored logins are unchanged",
                next: "check the disk and the permissions of the folder")
        case .timedOut(let store, let seconds):
            return Message("the store '\(store)' did not respond within \(seconds) seconds", next: topic.otherStores)
        case .secretService(let fault):
            return fault.message(otherStores: topic.otherStores)
        case .tooLarge(let store, let limit):
            return Message(
                "the login is larger than \(limit) bytes, the limit of the store '\(store)'", next: topic.otherStores)
        case .namesTooLong(let store, let limit):
            return Message(
                "the names of the login (profile, origin and user) are longer than \(limit) bytes, the limit of the store '\(store)'",
                next: topic.otherStores)
        case .cannotBePermanent(let store):
            return Message(
                "the store '\(store)' does not keep logins permanently",
                next: "set up the encrypted file: authctl store init file; or \(topic.otherStores)"
            )
        case .passphraseCancelled:
            return Message("no passphrase was entered; nothing was changed")
        case .passphraseExpired(let seconds):
            return Message("nobody entered the passphrase within \(seconds) seconds", next: "start again")
        case .helper(let store, let problem, let next):
            return Message(
                "the store '\(SafeText.escaped("\(store)"))' cannot be used: \(problem)", next: next.text(topic))
        case .shared(let store, let fault):
            return fault.message(of: store, topic)
        case .usage(let fault):
            return fault.message(topic)
        case .other(let what, let next): return Message(what, next: next.text(topic))
        case .passphraseBlank:
            return Message("the passphrase is blank; nothing was changed", next: "enter one")
        }
    }

}

extension SecretServiceFault {
    /// - Parameter others: what to do where another store is the way out.
    func message(otherStores others: String) -> Message {
        switch self {
        case .absent(let what, let details, let next):
            return Message(what, details: details, next: next + others)
        case .foreignBus(let owner):
            let whose = owner.map { "belongs to another user (uid \($0))" } ?? "does not tell its owner"
            return Message(
                "the session bus \(whose), so no secret is sent to it",
                next:
                    "check DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR (after su or sudo they may be another user's), or \(others)"
            )
        case .locked:
            return Message(
                "the desktop's keyring is locked, and cannot be unlocked from here",
                next: "unlock it on the desktop, then try again")
        case .promptNeeded:
            return Message(
                "the Secret Service wants to ask first, and nobody can be asked here",
                next: "do it in the keyring's own program, or run 'authctl login' on the desktop")
        case .dismissed:
            return Message("the keyring's dialogue was closed; nothing was changed", next: "unlock it, or \(others)")
        case .promptExpired(let seconds):
            return Message(
                "nobody answered the keyring's dialogue within \(seconds) seconds", next: "start again, or \(others)")
        case .failed(let reason):
            return Message(
                "the Secret Service failed: \(SafeText.escaped(reason)); stored logins are unchanged",
                next: others)
        }
    }
}

extension SharedFault {
    func message(of store: StoreName, _ topic: ErrorContext) -> Message {
        switch self {
        case .engineAway(let words):
            let reason = words.map { ": \(SafeText.quoted($0))" } ?? ""
            return Message(
                "the engine of the store '\(store)' cannot be reached\(reason)",
                next: "try again later; to test it: authctl store test \(store)")
        case .notLoggedIn(let profile, let words):
            return Message(
                "the engine of the store '\(store)' wants a login: \(SafeText.escaped(words))",
                next: """
                    log in there: \(ShellCommand("authctl", "login", profile)); with keep-password = true in that profile its \
                    session is replaced whenever it ends
                    """)
        case .notPermitted(let words):
            return Message(
                "the engine of the store '\(store)' does not permit that: \(SafeText.escaped(words))",
                next: "let its user read and write what begins with authctl/, as authctl-store(1) says")
        case .keyMissing(let path):
            return Message(
                "the store '\(store)' has no key on this machine: \(SafeText.escaped(path)) is missing",
                next: """
                    copy that file from a machine that shares logins there; if this one is the first: authctl store init \
                    \(store)
                    """)
        case .otherKey(let path):
            return Message(
                """
                the machines that share logins in '\(store)' have a key already, and \(SafeText.escaped(path)) is not it; nothing \
                was changed there
                """,
                next: """
                    copy the key file of one of them there; if nobody has it any more, remove authctl/key from the engine and \
                    log in again
                    """)
        case .oldCopy:
            return Message(
                """
                what the store '\(store)' has is older than what this machine has seen, or gone: somebody has put a copy back, or \
                removed it; it was left as it is
                """,
                next:
                    "if its engine was restored from a backup, or emptied, log in again: \(topic.loginCommand("--force"))"
            )
        case .foreignValue(let key):
            return Message(
                """
                what the store '\(store)' has for this login was not put there by authctl: somebody has changed or exchanged \
                it; it was left as it is
                """,
                next: "remove the value \(key) from the engine and log in again")
        }
    }
}
