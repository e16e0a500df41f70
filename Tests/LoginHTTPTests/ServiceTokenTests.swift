@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Logins that answer a token: the profiles `screencast`, `forge`, `chat` and `index`.
struct ServiceTokenTests {
    private func token(_ login: Login) -> Token? {
        if case .token(let token) = login.session { token } else { nil }
    }

    @Test func `screencast: a form, a token in its own header, and a time that was asked for`() throws {
        let exchange = Exchange(
            try SomeProfiles.screencast(),
            [
                .answer(401), .answer(200, "{\"auth_token\":\"tok\",\"expires_at\":\"2030-01-02T03:04:05Z\"}"),
                .answer(200, "{\"user\":{\"username\":\"Anna\"}}"),
            ], options: Service.Options(ttl: 600))
        let login = try exchange.login()
        let post = """
            POST https://screencast.example/auth/login.json?ttl=600
            Content-Type: application/x-www-form-urlencoded

            username=a%C3%B1na&password=p+%C3%A4%22%26
            """
        let home = "GET https://screencast.example/home/index.json"
        #expect(exchange.requests == [home, post, home + "\nauth_token: tok"])
        #expect(token(login) == Token(value: Secret("tok"), refreshToken: nil, expires: 1_893_553_445))
        #expect(login.identity == Identity(username: "añna", serverName: "Anna"))
    }

    @Test func `screencast: without --ttl the query is left out, and a refusal has the server's words`() throws {
        let exchange = Exchange(
            try SomeProfiles.screencast(), [.answer(401), .answer(401, "{\"error\":\"wrong\"}")])
        #expect(fault { _ = try exchange.login() } == .rejected(Refusal(status: 401, words: "wrong")))
        #expect(exchange.requests.last?.hasPrefix("POST https://screencast.example/auth/login.json\n") == true)
    }

    @Test(arguments: ["false", "0", "null", "\" \"", "\"\""])
    func `JSON's false and 0, and a blank, are no token`(value: String) throws {
        let exchange = Exchange(
            try SomeProfiles.screencast(), [.answer(401), .answer(200, "{\"auth_token\":\(value)}")])
        #expect(fault { _ = try exchange.login() }?.exitCode == .failure)
        #expect(exchange.requests.count == 2)
    }

    @Test(arguments: [
        ("/auth_token", "{\"auth_token\":\" J1\\n\"}"), ("text", "J1\r\n"), ("text", "\"J1\""), ("text", "\"J1\"\n"),
        ("header:X-Token", ""),
    ])
    func `a token is sent without blanks around it, and without the quotes of a JSON text`(
        place: String, body: String
    ) throws {
        var profile = try SomeProfiles.screencast()
        profile.login?.response.token = Place(place)
        let answer = HTTPResponse.answer(200, body, headers: ["X-Token: J1 "])
        let me = HTTPResponse.answer(200, "{\"user\":{\"username\":\"Anna\"}}")
        let exchange = Exchange(profile, [.answer(401), answer, me])
        #expect(token(try exchange.login())?.value == Secret("J1"))
        #expect(exchange.requests.last?.hasSuffix("\nauth_token: J1") == true)
    }

    @Test func `forge: a pasted token is verified and goes by the server's name`() throws {
        let exchange = Exchange(
            try SomeProfiles.forge(), [.answer(401), .answer(200, "{\"username\":\"anna\"}")])
        let login = try exchange.login(nil, "glpat-x")
        let user = "GET https://forge.example/api/v4/user"
        #expect(exchange.requests == [user, user + "\nPRIVATE-TOKEN: glpat-x"])
        #expect(login.identity == Identity(username: "anna", serverName: "anna"))
        #expect(token(login) == Token(value: Secret("glpat-x"), refreshToken: nil, expires: nil))
    }

    @Test func `forge: a pasted token is no password to be kept beside itself`() throws {
        var profile = try SomeProfiles.forge()
        profile.settings.keepPassword = true
        let exchange = Exchange(profile, [.answer(401), .answer(200, "{\"username\":\"anna\"}")])
        #expect(try exchange.login(nil, "t").credential == nil)
    }

    @Test(arguments: ["t\r\nCookie: x=1", "t\n", "\u{1b}[0m", "a\u{0}"])
    func `a pasted token that would end the header is not sent`(pasted: String) throws {
        let exchange = Exchange(try SomeProfiles.forge(), [.answer(401)])
        #expect(fault { _ = try exchange.login(nil, pasted) } == .usage(.controlCharacter(.token)))
        #expect(exchange.requests.count == 1)
    }

