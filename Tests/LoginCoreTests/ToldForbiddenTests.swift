@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// Where a server tells a good credential without rights from a wrong one, and when it wants to be asked again.
struct ToldForbiddenTests {
    private let scope = "WWW-Authenticate: Bearer error=\"insufficient_scope\", error_description=\"needs admin\""

    private func judge(
        _ response: HTTPResponse, _ rule: ResponseRule = ResponseRule(), at step: Step = .verify, isProven: Bool = false
    ) -> Judgement {
        let origin = Origin(scheme: "https", host: "blog.example", port: 443)
        return ParsedResponse(response: response, json: nil, origin: origin, isProven: isProven).judged(
            by: rule, at: step)
    }

    @Test(arguments: [401, 403], [Step.verify, .login])
    func `a Bearer challenge for want of scope is forbidden, with its words`(status: Int, step: Step) {
        let refusal = Refusal(status: status, words: "needs admin")
        #expect(judge(.answer(status, headers: [scope]), at: step) == .forbidden(refusal))
    }

    @Test func `other Bearer errors are refusals`() {
        let invalid = "WWW-Authenticate: Bearer error=\"invalid_token\", error_description=\"expired\""
        #expect(judge(.answer(401, headers: [invalid])) == .refused(Refusal(status: 401)))
    }

    @Test func `a 401 that proves the credential is forbidden, one that does not is a refusal`() {
        #expect(judge(.answer(401), isProven: true) == .forbidden(Refusal(status: 401)))
        #expect(judge(.answer(401)) == .refused(Refusal(status: 401)))
        #expect(judge(.answer(200), isProven: true) == .accepted)
    }

    @Test func `what the profile says goes before both`() {
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 401)]
        #expect(judge(.answer(401), rule, isProven: true) == .refused(Refusal(status: 401)))
        guard case .refused = judge(.answer(401, headers: [scope]), rule) else {
            Issue.record("the rule was passed over")
            return
        }
    }

    @Test func `a profile can name a 401 without a challenge`() {
        var rule = ResponseRule()
        let none = Condition.PlacePattern(place: .header("WWW-Authenticate"), pattern: TextPattern(""))
        rule.forbidden = [Condition(status: 401, places: [none])]
        #expect(judge(.answer(401), rule) == .forbidden(Refusal(status: 401)))
        #expect(
            judge(.answer(401, headers: ["WWW-Authenticate: Basic realm=x"]), rule) == .refused(Refusal(status: 401)))
    }

    @Test(
        arguments: [
            ("30", 30), ("0", 0), ("-1", nil), ("soon", nil), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Mon, 07 Nov 1994 08:49:37 GMT", 86_400),
            ("Thu, 29 Feb 1996 08:49:37 GMT", 480 * 86_400), ("Sun, 06 Nov 1994 25:00:00 GMT", nil),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 99 Nov 1994 08:49:37 GMT", nil), ("", nil),
        ] as [(String, Int?)])
    func `Retry-After is read as seconds and as a date`(text: String, seconds: Int?) {
        let answer = HTTPResponse.answer(503, headers: ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: \(text)"])
        #expect(judge(answer) == .unclear(.busy(BusyFault(status: 503, retryAfter: seconds, words: nil))))
    }

    @Test func `a date without the server's own clock beside it says nothing`() {
        let answer = HTTPResponse.answer(503, headers: ["Retry-After: Sun, 06 Nov 1994 08:50:37 GMT"])
        #expect(judge(answer) == .unclear(.busy(BusyFault(status: 503, retryAfter: nil, words: nil))))
    }
}
