/// The sentences of a login in a window of a browser.
enum WindowWords {
    /// - Parameter profile: its name, not escaped yet.
    static func opened(_ browser: String, for profile: String, _ origin: Origin) -> [String] {
        [
            """
            Log in to \(SafeText.escaped(profile, limit: 100)) (\(origin)) in the private \
            \(SafeText.escaped(browser, limit: 100)) window that is opening. It has none of your cookies or saved passwords, \
            and closes once you are logged in.
            """
        ]
    }

    static func waiting(seconds: Int) -> String {
        "Waiting for you to log in: \(seconds.asClock) left, Ctrl-C to cancel"
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
