@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// The value that guards against forged requests.
struct ServiceCSRFTests {
    private static let cookie = Cookie.named("sid", "one")
    private let session = Session.cookies([Self.cookie])

    /// Fetched from a page before each request that writes.
    private func wiki() throws -> Profile {
        var profile = try SomeProfiles.blog()
        var rule = SessionRule(cookies: true)
        rule.writeHeaders = [HeaderRule(name: "X-CSRF", value: try Template(parsing: "{csrf}"))]
        rule.csrf = CSRFRule(source: .fetched(path: "/token"), value: try #require(Place("/csrf")))
        profile.session = rule
        return profile
    }

    /// Told by the answer to a request without it, beside a password.
    private func torrents(_ value: Place = .header("X-Id"), stale: Condition = Condition(status: 409)) throws -> Profile
    {
        var profile = try SomeProfiles.wire([.basic])
        var verify = try #require(profile.verify)
        verify.method = "POST"
        profile.proof = .verify(verify)
        var rule = SessionRule()
        rule.writeHeaders = [HeaderRule(name: "X-Id", value: try Template(parsing: "{csrf}"))]
        rule.csrf = CSRFRule(source: .told(by: [stale]), value: value)
        profile.session = rule
        return profile
    }

    private func post(_ exchange: Exchange, _ session: Session? = nil) throws -> Service.Relayed {
        let request = HTTPRequest(method: "POST", url: exchange.service.client.guardedURL)
        exchange.service.owner = Identity(username: "ann", serverName: "ann")
        return try exchange.service.relay(request, with: session ?? self.session, username: "ann")
    }

    @Test func `a request that writes has the value of a page that is fetched for it, each time`() throws {
        let exchange = Exchange(
            try wiki(),
            [
                .answer(200, #"{"csrf": "c1"}"#, cookies: [Self.cookie]), .answer(200),
                .answer(200, #"{"csrf": "c2"}"#, cookies: [Self.cookie]), .answer(200),
            ])
        _ = try post(exchange)
        _ = try post(exchange)
        #expect(exchange.requests[0] == "GET https://blog.example/token\ncookie sid=one")
        #expect(exchange.requests[1].contains("X-CSRF: c1") && exchange.requests[1].contains("cookie sid=one"))
        #expect(exchange.requests[1].contains("Origin: https://blog.example"))
        #expect(exchange.requests[3].contains("X-CSRF: c2"))
    }

    @Test func `cookies that come with the value go along with it beside a password, and not to verify`() throws {
        var profile = try SomeProfiles.wire([.basic])
        var rule = SessionRule()
        rule.writeHeaders = [HeaderRule(name: "X-CSRF", value: try Template(parsing: "{csrf}"))]
        let fetch = HeaderRule(name: "X-CSRF", value: Template(literal: "Fetch"))
        rule.csrf = CSRFRule(source: .fetched(path: "/crumb", headers: [fetch]), value: .header("X-CSRF"))
        profile.session = rule
        let crumbs = ["c1", "c2"].map {
            HTTPResponse.answer(200, headers: ["X-CSRF: \($0)"], cookies: [.named("JSESSIONID", "of-\($0)")])
        }
        let me = HTTPResponse.answer(200, #"{"screen_name": "ann"}"#)
        let exchange = Exchange(profile, [crumbs[0], .answer(200), crumbs[1], .answer(200), me])
        let session = Session.credential(Credential(username: "ann", .password(Secret("pw"))))
        for _ in 0..<2 { _ = try post(exchange, session) }
        _ = try exchange.service.verify(session, username: "ann")
        let crumb = "GET https://api.wire.example/crumb\nbasic ann:pw\nX-CSRF: Fetch"
        #expect(exchange.requests[0] == crumb && exchange.requests[2] == crumb)
        #expect(exchange.requests[1].hasSuffix("\nbasic ann:pw\nX-CSRF: c1\ncookie JSESSIONID=of-c1"))
        #expect(exchange.requests[3].hasSuffix("\nbasic ann:pw\nX-CSRF: c2\ncookie JSESSIONID=of-c2"))
        #expect(!exchange.requests[4].contains("JSESSIONID"))
    }

    @Test func `cookies that come with a refusal that tells the value go along with it beside a password`() throws {
        let told = HTTPResponse.answer(409, headers: ["X-Id: v1"], cookies: [.named("guard", "g1")])
        let exchange = Exchange(try torrents(), [told, .answer(200)])
        let session = Session.credential(Credential(username: "ann", .password(Secret("pw"))))
        let relayed = try post(exchange, session)
        #expect(try exchange.service.learnsCSRF(from: relayed, body: nil))
        _ = try post(exchange, session)
        #expect(exchange.requests[1].hasSuffix("\nX-Id: v1\ncookie guard=g1"))
    }

    private func token(_ sid: String) -> HTTPResponse {
        .answer(200, #"{"csrf": "c1"}"#, cookies: [.named("sid", sid)])
    }

    private func me(_ name: String, _ sid: String) -> HTTPResponse {
        .answer(200, "{\"name\": \"\(name)\"}", cookies: [.named("sid", sid)])
    }

    private func mallory(_ former: String?) -> LoginFault {
        let ann = Identity(username: "ann", serverName: former)
        return .usage(
            .sessionChanged(by: Replacement(of: ann, by: Identity(username: "ann", serverName: "mallory"))))
    }

    @Test func `a service that encrypts its cookie anew in each response has verify asked once in a run`() throws {
        let exchange = Exchange(
            try wiki(),
            [
                token("two"), me("ann", "three"), me("ann", "four"), .answer(200), token("five"), .answer(200),
                token("six"), .answer(200),
            ])
        for _ in 0..<3 { _ = try post(exchange) }
        let posts = exchange.requests.filter { $0.hasPrefix("POST") }
        #expect(exchange.rest == 0 && posts.count == 3)
        for (post, value) in zip(posts, ["four", "five", "six"]) { #expect(post.contains("cookie sid=\(value)")) }
    }

    @Test func `a service whose verify has set a session of another account has it asked each time`() throws {
        let exchange = Exchange(
            try wiki(),
            [
                token("two"), me("ann", "hers"), me("mallory", "hers"), .answer(200), token("hers"),
                me("mallory", "hers"),
            ])
        _ = try post(exchange)
        #expect(exchange.requests.last?.contains("cookie sid=two") == true)
        #expect(fault { _ = try post(exchange) } == mallory("ann") && exchange.rest == 0)
    }

    @Test func `a service that has not said whose the session is, is asked that first`() throws {
        let exchange = Exchange(try wiki(), [token("hers"), me("ann", "one"), me("mallory", "hers")])
        #expect(fault { _ = try exchange.service.attachment(of: session, username: "ann") } == mallory("ann"))
        #expect(exchange.requests[1].contains("cookie sid=one") && exchange.requests[2].contains("cookie sid=hers"))
    }

    /// A cookie of the session's name that verify's request does not carry may be anybody's.
    @Test func `a value that verify cannot see is not sent`() throws {
        func sid(_ value: String, at path: String) -> Cookie {
            let record = Secret("blog.example\tFALSE\t\(path)\tFALSE\t0\tsid\t\(value)")
            return Cookie(name: "sid", value: Secret(value), record: record, expires: nil)
        }
        let one = sid("one", at: "/")
        let exchange = Exchange(
            try wiki(), [.answer(200, #"{"csrf": "c1"}"#, cookies: [sid("hers", at: "/token"), one])])
        #expect(fault { _ = try post(exchange, .cookies([one])) } == .usage(.sessionChanged(by: nil)))
        #expect(exchange.requests.count == 1)
    }

    @Test func `a request that reads, and verify, go without it`() throws {
        let exchange = Exchange(try wiki(), [.answer(200), .answer(200, #"{"name": "ann"}"#)])
        _ = try exchange.service.relay(
            HTTPRequest(method: "GET", url: "https://blog.example/a"), with: session, username: "ann")
        _ = try exchange.service.verify(session, username: "ann")
        #expect(exchange.rest == 0 && !exchange.requests.contains { $0.contains("X-CSRF") })
    }

    /// With a dead session some services hand anonymous clients a value, too: a request with it would count as nobody's.
    @Test(arguments: [
        HTTPResponse.answer(200, #"{"csrf": "of-nobody", "anon": true}"#), .answer(200, "{}"), .answer(401),
        .answer(403, #"{"csrf": "c1"}"#), .answer(200, #"{"csrf": ""}"#), .answer(404),
    ])
    func `no value, or an answer that means 'logged out': nothing is sent`(answer: HTTPResponse) throws {
        var profile = try wiki()
        let anon = Condition.PlacePattern(place: try #require(Place("/anon")), pattern: TextPattern("true"))
        var verify = try #require(profile.verify)
        verify.response.loggedOut = [Condition(status: 401), Condition(places: [anon])]
        profile.proof = .verify(verify)
        let exchange = Exchange(profile, [answer])
        let fault = fault { _ = try post(exchange) }
        #expect(fault?.isMissingCSRF == true, "\(String(describing: fault))")
        #expect(exchange.requests.count == 1)
    }

    @Test func `a server that is busy is no service without a value`() throws {
        let exchange = Exchange(try wiki(), [.answer(503)])
        #expect(fault { _ = try post(exchange) }?.isMissingCSRF == false)
    }

    @Test func `the logout of the profile has it, too`() throws {
        var profile = try wiki()
        profile.logout = try SomeProfiles.rule(
            "POST", "/logout", json: .object([try SomeProfiles.member("t", "{csrf}")]))
        let value = HTTPResponse.answer(200, #"{"csrf": "c1"}"#, cookies: [Self.cookie])
        let exchange = Exchange(profile, [value, .answer(204), .answer(401)])
        #expect(try exchange.service.logout(session, username: "ann").facts.outcome == .ended)
        #expect(exchange.requests[1].hasSuffix(#"{"t":"c1"}"#) && exchange.requests[1].contains("X-CSRF: c1"))
    }

    @Test func `what another program is handed has it`() throws {
        let exchange = Exchange(try wiki(), [.answer(200, #"{"csrf": "c1"}"#, cookies: [Self.cookie])])
        let attachment = try exchange.service.attachment(of: session, username: "ann")
        #expect(attachment.request.headers.contains { $0.name == "X-CSRF" && $0.value.text == "c1" })
        // What is printed is for more than one request.
        let lines = try wiki().sessionRule.headerLines(session, SlotValues(session, username: "ann"))
        #expect(lines?.text.hasPrefix("Cookie: ") == true && lines?.text.contains("X-CSRF") == false)
    }

    @Test func `an answer tells the value, and verify is sent once more with it; the next request has it at once`()
        throws
    {
        let told = HTTPResponse.answer(409, headers: ["X-Id: i1"])
        let exchange = Exchange(
            try torrents(),
            [
                .answer(401, headers: ["WWW-Authenticate: Basic realm=\"t\""]), told,
                .answer(200, #"{"screen_name": "ann"}"#), .answer(200),
            ])
        let login = try exchange.login("ann", "pw")
        _ = try post(exchange, login.session)
        #expect(!exchange.requests[1].contains("X-Id") && exchange.requests[1].contains("basic ann:pw"))
        #expect(exchange.requests[2].contains("X-Id: i1") && exchange.requests[3].contains("X-Id: i1"))
    }

    @Test func `an answer is asked for the value once: the same one again is the person's`() throws {
        let told = HTTPResponse.answer(409, headers: ["X-Id: i1"])
        let exchange = Exchange(try torrents(), [told])
        let credential = Session.credential(Credential(username: "ann", .password(Secret("pw"))))
        let relayed = try post(exchange, credential)
        #expect(try exchange.service.learnsCSRF(from: relayed, body: nil))
        #expect(try !exchange.service.learnsCSRF(from: relayed, body: nil))
    }

    @Test(arguments: [(#"{"again": true, "id": "i1"}"#, true), (#"{"again": true}"#, false), (#"{"id": "i1"}"#, false)])
    func `the value may be in the body, where the rule holds`(body: String, isTold: Bool) throws {
        let again = Condition.PlacePattern(place: try #require(Place("/again")), pattern: TextPattern("true"))
        let profile = try torrents(try #require(Place("/id")), stale: Condition(places: [again]))
        let exchange = Exchange(profile, [.answer(200, body)])
        let credential = Session.credential(Credential(username: "ann", .password(Secret("pw"))))
        #expect(try exchange.service.learnsCSRF(from: try post(exchange, credential), body: Secret(body)) == isTold)
        #expect(profile.mayConcern(HTTPResponse(status: 200)))
    }

    @Test func `a value that would end a header's line is never sent`() throws {
        let exchange = Exchange(try wiki(), [.answer(200, #"{"csrf": "a\r\nX: b"}"#, cookies: [Self.cookie])])
        guard case .network(.brokenResponse) = fault({ _ = try post(exchange) }) else {
            Issue.record("sent")
            return
        }
        #expect(exchange.requests.count == 1)
    }
}

extension LoginFault {
    fileprivate var isMissingCSRF: Bool { if case .failure(.noCSRF) = self { true } else { false } }
}
