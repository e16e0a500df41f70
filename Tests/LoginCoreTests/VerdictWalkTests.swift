import Secrets
import Testing

@testable import LoginKit
@testable import LoginTestSupport

/// Every way to answer verify, without cookies and with those that anybody gets before a login, under every kind of rule.
struct VerdictWalkTests {
    private let origin = SomeLogin.origin

    /// What a service may answer, as far as a verdict can see it.
    private var responses: [ParsedResponse] {
        var found: [ParsedResponse] = []
        for status in [200, 204, 302, 303, 400, 401, 403, 404, 405, 408, 410, 422, 423, 429, 501, 503] {
            let targets: [String?] = (300..<400).contains(status) ? [nil, "/login", "/home"] : [nil]
            for target in targets {
                for (isForm, name) in [(false, nil), (true, nil), (false, "ann"), (true, "ann")] as [(Bool, String?)] {
                    let json = JSONValue.object(name.map { ["name": .string($0)] } ?? [:])
                    let redirect = target.map { Redirect(url: "\(origin)\($0)", origin: origin, target: $0) }
                    found.append(
                        ParsedResponse(
                            response: HTTPResponse(status: status, redirect: redirect), json: json, origin: origin,
                            wrote: false, asksAgain: isForm))
                }
            }
        }
        return found
    }

