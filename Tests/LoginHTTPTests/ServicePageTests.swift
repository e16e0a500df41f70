@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A login page with a token against forged requests: the profile `admin`.
struct `A login with a page` {
    private static let me = "GET https://admin.example/api/me/"
    private static let before = [
        me, get, "\(me)\ncookie csrftoken=c00kie\ncookie sid=anonymous", get,
    ]
    private static let get = "GET https://admin.example/login/\nAccept: text/html, */*;q=0.1"
    private static let from = "Origin: https://admin.example\nReferer: https://admin.example/login/"
    private static let form = "username=a%C3%B1na&password=p+%C3%A4%22%26"
    private let csrf = Cookie.named("csrftoken", "c00kie")
    private let anonymous = Cookie.named("sid", "anonymous")
    private let sid = Cookie.named("sid", "canary")
    private let anonymousPage = HTTPResponse.answer(302)

    private func page(_ form: String, cookies: [Cookie]? = nil) -> HTTPResponse {
        .answer(200, "<title>in</title>\(form)", cookies: cookies ?? [csrf, anonymous])
    }

    private let good = """
        <form action="/search"><input name=q></form><form method=post><input type=hidden name=token value="a&amp;b +">
        <input name=username><input name=password type=password></form>
        """

    /// - Parameters:
    ///   - before: the answers before the login's own page is fetched.
    private func exchange(
        _ answers: [HTTPResponse], before: [HTTPResponse]? = nil, _ change: (inout Profile) -> Void = { _ in }
    ) throws -> Exchange {
        var profile = try SomeProfiles.admin()
        change(&profile)
        return Exchange(profile, (before ?? [anonymousPage, page(""), anonymousPage]) + answers)
    }

    @Test(arguments: [
        "<a href=/logout>Sign out</a>", "<form method=post action=/logout><button>Leave</button></form>",
        "<a href=/logout data-method=post>Log out</a>",
    ])
    func `a page that offers to set up a code, beside a way out, is no second factor`(way: String) throws {
        let body = "<form method=post action=/totp><input name=otp autocomplete=one-time-code></form>"
        let html = { HTTPResponse.answer(200, $0, headers: ["Content-Type: text/html"]) }
        #expect(try ResponsePage(html(body), at: "https://admin.example/me")?.page.asksForCode == true)
        #expect(try ResponsePage(html(body + way), at: "https://admin.example/me")?.page.asksForCode == false)
    }

    @Test(arguments: [
        ("<input name=otp autocomplete='section-a one-time-code'>", LoginFault.secondFactor(.notDescribed(words: nil))),
        ("<input name=password type=password><input name=otp autocomplete=one-time-code><input name=username>", nil),
    ])
    func `a page that asks for a code after the password is a second factor, unless it asks for the password, too`(
        fields: String, expected: LoginFault?
    ) throws {
        let answer = HTTPResponse.answer(
            200, "<form method=post>\(fields)</form>", headers: ["Content-Type: text/html"], cookies: [csrf, sid])
        let exchange = try exchange([page(good), answer, anonymousPage.redirected(to: "/login/")])
        let found = fault { _ = try exchange.login() }
        #expect(expected == nil || found == expected)
        if expected == nil { #expect(found == .rejected(Refusal(status: 200))) }
        // Whatever 'refused' says of such a page.
        let written = try self.exchange([page(good), answer, anonymousPage]) { profile in
            profile.login?.response.refused = [Condition(status: 200)]
        }
        let other = fault { _ = try written.login() }
        #expect(other == expected ?? .rejected(Refusal(status: 200)))
    }

    @Test func `a login with a page sends the page's cookies, its hidden fields, Origin and Referer`() throws {
        let done = HTTPResponse.answer(302, cookies: [csrf, sid])
        let exchange = try exchange([page(good), done, .answer(200, "{\"username\":\"Anna\"}", cookies: [csrf, sid])])
        let login = try exchange.login()
        #expect(login.session == .cookies([csrf, sid]))
        let post = """
            POST https://admin.example/login/
            Content-Type: application/x-www-form-urlencoded
            \(Self.from)
            cookie csrftoken=c00kie
            cookie sid=anonymous

            \(Self.form)&token=a%26b+%2B
            """
        #expect(
            exchange.requests == Self.before + [post, Self.me + "\ncookie csrftoken=c00kie\ncookie sid=canary"])
    }

