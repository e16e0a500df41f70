@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What an answer means: the defaults of each request, and what a profile says instead.
struct JudgementTests {
    /// A judgement without its words.
    enum Verdict: Equatable, Sendable {
        case accepted, refused, forbidden, busy, failure, redirected, otherOrigin, other
    }

    static let steps: [Step] = [.login, .verify, .refresh, .logout]

    /// Without any rule: the status, and the verdict at login, verify, refresh and logout.
    static let defaults: [(status: Int, verdicts: [Verdict])] = [
        (200, [.accepted, .accepted, .accepted, .accepted]), (201, [.accepted, .accepted, .accepted, .accepted]),
        (204, [.accepted, .accepted, .accepted, .accepted]), (400, [.failure, .failure, .failure, .failure]),
        (401, [.refused, .refused, .failure, .failure]), (403, [.failure, .forbidden, .failure, .failure]),
        (404, [.failure, .failure, .failure, .failure]), (408, [.failure, .failure, .failure, .failure]),
        (422, [.failure, .failure, .failure, .failure]), (423, [.forbidden, .forbidden, .failure, .failure]),
        (429, [.busy, .busy, .busy, .busy]),
        (499, [.failure, .failure, .failure, .failure]), (500, [.busy, .busy, .busy, .busy]),
        (502, [.busy, .busy, .busy, .busy]), (503, [.busy, .busy, .busy, .busy]), (599, [.busy, .busy, .busy, .busy]),
    ]

    @Test(arguments: defaults.indices)
    func `a status without a rule`(index: Int) {
        let row = Self.defaults[index]
        for (step, verdict) in zip(Self.steps, row.verdicts) {
            #expect(judge(.answer(row.status), at: step) == verdict, "\(row.status) at \(step)")
        }
    }

    /// A redirect without a rule: the status, whether it leads to another origin, and the four verdicts.
    static let redirects: [(status: Int, isForeign: Bool, verdicts: [Verdict])] = [
        (302, false, [.accepted, .redirected, .redirected, .accepted]),
        (303, false, [.accepted, .redirected, .redirected, .accepted]),
        (307, false, [.redirected, .redirected, .redirected, .redirected]),
        (308, false, [.redirected, .redirected, .redirected, .redirected]),
        (302, true, [.accepted, .otherOrigin, .redirected, .accepted]),
        (307, true, [.otherOrigin, .otherOrigin, .otherOrigin, .otherOrigin]),
        (308, true, [.otherOrigin, .otherOrigin, .otherOrigin, .otherOrigin]),
    ]

    @Test(arguments: redirects.indices)
    func `a redirect without a rule`(index: Int) {
        let row = Self.redirects[index]
        let answer = HTTPResponse.answer(row.status, redirect: row.isForeign ? Self.foreign : Self.own)
        for (step, verdict) in zip(Self.steps, row.verdicts) {
            #expect(judge(answer, at: step) == verdict, "\(row.status) at \(step)")
        }
    }

