@testable import LoginKit
import Secrets
import Testing

/// Which of all that comes by the port, or is pasted, is the answer to this login.
struct OAuthAnswerTests {
    private static let state = "s0123456789"

    private func judge(issuer: String? = SomeOAuth.issuer, promises: Bool = false) -> AuthorizationJudge {
        AuthorizationJudge(
            redirect: LoopbackRedirect(), port: 41873, state: Secret(Self.state), issuer: issuer,
            promisesIssuer: promises)
    }

    private func heard(
        _ target: String, method: String = "GET", hosts: [String] = ["127.0.0.1:41873"],
        _ judge: AuthorizationJudge? = nil
    ) -> AuthorizationResponse {
        (judge ?? self.judge()).judge(LoopbackRequest(method: method, hosts: hosts, target: Secret(target)))
    }

    private func pasted(_ text: String, _ judge: AuthorizationJudge? = nil) -> AuthorizationResponse {
        (judge ?? self.judge()).judge(pasted: Secret(text))
    }

    private func denied(_ code: OAuthErrorCode?, words: String? = nil) -> AuthorizationResponse {
        .denied(OAuthRefusal(code, at: .authorization, words: words))
    }

    @Test(arguments: [
        "code=c%2F+1&state=s0123456789", "state=s0123456789&code=c%2F%201", "&code=c/+1&&state=s%30123456789&more=x",
        "code=c%2F+1&state=s0123456789&iss=https%3A%2F%2Fid.example",
        "code=c%2F+1&state=s0123456789&user=J%FCrgen&scope=a&scope=b",
        "a%=1&code=c%2F+1&b=100%&%ff=x&state=s0123456789",
    ])
    func `the right answer brings its code, by the port and pasted`(query: String) {
        #expect(heard("/callback?\(query)") == .right(code: Secret("c/ 1")))
        #expect(pasted(" \(SomeOAuth.redirect)?\(query)#_=_\r\n") == .right(code: Secret("c/ 1")))
        let middle = query.index(query.startIndex, offsetBy: 9)
        let wrapped = "\(query[..<middle])\r\n\(query[middle...])"
        #expect(pasted("\(SomeOAuth.redirect)?\(wrapped)\n") == .right(code: Secret("c/ 1")))
    }

    static let forgeries: [(String, Forgery)] = [
        ("/callback", .parameters), ("/callback?code=c", .parameters), ("/callback?code=c&state=", .state),
        ("/callback?code=c&state=s012345678", .state), ("/callback?code=c&state=S0123456789", .state),
        ("/callback/?code=c&state=s0123456789", .path), ("/Callback?code=c&state=s0123456789", .path),
        ("/favicon.ico", .path), ("http://127.0.0.1:41873/callback?code=c&state=s0123456789", .path), ("*", .path),
        ("/callback?code=c&code=d", .parameters), ("/callback?code=c&state=%ff", .state),
        ("/callback?code=c&state=x&state=s0123456789", .answer(.repeated("state"))),
        ("/callback?code=c&state=s0123456789&code=d", .answer(.repeated("code"))),
        ("/callback?code=c&state=s0123456789&stat%65=s0123456789", .answer(.repeated("state"))),
        ("/callback?code=c&error=access_denied&state=s0123456789", .answer(.both)),
        ("/callback?code=&state=s0123456789", .answer(.unreadable("code"))),
        ("/callback?code=%0a&state=s0123456789", .answer(.unreadable("code"))),
        ("/callback?code=%ff&state=s0123456789", .answer(.unreadable("code"))),
        ("/callback?code=%4&state=s0123456789", .answer(.unreadable("code"))),
        ("/callback?error=%ff&state=s0123456789", .answer(.unreadable("error"))),
        ("/callback?code=c&state=s0123456789&iss=https://id.example&iss=https://id.example", .answer(.repeated("iss"))),
        ("/callback?state=s0123456789", .answer(.empty)),
    ]

    @Test(arguments: forgeries) func `what is forged gets a fixed answer, and is none to this login`(
        target: String, forgery: Forgery
    ) {
        #expect(heard(target) == .refused(forgery))
        #expect((400..<500).contains(forgery.status))
    }

    @Test func `only a sender who knows the state counts`() {
        #expect(Forgery.issuer.knowsState)
        for (target, forgery) in Self.forgeries {
            let counts = AuthorizationFlow.Reply(heard(target)) == .forged
            #expect(counts == forgery.knowsState && (target.contains("s0123456789") || !counts), "\(target)")
        }
    }

    @Test func `the page after the answer is asked for by GET, at the redirect's own host, and without parameters`() {
        func isForDone(_ target: String, method: String = "GET", host: String = "127.0.0.1:41873") -> Bool {
            judge().isForDone(LoopbackRequest(method: method, hosts: [host], target: Secret(target)))
        }
        #expect(isForDone("/done"))
        #expect(!isForDone("/done?code=c") && !isForDone("/done/") && !isForDone("/callback"))
        #expect(!isForDone("/done", method: "POST") && !isForDone("/done", host: "evil.example"))
    }

    @Test(arguments: ["POST", "HEAD", "OPTIONS", "get", ""]) func `nothing but GET is an answer`(method: String) {
        #expect(heard("/callback?code=c&state=s0123456789", method: method) == .refused(.method))
    }