    @Test func `chat: a nested body, and a token that lives for milliseconds`() throws {
        let answer = "{\"access_token\":\"a\",\"refresh_token\":\"r\",\"expires_in_ms\":60999,\"device_id\":\"D\"}"
        let exchange = Exchange(
            try SomeProfiles.chat(),
            [.answer(401), .answer(200, answer), .answer(200, "{\"user_id\":\"@anna:chat.example\"}")])
        let login = try exchange.login()
        let base = "https://chat.example/_matrix/client/v3"
        let body =
            "{\"identifier\":{\"type\":\"m.id.user\",\"user\":\"añna\"},\"password\":\"p ä\\\"&\",\"refresh_token\":true,"
            + "\"type\":\"m.login.password\"}"
        #expect(
            exchange.requests == [
                "GET \(base)/account/whoami", "POST \(base)/login\nContent-Type: application/json\n\n\(body)",
                "GET \(base)/account/whoami\nAuthorization: Bearer a",
            ])
        #expect(token(login) == Token(value: Secret("a"), refreshToken: Secret("r"), expires: Exchange.now + 60))
    }

    @Test func `chat: 403 refuses there, and 401 is no refusal`() throws {
        let refused = Exchange(try SomeProfiles.chat(), [.answer(401), .answer(403, "{\"error\":\"Invalid\"}")])
        #expect(fault { _ = try refused.login() } == .rejected(Refusal(status: 403, words: "Invalid")))
        let other = Exchange(try SomeProfiles.chat(), [.answer(401), .answer(401)])
        #expect(fault { _ = try other.login() } == .failure(.unexpectedStatus(401, step: "login", words: nil)))
    }

    @Test func `index: the token is a Basic password, and the check always answers 200`() throws {
        let nobody = HTTPResponse.answer(200, "{\"result\":{\"authstatus\":[\"noauth\",\"\",[]]}}")
        let anna = HTTPResponse.answer(200, "{\"result\":{\"authstatus\":[\"ok\",\"anna\",[]]}}")
        let exchange = Exchange(
            try SomeProfiles.index(),
            [nobody, .answer(200, "{\"result\":{\"password\":\"tok:en\",\"expiration\":36000}}"), anna, nobody])
        let login = try exchange.login("anna", "pw")
        let post = """
            POST https://index.example/+login
            Content-Type: application/json

            {"password":"pw","user":"anna"}
            """
        let check = "GET https://index.example/+api"
        #expect(exchange.requests == [check, post, check + "\nbasic anna:tok:en"])
        #expect(token(login)?.expires == Exchange.now + 36_000)
        #expect(
            fault { _ = try exchange.service.verify(login.session, username: "anna") }
                == .rejected(Refusal(status: 200)))
    }

    @Test func `an empty refresh token does not take the place of the good one`() throws {
        let exchange = Exchange(
            try SomeProfiles.chat(), [.answer(200, "{\"access_token\":\"b\",\"refresh_token\":\"\"}")])
        let old = Token(value: Secret("a"), refreshToken: Secret("r"), expires: nil)
        let session = try exchange.service.refresh(.token(old), username: "anna")?.session
        #expect(session == .token(Token(value: Secret("b"), refreshToken: Secret("r"), expires: nil)))
    }

    @Test func `a 200 without a token is no login`() throws {
        for body in ["<html>", "{}", "{\"auth_token\":\"\"}", "{\"auth_token\":null}", "{\"auth_token\":{}}", ""] {
            let exchange = Exchange(try SomeProfiles.screencast(), [.answer(401), .answer(200, body)])
            #expect(
                fault { _ = try exchange.login() } == .failure(.missingInResponse(place: "/auth_token", step: "login")))
        }
    }

    @Test func `a redirect in the place of a token is told as one, and not followed`() throws {
        let away = Redirect(
            url: "https://screencast.example/login?err",
            origin: Origin(scheme: "https", host: "screencast.example", port: 443),
            target: "/login?err")
        let exchange = Exchange(try SomeProfiles.screencast(), [.answer(401), .answer(302, redirect: away)])
        #expect(
            fault { _ = try exchange.login() }
                == .failure(.redirected(step: "login", status: 302, target: "/login?err")))
        #expect(exchange.requests.count == 2)
    }

    @Test(arguments: ["t\\r\\nCookie: x=1", "t\\nu", "t\\u0000", "t\\u007f"])
    func `a token with a line end within it in the answer is refused, and sent nowhere`(json: String) throws {
        for body in [
            "{\"access_token\":\"\(json)\"}", "{\"access_token\":\"t\",\"refresh_token\":\"\(json)\"}",
        ] {
            let exchange = Exchange(try SomeProfiles.chat(), [.answer(401), .answer(200, body)])
            #expect(fault { _ = try exchange.login() }?.exitCode == .network)
            #expect(exchange.requests.count == 2)
        }
    }

    @Test func `the type of a token`() throws {
        for (type, isTaken) in [
            ("\"Bearer\"", true), ("\"bearer\"", true), ("null", true), ("\"\"", true), ("\"mac\"", false),
            ("\"DPoP\"", false),
        ] {
            var profile = try SomeProfiles.chat()
            profile.login?.response.refused = nil
            let exchange = Exchange(
                profile,
                [
                    .answer(401), .answer(200, "{\"access_token\":\"a\",\"token_type\":\(type)}"),
                    .answer(200, "{\"user_id\":\"anna\"}"),
                ])
            #expect((fault { _ = try exchange.login() } == nil) == isTaken, "\(type)")
        }
    }

    @Test func `a verify request with slots is first sent anonymously`() throws {
        var profile = try SomeProfiles.forge()
        var verify = try #require(profile.verify)
        verify.path = try Template(parsing: "/users/{username}/keys")
        verify.query = [try SomeProfiles.parameter("key", "{token}"), try SomeProfiles.parameter("v", "1")]
        verify.headers = [
            HeaderRule(name: "X-Key", value: try Template(parsing: "key={token}")),
            HeaderRule(name: "Accept", value: Template(literal: "application/json")),
        ]
        profile.proof = .verify(verify)
        let exchange = Exchange(profile, [.answer(401), .answer(200, "{\"username\":\"anna\"}")])
        _ = try exchange.login("an na", "t&k")
        let base = "https://forge.example/api/v4/users/"
        #expect(
            exchange.requests == [
                "GET \(base)/keys?key=&v=1\nAccept: application/json",
                "GET \(base)an%20na/keys?key=t%26k&v=1\nX-Key: key=t&k\nAccept: application/json\nPRIVATE-TOKEN: t&k",
            ])
    }
}
