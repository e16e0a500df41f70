@testable import LoginKit
import Secrets

/// A person who consents at once: the browser comes back with a code, or with what a test has it bring.
final class ScriptedConsent: ConsentDialogue {
    var canStartBrowser = true
    /// What the browser comes back with; the state of the login and its issuer are added.
    var answer = "code=c0de"
    /// Whether the person agrees to a server on another origin.
    var agrees: Bool?
    private(set) var visits: [BrowserVisit] = []
    private(set) var codes: [String] = []
    private(set) var pages: [String] = []
    private(set) var foreign: [ForeignServer] = []
    private(set) var hasEnded = false
    private var elapsed = 0

    func end() { hasEnded = true }

    func agree(to server: ForeignServer) throws(LoginFault) -> Bool {
        foreign.append(server)
        guard let agrees else { throw .failure(.unexpectedEvent("unscripted: agree")) }
        return agrees
    }

    func listen(on redirect: LoopbackRedirect) throws(LoginFault) -> LoopbackPort { LoopbackPort(number: 41873) }

    func show(_ visit: BrowserVisit) throws(LoginFault) { visits.append(visit) }

    func show(page url: String, starts: Bool) throws(LoginFault) { pages.append(url) }

    func awaitAnswer(
        _ wait: AuthorizationFlow.CallbackWait, _ judge: AuthorizationJudge
    ) throws(LoginFault) -> (answer: AuthorizationResponse, after: Int)? {
        guard let visit = visits.last, let state = visit.url.firstMatch(of: /state=([^&]+)/)?.1 else { return nil }
        return (judge.judge(pasted: Secret("\(visit.redirect)?\(answer)&state=\(state)")), 1)
    }

    func show(_ code: DeviceAuthorization, at server: BrowserVisit.Server) throws(LoginFault) {
        codes.append(code.userCode)
    }

    func wait(milliseconds: Int, secondsLeft: Int) throws(LoginFault) { elapsed += milliseconds }

    func now() -> Int { elapsed }
}
