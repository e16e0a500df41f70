/// The sentences of a login in a window of a browser.
struct WindowWords: Sendable {
    /// The profile's name, not escaped yet.
    let profile: String
    let origin: Origin

    func opened(_ browser: String) -> [String] {
        [
            """
            Log in to \(SafeText.escaped(profile, limit: 100)) (\(origin)) in the private \
            \(SafeText.escaped(browser, limit: 100)) window that is opening. It has none of your cookies or saved passwords, \
            and closes once you are logged in.
            """
        ]
    }

    static func waiting(seconds: Int) -> String {
        "Waiting for you to log in: \(AuthorizationWords.clock(seconds)) left, Ctrl-C to cancel"
    }

    /// The facts that a person needs before cookies are kept that more than the service gets.
    static func parents(_ domains: [String], host: String) -> [String] {
        let names = SafeText.list(domains)
        return [
            """
            \(host) accepts this login only with cookies of \(names), which may also give access to other sites there. \
            authctl sends them only to \(host).
            """,
            "To skip this question, set parent-cookies = true in the profile.",
        ]
    }

    static let userAgent = """
        The service accepts this session only with the browser's own User-Agent, which is kept with it. To have it tried \
        first, set user-agent = "browser" in the profile.
        """

    static let keepParents = "Type yes to keep them: "
}

extension WindowFault {
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
