@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Services that have a login and nothing that could be asked who somebody is.
struct ServiceWithoutVerifyTests {
    private static let greeting = "HEAD https://blog.example/"

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

    @Test func `without a cookie, and with a redirect, nothing is proved`() throws {
        #expect(fault { _ = try login(.answer(200)).login() } == .failure(.noNewCookie))
        let home = Redirect(
            url: "https://blog.example/home", origin: Origin(scheme: "https", host: "blog.example", port: 443),
            target: "/home")
        let redirected = try login(.answer(302, cookies: [.named("sid", "one")], redirect: home))
        #expect(
            fault { _ = try redirected.login() }
                == .failure(.redirected(step: "login", status: 302, target: "/home")))
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
        let again = HTTPResponse.answer(200, form, cookies: [.named("c", "1")])
        #expect(fault { _ = try Exchange(profile, [.answer(200), page, again]).login() } == .failure(.noNewCookie))
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
