@testable import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

/// What the response to a login says of the password, and what is made of it when verify says 'logged out'.
struct LoginVerdictTests {
    private let origin = SomeLogin.origin
    private let before = [Cookie.named("sid", "one")]
    private let after = [Cookie.named("sid", "two")]

    private func verdict(
        status: Int = 302, to target: String?, on other: Origin? = nil, cookies: [Cookie]? = nil, hasToken: Bool = false
    ) -> LoginVerdict {
        let place = other ?? origin
        let redirect = target.map { Redirect(url: "\(place)\($0)", origin: place, target: $0) }
        let response = HTTPResponse(status: status, cookies: cookies ?? after, redirect: redirect)
        return ParsedResponse(response: response, json: nil, origin: origin)
            .verdict(hasToken: hasToken, loginPaths: ["/login/", "/session"], former: before)
    }

    @Test func `A redirect away from the login page with a new cookie says that the password was taken`() {
        #expect(verdict(to: "/home") == .accepted)
        #expect(verdict(to: "/?welcome=1") == .accepted)
        #expect(verdict(to: "/loginhelp") == .accepted)
    }

    @Test func `A redirect to the login page, or below it, leads back`() {
        let targets = [
            "/login/", "/login", "/login?error=1", "/login/failed", "/session", "/login;jsessionid=1F?error",
            "/log%69n", "/LOGIN/",
        ]
        for target in targets {
            #expect(verdict(to: target) == .ledBack, "\(target)")
        }
    }

    @Test func `A redirect with the cookies of before, to another origin, or none at all says nothing`() {
        #expect(verdict(to: "/home", cookies: before) == .undecided)
        #expect(verdict(to: "/home", cookies: []) == .undecided)
        #expect(verdict(to: "/home", on: Origin(scheme: "https", host: "id.example", port: 443)) == .undecided)
        #expect(verdict(status: 200, to: nil) == .undecided)
    }

    @Test func `A cookie that anybody gets says nothing where no page was visited`() {
        let redirect = Redirect(url: "\(origin)/", origin: origin, target: "/")
        let facts = ParsedResponse(
            response: HTTPResponse(status: 302, cookies: after, redirect: redirect), json: nil, origin: origin)
        #expect(facts.verdict(hasToken: false, loginPaths: ["/login"], former: [], anonymous: ["sid"]) == .undecided)
        #expect(facts.verdict(hasToken: false, loginPaths: ["/login"], former: [], anonymous: ["lang"]) == .accepted)
    }

    @Test func `A token says that the password was taken`() {
        #expect(verdict(status: 200, to: nil, hasToken: true) == .issuedToken)
    }

    private static let verdicts: [LoginVerdict] = [
        .issuedToken, .accepted, .undecided, .ledBack, .askedAgain(SomeLogin.refusal), .leftToVerify,
    ]

    /// How verify answers a login that it does not accept, and what strangers got when it last accepted one.
    private static let refusals: [Refusal] = {
        let doubts: [Refusal.Doubt?] = [
            nil, .sameForAnybody, .unnamed(place: "/name"), .otherChallenge("basic app", than: "basic gate"),
            .unproven, .forbidden,
        ]
        return doubts.flatMap { doubt in
            [false, true].map { isSame in
                var refusal = Refusal(status: 404, doubt: doubt)
                refusal.isAsAtLastLogin = isSame
                return refusal
            }
        }
    }()

    @Test func `A password is refused only by a response that judged it, or by a verify that has proved logins`() {
        for refusal in Self.refusals {
            for verdict in Self.verdicts {
                for hasAccepted in [false, true] {
                    let judged = verdict.unconfirmed(by: refusal, hasAccepted: hasAccepted, isGrant: false)
                    let isKnown = hasAccepted && refusal.isAsAtLastLogin
                    let isRefused =
                        switch (verdict, refusal.doubt) {
                        case (.issuedToken, _), (_, .otherChallenge), (_, .unproven), (_, .forbidden): false
                        // The form of the login was shown again.
                        case (.askedAgain, _): true
                        // A statement to the password itself, or where the login led back.
                        case (.leftToVerify, nil), (.ledBack, nil): true
                        case (_, nil): hasAccepted
                        case (_, .sameForAnybody), (_, .unnamed): isKnown
                        }
                    #expect((judged == nil) == isRefused, "\(verdict) \(refusal) \(hasAccepted)")
                    let isTaken = verdict == .accepted || verdict == .issuedToken
                    #expect(judged == nil || judged == (isTaken ? .tookPassword : .undecided))
                    #expect(verdict.unconfirmed(by: refusal, hasAccepted: hasAccepted, isGrant: true) == .issuedToken)
                }
            }
        }
    }

