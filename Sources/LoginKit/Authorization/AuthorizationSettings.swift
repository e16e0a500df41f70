package import ChildPrograms
package import LoginCore

/// How a person gives a grant at one login.
package struct AuthorizationSettings {
    /// What is logged in to, as the person knows it.
    package var profile: String
    package var origin: Origin
    /// Whether somebody sits at the terminal. Without one, lines are only said, and what comes by the port is waited for.
    package var hasPerson: Bool
    /// Says a line where there is no terminal.
    package var say: (String) -> Void
    /// The words of `--browser`, else of the profile's `browser`, else of the one at the top of the configuration.
    package var browser: [String]?
    /// The origin of a profile with `allow-http`, which a browser may be sent to in the clear.
    package var plainOrigin: Origin?
    /// For `BROWSER`, `DISPLAY`, `SSH_CONNECTION` and their like; handed on to the browser.
    package var environment = ProgramEnvironment.inherited()
    package var showsQR = false
    /// As for `TerminalPrompt`.
    package var mask = "*"
    /// Seconds for an answer that is typed.
    package var timeout = 300
    /// Seconds without an answer, after which something may be wrong.
    package var silence = 30
    /// Whether nobody waits for the login any more.
    package var isCancelled: (@Sendable () -> Bool)?

    /// What has to be said; all else is as for a person with no wishes.
    package init(profile: String, origin: Origin, hasPerson: Bool, say: @escaping (String) -> Void) {
        self.profile = profile
        self.origin = origin
        self.hasPerson = hasPerson
        self.say = say
    }
}