    @Test func `forbidden is looked at first`() {
        var rule = ResponseRule()
        rule.forbidden = [Condition(status: 401)]
        for step in Self.steps { #expect(judge(.answer(401), rule, at: step) == .forbidden) }
    }

    @Test func `a rule takes the place of the default`() {
        var rule = ResponseRule()
        rule.refused = [Condition(status: 403)]
        #expect(judge(.answer(403), rule, at: .login) == .refused)
        #expect(judge(.answer(401), rule, at: .login) == .failure)
        #expect(judge(.answer(401), rule, at: .refresh) == .failure)
        rule.loggedOut = [Condition(status: 410)]
        #expect(judge(.answer(410), rule, at: .verify) == .refused)
        #expect(judge(.answer(401), rule, at: .verify) == .failure)
        #expect(judge(.answer(403), rule, at: .verify) == .forbidden)
        rule.forbidden = []
        #expect(judge(.answer(403), rule, at: .verify) == .failure)
    }

    @Test func `a 403 that the profile counts as logged out is not forbidden`() {
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 401), Condition(status: 403)]
        #expect(judge(.answer(403), rule, at: .verify) == .refused)
        rule.forbidden = [Condition(status: 403)]
        #expect(judge(.answer(403), rule, at: .verify) == .forbidden)
    }

    @Test func `a rule may name a redirect, a 429 or a 500`() {
        var rule = ResponseRule()
        let toLogin = Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("/login*"))
        rule.refused = [Condition(status: 302, places: [toLogin]), Condition(status: 429), Condition(status: 500)]
        rule.loggedOut = rule.refused
        for step in [Step.login, .verify] {
            #expect(judge(.answer(302, redirect: Self.own), rule, at: step) == .refused)
            #expect(judge(.answer(429), rule, at: step) == .refused)
            #expect(judge(.answer(500), rule, at: step) == .refused)
        }
        #expect(judge(.answer(302, redirect: Self.foreign), rule, at: .verify) == .otherOrigin)
    }

    @Test(
        arguments: [
            (JSONValue.object(["user": .string("anna")]), Verdict.accepted), (.object(["user": .string("")]), .refused),
            (.object(["user": .null]), .refused), (.object([:]), .refused), (.object(["user": .array([])]), .refused),
            (.object(["user": .integer(7)]), .accepted), (nil, .refused),
        ] as [(JSONValue?, Verdict)])
    func `an answer without the name is logged out`(json: JSONValue?, verdict: Verdict) {
        var rule = ResponseRule()
        rule.username = Place("/user")
        #expect(judge(.answer(200), rule, at: .verify, json: json) == verdict)
        #expect(judge(.answer(200), rule, at: .login, json: json) == .accepted)
    }

    @Test func `a busy or broken server is not logged out for lack of a name`() {
        var rule = ResponseRule()
        rule.username = Place("/user")
        #expect(judge(.answer(503), rule, at: .verify) == .busy)
        #expect(judge(.answer(404), rule, at: .verify) == .failure)
    }

    @Test(
        arguments: [
            (["Retry-After: 30"], 30), (["retry-after: 0"], 0), (["Retry-After: -1"], nil),
            (["Retry-After: soon"], nil),
            (["Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"], nil), ([], nil),
            (["Retry-After: 5", "Retry-After: 9"], 5),
            (["Retry-After: 99999999999999999999"], nil),
        ] as [([String], Int?)])
    func `how long to wait is told in seconds`(headers: [String], seconds: Int?) {
        for status in [429, 503] {
            let judged = facts(.answer(status, headers: headers)).judged(by: ResponseRule(), at: .login)
            #expect(judged == .unclear(.busy(BusyFault(status: status, retryAfter: seconds, words: nil))))
        }
    }

    @Test func `the server's own words go along, whatever the verdict`() {
        var rule = ResponseRule()
        rule.message = Place("/error")
        let json = JSONValue.object(["error": .string("too \u{1b}[31m bad")])
        let words = "too \u{1b}[31m bad"
        let cases: [(Int, Judgement)] = [
            (401, .refused(Refusal(status: 401, words: words))),
            (403, .forbidden(Refusal(status: 403, words: words, doubt: .forbidden))),
            (429, .unclear(.busy(BusyFault(status: 429, retryAfter: nil, words: words)))),
            (418, .unclear(.failure(.unexpectedStatus(418, step: "verify", words: words)))),
        ]
        for (status, expected) in cases {
            #expect(facts(.answer(status), json: json).judged(by: rule, at: .verify) == expected)
        }
    }

    @Test(arguments: [
        ("text/plain", "Too many attempts\n", "Too many attempts"),
        ("application/json", "{\"wait\":5}", "{\"wait\":5}"),
        ("application/json", "{\"errors\":[{\"message\":\"Wait\"}]}", "Wait"), ("text/html", "<p>Wait</p>", nil),
        ("text/plain", String(repeating: "x", count: 201), nil),
    ])
    func `a busy server's own words are the member of its error or its short text`(
        type: String, body: String, words: String?
    ) {
        for status in [429, 503] {
            let judged = facts(.answer(status, body, headers: ["Content-Type: \(type)"])).judged(
                by: ResponseRule(), at: .login)
            #expect(judged == .unclear(.busy(BusyFault(status: status, retryAfter: nil, words: words))))
        }
    }

    @Test func `a Location that cannot be read is a broken answer`() {
        let broken = HTTPResponse(status: 302, redirect: Redirect(url: "", origin: nil, target: "x"))
        guard case .unclear(let error) = facts(broken).judged(by: ResponseRule(), at: .verify) else {
            Issue.record("it was judged")
            return
        }
        #expect(error.exitCode == .network)
    }

    private static let own = Redirect(
        url: "https://blog.example/login?next=/", origin: SomeLogin.origin, target: "/login?next=/")
    private static let foreign = Redirect(
        url: "https://blog.example:8443/login", origin: Origin(scheme: "https", host: "blog.example", port: 8443),
        target: "/login")

    private func facts(_ response: HTTPResponse, json: JSONValue? = nil) -> ParsedResponse {
        ParsedResponse(response: response, json: json, origin: SomeLogin.origin)
    }

    private func judge(
        _ response: HTTPResponse, _ rule: ResponseRule = ResponseRule(), at step: Step, json: JSONValue? = nil
    ) -> Verdict {
        switch facts(response, json: json).judged(by: rule, at: step) {
        case .accepted: .accepted
        case .refused: .refused
        case .forbidden: .forbidden
        case .needsSecondFactor, .pending: .other
        case .unclear(.busy): .busy
        case .unclear(.failure(.redirected)): .redirected
        case .unclear(.failure): .failure
        case .unclear(.untrusted(.otherOrigin)): .otherOrigin
        case .unclear: .other
        }
    }
}
