@testable import LoginKit
import Testing

/// What proves a login, and what the answers to requests with its session mean.
struct ProofTests {
    private static let origin = Origin(scheme: "https", host: "blog.example", port: 443)

    private func facts(_ status: Int, _ json: JSONValue? = nil) -> ParsedResponse {
        ParsedResponse(response: HTTPResponse(status: status), json: json, origin: Self.origin)
    }

    @Test func `without verify a 401 is logged out, and a 403 that no rule names is forbidden`() {
        let proof = Proof.loginResponse(ResponseRule())
        #expect(facts(401).relayed(by: proof) == .loggedOut)
        #expect(facts(403).relayed(by: proof) == .forbidden)
        #expect(facts(404).relayed(by: proof) == .passed)
    }

    @Test func `without verify the rules of the profile itself decide`() {
        var rules = ResponseRule()
        rules.loggedOut = [Condition(status: 403)]
        #expect(facts(403).relayed(by: .loginResponse(rules)) == .loggedOut)
        #expect(facts(401).relayed(by: .loginResponse(rules)) == .passed)
        rules.forbidden = [Condition(status: 404)]
        #expect(facts(404).relayed(by: .loginResponse(rules)) == .forbidden)
    }

    @Test func `with verify a 401 or 403 is undecided until it was asked`() {
        let proof = Proof.verify(RequestRule(method: "GET", path: Template(literal: "/me")))
        #expect(facts(401).relayed(by: proof) == .undecided)
        #expect(facts(403).relayed(by: proof) == .undecided)
    }

    @Test func `logged-in proves a login although the status is not 2xx`() {
        var rule = ResponseRule()
        rule.loggedIn = [Condition(status: 422)]
        #expect(facts(422).judged(by: rule, at: .verify) == .accepted)
        #expect(facts(422).evidence(by: rule, at: .verify).words == "accepted (status 422), by rule 1 of 'logged-in'")
        #expect(facts(200).judged(by: rule, at: .verify) == .accepted)
        #expect(facts(422).judged(by: rule, at: .login) != .accepted)
        #expect(facts(409).judged(by: rule, at: .verify) != .accepted)
        rule.loggedOut = [Condition(status: 422)]
        #expect(facts(422).judged(by: rule, at: .verify) == .refused(Refusal(status: 422)))
    }

    @Test(arguments: [401, 403, 408, 429, 500, 503, 599])
    func `no condition makes a login of a status that proves none`(status: Int) {
        var rule = ResponseRule()
        rule.loggedIn = [Condition()]
        #expect(facts(status).judged(by: rule, at: .verify) != .accepted)
    }
}
