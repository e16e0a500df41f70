extension SecretServiceFault {
    /// - Parameter others: what to do where another store is the way out.
    func message(otherStores others: String) -> Message {
        switch self {
        case .libraryMissing(let reason):
            return Message(
                "the store 'secret-service' needs libsecret, which cannot be opened: \(SafeText.escaped(reason))",
                next: "install libsecret (Debian: libsecret-1-0), or \(others)")
        case .noBus:
            return Message(
                "the store 'secret-service' needs a session bus, and there is none here",
                details: ["DBUS_SESSION_BUS_ADDRESS does not name one, and there is no $XDG_RUNTIME_DIR/bus"],
                next: others)
        case .busUnreachable(let reason):
            return Message(
                "the session bus takes no connection: \(SafeText.escaped(reason))",
                next: "check DBUS_SESSION_BUS_ADDRESS, or \(others)")
        case .foreignBus(let owner):
            let whose = owner.map { "belongs to another user (number \($0))" } ?? "does not show whose it is"
            return Message(
                "the session bus \(whose), and no secret is handed over there",
                next:
                    "check DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR (after su or sudo they may be another user's), or \(others)"
            )
        case .noDaemon:
            return Message(
                "no Secret Service runs on the session bus, and none can be started",
                next: "start one (gnome-keyring, KWallet, KeePassXC), or \(others)")
        case .ended:
            return Message("the Secret Service ended while it was asked", next: "try again, or \(others)")
        case .denied(let reason):
            return Message(
                "this process may not use the Secret Service: \(SafeText.escaped(reason))", next: others)
        case .noDefaultCollection:
            return Message(
                "the Secret Service has no default keyring to keep a login in",
                next: "make one (in Passwords and Keys: New, Password keyring; then Set as default), or \(others)")
        case .locked:
            return Message(
                "the desktop's keyring is locked, and nobody can be asked to unlock it here",
                next: "unlock it on the desktop, then try again")
        case .promptNeeded:
            return Message(
                "the Secret Service does this only after asking, and nobody can be asked here",
                next: "do it in the program that keeps the secrets, or run 'authctl login' on the desktop")
        case .dismissed:
            return Message("the keyring's dialogue was closed; nothing was changed", next: "unlock it, or \(others)")
        case .promptExpired(let seconds):
            return Message(
                "nobody answered the keyring's dialogue within \(seconds) seconds", next: "start again, or \(others)")
        case .failed(let reason):
            return Message(
                "the Secret Service failed: \(SafeText.escaped(reason)); what was stored before is still there",
                next: others)
        }
    }
}
