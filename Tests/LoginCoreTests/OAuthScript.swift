@testable import LoginKit
import Secrets

/// An authorization server and a person, as one script: what each request is answered with, and what the person does.
final class OAuthScript: AuthorizationTransport, BrowserDialogue, DeviceDialogue {
    /// Of each URL, in turn; the last one again and again.
    var responses: [String: [HTTPResponse]] = [:]
    private(set) var sent: [HTTPRequest] = []
    private(set) var visits: [BrowserVisit] = []
    private(set) var codes: [String] = []
    private(set) var asked: [ForeignServer] = []
    private(set) var waits: [Int] = []
    private(set) var listened: [LoopbackRedirect] = []
    var port = LoopbackPort(number: 41873)
    var agrees = true
    /// What the browser brings, each from the URL that was shown.
    var answers: [(_ state: String) -> String] = [{ "/callback?code=c0de&state=\($0)" }]
    private let source = SomeOAuth.Source()
    private var time = 7_000_000

    /// Each request as a verb and a URL.
    var log: [String] { sent.map { "\($0.method) \($0.url)" } }

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        sent.append(request)
        guard var left = responses[request.url], let first = left.first else { return SomeOAuth.response(404) }
        if left.count > 1 { left.removeFirst() }
        responses[request.url] = left
        return first
    }

    func read(_ url: String) -> EndpointURL? { SomeOAuth.parse(url) }

    func random(_ count: Int) throws(LoginFault) -> Secret { source.bytes(count) }

    func digest(_ hash: DigestAlgorithm.Hash, of secret: Secret) throws(LoginFault) -> Secret {
        try SomeOAuth.hash(hash, secret)
    }

    func agree(to server: ForeignServer) throws(LoginFault) -> Bool {
        asked.append(server)
        return agrees
    }

    func listen(on redirect: LoopbackRedirect) throws(LoginFault) -> LoopbackPort {
        listened.append(redirect)
        return port
    }

    func show(_ visit: BrowserVisit) throws(LoginFault) { visits.append(visit) }

    func awaitAnswer(
        _ wait: AuthorizationFlow.CallbackWait, _ judge: AuthorizationJudge
    ) throws(LoginFault) -> (answer: AuthorizationResponse, after: Int)? {
        guard !answers.isEmpty, let url = visits.last?.url else { return nil }
        let state = url.split(separator: "&").first { $0.hasPrefix("state=") }?.dropFirst(6) ?? ""
        let target = answers.removeFirst()(String(state))
        return (judge.judge(LoopbackRequest(method: "GET", hosts: ["127.0.0.1:41873"], target: Secret(target))), 3)
    }

    func show(_ code: DeviceAuthorization, at server: BrowserVisit.Server) throws(LoginFault) {
        codes.append("\(server.name) \(code.userCode)")
    }

    func wait(milliseconds: Int, secondsLeft: Int) throws(LoginFault) {
        waits.append(milliseconds)
        time += milliseconds
    }

    func now() -> Int { time }

    func run(
        _ subject: AuthorizationSubject, _ policy: AuthorizationFlow.Policy
    ) throws(LoginFault) -> AuthorizedGrant {
        let clock = WallClock(now: { 1000 })
        let loop = AuthorizationLoop(subject: subject, transport: self, browser: self, device: self, clock: clock)
        return try loop.run(AuthorizationFlow(policy: policy))
    }
}
