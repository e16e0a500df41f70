import LoginCore

/// A person who consents at an authorization server, in a browser or with a code.
protocol ConsentDialogue: BrowserDialogue, DeviceDialogue {
    /// Whether there is a browser here that the person sees.
    var canStartBrowser: Bool { get }

    /// Tells where to approve the login, and starts a browser if it is to.
    func show(page url: String, starts: Bool) throws(LoginFault)

    /// Closes the port and takes the question away, whatever came of it.
    func end()
}

extension AuthorizationDialogue: ConsentDialogue {}

extension LoginContext {
    /// Settings for telling a person where to approve a login.
    func consentSettings(_ run: LoginRun) throws(LoginFault) -> AuthorizationSettings {
        let request = run.request
        var settings = AuthorizationSettings(
            profile: run.profile.name, origin: run.endpoint.origin, hasPerson: run.mayAsk, say: messages.show)
        settings.browser = try browser(request.browser ?? run.profile.settings.browser)
        settings.plainOrigin = run.profile.settings.allowHTTP ? run.endpoint.origin : nil
        settings.showsQR = request.showsQR || profiles.defaults.showsQR
        settings.runtimeFolder = RuntimeFolder(dependencies.environment, paths).path
        settings.mask = dependencies.environment.mask
        settings.timeout = promptTimeout
        settings.isCancelled = dependencies.isCancelled
        return settings
    }

    private func browser(_ line: String?) throws(LoginFault) -> [String]? {
        guard let line else { return nil }
        guard let words = CommandWords.split(line), !words.isEmpty else {
            throw .usage(.badValue(option: "browser", problem: "it is empty, or a quote is not closed"))
        }
        return words
    }
}
