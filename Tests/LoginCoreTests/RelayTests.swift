@testable import LoginKit
import Secrets
import Testing

/// What the answer to a request of the person's own says about the session.
struct RelayTests {
    private func judged(
        _ status: Int, _ rule: ResponseRule = ResponseRule(), headers: [HTTPResponseField] = [], json: JSONValue? = nil,
        redirect: Redirect? = nil, isProven: Bool = false, in context: RelayContext = RelayContext()
    ) -> RelayJudgement {
        ParsedResponse(
            response: HTTPResponse(status: status, headers: headers, redirect: redirect), json: json, origin: origin,
            isProven: isProven
        ).relayed(by: rule, in: context)
    }

    private let origin = Origin(scheme: "https", host: "blog.example", port: 443)

    private func challenge(_ value: String) -> [HTTPResponseField] {
        [HTTPResponseField(name: "WWW-Authenticate", value: value)]
    }

    private let space = VerifiedSpace(realm: "A", path: "/me")

    @Test func `a 401 to the password itself is its refusal, unless the answer proves that it is good`() {
        let context = RelayContext(space: space, carriedPassword: true)
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 401)]
        for rule in [ResponseRule(), rule] {
            #expect(judged(401, rule, headers: challenge("Basic realm=\"A\""), in: context) == .refusedPassword)
        }
        #expect(judged(401, headers: challenge("Digest realm=\"A\""), isProven: true, in: context) == .forbidden)
        #expect(judged(403, in: context) == .undecided)
        // What is wanted there is no password.
        #expect(judged(401, headers: challenge("Bearer realm=\"A\""), in: context) == .undecided)
        rule.forbidden = [Condition(status: 401)]
        #expect(judged(401, rule, in: context) == .forbidden)
    }

    @Test(arguments: [
        ["Basic realm=\"other"], ["Basic realm=\"A\"y"], ["Basic"], ["Basic charset=\"UTF-8\""], ["Basic realm="],
        ["Basic realm=\"A\", realm=\"B\""], ["Basic realm='A"], ["Basic realm=\"A\", Basic realm=\"B\""],
        ["Basic realm=\"A\"", "Basic realm=\"B\""],
        ["Basic realm=\"B\"", "Digest realm=\"A\", nonce=\"n\", stale=true"],
        ["Bearer realm=\"A\", Basic realm=\"B\""], ["Digest nonce=\"n\", stale=true"],
    ])
    func `a 401 to the password that may be of another realm is no refusal, so verify decides`(lines: [String]) {
        let context = RelayContext(space: space, carriedPassword: true)
        #expect(judged(401, headers: lines.flatMap(challenge), in: context) == .undecided)
    }

    @Test func `a 401 by a scheme of which verify asks nobody is no refusal, although the realm is the same`() throws {
        let facts = ParsedResponse(
            response: HTTPResponse(status: 401, headers: challenge("Basic realm=\"A\"")), json: nil, origin: origin)
        let anonymous = try #require(AnonymousResponse(facts, readBy: ResponseRule()))
        let context = RelayContext(space: space, carriedPassword: true, anonymous: anonymous)
        #expect(judged(401, headers: challenge("Digest realm=\"A\", nonce=\"n\""), in: context) == .undecided)
        #expect(judged(401, headers: challenge("Basic realm=\"A\""), in: context) == .refusedPassword)
    }

    @Test func `a realm that is not UTF-8 is like no other, and where the login names none, nothing is told by it`() {
        // As the bytes E9 and E8 arrive here.
        let lost = VerifiedSpace(realm: "caf\u{FFFD}", path: "/me"), nameless = VerifiedSpace(realm: nil, path: "/me")
        for (space, realm) in [(lost, "caf\u{FFFD}"), (space, "\u{FFFD}"), (nameless, "A")] {
            let context = RelayContext(space: space, carriedPassword: true)
            #expect(judged(401, headers: challenge("Basic realm=\"\(realm)\""), in: context) == .undecided)
        }
        let unknown = RelayContext(carriedPassword: true)
        #expect(judged(401, headers: challenge("Basic realm=\"A\""), in: unknown) == .undecided)
    }

    @Test func `a challenge for a proxy says nothing about the password`() {
        let context = RelayContext(space: space, carriedPassword: true)
        let proxy = HTTPResponseField(name: "Proxy-Authenticate", value: "Basic realm=\"A\"")
        #expect(judged(401, headers: [proxy], in: context) == .undecided)
        #expect(judged(407, headers: [proxy] + challenge("Basic realm=\"A\""), in: context) == .passed)
    }

    @Test func `a 401 that names no method does not judge a password, so verify decides`() {
        let context = RelayContext(space: space, carriedPassword: true)
        #expect(judged(401, in: context) == .undecided)
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 401)]
        #expect(judged(401, rule, in: context) == .loggedOut)
    }

    @Test func `a 401 of another realm is neither logged out nor forbidden, whatever the rules say`() {
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 401)]
        for rule in [ResponseRule(), rule] {
            for carried in [true, false] {
                let context = RelayContext(space: space, carriedPassword: carried)
                #expect(judged(401, rule, headers: challenge("Basic realm=\"B\""), in: context) == .otherRealm("B"))
            }
        }
        #expect(judged(401, headers: challenge("Basic realm=\"B\"")) == .undecided)
    }

    private func redirect(_ target: String, to host: String = "blog.example") -> Redirect {
        let origin = Origin(scheme: "https", host: host, port: 443)
        return Redirect(url: "\(origin)\(target)", origin: origin, target: target)
    }

    @Test func `a redirect that no rule names is looked into where it leads to the login`() {
        let context = RelayContext(loginPaths: ["/login/", "/in"])
        for target in ["/login/", "/login", "/login/?next=/x", "/in?a#b", "/in/"] {
            #expect(judged(302, redirect: redirect(target), in: context) == .likeAnonymous, "\(target)")
        }
        for target in ["/", "/login/x", "/logins", "/x?next=/login/"] {
            #expect(judged(302, redirect: redirect(target), in: context) == .passed, "\(target)")
        }
        #expect(judged(302, redirect: redirect("/login/", to: "b.example"), in: context) == .passed)
        #expect(judged(201, redirect: redirect("/login/"), in: context) == .passed)
        let sent = RelayContext(anonymous: anonymous(redirect("/start", to: "sso.example")))
        #expect(judged(302, redirect: redirect("/start?a", to: "sso.example"), in: sent) == .likeAnonymous)
        #expect(judged(302, redirect: redirect("/start"), in: sent) == .passed)
        #expect(
            judged(302, redirect: redirect("/welcome"), in: RelayContext(anonymous: anonymous(redirect("/welcome"))))
                == .likeAnonymous)
        let head = HTTPResponse(status: 302, headers: [.init(name: "location", value: "/login/")])
        #expect(ResponseRule().mayConcern(head))
    }

    @Test func `the form of the login is a reason to ask verify, whatever rules there are, and its body is held back`()
    {
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 403)]
        for (status, judgement) in [(200, RelayJudgement.likeAnonymous), (404, .passed), (500, .passed)] {
            let facts = ParsedResponse(
                response: HTTPResponse(status: status), json: nil, origin: SomeLogin.origin, asksAgain: true)
            #expect(facts.relayed(by: rule) == judgement)
            #expect(facts.relayed(by: ResponseRule()) == judgement)
        }
        var login = RequestRule(method: "POST", path: Template(literal: "/login"))
        login.content = .form([.init(name: "p", value: Template(parts: [.slot(.password)]))])
        let verify = RequestRule(method: "GET", path: Template(literal: "/me"))
        var profile = Profile(name: "blog", url: "https://blog.example", methods: [.cookie], verify: verify)
        let page = HTTPResponse(status: 200, headers: [.init(name: "content-type", value: "text/html")])
        let file = HTTPResponse(status: 200, headers: [.init(name: "Content-Type", value: "application/zip")])
        #expect(!profile.mayConcern(page))
        profile.login = login
        #expect(profile.mayConcern(page) && profile.mayConcern(HTTPResponse(status: 200)) && !profile.mayConcern(file))
    }

    @Test(arguments: [
        ("<!DOCTYPE html><p>", true), (" \n<html>", true), ("<form method=post>", false), ("{\"a\": 1}", false),
        ("<p>", true), ("<pre>", false), ("\u{FEFF}<title>x", true), ("", false),
    ])
    func `a response without a type is a page where it begins as one`(body: String, isPage: Bool) {
        #expect(HTTPResponse(status: 200, body: Secret(body)).isPage == isPage)
        let text = HTTPResponseField(name: "Content-Type", value: "text/plain")
        #expect(!HTTPResponse(status: 200, headers: [text], body: Secret(body)).isPage)
    }

    @Test(arguments: [
        ("<html>", true), ("<?xml version='1.0'?>\r\n<!-- x -->\n<html\n xmlns='x'>", true),
        ("<!DOCTYPE html><a>", true),
        ("\u{FEFF}<?xml version='1.0'?><html xmlns='x'>", true), ("<?xml version='1.0'?><rss>", false),
        ("<?xml version='1.0'?><htmlx>", false), ("<p>", false), ("<!-- <html> ", false), ("<?xml ", false),
        ("", false),
    ])
    func `XML is a page where its first element is that of XHTML`(body: String, isPage: Bool) {
        for type in ["text/xml", "Application/XML; charset=utf-8"] {
            let field = HTTPResponseField(name: "Content-Type", value: type)
            #expect(HTTPResponse(status: 200, headers: [field], body: Secret(body)).isPage == isPage)
            #expect(HTTPResponse(status: 200, headers: [field]).mayBePage)
        }
    }

    @Test(arguments: [
        (200, RelayJudgement.passed), (302, .passed), (404, .passed), (500, .passed), (401, .undecided),
        (403, .undecided),
    ])
    func `without rules a 401 or 403 is undecided, and all else passes`(status: Int, judgement: RelayJudgement) {
        #expect(judged(status) == judgement)
    }

    @Test func `the profile's rules decide, forbidden before logged out`() {
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 401), Condition(status: 403)]
        #expect(judged(403, rule) == .loggedOut)
        #expect(judged(404, rule) == .passed)
        rule.forbidden = [Condition(status: 403)]
        #expect(judged(403, rule) == .forbidden)
    }

    @Test func `a challenge that lacks only scope means forbidden`() {
        let field = HTTPResponseField(name: "WWW-Authenticate", value: "Bearer error=\"insufficient_scope\"")
        #expect(judged(401, headers: [field]) == .forbidden)
    }

    @Test(arguments: [401, 403, 404, 405, 410, 419, 440, 498])
    func `What anonymous clients get from verify, or a status of ended sessions, is a reason to ask verify`(status: Int)
    {
        let facts = ParsedResponse(response: HTTPResponse(status: status), json: nil, origin: SomeLogin.origin)
        let context = RelayContext(anonymous: AnonymousResponse(facts, readBy: ResponseRule()))
        #expect(judged(status, in: context) != .passed)
        #expect((judged(status) == .passed) == [404, 405, 410].contains(status))
        #expect(judged(422, in: context) == .passed && judged(503, in: context) == .passed)
        #expect(ResponseRule().mayConcern(HTTPResponse(status: status)))
    }

    private func anonymous(_ redirect: Redirect) -> AnonymousResponse? {
        let facts = ParsedResponse(
            response: HTTPResponse(status: 302, redirect: redirect), json: nil, origin: SomeLogin.origin)
        return AnonymousResponse(facts, readBy: ResponseRule())
    }

    @Test func `only what a rule may mean is held back`() throws {
        var rule = ResponseRule()
        let place = Place("/result")
        let found = try #require(place)
        rule.loggedOut = [Condition(places: [.init(place: found, pattern: TextPattern("no"))])]
        let file = HTTPResponse(status: 200, headers: [.init(name: "Content-Type", value: "application/zip")])
        let json = HTTPResponse(status: 200, headers: [.init(name: "content-type", value: "application/json")])
        #expect(!rule.mayConcern(file))
        #expect(rule.mayConcern(json))
        #expect(rule.mayConcern(HTTPResponse(status: 200)))
        #expect(ResponseRule().mayConcern(HTTPResponse(status: 401)))
        #expect(!ResponseRule().mayConcern(HTTPResponse(status: 200)))
        rule.loggedOut = [Condition(status: 302)]
        #expect(!rule.mayConcern(json))
        #expect(rule.mayConcern(HTTPResponse(status: 302)))
    }
}
