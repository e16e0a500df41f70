@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Refreshing a session and ending it: the profile `chat`.
struct ServiceEndingTests {
    private static let base = "https://chat.example/_matrix/client/v3"
    private let old = Token(value: Secret("a1"), refreshToken: Secret("r\"1"), expires: 5)

    private func refresh(_ answer: HTTPResponse) throws -> Token {
        try Exchange(try SomeProfiles.chat(), [answer]).service.refreshed(old)
    }

    @Test func `a refresh goes out without the session, and rotates the refresh token`() throws {
        let exchange = Exchange(
            try SomeProfiles.chat(),
            [.answer(200, "{\"access_token\":\"a2\",\"refresh_token\":\"r2\",\"expires_in_ms\":1000}")])
        let token = try exchange.service.refreshed(old)
        #expect(
            exchange.requests == [
                "POST \(Self.base)/refresh\nContent-Type: application/json\n\n{\"refresh_token\":\"r\\\"1\"}"
            ])
        #expect(token == Token(value: Secret("a2"), refreshToken: Secret("r2"), expires: Exchange.now + 1))
    }

    @Test func `what a refresh leaves out stays, but for the end, which is then unknown`() throws {
        #expect(
            try refresh(.answer(200, "{\"access_token\":\"a2\"}"))
                == Token(value: Secret("a2"), refreshToken: Secret("r\"1"), expires: nil))
    }

    @Test func `what refresh does not say is as in login, and what it says goes before`() throws {
        var profile = try SomeProfiles.chat()
        profile.refresh?.response.token = Place("/new")
        profile.refresh?.response.expiry = Place("/in").map { .inSeconds($0) }
        let exchange = Exchange(profile, [.answer(200, "{\"new\":\"a2\",\"in\":7,\"expires_in_ms\":1}")])
        let token = try exchange.service.refreshed(old)
        #expect(token == Token(value: Secret("a2"), refreshToken: Secret("r\"1"), expires: Exchange.now + 7))
    }

    @Test(arguments: [400, 401])
    func `A refresh token is refused by an error code with 400 and 401, or by a rule`(status: Int) throws {
        let refused = HTTPResponse.answer(status, #"{"error": "invalid_grant", "error_description": "gone"}"#)
        #expect(fault { _ = try refresh(refused) } == .rejected(Refusal(status: status, words: "invalid_grant")))
        var profile = try SomeProfiles.chat()
        profile.refresh?.response.refused = [Condition(status: status)]
        #expect(fault { _ = try Exchange(profile, [.answer(status)]).service.refreshed(old) }?.exitCode == .rejected)
        let others = [
            HTTPResponse.answer(status), .answer(status, "Bad Request"), .answer(status, "<html><h1>no</h1>"),
            .answer(status, headers: ["WWW-Authenticate: Basic realm=\"gateway\""]),
            .answer(status, #"{"error": "temporarily_unavailable"}"#), .answer(status, #"{"error": "Unauthorized"}"#),
            .answer(status, #"{"error": "service_unavailable"}"#), .answer(status, #"{"error": "captcha_required"}"#),
        ]
        for other in others { #expect(fault { _ = try refresh(other) }?.exitCode == .busy, "\(other)") }
    }

    @Test(arguments: [403, 404, 405, 407, 408, 413, 421, 422, 425, 451, 499])
    func `a refresh that a firewall or a gateway may have answered says nothing of the session`(status: Int) throws {
        let fault = fault { _ = try refresh(.answer(status)) }
        #expect(fault == .busy(BusyFault(status: status, retryAfter: nil, words: nil, isDoubtful: true)))
    }

    @Test func `a refresh that is led elsewhere, or answered with a page, says nothing of the session`() throws {
        let own = Origin(scheme: "https", host: "chat.example", port: 443)
        let portal = Origin(scheme: "https", host: "portal.example", port: 443)
        let plain = Origin(scheme: "http", host: "portal.example", port: 80)
        let page = HTTPResponse.answer(200, "<html>Log in", headers: ["Content-Type: text/html"])
        let redirects = [own, portal, plain].flatMap { (origin: Origin) -> [HTTPResponse] in
            [301, 302, 303, 307, 308].map { status in
                HTTPResponse.answer(status, redirect: Redirect(url: "\(origin)/x", origin: origin, target: "/x"))
            }
        }
        for answer in redirects + [page, .answer(302), .answer(200, "<!doctype html><p>")] {
            let expected = BusyFault(status: answer.status, retryAfter: nil, words: nil, isDoubtful: true)
            #expect(fault { _ = try refresh(answer) } == .busy(expected), "\(answer)")
        }
        #expect(
            fault { _ = try refresh(.answer(200, "{}")) }
                == .failure(.missingInResponse(place: "/access_token", step: "refresh")))
    }

    @Test(arguments: [429, 503])
    func `a refresh that ends with 429 or 5xx does not end the session`(status: Int) throws {
        let fault = fault { _ = try refresh(.answer(status)) }
        #expect(fault == .busy(BusyFault(status: status, retryAfter: nil, words: nil)))
    }

    @Test func `the words of a refused refresh are where login has them`() throws {
        #expect(
            fault { _ = try refresh(.answer(401, "{\"error\":\"invalid_token\"}")) }
                == .rejected(Refusal(status: 401, words: "invalid_token")))
    }

    @Test func `without a refresh token there is nothing to send`() throws {
        let exchange = Exchange(try SomeProfiles.chat(), [HTTPResponse]())
        let token = Token(value: Secret("a"), refreshToken: nil, expires: nil)
        #expect(try exchange.service.refresh(.token(token), username: "") == nil)
        #expect(exchange.requests.isEmpty)
    }

    private let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
    /// One that is good for an hour, and cannot be refreshed.
    private let live = Token(value: Secret("a1"), refreshToken: nil, expires: Exchange.now + 3600)

    /// What a logout comes to, with what the service answers to it and to verify after it.
    private func logout(
        by method: String = "POST", of token: Token? = nil, _ answers: HTTPResponse...,
        change: (inout Profile) -> Void = { _ in }
    ) throws -> (facts: LogoutFacts, outcome: LogoutFacts.Outcome, exchange: Exchange) {
        var profile = try SomeProfiles.chat()
        profile.logout?.method = method
        change(&profile)
        let exchange = Exchange(profile, answers)
        let facts = try exchange.service.logout(.token(token ?? live), username: "anna").facts
        return (facts, facts.outcome, exchange)
    }

    @Test(arguments: ["POST", "GET"])
    func `a logout is believed only once verify will not have the session`(method: String) throws {
        let (_, ended, exchange) = try logout(by: method, .answer(200), .answer(401))
        #expect(ended == .ended)
        #expect(
            exchange.requests == [
                "\(method) \(Self.base)/logout\nAuthorization: Bearer a1",
                "GET \(Self.base)/account/whoami\nAuthorization: Bearer a1",
            ])
        #expect(try logout(by: method, .answer(204), me, me).outcome == .stillAccepted)
    }

    @Test func `a service that needs a moment to forget a session is asked once more`() throws {
        let slow = try logout(.answer(204), me, .answer(401))
        #expect(slow.outcome == .ended && slow.exchange.requests.count == 3)
    }

    @Test func `a session that the server does not know any more has ended`() throws {
        #expect(try logout(.answer(401), .answer(401)).outcome == .endedBefore)
        let byRule = try logout(.answer(403), .answer(401)) {
            $0.logout?.response.loggedOut = [Condition(status: 403)]
        }
        #expect(byRule.outcome == .endedBefore)
        #expect(try logout(.answer(401), me, me).outcome == .stillAccepted)
    }

    @Test func `a token that was over leaves the refresh token beside it`() throws {
        let (facts, outcome, _) = try logout(of: old, .answer(401), .answer(401))
        #expect(outcome == .stillAccepted && facts.livesOn == [.refreshToken] && facts.isIncomplete)
    }

    @Test func `a signed token tells its own end where the service does not`() throws {
        // {"exp":1003600}
        let signed = Token(value: Secret("e30.eyJleHAiOjEwMDM2MDB9.c2ln"), refreshToken: nil, expires: nil)
        let exchange = Exchange(try SomeProfiles.chat(), [.answer(204), me, me])
        let outcome = try exchange.service.logout(.token(signed), username: "anna")
        #expect(outcome.expires == Exchange.now + 3600)
        #expect(outcome.facts.livesOn == [.accessToken] && !outcome.facts.isIncomplete)
    }

    @Test func `a session to which verify gives another value has not ended because the old value has`() throws {
        let old = Cookie.named("sid", "old"), new = Cookie.named("sid", "new")
        var profile = try SomeProfiles.blog()
        profile.logout = try SomeProfiles.rule("POST", "/logout")
        let rotated = HTTPResponse.answer(200, "{\"name\":\"a\"}", cookies: [new])
        let home = HTTPResponse.answer(200, "{\"name\":\"a\"}")
        let exchange = Exchange(profile, [.answer(204), rotated, .answer(401), home])
        #expect(try exchange.service.logout(.cookies([old]), username: "a").facts.outcome == .stillAccepted)
        #expect(exchange.requests.last?.contains("sid=new") == true)
    }

    @Test func `what verify sets after a logout is not used, not even for its second question`() throws {
        let anonymous = Cookie.named("sid", "fresh"), sid = Cookie.named("sid", "canary")
        var profile = try SomeProfiles.blog()
        profile.logout = try SomeProfiles.rule("POST", "/logout")
        let home = HTTPResponse.answer(200, "{\"name\":\"a\"}", cookies: [anonymous])
        let exchange = Exchange(profile, [.answer(204), home, home])
        _ = try exchange.service.logout(.cookies([sid]), username: "a")
        #expect(exchange.requests.count == 3)
        #expect(exchange.requests.allSatisfy { $0.contains("sid=canary") && !$0.contains("fresh") })
    }

    private static func sid(_ value: String) -> Cookie {
        let record = Secret("blog.example\tFALSE\t/\tFALSE\t0\tsid\t\(value)")
        return Cookie(name: "sid", value: Secret(value), record: record, expires: nil)
    }

    @Test(
        arguments: [
            (nil, "new", [401, 200, 200], ["old", "new", "new"], LogoutFacts.Outcome.stillAccepted),
            ("page", nil, [401, 200, 200], ["old", "page", "page"], .stillAccepted),
            ("page", "new", [401, 200, 401, 401], ["old", "page", "page", "new"], .ended),
            (nil, "new", [401, 401], ["old", "new"], .ended), (nil, "old", [401], ["old"], .ended),
            ("page", nil, [401, 401], ["old", "page"], .ended), (nil, "new", [401, 503], ["old", "new"], .unproven),
            (nil, "new", [503, 401], ["old", "new"], .unproven),
        ] as [(String?, String?, [Int], [String], LogoutFacts.Outcome)])
    func
        `a session that a page or the logout itself has given another value has ended only if verify refuses that, too`(
            page: String?, set: String?, verify: [Int], asked: [String], outcome: LogoutFacts.Outcome
        ) throws
    {
        var profile = try SomeProfiles.blog()
        profile.logout = try SomeProfiles.rule("POST", "/logout")
        if page != nil { profile.logout?.page = "/bye" }
        // The page, and verify's answer about the value that it has set.
        let shown = page.map { value in
            [["Content-Type: text/html"], []].map { headers in
                HTTPResponse.answer(200, "{\"name\":\"a\"}", headers: headers, cookies: [Self.sid(value)])
            }
        }
        // Without a new value the cookie is deleted.
        let done = HTTPResponse.answer(302, cookies: set.map { [Self.sid($0)] } ?? [])
        let home = verify.map { HTTPResponse.answer($0, "{\"name\":\"a\"}") }
        let exchange = Exchange(profile, (shown ?? []) + [done] + home)
        exchange.service.owner = Identity(username: "a", serverName: "a")
        let facts = try exchange.service.logout(.cookies([Self.sid("old")]), username: "a").facts
        #expect(facts.outcome == outcome && exchange.rest == 0)
        #expect(exchange.requests.suffix(verify.count).map { String($0.split(separator: "=").last ?? "") } == asked)
    }

    @Test func `a logout that fails behind a page that has set another value did not end the session`() throws {
        var profile = try SomeProfiles.blog()
        profile.logout = try SomeProfiles.rule("POST", "/logout")
        profile.logout?.page = "/bye"
        let page = HTTPResponse.answer(200, headers: ["Content-Type: text/html"], cookies: [Self.sid("page")])
        let home = HTTPResponse.answer(200, "{\"name\":\"a\"}", cookies: [Self.sid("page")])
        let exchange = Exchange(profile, [page, home, .answer(500), .answer(401), home, home])
        exchange.service.owner = Identity(username: "a", serverName: "a")
        let facts = try exchange.service.logout(.cookies([Self.sid("old")]), username: "a").facts
        #expect(facts.outcome == .failed && facts.livesOn == [.session])
    }

    @Test(arguments: [
        HTTPResponse.answer(503), .answer(401),
        .answer(200, #"{"name":"mallory"}"#, cookies: [sid("hers"), .named("lang", "de")]),
    ])
    func `a logout goes out with the session's own values where verify does not prove those of its page`(
        verify: HTTPResponse
    ) throws {
        var profile = try SomeProfiles.blog()
        profile.logout = try SomeProfiles.rule("POST", "/logout")
        profile.logout?.page = "/bye"
        let language = Cookie.named("lang", "de")
        let page = HTTPResponse.answer(
            200, headers: ["Content-Type: text/html"], cookies: [Self.sid("hers"), language])
        let exchange = Exchange(profile, [page, verify, .answer(204), .answer(401), verify])
        exchange.service.owner = Identity(username: "a", serverName: "a")
        let facts = try exchange.service.logout(.cookies([Self.sid("old")]), username: "a").facts
        #expect(facts.outcome == (verify.status == 503 ? .unproven : .ended) && exchange.rest == 0)
        let post = exchange.requests[2]
        #expect(post.contains("cookie sid=old") && post.contains("cookie lang=de") && !post.contains("hers"), "\(post)")
    }

    @Test func `the rules of verify are not about the answer to a logout`() throws {
        let page = Redirect(
            url: "https://chat.example/login", origin: Origin(scheme: "https", host: "chat.example", port: 443),
            target: "/login")
        let toLogin = Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("/login*"))
        let ended = try logout(.answer(302, redirect: page), .answer(401)) { profile in
            var verify = RequestRule(method: "GET", path: Template(literal: "/me"))
            verify.response.loggedOut = [Condition(status: 401), Condition(status: 302, places: [toLogin])]
            profile.proof = .verify(verify)
        }
        #expect(ended.outcome == .ended)
    }

    @Test func `a link with a value of its page is looked up there at each logout`() throws {
        let page = HTTPResponse.answer(
            200, "<a href='/in'>x</a><a href='/in?action=logout&amp;nonce=n1'>Log out</a>",
            headers: ["Content-Type: text/html"])
        let bare = "https://chat.example"
        let follow = { (profile: inout Profile) in
            profile.url = bare
            var rule = RequestRule(method: "GET", path: Template(literal: "/in"))
            (rule.page, rule.followsLink) = ("/home", true)
            profile.logout = rule
        }
        let (_, ended, exchange) = try logout(page, .answer(302), .answer(401), change: follow)
        #expect(ended == .ended)
        #expect(exchange.requests.count == 3 && exchange.requests[1].hasPrefix("GET \(bare)/in?action=logout&nonce=n1"))
        let empty = HTTPResponse.answer(200, "", headers: ["Content-Type: text/html"])
        #expect(try logout(empty, me, me, change: follow).outcome == .failed)
    }

    @Test func `after a logout a 403 that no rule names means that the session has ended`() throws {
        #expect(try logout(.answer(302), .answer(403)).outcome == .ended)
        let ruled = try logout(.answer(302), .answer(403), .answer(403)) { profile in
            guard var verify = profile.verify else { return }
            verify.response.forbidden = [Condition(status: 403)]
            profile.proof = .verify(verify)
        }
        #expect(ruled.outcome == .stillAccepted)
    }

    @Test func `a logout that names the refresh token may have ended that alone`() throws {
        let end: (inout Profile) -> Void = { profile in
            let token = JSONTemplate.string(Template(parts: [.slot(.refreshToken)]))
            profile.logout?.content = .json(.object([.init(name: "refresh", value: token)]))
        }
        let both = Token(value: Secret("a1"), refreshToken: Secret("r1"), expires: Exchange.now + 3600)
        let alive = try logout(of: both, .answer(204), me, me, change: end)
        #expect(alive.facts.livesOn == [.accessToken] && !alive.facts.isIncomplete)
        #expect(try logout(of: both, .answer(204), .answer(401), change: end).outcome == .ended)
        #expect(try logout(of: both, .answer(401), me, me, change: end).facts.isIncomplete)
        #expect(try logout(of: both, .answer(401), .answer(401), change: end).outcome == .endedBefore)
        let unnamed = try logout(of: both, .answer(204), me, me)
        #expect(unnamed.facts.livesOn == [.accessToken, .refreshToken] && unnamed.facts.isIncomplete)
    }

    @Test func `what cannot be checked is not claimed`() throws {
        #expect(try logout(.answer(200), .answer(503)).outcome == .unproven)
        let unverifiable = try logout(.answer(200)) { $0.proof = .loginResponse(ResponseRule()) }
        #expect(unverifiable.outcome == .unproven && unverifiable.exchange.requests.count == 1)
        var profile = try SomeProfiles.wire([.basic])
        profile.logout = RequestRule(method: "GET", path: Template(literal: "/bye"))
        let session = Session.credential(Credential(username: "ann", .password(Secret("pw"))))
        let exchange = Exchange(profile, [.answer(200)])
        #expect(try exchange.service.logout(session, username: "ann").facts.outcome == .unproven)
        #expect(exchange.requests.count == 1)
    }

    @Test(arguments: [
        (403, LoginFault.failure(.unexpectedStatus(403, step: "logout", words: nil))),
        (404, .failure(.unexpectedStatus(404, step: "logout", words: nil))),
        (503, .busy(BusyFault(status: 503, retryAfter: nil, words: nil))),
    ])
    func `a logout that fails is told, unless verify says that the session has ended all the same`(
        status: Int, expected: LoginFault
    ) throws {
        let exchange = Exchange(try SomeProfiles.chat(), [.answer(status), me, me])
        let failed = try exchange.service.logout(.token(live), username: "anna")
        #expect(failed.fault == expected && failed.facts.outcome == .failed && failed.facts.isIncomplete)
        #expect(try logout(.answer(status), .answer(401)).outcome == .ended)
    }

    @Test func `a profile without a logout asks nobody`() throws {
        let exchange = Exchange(try SomeProfiles.forge(), [HTTPResponse]())
        #expect(try exchange.service.logout(.token(old), username: "anna").facts.outcome == .noLogout)
        #expect(exchange.requests.isEmpty)
    }
}

extension Service {
    /// The token in the place of `old`.
    fileprivate func refreshed(_ old: Token) throws -> Token {
        guard case .token(let token) = try #require(try refresh(.token(old), username: "anna")?.session) else {
            throw LoginFault.cancelled
        }
        return token
    }
}
