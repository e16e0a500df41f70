@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Services that have a login and nothing that could be asked who somebody is.
struct ServiceWithoutVerifyTests {
    private static let greeting = "HEAD https://blog.example/"
    private static let pageProvesNothing = "the response to login is a page (status 200), which does not prove a login"
    private static let noNewCookie = "the response to login set no new cookie, so it does not prove a login"

    private func blog(_ change: (inout Profile) -> Void = { _ in }) throws -> Profile {
        var profile = try SomeProfiles.blog()
        profile.proof = .loginResponse(ResponseRule())
        change(&profile)
        return profile
    }

    private func login(_ answers: HTTPResponse...) throws -> Exchange {
        Exchange(try blog(), [.answer(404)] + answers)
    }

    @Test func `a 2xx with a cookie proves the login, and nothing else is asked`() throws {
        let exchange = try login(.answer(204, cookies: [.named("sid", "one")]))
        let login = try exchange.login("anna", "pw")
        #expect(login.identity == Identity(username: "anna", serverName: nil))
        #expect(login.session == .cookies([.named("sid", "one")]))
        #expect(exchange.rest == 0)
        #expect(
            exchange.requests == [
                Self.greeting,
                "POST https://blog.example/users/login\nContent-Type: application/json\n\n"
                    + "{\"name\":\"anna\",\"password\":\"pw\"}",
            ])
    }

    @Test func `a 2xx with a token proves the login`() throws {
        var profile = try SomeProfiles.screencast()
        profile.proof = .loginResponse(ResponseRule())
        let token = "{\"auth_token\":\"t\",\"expires_at\":1000060}"
        let login = try Exchange(profile, [.answer(405), .answer(201, token)]).login()
        #expect(login.session == .token(Token(value: Secret("t"), refreshToken: nil, expires: 1_000_060)))
    }

    private static func redirect(_ target: String, _ host: String = "blog.example") -> Redirect {
        let origin = Origin(scheme: "https", host: host, port: 443)
        return Redirect(url: "\(origin)\(target)", origin: origin, target: target)
    }

    private static let page = "<form method=post><input name=a><input name=b type=password></form>"

    @Test func `without a cookie nothing is proved`() throws {
        #expect(fault { _ = try login(.answer(200)).login() } == .usage(.unprovenLogin(Self.noNewCookie)))
    }

    @Test(arguments: [
        (["Content-Type: text/html"], page), (["Content-Type: application/xhtml+xml"], page),
        ([], "<!DOCTYPE html>\(page)"), (["Content-Type: text/html"], "<p>Hello</p>"),
    ])
    func `a page proves nothing, whatever cookie it sets`(headers: [String], body: String) throws {
        for name in ["lang", "sid"] {
            let page = HTTPResponse.answer(200, body, headers: headers, cookies: [.named(name, "one")])
            #expect(fault { _ = try login(page).login() } == .usage(.unprovenLogin(Self.pageProvesNothing)))
        }
    }

    @Test(arguments: [
        (["Content-Type: application/json"], "{\"ok\": true}"), (["Content-Type: text/html"], "{\"ok\": true}"),
        (["Content-Type: text/html"], ""), (["Content-Type: text/plain"], "Ok."),
    ])
    func `data proves a login by its status and a cookie, even where it is called a page`(
        headers: [String], body: String
    ) throws {
        let data = HTTPResponse.answer(200, body, headers: headers, cookies: [.named("sid", "one")])
        #expect(try login(data).login().session == .cookies([.named("sid", "one")]))
    }

    @Test func `a redirect away from the login with a new cookie proves one`() throws {
        let home = HTTPResponse.answer(302, cookies: [.named("sid", "one")], redirect: Self.redirect("/home"))
        #expect(try login(home).login().session == .cookies([.named("sid", "one")]))
    }

    @Test(arguments: [
        (redirect("/users/login"), "sid"), (redirect("/users/login?error"), "sid"),
        (redirect("/users/login/failed"), "sid"), (redirect("/home", "id.example"), "sid"), (redirect("/home"), nil),
        (redirect("/home"), "lb"),
    ])
    func `a redirect to the login, elsewhere, or with no more than what anybody gets proves none`(
        redirect: Redirect, cookie: String?
    ) throws {
        let answer = HTTPResponse.answer(
            302, cookies: cookie.map { [.named($0, "one")] } ?? [], redirect: redirect)
        let exchange = Exchange(try blog(), [.answer(404, cookies: [.named("lb", "7")]), answer])
        let words = try #require(fault { _ = try exchange.login() }).message().what
        #expect(
            words.hasPrefix(
                "the response to login is a redirect (status 302) to \(SafeText.quoted(redirect.target.withoutQuery)), which"
            ))
    }

    @Test func `a redirect that repeats a long password shows no part of it`() throws {
        let password = String(repeating: "secret", count: 60)
        let answer = HTTPResponse.answer(302, redirect: Self.redirect("/users/login/\(password)"))
        let words = try #require(fault { _ = try login(answer).login("anna", password) }).message().what
        #expect(words.hasPrefix("the response to login is a redirect (status 302) to "))
        #expect(!words.contains("secret"))
    }

    @Test func `a page after a form with fields of other names proves nothing`() throws {
        let profile = try blog {
            $0.login?.content = .form([
                RequestRule.Parameter(name: "user", value: Template(parts: [.slot(.username)])),
                RequestRule.Parameter(name: "pass", value: Template(parts: [.slot(.password)])),
            ])
        }
        let page = HTTPResponse.answer(
            200, Self.page, headers: ["Content-Type: text/html"], cookies: [.named("lang", "de")])
        #expect(
            fault { _ = try Exchange(profile, [.answer(404), page]).login() }
                == .usage(.unprovenLogin(Self.pageProvesNothing)))
    }

    @Test func `a refusal is a refusal, and what no rule names is none`() throws {
        #expect(fault { _ = try login(.answer(401)).login() } == .rejected(Refusal(status: 401)))
        #expect(
            fault { _ = try login(.answer(403)).login() }
                == .failure(.unexpectedStatus(403, step: "login", words: nil)))
    }

    @Test func `cookies of the page before it prove nothing`() throws {
        var profile = try SomeProfiles.admin()
        profile.proof = .loginResponse(ResponseRule())
        let form = "<form method=post action=/login/><input name=username><input name=password></form>"
        let page = HTTPResponse.answer(200, form, headers: ["Content-Type: text/html"], cookies: [.named("c", "1")])
        let again = HTTPResponse.answer(200, "Ok.", headers: ["Content-Type: text/plain"], cookies: [.named("c", "1")])
        let exchange = Exchange(profile, [.answer(200), page, again])
        #expect(fault { _ = try exchange.login() } == .usage(.unprovenLogin(Self.noNewCookie)))
    }

    @Test func `a stored session is taken as it is until its end`() throws {
        let exchange = Exchange(try blog(), [HTTPResponse]())
        let session = Session.cookies([.named("sid", "one", expires: Exchange.now + 1)])
        #expect(try exchange.service.verify(session, username: "anna").session == session)
        let over = Session.cookies([.named("sid", "one", expires: Exchange.now)])
        #expect(fault { _ = try exchange.service.verify(over, username: "anna") } == .rejected(Refusal(status: 401)))
        #expect(exchange.requests.isEmpty)
    }

    @Test func `a login by HTTP authentication has to send an anonymous client away`() throws {
        let profile = try blog {
            $0.methods = [.auto]
            $0.session = SessionRule(cookies: true)
            $0.login = RequestRule(method: "GET", path: Template(literal: "/session"))
        }
        let open = Exchange(profile, [.answer(200, cookies: [.named("sid", "anyone")])])
        #expect(
            fault { _ = try open.login() } == .usage(.verifyProvesNothing(url: "https://blog.example/session")))
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
        let guarded = Exchange(profile, [challenge, .answer(204, cookies: [.named("sid", "one")])])
        #expect(try guarded.login("anna", "pw").session == .cookies([.named("sid", "one")]))
        #expect(guarded.requests.last == "GET https://blog.example/session\nbasic anna:pw")
    }
}
