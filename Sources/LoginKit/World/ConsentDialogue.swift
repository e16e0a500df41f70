package import LoginCore
import LoginHTTP

/// A person who consents at an authorization server, in a browser or with a code.
package protocol ConsentDialogue: BrowserDialogue, DeviceDialogue {
    /// Whether there is a browser here, and somebody who would see it.
    var canStartBrowser: Bool { get }
}

/// How a person is told where to consent.
package struct ConsentSettings: Sendable {
    /// The name of the profile that the login is for.
    package let profile: String
    /// The service's.
    package let origin: Origin
    /// Whether somebody is at a terminal and may be asked.
    package var mayAsk = true
    /// The program that opens URLs, to be split into words; nothing for the usual one.
    package var browser: String?
    /// `BROWSER`, `DISPLAY`, `WAYLAND_DISPLAY`, `SSH_CONNECTION` and `SUDO_USER`, as far as they are set.
    package var environment: [String: String] = [:]
    /// The origin to which plain http is allowed, although it is not on this machine.
    package var plainOrigin: Origin?
    package var showsQR = false
    package var mask = "*"
    /// Seconds for each answer.
    package var timeout = 300
    /// Takes a line where there is no terminal.
    package var say: @Sendable (String) -> Void = { _ in }
    /// Whether nobody waits any more.
    package var isCancelled: (@Sendable () -> Bool)?

    /// Of a person at a terminal.
    package init(profile: String, origin: Origin) {
        self.profile = profile
        self.origin = origin
    }
}

/// Nobody consents: for programs that have no way to ask.
struct NoConsent: ConsentDialogue {
    var canStartBrowser: Bool { false }

    private var fault: LoginError { .loginRequired(LoginNeed(why: .nothingStored)) }

    func agree(to server: ForeignServer) throws(LoginError) -> Bool { throw fault }

    func listen(on redirect: LoopbackRedirect) throws(LoginError) -> LoopbackPort { throw fault }

    func show(_ visit: BrowserVisit) throws(LoginError) { throw fault }

    func awaitAnswer(
        _ wait: AuthorizationFlow.AnswerWait, _ judge: AuthorizationJudge
    ) throws(LoginError) -> (answer: AuthorizationAnswer, after: Int)? { throw fault }

    func show(_ code: DeviceAuthorization, at server: BrowserVisit.Server) throws(LoginError) { throw fault }

    func wait(milliseconds: Int, secondsLeft: Int) throws(LoginError) { throw fault }

    func now() -> Int { 0 }
}

extension LoginContext {
    /// How a person is told where to consent in a run.
    func consentSettings(_ run: LoginRun) -> ConsentSettings {
        var settings = ConsentSettings(profile: run.profile.name, origin: run.endpoint.origin)
        let consent = run.settings.consent
        settings.mayAsk = run.mayAsk
        settings.browser = consent.browser ?? run.profile.settings.browser
        for name in ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SUDO_USER"] {
            settings.environment[name] = world.environment[name]
        }
        settings.plainOrigin = run.profile.settings.allowHTTP ? run.endpoint.origin : nil
        settings.showsQR = consent.showsQR || profiles.defaults.showsQR
        settings.mask = world.environment.mask
        settings.timeout = promptTimeout
        settings.say = { [talk] in talk.warn($0) }
        settings.isCancelled = world.isCancelled
        return settings
    }
}
