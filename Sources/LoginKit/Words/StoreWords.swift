import LoginCore

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
        case .newerVersion(let path):
            return Message(
                "\(SafeText.escaped(path)) was written by a newer authctl; it was left as it is",
                next: "upgrade authctl")
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
        case .newPassphraseMissing:
            return Message(
                "the encrypted file needs a new passphrase, which cannot be asked for here; nothing was changed",
                next: """
                    run it at a terminal, put the passphrase in a file and set AUTHCTL_STORE_PASSPHRASE_FILE, or use a key \
                    file: authctl store init file --key-file FILE
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
        case .passphraseFile(let path, let problem):
            return Message(
                "cannot read the passphrase from \(SafeText.escaped(path)): \(SafeText.escaped(problem))",
                next: "check AUTHCTL_STORE_PASSPHRASE_FILE")
        case .passphraseCancelled:
            return Message("no passphrase was entered; nothing was changed")
        case .passphraseExpired(let seconds):
            return Message("nobody entered the passphrase within \(seconds) seconds", next: "start again")
        case .helper(let store, let fault):
            return fault.message(of: store, topic)
        case .shared(let store, let fault):
            return fault.message(of: store, topic)
        case .usage(let fault):
            return fault.message(topic)
        case .passphraseBlank:
            return Message("the passphrase is blank; nothing was changed", next: "enter one")
        }
    }

}