    @Test func `a login with a page lets the profile's own field and headers go before the page's`() throws {
        let exchange = try exchange([page(good), .answer(401)]) { profile in
            profile.login?.content = .form(
                ["username", "token"].map { .init(name: $0, value: Template(literal: "mine")) })
            profile.login?.headers = [HeaderRule(name: "referer", value: Template(literal: "https://else.example/"))]
        }
        _ = fault { _ = try exchange.login() }
        #expect(exchange.requests.last?.hasSuffix("\n\nusername=mine&token=mine&password=") == true)
        #expect(exchange.requests.last?.contains("\nreferer: https://else.example/\n") == true)
        #expect(exchange.requests.last?.contains("\nReferer: ") == false)
    }

    @Test func `looks for no form where none is sent, and can repeat a cookie in a header`() throws {
        let json = JSONTemplate.object([try SomeProfiles.member("u", "{username}")])
        let exchange = try exchange([page("no form at all"), .answer(401)]) { profile in
            profile.login?.content = .json(json)
            profile.login?.headers = [
                HeaderRule(name: "X-CSRFToken", value: Template(parts: [.slot(.cookie("csrftoken"))]))
            ]
        }
        #expect(fault { _ = try exchange.login() } == .rejected(Refusal(status: 401)))
        #expect(exchange.requests.last?.contains("\nX-CSRFToken: c00kie\n") == true)
    }

    private var again: HTTPResponse {
        .answer(200, good, headers: ["Content-Type: text/html"], cookies: [csrf, sid])
    }

    @Test
    func `A login form that comes again with 200 is a refusal, unless verify, asked once, says that it is a login`()
        throws
    {
        for no in [anonymousPage.redirected(to: "/login/"), .answer(401), .answer(404), .answer(403)] {
            let refused = try exchange([page(good), again, no])
            #expect(fault { _ = try refused.login() } == .rejected(Refusal(status: 200)), "\(no.status)")
            #expect(refused.rest == 0)
        }
        let welcome = HTTPResponse.answer(200, "{\"username\":\"Anna\"}", cookies: [csrf, sid])
        let accepted = try exchange([page(good), again, welcome])
        #expect(try accepted.login().identity.serverName == "Anna")
        // A fault is no verdict.
        let busy = try exchange([page(good), again, .answer(503)])
        #expect(fault { _ = try busy.login() }?.exitCode == .busy)
    }

    @Test func `A rule for refusals takes the place of the form that comes again`() throws {
        let welcome = HTTPResponse.answer(200, "{\"username\":\"Anna\"}", cookies: [csrf, sid])
        let other = try exchange([page(good), again, welcome]) { $0.login?.response.refused = [Condition(status: 422)] }
        #expect(try other.login().identity.serverName == "Anna")
        let refused = try exchange([page(good), again]) { $0.login?.response.refused = [Condition(status: 200)] }
        #expect(fault { _ = try refused.login() } == .rejected(Refusal(status: 200)))
    }

