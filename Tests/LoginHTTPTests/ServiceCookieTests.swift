@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A posted JSON object and a session cookie: the profile `blog`.
struct ServiceCookieTests {
    private static let origin = Origin(scheme: "https", host: "blog.example", port: 443)
    private static let me = "GET https://blog.example/users/me"
    private static let post = """
        POST https://blog.example/users/login
        Content-Type: application/json

        {"name":"añna","password":"p ä\\"&"}
        """
    private let sid = Cookie.named("sid", "canary", expires: 2_000_000)
    private let anonymous = HTTPResponse.answer(401, "{\"error\":\"who?\"}")

    private func welcome(_ cookies: [Cookie]) -> HTTPResponse { .answer(200, "{\"name\":\"Anna\"}", cookies: cookies) }

    @Test func `a login is two requests after the first look, byte for byte`() throws {
        let exchange = Exchange(try SomeProfiles.blog(), [anonymous, .answer(200, cookies: [sid]), welcome([sid])])
        let login = try exchange.login()
        #expect(exchange.requests == [Self.me, Self.post, Self.me + "\ncookie sid=canary"])
        #expect(login.identity == Identity(username: "añna", serverName: "Anna"))
        #expect(login.session == .cookies([sid]))
        #expect(login.session.expires == 2_000_000)
        #expect(login.credential == nil)
    }

    @Test func `the password is kept only where the profile says so`() throws {
        var profile = try SomeProfiles.blog()
        profile.settings.keepPassword = true
        let exchange = Exchange(profile, [anonymous, .answer(204, cookies: [sid]), welcome([sid])])
        #expect(try exchange.login().credential == Credential(username: "añna", .password(Secret("p ä\"&"))))
    }

    @Test func `the newest cookie is kept once verify has named the user for it`() throws {
        let refreshed = Cookie.named("sid", "renewed")
        let exchange = Exchange(try SomeProfiles.blog(), [welcome([refreshed]), welcome([refreshed])])
        let login = try exchange.service.verify(.cookies([sid]), username: "añna")
        #expect(login.session == .cookies([refreshed]))
        #expect(exchange.requests == [Self.me + "\ncookie sid=canary", Self.me + "\ncookie sid=renewed"])
    }

