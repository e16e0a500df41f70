import LoginCore

extension SecretServiceFault {
    /// - Parameter others: what to do where another store is the way out.
    func message(otherStores others: String) -> Message {
        switch self {
        case .libraryMissing(let reason):
            return Message(
                "the store 'secret-service' needs libsecret, which could not be loaded: \(SafeText.escaped(reason))",
                next: "install libsecret (Debian: libsecret-1-0), or \(others)")
        case .noBus:
            return Message(
                "the store 'secret-service' needs a session bus, but there is none",
                details: ["DBUS_SESSION_BUS_ADDRESS does not name one, and there is no $XDG_RUNTIME_DIR/bus"],
                next: others)
        case .busUnreachable(let reason):
            return Message(
                "could not connect to the session bus: \(SafeText.escaped(reason))",
                next: "check DBUS_SESSION_BUS_ADDRESS, or \(others)")
        case .foreignBus(let owner):
            let whose = owner.map { "belongs to another user (uid \($0))" } ?? "does not tell its owner"
            return Message(
                "the session bus \(whose), so no secret is sent to it",
                next:
                    "check DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR (after su or sudo they may be another user's), or \(others)"
            )
        case .noDaemon:
            return Message(
                "no Secret Service is running on the session bus, and none can be started",
                next: "start one (gnome-keyring, KWallet, KeePassXC), or \(others)")
        case .ended:
            return Message("the Secret Service exited during the request", next: "try again, or \(others)")
        case .denied(let reason):
            return Message(
                "this process may not use the Secret Service: \(SafeText.escaped(reason))", next: others)
        case .noDefaultCollection:
            return Message(
                "the Secret Service has no default keyring",
                next: "create one (in Passwords and Keys: New, Password keyring; then Set as default), or \(others)")
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
