import LoginCore
import Secrets
import Testing

/// What the answer to a request of the person's own says about the session.
struct RelayTests {
    private func judged(
        _ status: Int, _ rule: AnswerRule = AnswerRule(), headers: [HTTPResponseField] = [], json: JSONValue? = nil
    ) -> RelayJudgement {
        AnswerFacts(
            response: HTTPResponse(status: status, headers: headers), json: json,
            origin: Origin(scheme: "https", host: "blog.example", port: 443)
        ).relayed(by: rule)
    }

    @Test(arguments: [
        (200, RelayJudgement.passed), (302, .passed), (404, .passed), (500, .passed), (401, .undecided),
        (403, .undecided),
    ])
    func `without rules a 401 or 403 is undecided, and all else passes`(status: Int, judgement: RelayJudgement) {
        #expect(judged(status) == judgement)
    }

    @Test func `the profile's rules decide, forbidden before logged out`() {
        var rule = AnswerRule()
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

    @Test func `only what a rule may mean is held back`() throws {
        var rule = AnswerRule()
        let place = Place("/result")
        let found = try #require(place)
        rule.loggedOut = [Condition(places: [.init(place: found, pattern: TextPattern("no"))])]
        let file = HTTPResponse(status: 200, headers: [.init(name: "Content-Type", value: "application/zip")])
        let json = HTTPResponse(status: 200, headers: [.init(name: "content-type", value: "application/json")])
        #expect(!rule.mayConcern(file))
        #expect(rule.mayConcern(json))
        #expect(rule.mayConcern(HTTPResponse(status: 200)))
        #expect(AnswerRule().mayConcern(HTTPResponse(status: 401)))
        #expect(!AnswerRule().mayConcern(HTTPResponse(status: 200)))
        rule.loggedOut = [Condition(status: 302)]
        #expect(!rule.mayConcern(json))
        #expect(rule.mayConcern(HTTPResponse(status: 302)))
    }
}