    @Test func `A cookie and a 200 prove nothing, and a verify that has accepted nothing yet refuses nothing`() throws {
        let form = HTTPResponse.answer(200, "<html>invalid password</html>", cookies: [sid])
        let exchange = Exchange(try SomeProfiles.blog(), [anonymous, form, anonymous])
        #expect(fault { _ = try exchange.login() }?.exitCode == .usage)
        let blog = try SomeProfiles.blog()
        let accepted = AcceptedVerify(request: blog.verify?.fingerprint ?? "", anonymous: nil)
        let known = Exchange(blog, [anonymous, form, anonymous], options: Service.Options(lastAccepted: accepted))
        #expect(
            fault { _ = try known.login() } == .rejected(Refusal(status: 401, words: "who?", mayMeanForbidden: true)))
        let page = HTTPResponse.answer(200, "<html>log in</html>")
        let open = Exchange(try SomeProfiles.blog(), [page, form, page])
        #expect(fault { _ = try open.login() }?.exitCode == .usage)
    }

    @Test func `A session of which no cookie goes to verify proves nothing, whatever verify shows`() throws {
        let record = Secret("blog.example\tFALSE\t/other\tTRUE\t0\tsid\tcanary")
        let elsewhere = Cookie(name: "sid", value: Secret("canary"), record: record, expires: nil)
        for cookies in [[], [elsewhere]] {
            let exchange = Exchange(try SomeProfiles.blog(), [anonymous, .answer(200, cookies: cookies), welcome([])])
            #expect(fault { _ = try exchange.login() }?.exitCode == .usage)
        }
    }

    @Test(arguments: [200, 201, 202, 304])
    func `Only a redirect leads back to the login or away from it`(status: Int) throws {
        let back = Redirect(url: "https://blog.example/users/login", origin: Self.origin, target: "/users/login")
        let exchange = Exchange(try SomeProfiles.blog(), [anonymous, .answer(status, redirect: back), anonymous])
        #expect(fault { _ = try exchange.login() }?.exitCode != .rejected)
        let stored = Exchange(try SomeProfiles.blog(), [.answer(304, redirect: back)])
        #expect(fault { _ = try stored.service.verify(.cookies([sid]), username: "anna") }?.exitCode == .failure)
    }

    @Test func `a login that ends in a redirect is judged by verify, not by where it leads`() throws {
        for target in ["/login?err=1", "/home"] {
            let away = Redirect(url: "https://blog.example\(target)", origin: Self.origin, target: target)
            let exchange = Exchange(
                try SomeProfiles.blog(), [anonymous, .answer(302, cookies: [sid], redirect: away), welcome([sid])])
            #expect(try exchange.login().session == .cookies([sid]))
            #expect(exchange.requests.count == 3)
        }
    }

    @Test(arguments: [307, 308])
    func `a redirect that would have the password posted again is not followed`(status: Int) throws {
        let foreign = Redirect(
            url: "https://evil.example/login", origin: Origin(scheme: "https", host: "evil.example", port: 443),
            target: "/login")
        let exchange = Exchange(try SomeProfiles.blog(), [anonymous, .answer(status, redirect: foreign)])
        #expect(fault { _ = try exchange.login() } == .untrusted(.otherOrigin(target: "https://evil.example")))
        #expect(exchange.requests.count == 2)
        let own = Redirect(url: "https://blog.example/l", origin: Self.origin, target: "/l")
        let here = Exchange(try SomeProfiles.blog(), [anonymous, .answer(status, redirect: own)])
        #expect(fault { _ = try here.login() } == .failure(.redirected(step: "login", status: status, target: "/l")))
        #expect(here.requests.count == 2)
    }

    @Test(arguments: [
        (401, LoginFault.rejected(Refusal(status: 401))),
        (403, .failure(.unexpectedStatus(403, step: "login", words: nil))),
        (400, .failure(.unexpectedStatus(400, step: "login", words: nil))),
        (429, .busy(BusyFault(status: 429, retryAfter: nil, words: nil))),
        (500, .busy(BusyFault(status: 500, retryAfter: nil, words: nil))),
    ])
    func `a login that is answered so goes no further`(status: Int, expected: LoginFault) throws {
        let exchange = Exchange(try SomeProfiles.blog(), [anonymous, .answer(status)])
        #expect(fault { _ = try exchange.login() } == expected)
        #expect(exchange.requests.count == 2)
    }

    @Test func `a profile may say what forbidden looks like`() throws {
        var profile = try SomeProfiles.blog()
        profile.login?.response.forbidden = [Condition(status: 403)]
        profile.login?.response.message = Place("/why")
        let exchange = Exchange(profile, [anonymous, .answer(403, "{\"why\":\"locked\"}")])
        #expect(fault { _ = try exchange.login() } == .forbidden(Refusal(status: 403, words: "locked")))
    }

    @Test func `403 at verify is logged out where the profile says so`() throws {
        let exchange = Exchange(try SomeProfiles.blog(), [.answer(403)])
        #expect(
            fault { _ = try exchange.service.verify(.cookies([sid]), username: "añna") }
                == .rejected(Refusal(status: 403)))
    }

    @Test func `an anonymous client that is sent to a login page is refused, too`() throws {
        let page = Redirect(url: "https://blog.example/login", origin: Self.origin, target: "/login")
        let exchange = Exchange(try SomeProfiles.blog(), [.answer(302, redirect: page)])
        #expect(try exchange.service.prepare().method == .cookie)
    }

    @Test func `a server that is busy before anybody was asked is told so`() throws {
        let exchange = Exchange(try SomeProfiles.blog(), [.answer(503, headers: ["Retry-After: 9"])])
        #expect(
            fault { _ = try exchange.service.prepare() }
                == .busy(BusyFault(status: 503, retryAfter: 9, words: nil)))
    }

    @Test func `a logout that only asks for a page is done where it is answered with 307`() throws {
        var profile = try SomeProfiles.blog()
        let page = HTTPResponse.answer(
            307, redirect: Redirect(url: "https://blog.example/l", origin: Self.origin, target: "/l"))
        profile.logout = try SomeProfiles.rule("GET", "/logout")
        let ended = try Exchange(profile, [page, .answer(401)]).service.logout(.cookies([sid]), username: "a")
        #expect(ended.facts.outcome == .ended)
        profile.logout = try SomeProfiles.rule("POST", "/logout", json: .object([]))
        let failed = try Exchange(profile, [page, .answer(503)]).service.logout(.cookies([sid]), username: "a")
        #expect(failed.fault == .failure(.redirected(step: "logout", status: 307, target: "/l")))
    }

    @Test func `a cookie may be copied into a header of what writes`() throws {
        var profile = try SomeProfiles.blog()
        var session = SessionRule(cookies: true)
        session.writeHeaders = [HeaderRule(name: "X-CSRFToken", value: try Template(parsing: "{cookie:csrftoken}"))]
        profile.session = session
        profile.logout = try SomeProfiles.rule("POST", "/logout/")
        let cookies = [sid, Cookie.named("csrftoken", "c")]
        let exchange = Exchange(profile, [welcome(cookies), .answer(204), .answer(401)])
        _ = try exchange.service.verify(.cookies(cookies), username: "a")
        _ = try exchange.service.logout(.cookies(cookies), username: "a")
        let sent = "\ncookie sid=canary\ncookie csrftoken=c"
        #expect(
            exchange.requests == [
                Self.me + sent,
                "POST https://blog.example/logout/\nX-CSRFToken: c\nOrigin: https://blog.example\n"
                    + "Referer: https://blog.example/" + sent,
                Self.me + sent,
            ])
    }
}
