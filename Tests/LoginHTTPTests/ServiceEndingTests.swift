import LoginCore
@testable import LoginKit
import LoginTestSupport
import Secrets
import Testing

/// Refreshing a session and ending it: the profile `chat`.
struct ServiceEndingTests {
    private static let base = "https://chat.example/_matrix/client/v3"
    private let old = Token(value: Secret("a1"), refreshToken: Secret("r\"1"), expires: 5)

    private func refresh(_ answer: HTTPResponse) throws -> Token {
        try Exchange(try SomeProfiles.chat(), [answer]).service.refreshed(old)
    }

    private func logout(_ answers: HTTPResponse..., change: (inout Profile) -> Void = { _ in }) throws
        -> Service.LogoutOutcome
    {
        var profile = try SomeProfiles.chat()
        change(&profile)
        return try Exchange(profile, answers).service.logout(.token(old), username: "anna")
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

    @Test(arguments: [400, 401, 403, 404, 422])
    func `a refresh token is refused with any 4xx`(status: Int) throws {
        #expect(fault { _ = try refresh(.answer(status)) } == .rejected(Refusal(status: status)))
    }

    @Test(arguments: [
        (408, LoginFault.failure(.unexpectedStatus(408, step: "refresh", words: nil))),
        (429, .busy(BusyFault(status: 429, retryAfter: nil, words: nil))),
        (503, .busy(BusyFault(status: 503, retryAfter: nil, words: nil))),
    ])
    func `a refresh that ends with 408, 429 or 5xx does not end the session`(status: Int, expected: LoginFault) throws {
        #expect(fault { _ = try refresh(.answer(status)) } == expected)
    }

    @Test func `the words of a refused refresh are where login has them`() throws {
        #expect(
            fault { _ = try refresh(.answer(401, "{\"error\":\"Unknown token\"}")) }
                == .rejected(Refusal(status: 401, words: "Unknown token")))
    }

    @Test func `without a refresh token there is nothing to send`() throws {
        let exchange = Exchange(try SomeProfiles.chat(), [HTTPResponse]())
        let token = Token(value: Secret("a"), refreshToken: nil, expires: nil)
        #expect(try exchange.service.refresh(.token(token), username: "") == nil)
        #expect(exchange.requests.isEmpty)
    }

    @Test func `a logout goes out with the session`() throws {
        let exchange = Exchange(try SomeProfiles.chat(), [.answer(200, "{}")])
        #expect(try exchange.service.logout(.token(old), username: "anna") == .ended(status: 200))
        #expect(exchange.requests == ["POST \(Self.base)/logout\nAuthorization: Bearer a1"])
    }

    @Test func `a session that the server does not know any more has ended`() throws {
        let exchange = Exchange(try SomeProfiles.chat(), [.answer(401)])
        let token = Token(value: Secret("a1"), refreshToken: Secret("r1"), expires: nil)
        #expect(try exchange.service.logout(.token(token), username: "anna") == .alreadyEnded(status: 401))
        let byRule = try logout(.answer(403)) { $0.logout?.response.loggedOut = [Condition(status: 403)] }
        #expect(byRule == .alreadyEnded(status: 403))
    }

    @Test func `a token that was over, with a refresh token beside it, does not say that the session has ended`() throws
    {
        #expect(try logout(.answer(401)) == .unproven(status: 401))
    }