    @Test func `What verify answers to the cookies of the login page proves no login, and no password goes out`() throws
    {
        let anybody = [anonymousPage, page(good), HTTPResponse.answer(200, "{\"username\":\"guest\"}")]
        let exchange = try exchange([], before: anybody) { profile in
            var verify = RequestRule(method: "GET", path: Template(literal: "/api/me/"))
            verify.response.loggedOut = profile.verify?.response.loggedOut
            profile.proof = .verify(verify)
        }
        #expect(
            fault { _ = try exchange.login() }
                == .usage(.verifyProvesNothing(url: "https://admin.example/api/me/", withCookies: true)))
        #expect(exchange.requests == Array(Self.before.prefix(3)))
    }

    @Test
    func `A name that verify does not show is not the typed one, whatever the login page's cookies get`()
        throws
    {
        let nameless = HTTPResponse.answer(200, "{}"), done = HTTPResponse.answer(302, cookies: [csrf, sid])
        let same = try exchange([page(good), done, nameless], before: [anonymousPage, page(""), nameless])
        #expect(fault { _ = try same.login() }?.exitCode == .usage)
        let home = HTTPResponse.answer(
            302, cookies: [csrf, sid], redirect: anonymousPage.redirected(to: "/home").redirect)
        let taken = try exchange([page(good), home, nameless], before: [anonymousPage, page(""), nameless])
        #expect(fault { _ = try taken.login() }?.exitCode == .usage)
        let other = try exchange([page(good), done, nameless])
        #expect(fault { _ = try other.login() }?.exitCode == .usage)
    }

    @Test
    func `The form of the login at verify is no login, and a form of the same fields that leads elsewhere is none`()
        throws
    {
        let html = ["Content-Type: text/html"], done = HTTPResponse.answer(302, cookies: [csrf, sid])
        let elsewhere = good.replacing("<form method=post>", with: "<form method=post action=/password>")
        for (form, isLogin) in [(good, false), (elsewhere, true)] {
            let exchange = try exchange([page(good), done, .answer(200, form, headers: html)]) { profile in
                profile.proof = .verify(RequestRule(method: "GET", path: Template(literal: "/api/me/")))
            }
            #expect((fault { _ = try exchange.login() } == nil) == isLogin)
        }
    }

    @Test func `A login that redirects away with a new cookie is not called wrong because verify says no`() throws {
        let done = HTTPResponse.answer(
            302, cookies: [csrf, sid], redirect: anonymousPage.redirected(to: "/home").redirect)
        let exchange = try exchange([page(good), done, anonymousPage.redirected(to: "/login/?next=/")])
        guard case .usage(.unconfirmed(let login))? = fault({ _ = try exchange.login() }) else {
            Issue.record("decided")
            return
        }
        #expect(login.response == .tookPassword && login.leadsTo == "/login/" && !login.mayBeWrong)
    }

    @Test func `A login that redirects to its own page is refused where verify says no`() throws {
        let login = anonymousPage.redirected(to: "/login/?error").redirect
        let back = HTTPResponse.answer(302, cookies: [csrf, sid], redirect: login)
        let exchange = try exchange([page(good), back, anonymousPage.redirected(to: "/login/?next=/")])
        #expect(fault { _ = try exchange.login() } == .rejected(Refusal(status: 302, mayMeanForbidden: true)))
    }

    @Test func `a login with a page tells where the session is the anonymous one of the page`() throws {
        let welcome = HTTPResponse.answer(200, "{\"username\":\"Anna\"}", cookies: [csrf, anonymous])
        let fixed = try exchange([page(good), .answer(302, cookies: [csrf, anonymous]), welcome])
        #expect(try fixed.login().session == .cookies([csrf, anonymous]))
        #expect(fixed.service.result.keepsAnonymousSession)
        let fresh = try exchange([
            page(good), .answer(302, cookies: [csrf, sid]),
            .answer(200, "{\"username\":\"Anna\"}", cookies: [csrf, sid]),
        ])
        _ = try fresh.login()
        #expect(!fresh.service.result.keepsAnonymousSession)
        // Where verify says no, nothing is kept, whatever cookies there are.
        let refused = try exchange([page(good), .answer(302, cookies: [csrf, anonymous]), .answer(401)])
        #expect(fault { _ = try refused.login() }?.exitCode == .usage)
    }

    static let hostile = [
        ("<form method=post action=http://b.example/>FIELDS</form>", "http://b.example"),
        ("<form method=post action=//b.example/login/>FIELDS</form>", "https://b.example"),
        ("<form method=post action=javascript:alert(1)>FIELDS</form>", nil),
        ("<form method=post action=http://admin.example/login/>FIELDS</form>", "http://admin.example"),
        ("<base href=//b.example/><form method=post>FIELDS</form>", "https://b.example"),
        ("<base href=//b.example/><form method=post action=/login/>FIELDS</form>", "https://b.example"),
        ("<form method=post>FIELDS<button formaction=//b.example/>in</button></form>", "https://b.example"),
        ("<form method=post id=f>FIELDS</form><input type=submit form=f formaction=//b.example/>", "https://b.example"),
    ]

    @Test(arguments: hostile)
    func `a login with a page is refused before anything is sent where the form leads elsewhere`(
        html: String, target: String?
    ) throws {
        let fields = "<input name=username><input name=password>"
        let exchange = try exchange([page(html.replacing("FIELDS", with: fields))])
        let found = fault { _ = try exchange.login() }
        #expect(found?.exitCode == .untrusted)
        if let target { #expect(found == .untrusted(.formElsewhere(page: "/login/", target: target))) }
        #expect(exchange.requests == Self.before)
    }

    @Test(arguments: [
        "<form>", "<form method=get>", "<form method=dialog>", "<form method=post><button formmethod=get>x</button>",
    ])
    func `a login with a page is refused before anything is sent where the form would go into the URL`(start: String)
        throws
    {
        let exchange = try exchange([page("\(start)<input name=username><input name=password></form>")])
        let fault = try #require(fault { _ = try exchange.login() })
        #expect(fault.exitCode == .untrusted && exchange.requests == Self.before)
        // A logout has no password, so that none is named as what would be sent.
        let message = fault.message()
        #expect(message.what.contains("\"/login/\"") && !message.what.contains("password"))
        #expect(message.next.contains("'get' with its address"), "\(message)")
    }

    @Test func `a login with a page fails where the page has no such form, or several`() throws {
        let names = ["username", "password"]
        let none = try exchange([page("<form method=post><input name=username></form>")])
        #expect(fault { _ = try none.login() } == .failure(.noSuchForm(page: "/login/", fields: names, found: 0)))
        let fields = "<input name=username><input name=password></form>"
        let two = try exchange([page("<form method=post action=/a>\(fields)<form method=post action=/b>\(fields)")])
        #expect(fault { _ = try two.login() } == .failure(.noSuchForm(page: "/login/", fields: names, found: 2)))
        #expect(none.requests.count == 4 && two.requests.count == 4)
    }

    @Test func `a login with a page takes the one of several forms that leads to its own path`() throws {
        let fields = "<input name=username><input name=password>"
        let html = """
            <form method=post action=/register/>\(fields)<input type=hidden name=t value=no></form>
            <form method=post action=/login/?next=/>\(fields)<input type=hidden name=t value=yes></form>
            """
        let exchange = try exchange([page(html), .answer(401)])
        _ = fault { _ = try exchange.login() }
        #expect(exchange.requests.last?.hasSuffix("\n\n\(Self.form)&t=yes") == true)
    }

    @Test func `a login with a page follows no redirect of the page`() throws {
        let own = try exchange([anonymousPage.redirected(to: "/login/sso")], before: [anonymousPage])
        #expect(
            fault { _ = try own.login() }
                == .failure(.redirected(step: "page", status: 302, target: "/login/sso")))
        let away = Redirect(
            url: "https://b.example/", origin: Origin(scheme: "https", host: "b.example", port: 443), target: "/")
        let foreign = try exchange([.answer(302, redirect: away)], before: [anonymousPage])
        #expect(fault { _ = try foreign.login() } == .untrusted(.otherOrigin(target: "https://b.example")))
        #expect(own.requests.count == 2 && foreign.requests.count == 2)
    }

    @Test func `a login with a page goes where the server looks whether cookies come back, if that leads to the page`()
        throws
    {
        let check = HTTPResponse.answer(302, cookies: [csrf])
        let there = check.redirected(to: "/login/?check=1"), back = check.redirected(to: "/login/")
        let done = HTTPResponse.answer(302, cookies: [csrf, sid])
        let exchange = try exchange([there, back, page(good), done, .answer(200, "{\"username\":\"Anna\"}")])
        _ = try exchange.login()
        #expect(exchange.requests.filter { $0.contains("/login/") }.count == 5, "\(exchange.requests)")
        for elsewhere in [
            [there, there, there, there], [there, .answer(403)], [there, check.redirected(to: "/other"), .answer(200)],
        ] {
            let lost = try self.exchange(elsewhere, before: [anonymousPage])
            #expect(
                fault { _ = try lost.login() }
                    == .failure(.redirected(step: "page", status: 302, target: "/login/?check=1")))
        }
    }

    @Test func `a login with a page goes where the page leads to a URL of one session's alone`() throws {
        let there = anonymousPage.redirected(to: "/login/start?AuthState=_c2770011aabbccdd")
        let done = HTTPResponse.answer(302, cookies: [csrf, sid])
        let exchange = try exchange([there, page(good), done, .answer(200, "{\"username\":\"Anna\"}")])
        _ = try exchange.login()
        #expect(
            exchange.requests.last { $0.hasPrefix("POST") }?.contains(
                "\nReferer: https://admin.example/login/start?AuthState=_c2770011aabbccdd\n") == true,
            "\(exchange.requests)")
    }

    @Test(arguments: [
        (404, LoginFault.failure(.unexpectedStatus(404, step: "page", words: nil))),
        (429, .busy(BusyFault(status: 429, retryAfter: nil, words: nil))),
        (503, .busy(BusyFault(status: 503, retryAfter: nil, words: nil))),
    ])
    func `a login with a page goes no further than a page that is not there`(status: Int, expected: LoginFault) throws {
        let exchange = try exchange([.answer(status, good)], before: [anonymousPage])
        #expect(fault { _ = try exchange.login() } == expected)
        #expect(exchange.requests.count == 2)
    }

    @Test(arguments: [401, 403]) func `a login with a page takes a form that comes with a refusal`(status: Int) throws {
        let exchange = try exchange([.answer(status, good), .answer(401)])
        _ = fault { _ = try exchange.login() }
        #expect(exchange.requests.count == 5)
    }

    @Test func `a logout may have one, which sees the session`() throws {
        var profile = try SomeProfiles.admin()
        profile.logout = try SomeProfiles.rule("POST", "/logout/")
        profile.logout?.page = "/account/"
        profile.logout?.content = .form([])
        let form =
            "<form method=post action=/logout/><input type=hidden name=t value=1></form><form><input name=q></form>"
        let refreshed = Cookie.named("csrftoken", "newer")
        let me = HTTPResponse.answer(200, "{\"username\":\"a\"}", cookies: [refreshed, sid])
        let exchange = Exchange(profile, [page(form, cookies: [refreshed, sid]), me, .answer(204), .answer(401)])
        exchange.service.owner = Identity(username: "a", serverName: "a")
        _ = try exchange.service.logout(.cookies([csrf, sid]), username: "a")
        let sent = exchange.requests
        #expect(sent.first?.contains("cookie csrftoken=c00kie\ncookie sid=canary") == true)
        #expect(sent[2].contains("X-CSRFToken: newer\n"))
        #expect(sent[2].hasSuffix("\ncookie csrftoken=newer\ncookie sid=canary\n\nt=1"))
    }
}

extension HTTPResponse {
    fileprivate func redirected(to target: String) -> HTTPResponse {
        let origin = Origin(scheme: "https", host: "admin.example", port: 443)
        return HTTPResponse(
            status: 302, headers: headers, cookies: cookies,
            redirect: Redirect(url: "https://admin.example\(target)", origin: origin, target: target))
    }
}
