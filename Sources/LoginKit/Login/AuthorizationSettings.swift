extension LoginRun {
    /// Settings for telling a person where to approve the login.
    func consentSettings() throws(LoginFault) -> AuthorizationSettings {
        var settings = AuthorizationSettings(
            profile: profile.name, origin: endpoint.origin, hasPerson: mayAsk, say: context.person.messages.show)
        settings.browser = try BrowserStart.words(request.browser ?? profile.settings.browser)
        settings.plainOrigin = profile.settings.allowHTTP ? endpoint.origin : nil
        settings.showsQR = request.showsQR || context.profiles.defaults.showsQR
        settings.runtimeFolder = RuntimeFolder(context.dependencies.environment, context.paths).path
        settings.mask = context.dependencies.environment.mask
        settings.timeout = context.person.patience
        settings.isCancelled = context.dependencies.isCancelled
        return settings
    }
}

extension BrowserStart {
    /// Whether a browser can be started here, and somebody would see it.
    static func canStart(for profile: Profile) throws(LoginFault) -> Bool {
        BrowserStart(configured: try words(profile.settings.browser), environment: .inherited()).canStart
    }

    fileprivate static func words(_ line: String?) throws(LoginFault) -> [String]? {
        guard let line else { return nil }
        guard let words = CommandWords.split(line), !words.isEmpty else {
            throw .usage(.badValue(option: "browser", problem: "it is empty, or a quote is not closed"))
        }
        return words
    }
}

/// Settings for approving one login.
struct AuthorizationSettings {
    /// The profile's name.
    var profile: String
    var origin: Origin
    /// Whether somebody sits at the terminal. Without one, lines are only said, and what comes by the port is waited for.
    var hasPerson: Bool
    /// Says a line where there is no terminal.
    var say: (String) -> Void
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
}

extension AuthorizationSettings {
    /// The look of the terminal where the person is.
    var look: TerminalLook { (hasPerson ? TerminalLook.current : nil) ?? TerminalLook() }

    /// Says sentences where the person is: at the terminal, or as the caller does.
    func tell(_ lines: [String]) { show(hasPerson ? look.wrapped(lines) : lines) }

    /// The same for what is to be copied, or is a picture: it stays whole.
    func show(_ lines: [String]) {
        if hasPerson, TerminalNotice.say(lines) { return }
        for line in lines { say(line) }
    }
}
