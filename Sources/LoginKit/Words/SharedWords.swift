import LoginCore

extension SharedFault {
    func message(of store: StoreName, _ topic: ErrorContext) -> Message {
        switch self {
        case .engineAway(let words):
            let reason = if case .some(let words) = words { ": \(SafeText.quoted(words))" } else { "" }
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