    private static let rules: [ResponseRule] = {
        let login = Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("/login*"))
        let refusals: [[Condition]?] = [nil, [], [Condition(status: 401)], [Condition(status: 302, places: [login])]]
        let logins: [[Condition]?] = [nil, [Condition(status: 302), Condition(status: 422)]]
        var found: [ResponseRule] = []
        for loggedOut in refusals {
            for loggedIn in logins {
                for forbidden in [nil, [Condition(status: 403)]] as [[Condition]?] {
                    for username in [nil, Place("/name")] {
                        var rule = ResponseRule()
                        (rule.loggedOut, rule.loggedIn) = (loggedOut, loggedIn)
                        (rule.forbidden, rule.username) = (forbidden, username)
                        found.append(rule)
                    }
                }
            }
        }
        return found
    }()

    /// Whether the login goes on after this look, which proves nothing if it is taken for a login.
    private func passes(_ look: ParsedResponse, _ rule: ResponseRule) -> Bool {
        look.judged(by: rule, at: .verify) != .accepted
    }

    @Test func `A wrong password is never accepted because verify cannot tell`() {
        var count = 0, failures = 0
        let all = responses
        for rule in Self.rules {
            let looks = all.filter { passes($0, rule) }.map { ($0, AnonymousResponse($0, readBy: rule)) }
            for (plain, anonymous) in looks {
                for (other, look) in looks {
                    let known = anonymous?.with([look]) ?? look
                    // Who was refused is still an anonymous client, with anybody's cookies or without.
                    for answer in [plain, other] {
                        count += 1
                        if answer.judged(by: rule, at: .verify, anonymous: known) == .accepted { failures += 1 }
                    }
                }
            }
        }
        #expect(count > 50_000 && failures == 0, "\(failures) of \(count)")
    }

    @Test func `A login is refused only by a statement, never by what anybody gets`() {
        var count = 0
        for rule in Self.rules {
            for answer in responses {
                let known = AnonymousResponse(answer, readBy: rule)
                for anonymous in [nil, known] {
                    guard case .refused(let refusal) = answer.judged(by: rule, at: .verify, anonymous: anonymous),
                        refusal.doubt == nil
                    else { continue }
                    count += 1
                    let isStatement =
                        answer.status == 401 || answer.matches(any: rule.loggedOut ?? [])
                        || answer.showsLogin(rule, .verify) || answer.leadsToLogin
                    #expect(isStatement, "\(answer.status)")
                }
            }
        }
        #expect(count > 100)
    }

    @Test func `What judged nothing is matched by no rule that does not name its status, at any step`() throws {
        let place = try #require(Place("/token"))
        let fits = [Condition(places: [.init(place: place, pattern: TextPattern(""))])]
        for status in [408, 429, 500, 502, 503, 504, 599] {
            for step in [Step.login, .verify, .refresh, .logout, .page] {
                for named in [false, true] {
                    let conditions = named ? [Condition(status: status)] : fits
                    for key in 0..<6 {
                        var rule = ResponseRule()
                        switch key {
                        case 0: (rule.refused, rule.loggedOut) = (conditions, conditions)
                        case 1: rule.loggedIn = conditions
                        case 2: rule.forbidden = conditions
                        case 3: rule.secondFactor = conditions
                        case 4: rule.pending = conditions
                        default: rule.username = place
                        }
                        let facts = ParsedResponse(
                            response: HTTPResponse(status: status), json: .object([:]), origin: origin)
                        let judgement = facts.judged(by: rule, at: step)
                        guard case .unclear = judgement else {
                            #expect(named, "\(status) at \(step), rule \(key): \(judgement)")
                            continue
                        }
                    }
                }
            }
            // One that a person has sent is no reason to log in, either.
            var rule = ResponseRule()
            (rule.loggedOut, rule.forbidden) = (fits, fits)
            let facts = ParsedResponse(response: HTTPResponse(status: status), json: .object([:]), origin: origin)
            #expect(facts.relayed(by: rule) == .passed)
        }
    }

    @Test func `A request that was found after a login never takes an anonymous client for a login`() {
        let candidate = VerifySearch.Candidate(target: "/home", namedBy: "a test")
        let looks = responses.map { PageLook($0, nil, loginPaths: ["/login"]) }
        var found = 0, failures = 0
        for loggedIn in looks {
            for plain in looks {
                for other in Thoroughness.sample(looks, 15) {
                    let places = [
                        candidate.place(loggedIn: loggedIn, anonymous: [plain, other], username: "ann"),
                        candidate.placeThatSendsOn(loggedIn: loggedIn, anonymous: [plain, other]),
                    ]
                    for rule in places.compactMap({ $0?.verify.response }) {
                        found += 1
                        let look = AnonymousResponse(other.facts, readBy: rule)
                        let known = AnonymousResponse(plain.facts, readBy: rule)?.with([look]) ?? look
                        for answer in [plain, other]
                        where answer.facts.judged(by: rule, at: .verify, anonymous: known) == .accepted {
                            failures += 1
                        }
                    }
                }
            }
        }
        #expect(found > 1000 && failures == 0, "\(failures) of \(found)")
    }

    @Test func `A page to which only the login leads proves none by being there, for it may tell of a failure`() {
        let candidate = VerifySearch.Candidate(target: "/sorry", namedBy: "a test", mayTellOfFailure: true)
        let looks = responses.map { PageLook($0, nil, loginPaths: ["/login"]) }
        for loggedIn in looks where loggedIn.facts.name(at: .json(JSONPointer(steps: ["name"]))) == nil {
            for anonymous in looks {
                #expect(candidate.place(loggedIn: loggedIn, anonymous: [anonymous], username: "ann") == nil)
                #expect(candidate.placeThatSendsOn(loggedIn: loggedIn, anonymous: [anonymous]) == nil)
            }
        }
    }

    @Test(arguments: [
        JSONValue.null, .bool(false), .bool(true), .integer(0), .number(0), .string(""), .string(" \u{A0}"),
        .string("\u{200B}\u{2060}"), .string("\u{3164}\n"), .array([]), .object([:]),
    ])
    func `What nobody can see, and JSON's false and 0, is no name`(value: JSONValue) throws {
        var rule = ResponseRule()
        rule.username = Place("/name")
        let look = { (value: JSONValue) in
            ParsedResponse(
                response: HTTPResponse(status: 200), json: .object(["name": value]), origin: origin, wrote: false)
        }
        #expect(look(value).judged(by: rule, at: .verify) != .accepted)
        for name in [JSONValue.string("0"), .string("false"), .integer(7), .string("\u{660}")] {
            #expect(look(name).judged(by: rule, at: .verify) == .accepted)
        }
    }

    @Test func `A page that asks for the code at verify is a second factor, unless it has the name`() throws {
        for (status, isJudged) in [(200, true), (401, false)] {
            for (name, isNamed) in [(nil, false), ("ann", false), ("ann", true)] as [(String?, Bool)] {
                var rule = ResponseRule()
                rule.username = isNamed ? Place("/name") : nil
                let facts = ParsedResponse(
                    response: HTTPResponse(status: status), json: .object(name.map { ["name": .string($0)] } ?? [:]),
                    origin: origin, wrote: false, asksForCode: true)
                let judgement = facts.judged(by: rule, at: .verify)
                #expect(
                    (judgement == .needsSecondFactor(words: nil)) == (isJudged && !isNamed), "\(status) \(judgement)")
            }
        }
    }

    @Test func `The form again, without a word of the profile, is the only refusal that verify may overrule`() {
        for facts in responses {
            for refused in [nil, [], [Condition(status: 200)]] as [[Condition]?] {
                var rule = ResponseRule()
                rule.refused = refused
                let judgement = facts.judged(by: rule, at: .login)
                if facts.showsLogin(rule, .login) {
                    #expect(refused == nil && judgement == .refused(Refusal(status: facts.status)))
                } else if refused == [] {
                    #expect(judgement != .refused(Refusal(status: facts.status)))
                }
            }
        }
    }
}
