import Dispatch
import Secrets
import Synchronization

/// Passes the questions of a login to a delegate, and blocks the login's own thread until it has answered.
struct DelegateDialogue: Dialogue {
    let delegate: any LoginDelegate
    let isCancelled: @Sendable () -> Bool

    /// The pause between two looks, in milliseconds.
    private static let pause = 100

    func ask(_ question: Question) throws(LoginFault) -> Answer {
        let answer = try waiting { await $0.answer(question) }
        guard question.allows(answer) else {
            throw .usage("the delegate's answer does not fit the question (\(question.name))")
        }
        return answer
    }

    func askPassphrase(_ label: String, confirm: Bool) throws(LoginFault) -> Secret? {
        try waiting { await $0.passphrase(for: label) }
    }

    /// Only the command line asks this: no login does.
    func confirm(_ question: String, typing word: String) throws(LoginFault) -> Bool { false }

    func decide(_ question: String, label: String, details: String?) throws(LoginFault) -> Bool { false }

    /// Only the command line asks this, too: of a login by a URL, for the profile that it makes.
    /// Options of the command alone ask for one.
    func askPasted(_ note: String) throws(LoginFault) -> Secret { throw .cancelled }

    func askText(_ label: String, note: String?) throws(LoginFault) -> String { "" }

    /// Only the command line asks this, too.
    func choose(_ question: String, among names: [String]) throws(LoginFault) -> Int { throw .cancelled }

    func showWaiting(_ notice: String?) {
        if let notice { delegate.didBeginWaiting(for: notice) } else { delegate.didFinishWaiting() }
    }

    func wait(seconds: Int) throws(LoginFault) {
        delegate.didBeginWaiting(for: "Approve the login on your other device")
        defer { delegate.didFinishWaiting() }
        try waiting { _ in try? await Task.sleep(for: .seconds(seconds)) }
    }

    /// - Throws: `cancelled` once the caller has cancelled; the delegate's own task is then cancelled, too.
    func waiting<Result: Sendable>(
        for answer: @escaping @Sendable (any LoginDelegate) async -> Result
    ) throws(LoginFault) -> Result {
        let given = Mutex<Result?>(nil), isAnswered = DispatchSemaphore(value: 0)
        // A person waits: the question does not queue behind whatever else keeps the program's threads.
        let task = Task(priority: .userInitiated) { [delegate] in
            let result = await answer(delegate)
            given.withLock { $0 = result }
            isAnswered.signal()
        }
        while isAnswered.wait(timeout: .now() + .milliseconds(Self.pause)) == .timedOut {
            guard !isCancelled() else {
                task.cancel()
                throw .cancelled
            }
        }
        guard let result = given.withLock({ $0 }) else { throw .cancelled }
        return result
    }
}

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
