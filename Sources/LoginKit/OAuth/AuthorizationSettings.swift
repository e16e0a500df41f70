import LoginCore

/// Settings for approving one login.
struct AuthorizationSettings {
    /// The profile's name.
    var profile: String
    var origin: Origin
    /// Whether somebody sits at the terminal. Without one, lines are only said, and what comes by the port is waited for.
    var hasPerson: Bool
    /// Says a line where there is no terminal.
    package var say: (String) -> Void
    /// The words of `--browser`, else of the profile's `browser`, else of the one at the top of the configuration.
    var browser: [String]?
    /// The origin of a profile with `allow-http`, which a browser may be sent to in the clear.
    var plainOrigin: Origin?
    /// For `BROWSER`, `DISPLAY`, `SSH_CONNECTION` and their like; handed on to the browser.
    var environment = ProgramEnvironment.inherited()
    var showsQR = false
    /// Where a browser gets a folder for a window of its own.
    var runtimeFolder = "/tmp"
    /// As for `TerminalPrompt`.
    var mask = "*"
    /// Seconds for an answer that is typed.
    var timeout = 300
    /// Seconds without an answer, after which something may be wrong.
    var silence = 30
    /// Returns true once the caller has cancelled the login.
    var isCancelled: (@Sendable () -> Bool)?

    /// The required settings; all others have their defaults.
    init(profile: String, origin: Origin, hasPerson: Bool, say: @escaping (String) -> Void) {
        self.profile = profile
        self.origin = origin
        self.hasPerson = hasPerson
        self.say = say
    }
}
