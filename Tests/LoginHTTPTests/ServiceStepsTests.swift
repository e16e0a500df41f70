@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A login of several requests.
struct ServiceStepsTests {
    /// A password, then a code in a second request, as the manual has it.
    private func shop() throws -> Profile {
        var verify = try SomeProfiles.rule("GET", "/me")
        verify.response.username = Place("/name")
        var profile = Profile(name: "shop", url: "https://shop.example", methods: [.token], verify: verify)
        var first = try SomeProfiles.rule(
            "POST", "/login",
            json: .object([
                try SomeProfiles.member("user", "{username}"), try SomeProfiles.member("password", "{password}"),
            ]))
        first.response.token = Place("/token")
        first.response.secondFactor = [
            Condition(
                status: 401,
                places: [
                    Condition.PlacePattern(place: .header("X-Wants"), pattern: TextPattern("otp"))
                ])
        ]
        var second = try SomeProfiles.rule("POST", "/2fa", json: .object([try SomeProfiles.member("code", "{otp}")]))
        second.headers = [HeaderRule(name: "X-Ticket", value: try Template(parsing: "{token}"))]
        second.response.token = Place("/token")
        profile.loginSteps = [first, second]
        return profile
    }

    private let wantsCode = HTTPResponse.answer(401, #"{"token": "t1"}"#, headers: ["X-Wants: otp"])
    private let anonymous = HTTPResponse.answer(401)

    private func begin(_ exchange: Exchange) throws -> LoginStep {
        try exchange.service.begin(Credential(username: "ann", .password(Secret("pw"))), code: nil)
    }

    @Test func `the step for a code is left out where none is wanted`() throws {
        let exchange = Exchange(
            try shop(), [anonymous, .answer(200, #"{"token": "t1"}"#), .answer(200, #"{"name": "ann"}"#)])
        guard case .accepted(let login) = try begin(exchange) else {
            Issue.record("not accepted")
            return
        }
        #expect(login.session.secrets.map(\.text) == ["t1"] && exchange.rest == 0)
    }

    @Test
    func `a code goes into the second request, with the token of the first; a wrong one may be followed by another`()
        throws
    {
        let exchange = Exchange(
            try shop(),
            [
                anonymous, wantsCode, .answer(401), .answer(200, #"{"token": "t2"}"#),
                .answer(200, #"{"name": "ann"}"#),
            ])
        guard case .needsCode(_, let partial) = try begin(exchange) else {
            Issue.record("no code was asked for")
            return
        }
        guard case .refused = try exchange.service.resume(partial, code: Secret("111")) else {
            Issue.record("not refused")
            return
        }
        guard case .accepted(let login) = try exchange.service.resume(partial, code: Secret("222")) else {
            Issue.record("not accepted")
            return
        }
        #expect(login.session.secrets.map(\.text) == ["t2"])
        #expect(exchange.requests[2].contains("X-Ticket: t1") && exchange.requests[2].contains(#"{"code":"111"}"#))
        #expect(exchange.requests[3].contains(#"{"code":"222"}"#))
        #expect(!exchange.requests.contains { $0.contains("pw") && $0.contains("code") })
    }

    @Test func `a second factor that the profile has no place for is told as such`() throws {
        var profile = try shop()
        profile.loginSteps.removeLast()
        let exchange = Exchange(profile, [anonymous, wantsCode])
        #expect(fault { _ = try begin(exchange) } == .secondFactor(.notDescribed(words: nil)))
    }

    @Test func `a refusal before the credential was sent is a failure of the service`() throws {
        var profile = try shop()
        var hello = try SomeProfiles.rule("POST", "/hello")
        hello.response.token = Place("/token")
        profile.loginSteps = [hello] + profile.loginSteps
        let exchange = Exchange(profile, [anonymous, .answer(401)])
        #expect(fault { _ = try begin(exchange) } == .failure(.unexpectedStatus(401, step: "login", words: nil)))
    }

    @Test func `the refusal of a later step is not about the password`() throws {
        var profile = try shop()
        profile.loginSteps[0].response.secondFactor = nil
        profile.loginSteps[1].content = .none
        let exchange = Exchange(profile, [anonymous, .answer(200, #"{"token": "t1"}"#), .answer(401)])
        #expect(fault { _ = try begin(exchange) } == .failure(.unexpectedStatus(401, step: "login", words: nil)))
    }

    @Test func `a later step that says how it refuses is about the password`() throws {
        var profile = try shop()
        profile.loginSteps[0].response.secondFactor = nil
        profile.loginSteps[1].content = .none
        profile.loginSteps[1].response.refused = [Condition(status: 200)]
        let exchange = Exchange(profile, [anonymous, .answer(200, #"{"token": "t1"}"#), .answer(200)])
        guard case .refused = try begin(exchange) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `an approval that is denied is a second factor that was refused`() throws {
        var profile = try shop()
        profile.loginSteps[1].content = .none
        let exchange = Exchange(profile, [anonymous, wantsCode, .answer(401)])
        #expect(fault { _ = try begin(exchange) } == .secondFactor(.refused(Refusal(status: 401))))
    }

    @Test func `the server's words do not repeat the token of the same answer`() throws {
        var profile = try shop()
        profile.loginSteps[0].response.message = Place("/message")
        let telling = HTTPResponse.answer(
            401, #"{"token": "t1-canary-token", "message": "use t1-canary-token"}"#, headers: ["X-Wants: otp"])
        let exchange = Exchange(profile, [anonymous, telling])
        guard case .needsCode(let words, _) = try begin(exchange) else {
            Issue.record("no code was asked for")
            return
        }
        #expect(words == nil)
    }

    /// The first response names an account, which the second request, verify and the session then send.
    private func taking() throws -> Profile {
        var profile = try shop()
        profile.loginSteps[0].response.taken = [
            ResponseRule.Taken(name: "account", place: try #require(Place("/account"))),
            ResponseRule.Taken(name: "nonce", place: .between(.text, before: "nonce=", after: ";")),
        ]
        profile.loginSteps[1].query = [
            RequestRule.Parameter(name: "n", value: try Template(parsing: "{nonce}", taken: ["nonce"]))
        ]
        profile.loginSteps[1].path = try Template(parsing: "/a/{account}/2fa", taken: ["account"])
        var session = SessionRule()
        session.headers = [
            HeaderRule(name: "X-Token", value: try Template(parsing: "{token}")),
            HeaderRule(name: "X-Account", value: try Template(parsing: "{account}", taken: ["account"])),
        ]
        profile.session = session
        return profile
    }

    @Test func `what a step takes goes into later requests, and what the session needs is kept`() throws {
        let first = #"{"token": "t1", "account": "7/8", "more": "nonce=n 1;"}"#
        let exchange = Exchange(
            try taking(),
            [
                anonymous, .answer(401, first, headers: ["X-Wants: otp"]), .answer(200, #"{"token": "t2"}"#),
                .answer(200, #"{"name": "ann"}"#),
            ])
        guard case .needsCode(_, let partial) = try begin(exchange),
            case .accepted(let login) = try exchange.service.resume(partial, code: Secret("111"))
        else {
            Issue.record("not accepted")
            return
        }
        #expect(exchange.requests[2].contains("POST https://shop.example/a/7%2F8/2fa?n=n%201"))
        #expect(exchange.requests[3].contains("X-Account: 7/8"))
        #expect(login.extraSecrets.mapValues(\.text) == [.taken("account"): "7/8"])
    }

    @Test(arguments: ["{}", #"{"account": ""}"#, #"{"account": {"id": 1}}"#])
    func `what was not there fails where it is needed, with its place`(body: String) throws {
        let exchange = Exchange(try taking(), [anonymous, .answer(401, body, headers: ["X-Wants: otp"])])
        guard case .needsCode(_, let partial) = try begin(exchange) else {
            Issue.record("no code was asked for")
            return
        }
        #expect(
            fault { _ = try exchange.service.resume(partial, code: Secret("1")) }
                == .failure(.missingInResponse(place: "/account", step: "login")))
        #expect(exchange.requests.count == 2)
    }

    @Test func `what a step takes may end no header line and lead to no other path`() throws {
        for (account, expected) in [("a\\nb", "control character"), ("..", "another path")] {
            let told = HTTPResponse.answer(
                401, #"{"token": "t1", "account": "\#(account)", "x": "nonce=1;"}"#, headers: ["X-Wants: otp"])
            let exchange = Exchange(try taking(), [anonymous, told])
            let fault = fault {
                guard case .needsCode(_, let partial) = try begin(exchange) else { return }
                _ = try exchange.service.resume(partial, code: Secret("1"))
            }
            guard case .network(.brokenResponse(let text)) = fault else {
                Issue.record("\(account): \(String(describing: fault))")
                continue
            }
            #expect(text.contains(expected))
            #expect(exchange.requests.count == 2)
        }
    }

    /// A step that is answered with a redirect, as behind single sign-on.
    private func following() throws -> Profile {
        var profile = Profile(
            name: "wiki", url: "https://shop.example", methods: [.cookie], verify: try SomeProfiles.rule("GET", "/me"))
        var step = try SomeProfiles.rule(
            "POST", "/login", json: .object([try SomeProfiles.member("p", "{password}")]))
        step.followsRedirects = true
        step.response.refused = [
            Condition(places: [.init(place: .header("Location"), pattern: TextPattern("/login?*"))])
        ]
        profile.loginSteps = [step]
        return profile
    }

    private func leading(to target: String, _ status: Int = 302, origin: Origin? = nil) -> HTTPResponse {
        let shop = Origin(scheme: "https", host: "shop.example", port: 443), origin = origin ?? shop
        return .answer(
            status, headers: ["Location: \(target)"], cookies: [.named("sid", "1")],
            redirect: Redirect(url: "\(origin)\(target)", origin: origin, target: target))
    }

    @Test func `a step that follows takes the cookies along, and sends the password once`() throws {
        let there = HTTPResponse.answer(200, "in", cookies: [.named("sid", "2")])
        let exchange = Exchange(
            try following(), [anonymous, leading(to: "/a"), leading(to: "/b", 303), there, there])
        guard case .accepted(let login) = try begin(exchange) else {
            Issue.record("not accepted")
            return
        }
        #expect(login.session.secrets.map(\.text) == ["2"])
        #expect(exchange.requests[2].hasPrefix("GET https://shop.example/a") && exchange.requests[2].contains("sid=1"))
        #expect(exchange.requests.filter { $0.contains("pw") }.count == 1)
    }

    @Test func `a step follows no redirect that refuses, repeats the body, leads elsewhere or never ends`() throws {
        let refused = Exchange(try following(), [anonymous, leading(to: "/login?failed")])
        guard case .refused = try begin(refused) else {
            Issue.record("not refused")
            return
        }
        let other = Origin(scheme: "https", host: "other.example", port: 443)
        for response in [leading(to: "/a", 307), leading(to: "/a", origin: other)] {
            let exchange = Exchange(try following(), [anonymous, response, .answer(200, "{}")])
            _ = fault { _ = try begin(exchange) }
            #expect(!exchange.requests.contains { $0.contains("/a") || $0.contains("other.example") })
        }
        let circle = Exchange(try following(), [anonymous] + (0..<6).map { _ in leading(to: "/a") })
        #expect(fault { _ = try begin(circle) } == .network(.redirectLoop(limit: 5)) && circle.rest == 0)
    }

    @Test func `what is kept goes along with a request of the person's own, too`() throws {
        let exchange = Exchange(try taking(), [.answer(200, "{}")])
        exchange.service.hold([.taken("account"): Secret("7/8")])
        let session = Session.token(Token(value: Secret("t2"), refreshToken: nil, expires: nil))
        _ = try exchange.service.relay(
            HTTPRequest(method: "GET", url: "https://shop.example/x"), with: session, username: "ann")
        #expect(exchange.requests[0].contains("X-Account: 7/8"))
        let rule = try taking().sessionRule
        let lines = try rule.headerLines(
            session, SlotValues(session, username: "ann", [.taken("account"): Secret("7/8")]))
        #expect(lines?.text == "X-Token: t2\nX-Account: 7/8")
        #expect(throws: FillFault.missing(.taken("account"))) {
            try rule.headerLines(session, SlotValues(session, username: "ann"))
        }
    }

    @Test(arguments: [(#"{"token": "t3", "account": "9"}"#, "9"), (#"{"token": "t3"}"#, "7")])
    func `a refresh brings a new value, or leaves the old one`(body: String, expected: String) throws {
        var profile = try taking()
        profile.loginSteps[0].response.refreshToken = Place("/refresh")
        var refresh = try SomeProfiles.rule("POST", "/refresh")
        refresh.response.taken = [ResponseRule.Taken(name: "account", place: try #require(Place("/account")))]
        profile.refresh = refresh
        let exchange = Exchange(profile, [.answer(200, body)])
        exchange.service.hold([.taken("account"): Secret("7")])
        let old = Session.token(Token(value: Secret("t2"), refreshToken: Secret("r"), expires: nil))
        _ = try exchange.service.refresh(old, username: "ann")
        #expect(exchange.service.takenForLater.mapValues(\.text) == [.taken("account"): expected])
    }

    @Test func `the server's words do not repeat what the same answer hands out`() throws {
        var profile = try taking()
        profile.loginSteps[0].response.message = Place("/message")
        let telling = HTTPResponse.answer(
            401, #"{"account": "account-canary", "message": "use account-canary"}"#, headers: ["X-Wants: otp"])
        guard case .needsCode(let words, _) = try begin(Exchange(profile, [anonymous, telling])) else {
            Issue.record("no code was asked for")
            return
        }
        #expect(words == nil)
    }

    @Test func `how long the server takes counts as waiting`() throws {
        var profile = try shop()
        profile.loginSteps[1].content = .none
        profile.loginSteps[1].response.pending = [Condition(status: 202)]
        let exchange = Exchange(profile, [anonymous, wantsCode, .answer(202)])
        guard case .pending(let seconds, let took, _) = try begin(exchange) else {
            Issue.record("not pending")
            return
        }
        #expect(seconds == 5 && took == 0)
    }
}
