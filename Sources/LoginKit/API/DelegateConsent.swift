import LoginCore

/// Asks a delegate to show where the person approves a login, and waits as the terminal's dialogue does.
final class DelegateConsent: ConsentDialogue {
    private let questions: DelegateDialogue
    private let profile: String
    private let origin: Origin
    /// The loopback port and the clock.
    private let dialogue: AuthorizationDialogue

    init(_ settings: AuthorizationSettings, _ questions: DelegateDialogue) {
        self.questions = questions
        (profile, origin) = (settings.profile, settings.origin)
        var silent = settings
        (silent.hasPerson, silent.isCancelled) = (false, questions.isCancelled)
        silent.say = { [delegate = questions.delegate] in delegate.note($0) }
        dialogue = AuthorizationDialogue(silent)
    }

    var canStartBrowser: Bool { true }

    func end() { dialogue.end() }

    func agree(to server: ForeignServer) throws(LoginFault) -> Bool {
        let question = AuthorizationServerQuestion(
            service: origin.description, servers: server.origins.map(\.description), lines: server.lines(for: origin))
        return try questions.waiting { await $0.agree(to: question) }
    }

    func listen(on redirect: LoopbackRedirect) throws(LoginFault) -> LoopbackPort { try dialogue.listen(on: redirect) }

    func show(_ visit: BrowserVisit) throws(LoginFault) {
        let login = BrowserLogin(profile: profile, server: visit.server.name, scope: visit.server.scope, url: visit.url)
        try goOn(if: try questions.waiting { await $0.open(login) })
    }

    func show(page url: String, starts: Bool) throws(LoginFault) {
        let login = BrowserLogin(profile: profile, server: origin.description, scope: nil, url: url)
        try goOn(if: try questions.waiting { await $0.open(login) })
    }

    func awaitAnswer(
        _ wait: AuthorizationFlow.CallbackWait, _ judge: AuthorizationJudge
    ) throws(LoginFault) -> (answer: AuthorizationResponse, after: Int)? { try dialogue.awaitAnswer(wait, judge) }

    func show(_ code: DeviceAuthorization, at server: BrowserVisit.Server) throws(LoginFault) {
        let login = DeviceLogin(
            profile: profile, server: server.name, scope: server.scope, url: code.verificationURL.text,
            completeURL: code.completeURL?.text, code: code.userCode)
        try goOn(if: try questions.waiting { await $0.show(login) })
    }

    func wait(milliseconds: Int, secondsLeft: Int) throws(LoginFault) {
        try dialogue.wait(milliseconds: milliseconds, secondsLeft: secondsLeft)
    }

    func now() -> Int { dialogue.now() }

    private func goOn(if isShown: Bool) throws(LoginFault) {
        guard isShown else { throw .loginRequired(LoginNeed(why: .declined(.oauth))) }
    }
}
