@testable import LoginKit
import Testing

/// The lines that are proposed for a profile.
struct RuleProposalTests {
    private static let origin = Origin(scheme: "https", host: "blog.example", port: 443)

    private func anonymous(_ status: Int, _ target: String? = nil) -> AnonymousResponse? {
        let redirect = target.map { Redirect(url: "https://blog.example\($0)", origin: Self.origin, target: $0) }
        let response = HTTPResponse(status: status, redirect: redirect)
        return AnonymousResponse(
            ParsedResponse(response: response, json: nil, origin: Self.origin), readBy: ResponseRule())
    }

    private func verify(_ loggedOut: [Condition]?, _ answer: AnonymousResponse?) -> String? {
        var rule = ResponseRule()
        rule.loggedOut = loggedOut
        return RuleProposal(rule, anonymous: answer)?.line
    }

    private func login(_ refused: [Condition]?, _ status: Int, _ step: Step = .login) -> String? {
        var rule = ResponseRule()
        rule.refused = refused
        let error = LoginFault.failure(.unexpectedStatus(status, step: step.rawValue, words: nil))
        return RuleProposal(rule, end: error)?.line
    }

    @Test func `what anonymous clients get is proposed for logged-out`() {
        #expect(verify(nil, anonymous(403)) == "logged-out = [403]")
        #expect(verify([Condition(status: 401)], anonymous(403)) == "logged-out = [401, 403]")
        #expect(
            verify(nil, anonymous(302, "/login?next=/me"))
                == "logged-out = [{ status = 302, \"header:Location\" = \"/login*\" }]")
    }

    @Test func `a page that asks anonymous clients for a password is proposed for logged-out`() {
        #expect(
            RuleProposal(ResponseRule(), passwordField: "pass-word_1")?.line
                == "logged-out = [{ \"form:pass-word_1\" = \"*\" }]")
        var rule = ResponseRule()
        rule.loggedOut = [Condition(status: 401)]
        #expect(
            RuleProposal(rule, passwordField: "p")?.line == "logged-out = [401, { \"form:p\" = \"*\" }]")
        #expect(RuleProposal(ResponseRule(), passwordField: "p\"]\u{1b}[2J") == nil)
        #expect(RuleProposal(ResponseRule(), passwordField: nil) == nil)
    }

    @Test func `nothing is proposed that is there already, or that may be`() {
        #expect(verify([Condition(status: 403)], anonymous(403)) == nil)
        let other = Condition(places: [.init(place: .header("X"), pattern: TextPattern(""))])
        #expect(verify([other], anonymous(403)) == nil)
        #expect(verify(nil, nil) == nil)
    }

    @Test func `a Location that TOML or a terminal could mistake is left out`() {
        #expect(verify(nil, anonymous(302, "/a\"]\u{1b}[2J")) == "logged-out = [302]")
    }

    @Test func `a 403 to Basic may be a wrong password, unless the profile or the server says what it is`() {
        var rule = ResponseRule()
        let proposed = { (rule: ResponseRule, refusal: Refusal) in
            RuleProposal(rule, endOfBasic: .forbidden(refusal))?.line
        }
        #expect(proposed(rule, Refusal(status: 403)) == "logged-out = [401, 403]")
        #expect(proposed(rule, Refusal(status: 423)) == nil)
        #expect(proposed(rule, Refusal(status: 403, scope: "admin")) == nil)
        rule.loggedOut = [Condition(status: 402)]
        #expect(proposed(rule, Refusal(status: 403)) == "logged-out = [402, 403]")
        rule.forbidden = [Condition(status: 403)]
        #expect(proposed(rule, Refusal(status: 403)) == nil)
        #expect(RuleProposal(ResponseRule(), endOfBasic: .rejected(Refusal(status: 401))) == nil)
    }

    @Test func `a 4xx that no rule names is proposed for refused`() {
        #expect(login(nil, 403) == "refused = [403]")
        #expect(login([Condition(status: 401)], 422) == "refused = [401, 422]")
        #expect(login(nil, 404) == nil)
        #expect(login(nil, 403, .verify) == nil)
        #expect(RuleProposal(ResponseRule(), end: .rejected(Refusal(status: 401))) == nil)
    }
}