    @Test(arguments: [
        [], [""], ["localhost:41873"], ["127.0.0.1"], ["127.0.0.1:41874"], ["evil.example:41873"],
        ["127.0.0.1:41873", "127.0.0.1:41873"], ["127.0.0.1:41873.evil.example"],
    ])
    func `only the redirect's own host is one`(hosts: [String]) {
        #expect(heard("/callback?code=c&state=s0123456789", hosts: hosts) == .refused(.host))
    }

    static let pastes: [(String, PasteFault)] = [
        ("", .empty), (" \n", .empty), ("c0de", .otherAddress), ("https://id.example/done", .otherAddress),
        ("127.0.0.1:41873/callback?code=c&state=s0123456789", .otherAddress),
        ("http://127.0.0.1:41873.evil.example/callback?code=c&state=s0123456789", .otherAddress),
        ("http://127.0.0.1:418731/callback?code=c&state=s0123456789", .otherAddress),
        ("http://127.0.0.1:41873/other?code=c&state=s0123456789", .otherAddress),
        ("https://id.example/authorize?response_type=code&client_id=authctl&state=s0123456789", .requestAddress),
        (SomeOAuth.redirect, .incomplete), (SomeOAuth.redirect + "?code=c", .incomplete),
        (SomeOAuth.redirect + "?code=c&state=another", .otherState),
        (SomeOAuth.redirect + "?code=c&code=d&state=s0123456789", .answer(.repeated("code"))),
        (SomeOAuth.redirect + "?state=s0123456789&code=c&iss=https://evil.example", .otherIssuer),
    ]

    @Test(arguments: pastes) func `what is pasted and is not the address says why`(text: String, fault: PasteFault) {
        #expect(pasted(text) == .notAnAddress(fault))
    }

    @Test func `what is too long is no address`() {
        let long =
            SomeOAuth.redirect + "?state=s0123456789&code=" + String(repeating: "x", count: AuthorizationJudge.limit)
        #expect(pasted(long) == .notAnAddress(.otherAddress))
    }

    @Test func `another redirect has another host and path`() {
        let judge = AuthorizationJudge(
            redirect: LoopbackRedirect(host: .ipv6, port: 80, path: ""), port: 80, state: Secret(Self.state),
            issuer: nil,
            promisesIssuer: false)
        for host in ["[::1]:80", "[::1]"] {
            #expect(heard("/?code=c&state=s0123456789", hosts: [host], judge) == .right(code: Secret("c")))
        }
        #expect(pasted("http://[::1]:80/?code=c&state=s0123456789", judge) == .right(code: Secret("c")))
        #expect(pasted("http://[::1]?code=c&state=s0123456789", judge) == .right(code: Secret("c")))
        #expect(heard("/x?code=c&state=s0123456789", hosts: ["[::1]:80"], judge) == .refused(.path))
    }

    @Test func `an issuer that is named has to be the right one, to the letter`() {
        for issuer in ["https://evil.example", "https://id.example/", "https%3A%2F%2FID.example", ""] {
            #expect(heard("/callback?code=c&state=s0123456789&iss=\(issuer)") == .refused(.issuer))
            #expect(heard("/callback?error=access_denied&state=s0123456789&iss=\(issuer)") == .refused(.issuer))
        }
    }

    @Test func `a promised issuer that is missing is no answer`() {
        let promised = judge(promises: true)
        #expect(heard("/callback?code=c&state=s0123456789", promised) == .refused(.issuer))
        #expect(
            heard("/callback?code=c&state=s0123456789&iss=https://id.example", promised) == .right(code: Secret("c")))
        #expect(pasted(SomeOAuth.redirect + "?code=c&state=s0123456789", promised) == .notAnAddress(.otherIssuer))
    }

    @Test func `an error without the promised issuer ends the login without a word of the server`() {
        let promised = judge(promises: true)
        let query = "/callback?state=s0123456789&error_description=Call+me&error="
        #expect(heard(query + "access_denied", promised) == denied(.accessDenied))
        #expect(heard(query + "Call_0800_123", promised) == denied(nil))
        #expect(
            heard(query + "access_denied&iss=https://id.example", promised) == denied(.accessDenied, words: "Call me"))
        #expect(heard(query + "invalid_scope") == denied(.invalidScope, words: "Call me"))
    }

    @Test func `a denial whose words are in Latin-1 is a denial, and the rest of its words is shown`() {
        let query = "/callback?state=s0123456789&error=access_denied&error_description=F%FCr+J%FCrgen"
        #expect(heard(query) == denied(.accessDenied, words: "F\u{FFFD}r J\u{FFFD}rgen"))
        #expect(pasted("http://127.0.0.1:41873\(query)") == denied(.accessDenied, words: "F\u{FFFD}r J\u{FFFD}rgen"))
    }

    @Test func `where no issuer is known, none is compared`() {
        #expect(
            heard("/callback?code=c&state=s0123456789&iss=https://x", judge(issuer: nil)) == .right(code: Secret("c")))
    }

    @Test(arguments: [
        (OAuthErrorCode.accessDenied, ExitCode.cancelled), (.temporarilyUnavailable, .busy), (.serverError, .busy),
        (.invalidScope, .usage), (.unauthorizedClient, .usage), (.invalidTarget, .usage), (.invalidRequest, .usage),
        (.unsupportedResponseType, .failure), (.interactionRequired, .failure),
    ])
    func `each error has its exit code`(code: OAuthErrorCode, exit: ExitCode) {
        #expect(LoginFault.oauth(.refused(OAuthRefusal(code, at: .authorization))).exitCode == exit)
    }
}
