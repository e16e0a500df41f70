@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// HTTP Basic: the profile `wire`.
struct ServiceBasicTests {
    private static let url = "https://api.wire.example/account/verify_credentials.json"
    private let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"Staff\""])
    private let welcome = HTTPResponse.answer(200, "{\"screen_name\":\"Anna\"}")
    private let credential = Credential(username: "añna", .password(Secret("p ä\"&")))

    private func prepare(
        _ methods: [AuthenticationMethod], _ answer: HTTPResponse, pinned: AuthenticationMethod? = nil
    ) throws -> ProtectionSpace {
        try Exchange(try SomeProfiles.wire(methods), [answer], options: Service.Options(pinnedMethod: pinned))
            .service.prepare()
    }

    @Test func `the first request goes without a credential, the second with it`() throws {
        let exchange = Exchange(try SomeProfiles.wire(), [anonymous, welcome])
        let login = try exchange.login()
        #expect(exchange.requests == ["GET \(Self.url)", "GET \(Self.url)\nbasic añna:p ä\"&"])
        #expect(login.identity == Identity(username: "añna", serverName: "Anna"))
        #expect(login.session == .credential(credential))
        #expect(login.credential == nil)
    }

    @Test(arguments: [400, 404, 405])
    func `Basic is tried where it is the profile's only method, though anonymous clients get no challenge`(
        status: Int
    ) throws {
        let exchange = Exchange(try SomeProfiles.wire([.basic]), [.answer(status), welcome])
        #expect(try exchange.login().identity.serverName == "Anna")
        let refused = Exchange(try SomeProfiles.wire([.basic]), [.answer(status), .answer(status)])
        #expect(fault { _ = try refused.login() }?.exitCode == .usage)
        for methods in [[.auto], [.basic, .digest], [.digest]] as [[AuthenticationMethod]] {
            let other = Exchange(try SomeProfiles.wire(methods), [.answer(status)])
            #expect(fault { _ = try other.login() }?.exitCode == .failure)
        }
    }

    @Test func `a space that is known is not asked for again`() throws {
        let exchange = Exchange(try SomeProfiles.wire(), [anonymous, anonymous, welcome])
        let space = try exchange.service.prepare()
        #expect(space.realm == "Staff" && space.method == .basic)
        #expect(fault { _ = try exchange.login() }?.exitCode == .rejected)
        _ = try exchange.login()
        #expect(exchange.requests.count == 3)
    }

    @Test func `a stored credential is sent at once: one request`() throws {
        let exchange = Exchange(
            try SomeProfiles.wire(), [welcome], options: Service.Options(pinnedMethod: .basic))
        _ = try exchange.service.verify(.credential(credential), username: "añna")
        #expect(exchange.requests == ["GET \(Self.url)\nbasic añna:p ä\"&"])
    }

    @Test func `a refusal names both readings, since a server may answer a good credential alike`() throws {
        let exchange = Exchange(try SomeProfiles.wire(), [anonymous, anonymous])
        #expect(fault { _ = try exchange.login() } == .rejected(Refusal(status: 401, mayMeanForbidden: true)))
    }

    @Test(arguments: [
        (#"{"error": "Unauthorized", "message": "Your password has expired"}"#, "Your password has expired"),
        (#"{"error": "invalid_grant", "error_description": "Locked"}"#, "Locked"),
        (#"{"type": "about:blank", "title": "Unauthorized", "detail": "Expired"}"#, "Expired"),
        (#"{"message": {"text": "no"}, "title": "No"}"#, "No"), (#"{"error": ""}"#, nil), ("[\"message\"]", nil),
        (#"{"errors": [{"code": 7, "message": "Expired"}, {"message": "Other"}]}"#, "Expired"),
        (#"{"error": {"code": 401, "message": "Expired"}}"#, "Expired"), (#"{"errors": ["Expired"]}"#, "Expired"),
        (#"[{"errorCode": "INVALID", "message": "Expired"}]"#, "Expired"),
        (#"{"detail": [{"loc": ["body"], "msg": "Expired"}]}"#, "Expired"),
        (#"{"error": {"reason": "Expired", "type": "security"}, "status": 401}"#, "Expired"),
        (#"{"errors": [], "title": "No"}"#, "No"), (#"{"error": {"message": "not p%20%C3%A4%22%26"}}"#, nil),
        ("<p>no</p>", nil),
        (#"{"message": "wrong password p ä\"&"}"#, nil), (#"{"message": "not p%20%C3%A4%22%26"}"#, nil),
    ])
    func `The text of a JSON refusal is told unless it repeats a secret`(body: String, words: String?) throws {
        let refused = HTTPResponse.answer(401, body, headers: ["WWW-Authenticate: Basic realm=\"Staff\""])
        let exchange = Exchange(try SomeProfiles.wire(), [anonymous, refused])
        #expect(
            fault { _ = try exchange.login() } == .rejected(Refusal(status: 401, words: words, mayMeanForbidden: true)))
    }

    @Test(arguments: [
        (403, LoginFault.forbidden(Refusal(status: 403, doubt: .forbidden))),
        (429, .busy(BusyFault(status: 429, retryAfter: nil, words: nil))),
        (503, .busy(BusyFault(status: 503, retryAfter: nil, words: nil))),
        (404, .failure(.unexpectedStatus(404, step: "verify", words: nil))),
    ])
    func `what is no refusal is not told as one`(status: Int, expected: LoginFault) throws {
        let exchange = Exchange(try SomeProfiles.wire(), [anonymous, .answer(status)])
        #expect(fault { _ = try exchange.login() } == expected)
    }

    @Test func `a fault of the network passes as it is`() throws {
        let exchange = Exchange(try SomeProfiles.wire(), [.success(anonymous), .failure(.network(.connectionLost))])
        #expect(fault { _ = try exchange.login() } == .network(.connectionLost))
    }

    @Test func `a verify endpoint that is open proves nothing, and is sent nothing`() throws {
        let exchange = Exchange(try SomeProfiles.wire(), [welcome])
        #expect(fault { _ = try exchange.login() } == .usage(.verifyProvesNothing(url: Self.url)))
        #expect(exchange.requests.count == 1)
    }

    @Test func `an open page without the name refuses anonymous clients, not an open endpoint`() throws {
        let exchange = Exchange(try SomeProfiles.wire([.basic]), [.answer(200, "<html>"), welcome])
        #expect(try exchange.login().identity.serverName == "Anna")
    }

    @Test(
        arguments: [
            (["Digest realm=\"r\", nonce=\"n\", qop=\"other\"", "Basic realm=\"b\""], "b"),
            (["BASIC realm=\"x\""], "x"),
            (["Negotiate", "basic"], nil), (["Bearer realm=\"t\", Basic realm=\"b\", Digest nonce=\"n\""], "b"),
        ] as [([String], String?)])
    func `auto takes Basic wherever it is among the offers, if nothing stronger can be done`(
        offers: [String], realm: String?
    ) throws {
        let answer = HTTPResponse.answer(401, headers: offers.map { "WWW-Authenticate: \($0)" })
        let space = try prepare([.auto], answer)
        #expect(space.method == .basic && space.realm == realm)
    }

    @Test func `a 401 without a challenge is enough where the profile names Basic, and is told where it does not`()
        throws
    {
        #expect(try prepare([.basic], .answer(401)).method == .basic)
        let fault = fault { _ = try prepare([.auto], .answer(401)) }
        #expect(fault?.exitCode == .usage)
        #expect(fault?.message().what.hasPrefix("\(Self.url) refuses requests (status 401)") == true)
    }

    @Test func `only Basic is offered where only Digest is accepted: nothing is sent`() throws {
        let exchange = Exchange(try SomeProfiles.wire([.digest]), [anonymous, welcome])
        #expect(
            fault { _ = try exchange.login() }
                == .untrusted(.weakerMethod(offered: ["basic"], accepted: [.digest])))
        #expect(exchange.requests == ["GET \(Self.url)"])
    }

    @Test func `a method that worked before is pinned`() throws {
        #expect(
            fault { _ = try prepare([.auto], anonymous, pinned: .digest) }
                == .untrusted(.weakerMethod(offered: ["basic"], accepted: [.digest])))
        #expect(try prepare([.auto], anonymous, pinned: .basic).method == .basic)
        let bearer = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Bearer"])
        #expect(
            fault { _ = try prepare([.auto], bearer, pinned: .basic) }
                == .untrusted(.weakerMethod(offered: ["bearer"], accepted: [.basic])))
    }

    @Test(arguments: ["Bearer", "Digest realm=\"Staff\", nonce=\"n\""])
    func `a server that offers other schemes alone has not judged the password`(challenge: String) throws {
        let other = HTTPResponse.answer(401, headers: ["WWW-Authenticate: \(challenge)"])
        let exchange = Exchange(try SomeProfiles.wire([.basic]), [anonymous, other])
        #expect(fault { _ = try exchange.login() }?.exitCode == .usage)
    }

    @Test func `a redirect of the verify endpoint is not followed`() throws {
        let own = Redirect(
            url: "https://api.wire.example/x", origin: Origin(scheme: "https", host: "api.wire.example", port: 443),
            target: "/x")
        let foreign = Redirect(
            url: "https://evil.example/x", origin: Origin(scheme: "https", host: "evil.example", port: 443),
            target: "/x")
        for (redirect, expected) in [
            (own, LoginFault.failure(.redirected(step: "verify", status: 302, target: "/x"))),
            (foreign, .untrusted(.otherOrigin(target: "https://evil.example"))),
        ] {
            let exchange = Exchange(try SomeProfiles.wire(), [anonymous, .answer(302, redirect: redirect)])
            #expect(fault { _ = try exchange.login() } == expected)
            #expect(exchange.requests.count == 2)
        }
    }

    @Test(arguments: [
        ("a:b", "p", UsageFault.usernameHasColon), ("a\u{7}", "p", .controlCharacter(.username)),
        ("a", "p\r\nX: 1", .controlCharacter(.password)), ("a", "\u{0}", .controlCharacter(.password)),
    ])
    func `what Basic cannot carry is refused before any request`(name: String, secret: String, expected: UsageFault)
        throws
    {
        let exchange = Exchange(try SomeProfiles.wire(), [anonymous])
        #expect(fault { _ = try exchange.login(name, secret) } == .usage(expected))
        #expect(exchange.requests.isEmpty)
    }

    @Test func `an empty password and an empty name are sent as they are`() throws {
        let exchange = Exchange(try SomeProfiles.wire(), [anonymous, welcome])
        _ = try exchange.login("", "")
        #expect(exchange.requests.last == "GET \(Self.url)\nbasic :")
    }
}
