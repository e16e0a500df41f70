extension WindowFault {
    /// Says why no window of a browser can be had, and how to log in without one.
    func message(_ topic: ErrorContext) -> Message {
        let plain = topic.withoutWayToConsent, paste = plain.loginCommand("--paste")
        let named = plain.loginCommand("--browser", "COMMAND")
        let elsewhere =
            topic.url.map {
                """
                save its profile (\(ShellCommand("authctl", "discover", "--save", $0))), log in in any browser, and take the \
                session from there: authctl login NAME --paste
                """
            } ?? "log in in any browser, and take the session from there: \(paste)"
        switch self {
        case .noBrowser(let other):
            let found =
                other.map { " (\($0) cannot be used: its remote-control port has no authentication)" } ?? ""
            return Message(
                "no Chromium-based browser was found in PATH\(found)",
                next: "install one (on Debian: apt install chromium), or \(elsewhere)")
        case .confined(let path, let keeper):
            return Message(
                "\(SafeText.escaped(path)) is a \(keeper), and authctl cannot control a browser in a \(keeper)",
                next: "install one that is not a snap or flatpak, name another one (\(named)), or \(elsewhere)")
        case .root:
            return Message(
                "Chromium needs --no-sandbox to run as root, so none was started",
                next: """
                    log in as another user, or, if you accept that risk: \
                    \(plain.loginCommand("--browser", "chromium --no-sandbox")); or \(elsewhere)
                    """)
        case .noDisplay(let isRemote):
            return Message(
                "no display for a browser: DISPLAY and WAYLAND_DISPLAY are not set\(isRemote ? " (you are connected over ssh)" : "")",
                next: elsewhere)
        case .notStarted(let program, let errno):
            return Message(
                "the browser \(SafeText.quoted(program)) could not be started: \(SystemWords.of(errno).lowercased())",
                next: "name another one (\(named)), or \(elsewhere)")
        case .noAnswer(let program):
            return Message(
                "\(SafeText.quoted(program)) does not answer as a Chromium-based browser does",
                next: "name one that does (\(named)), or \(elsewhere)")
        case .ended(let program, let status, let words):
            let said = words.map { ": \(SafeText.quoted($0))" } ?? ""
            return Message(
                "\(SafeText.quoted(program)) exited before you logged in"
                    + "\(status.map { " (status \($0))" } ?? "")\(said)",
                next: "try again (\(topic.loginCommand)), or \(elsewhere)")
        case .brokenChannel(let program):
            return Message(
                "\(SafeText.quoted(program)) does not keep to the Chrome DevTools Protocol",
                next: "name another browser (\(named)), or \(elsewhere)")
        case .closed:
            return Message(
                "cancelled: the window was closed before the service accepted a login; nothing was saved",
                next: """
                    if the site refused the window, as Google does with a remote-controlled browser: \(elsewhere)
                    """)
        case .noFolder(let fault):
            return LoginFault.store(fault).message(about: topic)
        }
    }
}