    private func page(_ fields: [PageField]) -> LoginPage {
        LoginPage(origin: origin, target: "/login", forms: [PageForm(methods: ["post"], actions: [], fields: fields)])
    }

    private func rule(_ names: [String: Template.Slot]) -> RequestRule {
        var rule = RequestRule(method: "POST", path: Template(literal: "/login"))
        rule.content = .form(names.map { .init(name: $0.key, value: Template(parts: [.slot($0.value)])) })
        return rule
    }

    @Test func `The login form again is known by its field for the password`() {
        let login = rule(["user": .username, "pass": .password])
        let user = PageField(name: "user"), pass = PageField(name: "pass", type: "password")
        #expect(page([user, pass]).asksAgain(login))
        #expect(!page([user, PageField(name: "pass")]).asksAgain(login))
        #expect(!page([pass]).asksAgain(login))
        #expect(!page([user, PageField(name: "new", type: "password")]).asksAgain(login))
        // A page that changes the password has fields of these names, too.
        #expect(!page([user, pass, PageField(name: "again", type: "password")]).asksAgain(login))
        let code = rule(["code": .code])
        #expect(!page([user, pass, PageField(name: "code")]).asksAgain(code))
    }

    @Test func `A rule about the form of a page does not judge a busy server's page, unless it names the status`()
        throws
    {
        let field = Condition.PlacePattern(place: .field("password"), pattern: TextPattern("*"))
        var rule = ResponseRule()
        rule.loggedOut = [Condition(places: [field])]
        let html = HTMLBody(
            fields: [PageField(name: "password")], plainText: { $0 })
        for status in [500, 503, 429, 408] {
            let facts = ParsedResponse(response: HTTPResponse(status: status), json: nil, html: html, origin: origin)
            #expect(!facts.matches(any: rule.loggedOut ?? []), "\(status)")
            #expect(facts.matches(Condition(status: status, places: [field])))
        }
        let page = ParsedResponse(response: HTTPResponse(status: 200), json: nil, html: html, origin: origin)
        #expect(page.matches(any: rule.loggedOut ?? []))
    }

    @Test func `The login form again is a refusal, unless its status says that nothing was judged`() {
        for status in [200, 403, 422] {
            let facts = ParsedResponse(
                response: HTTPResponse(status: status), json: nil, origin: origin, asksAgain: true)
            #expect(facts.judged(by: ResponseRule(), at: .login) == .refused(Refusal(status: status)))
        }
        // Shown with one of these, it has judged nothing.
        for (status, code) in [(503, ExitCode.busy), (429, .busy), (408, .failure), (404, .failure), (419, .failure)] {
            let facts = ParsedResponse(
                response: HTTPResponse(status: status), json: nil, origin: origin, asksAgain: true)
            guard case .unclear(let fault) = facts.judged(by: ResponseRule(), at: .login) else {
                Issue.record("\(status)")
                continue
            }
            #expect(fault.exitCode == code, "\(status)")
        }
        let locked = ParsedResponse(response: HTTPResponse(status: 423), json: nil, origin: origin, asksAgain: true)
        #expect(locked.judged(by: ResponseRule(), at: .login) == .forbidden(Refusal(status: 423)))
        var rule = ResponseRule()
        rule.secondFactor = [Condition(status: 200)]
        let facts = ParsedResponse(response: HTTPResponse(status: 200), json: nil, origin: origin, asksAgain: true)
        #expect(facts.judged(by: rule, at: .login) == .needsSecondFactor(words: nil))
    }
}