    @Test func `the rules of verify are not about the answer to a logout`() throws {
        let page = Redirect(
            url: "https://chat.example/login", origin: Origin(scheme: "https", host: "chat.example", port: 443),
            target: "/login")
        let toLogin = Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("/login*"))
        let outcome = try logout(.answer(302, redirect: page), .answer(401)) { profile in
            var verify = RequestRule(method: "GET", path: Template(literal: "/me"))
            verify.response.loggedOut = [Condition(status: 401), Condition(status: 302, places: [toLogin])]
            profile.proof = .verify(verify)
        }
        #expect(outcome == .ended(status: 302))
    }

    /// A service whose logout is a GET, with what it answers to that and to verify after it.
    private func checked(
        method: String = "GET", _ answers: HTTPResponse..., change: (inout Profile) -> Void = { _ in }
    ) throws -> (outcome: Service.LogoutOutcome, exchange: Exchange) {
        var profile = try SomeProfiles.chat()
        profile.logout?.method = method
        change(&profile)
        let exchange = Exchange(profile, answers)
        return (try exchange.service.logout(.token(old), username: "anna"), exchange)
    }

    @Test func `a logout by GET is believed only once verify will not have the session`() throws {
        let (ended, exchange) = try checked(.answer(200), .answer(401))
        #expect(ended == .ended(status: 200))
        #expect(
            exchange.requests == [
                "GET \(Self.base)/logout\nAuthorization: Bearer a1",
                "GET \(Self.base)/account/whoami\nAuthorization: Bearer a1",
            ])
        let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
        #expect(try checked(.answer(200), me).outcome == .stillAccepted(status: 200))
    }

    @Test func `a link with a value of its page is looked up there at each logout`() throws {
        let page = HTTPResponse.answer(
            200, "<a href='/in'>x</a><a href='/in?action=logout&amp;nonce=n1'>Log out</a>",
            headers: ["Content-Type: text/html"])
        let follow = { (profile: inout Profile) in
            var rule = RequestRule(method: "GET", path: Template(literal: "/in"))
            (rule.page, rule.followsLink) = ("/home", true)
            profile.logout = rule
        }
        let bare = "https://chat.example"
        let url = { (profile: inout Profile) in
            profile.url = bare
            follow(&profile)
        }
        let (ended, exchange) = try checked(page, .answer(302), .answer(401), change: url)
        #expect(ended == .ended(status: 302))
        #expect(exchange.requests.count == 3 && exchange.requests[1].hasPrefix("GET \(bare)/in?action=logout&nonce=n1"))
        #expect(throws: LoginFault.self) {
            try checked(.answer(200, "", headers: ["Content-Type: text/html"]), change: url)
        }
    }

    @Test func `after a logout a 403 that no rule names means that the session has ended`() throws {
        #expect(try checked(.answer(302), .answer(403)).outcome == .ended(status: 302))
        let ruled = try checked(.answer(302), .answer(403)) { profile in
            guard var verify = profile.verify else { return }
            verify.response.forbidden = [Condition(status: 403)]
            profile.proof = .verify(verify)
        }
        #expect(ruled.outcome == .stillAccepted(status: 302))
    }

    @Test func `a page that answers a logout proves nothing, anything else does`() throws {
        let page = HTTPResponse.answer(200, "Really?", headers: ["Content-Type: text/html; charset=utf-8"])
        #expect(
            try checked(method: "POST", page, .answer(200, "{\"user_id\":\"@anna\"}")).outcome
                == .stillAccepted(status: 200))
        #expect(try checked(method: "POST", .answer(204)).outcome == .ended(status: 204))
    }

    @Test func `a redirect that answers a logout proves nothing`() throws {
        let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
        #expect(try checked(method: "POST", .answer(302), me).outcome == .stillAccepted(status: 302))
        #expect(try checked(method: "POST", .answer(302), .answer(503)).outcome == .unproven(status: 302))
    }

    @Test func `a logout that names the refresh token may have ended that alone`() throws {
        let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
        let end: (inout Profile) -> Void = { profile in
            let token = JSONTemplate.string(Template(parts: [.slot(.refreshToken)]))
            profile.logout?.content = .json(.object([.init(name: "refresh", value: token)]))
        }
        #expect(try checked(method: "POST", .answer(204), me, change: end).outcome == .stillAccepted(status: 204))
        #expect(try checked(method: "POST", .answer(204), .answer(401), change: end).outcome == .ended(status: 204))
        #expect(try checked(method: "POST", .answer(401), me, change: end).outcome == .stillAccepted(status: 401))
        let gone = try checked(method: "POST", .answer(401), .answer(401), change: end)
        #expect(gone.outcome == .alreadyEnded(status: 401) && gone.exchange.requests.count == 2)
    }

    @Test func `what cannot be checked is not claimed`() throws {
        #expect(try checked(.answer(200), .answer(503)).outcome == .unproven(status: 200))
        let unverifiable = try checked(.answer(200)) { $0.proof = .loginResponse(ResponseRule()) }
        #expect(unverifiable.outcome == .unproven(status: 200))
        var profile = try SomeProfiles.wire([.basic])
        profile.logout = RequestRule(method: "GET", path: Template(literal: "/bye"))
        let session = Session.credential(Credential(username: "ann", .password(Secret("pw"))))
        let outcome = try Exchange(profile, [.answer(200)]).service.logout(session, username: "ann")
        #expect(outcome == .unproven(status: 200))
    }

    @Test func `a logout that ends in a redirect is done`() throws {
        let home = Redirect(
            url: "https://chat.example/", origin: Origin(scheme: "https", host: "chat.example", port: 443), target: "/")
        #expect(try logout(.answer(302, redirect: home), .answer(401)) == .ended(status: 302))
    }

    @Test(arguments: [
        (403, LoginFault.failure(.unexpectedStatus(403, step: "logout", words: nil))),
        (404, .failure(.unexpectedStatus(404, step: "logout", words: nil))),
        (503, .busy(BusyFault(status: 503, retryAfter: nil, words: nil))),
    ])
    func `a logout that fails is told`(status: Int, expected: LoginFault) throws {
        #expect(fault { _ = try logout(.answer(status)) } == expected)
    }

    @Test func `a profile without a logout asks nobody`() throws {
        let exchange = Exchange(try SomeProfiles.forge(), [HTTPResponse]())
        #expect(try exchange.service.logout(.token(old), username: "anna") == .notConfigured)
        #expect(exchange.requests.isEmpty)
    }
}

extension Service {
    /// The token in the place of `old`.
    fileprivate func refreshed(_ old: Token) throws -> Token {
        guard case .token(let token) = try #require(try refresh(.token(old), username: "anna")) else {
            throw LoginFault.cancelled
        }
        return token
    }
}
