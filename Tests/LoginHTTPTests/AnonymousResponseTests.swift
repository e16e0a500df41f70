import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A service that sends anonymous clients away in a way of its own, and a profile that does not say so.
struct AnonymousResponseTests {
    private static let origin = Origin(scheme: "https", host: "blog.example", port: 443)

    private func blog(_ change: (inout RequestRule) throws -> Void = { _ in }) throws -> Profile {
        var profile = try SomeProfiles.blog()
        var verify = try #require(profile.verify)
        verify.response.loggedOut = nil
        try change(&verify)
        profile.proof = .verify(verify)
        return profile
    }

    private func redirect(_ target: String, to origin: Origin = origin) -> HTTPResponse {
        .answer(302, redirect: Redirect(url: "\(origin)\(target)", origin: origin, target: target))
    }

    private func answer(_ response: HTTPResponse) -> AnonymousResponse? {
        AnonymousResponse(
            ParsedResponse(response: response, json: nil, origin: Self.origin), readBy: ResponseRule())
    }

    private let welcome = HTTPResponse.answer(200, cookies: [.named("sid", "one")])
    private let session = Session.cookies([.named("sid", "one")])

    @Test func `A 403 that anybody gets decides nothing until verify has accepted a login`() throws {
        let exchange = Exchange(try blog(), [.answer(403), welcome, .answer(403)])
        #expect(fault { _ = try exchange.login() }?.exitCode == .usage)
        let verify = try blog().verify?.fingerprint ?? ""
        for (request, before, code) in [(verify, 403, .rejected), (verify, 401, .usage), ("", 403, .usage)]
            as [(String, Int, ExitCode)]
        {
            let accepted = AcceptedVerify(request: request, anonymous: answer(.answer(before)))
            let known = Exchange(
                try blog(), [.answer(403), welcome, .answer(403)], options: Service.Options(lastAccepted: accepted))
            #expect(fault { _ = try known.login() }?.exitCode == code)
        }
    }

    @Test func `an account that may not is forbidden where anonymous clients get 401`() throws {
        let exchange = Exchange(try blog(), [.answer(401), welcome, .answer(403)])
        #expect(fault { _ = try exchange.login() } == .forbidden(Refusal(status: 403, doubt: .forbidden)))
    }

    @Test func `what an anonymous client got goes along with the login`() throws {
        let me = HTTPResponse.answer(200, "{\"name\":\"Anna\"}")
        #expect(
            try Exchange(try blog(), [.answer(403), welcome, me]).login().anonymousResponse == answer(.answer(403)))
        #expect(
            try Exchange(try blog(), [.answer(401), welcome, me]).login().anonymousResponse == answer(.answer(401)))
    }

    /// A Basic profile whose verify endpoint names the user.
    private func staff(_ answers: [HTTPResponse], _ options: Service.Options = Service.Options()) throws -> Exchange {
        Exchange(try SomeProfiles.wire(), answers, options: options)
    }

    private let namesNobody = HTTPResponse.answer(207, "{}")
    private let asksForBasic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"Wire\""])

    @Test func `A response without a user name proves nothing, whatever anonymous clients get`() throws {
        let open = HTTPResponse.answer(207, "{}", headers: ["WWW-Authenticate: Basic realm=\"Wire\""])
        for anonymous in [asksForBasic, open] {
            guard
                case .usage(.unconfirmed(let login))? = fault({
                    _ = try staff([anonymous, namesNobody]).login("anna", "pw")
                })
            else {
                Issue.record("decided")
                continue
            }
            #expect(login.refusal?.doubt == .unnamed(place: "/screen_name") && login.mayBeWrong)
        }
    }

    @Test func `A name that anybody is shown is none, unless it stands in a refusal`() throws {
        let guest = HTTPResponse.answer(200, #"{"name": "Guest"}"#),
            anna = HTTPResponse.answer(200, #"{"name": "Anna"}"#)
        let profile = try blog { $0.response.username = Place("/name") }
        #expect(try Exchange(profile, [guest, welcome, anna]).login().identity.serverName == "Anna")
        #expect(fault { _ = try Exchange(profile, [guest, welcome, guest]).login() }?.exitCode == .usage)
        let last = HTTPResponse.answer(401, #"{"name": "Anna"}"#)
        #expect(try Exchange(profile, [last, welcome, anna]).login().identity.serverName == "Anna")
    }

    @Test func `A 401 of another server's challenge has not judged the password`() throws {
        let app = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"App\""])
        for other in [app, .answer(401), .answer(401, headers: ["WWW-Authenticate: Bearer"])] {
            guard case .usage(.unconfirmed(let login))? = fault({ _ = try staff([asksForBasic, other]).login() }) else {
                Issue.record("decided")
                continue
            }
            guard case .otherChallenge(_, than: "basic Wire")? = login.refusal?.doubt else {
                Issue.record("\(login)")
                continue
            }
        }
        #expect(fault { _ = try staff([asksForBasic, asksForBasic]).login() }?.exitCode == .rejected)
    }

    @Test func `A challenge that no password answers has judged none, though anybody gets it, too`() throws {
        for other in ["Bearer", "Negotiate"] {
            let both = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"Wire\", \(other)"])
            let alone = HTTPResponse.answer(401, headers: ["WWW-Authenticate: \(other)"])
            let options = Service.Options(pinnedMethod: .basic)
            #expect(fault { _ = try staff([both, alone], options).login() }?.exitCode == .usage)
            #expect(fault { _ = try staff([both, both], options).login() }?.exitCode == .rejected)
        }
    }

    @Test func `A verify that was changed since it accepted a login has refused none, and is asked anew`() throws {
        var profile = try blog()
        let accepted = AcceptedVerify(request: profile.verify?.fingerprint ?? "", anonymous: nil)
        let options = Service.Options(lastAccepted: accepted)
        let stored = { (profile: Profile) -> LoginFault? in
            let service = Exchange(profile, [.answer(401)], options: options).service
            return fault { _ = try service.verify(session, username: "anna") }
        }
        #expect(stored(profile) == .rejected(Refusal(status: 401)))
        profile = try blog { $0.response.username = Place("/login") }
        #expect(stored(profile) == .rejected(Refusal(status: 401, doubt: .unproven)))
        let exchange = Exchange(profile, [.answer(401), welcome, .answer(401)], options: options)
        #expect(fault { _ = try exchange.login() }?.exitCode == .usage)
        var known = options
        (known.anonymousResponse, known.hasPassword) = (answer(.answer(401)), true)
        let screencast = Exchange(try SomeProfiles.screencast(), [.answer(401)], options: known)
        _ = try screencast.service.prepare()
        #expect(screencast.requests.count == 1)
    }

    @Test func `A redirect to another origin is a login only by a rule that names a place`() throws {
        let elsewhere = Origin(scheme: "https", host: "sso.example", port: 443)
        let place = Condition.PlacePattern(
            place: .header("Location"), pattern: TextPattern("https://sso.example/portal*"))
        for (places, isLogin) in [([], false), ([place], true)] {
            let profile = try blog {
                ($0.response.loggedIn, $0.response.username) = ([Condition(status: 302, places: places)], nil)
            }
            let service = Exchange(profile, [redirect("/portal", to: elsewhere)]).service
            let fault = fault { _ = try service.verify(session, username: "anna") }
            #expect(fault == (isLogin ? nil : .untrusted(.otherOrigin(target: "\(elsewhere)"))))
        }
    }

    /// A service that takes any cookie for a login, and sets one only when a login fails.
    @Test func `A cookie that only the login sets proves nothing where a made-up one gets the same`() throws {
        let named = Place("/name")
        for (name, body, expected) in [
            (named, "{}", ExitCode.usage), (nil, "{}", .usage), (named, #"{"name": "Anna"}"#, nil),
        ] as [(Place?, String, ExitCode?)] {
            let exchange = Exchange(
                try blog { $0.response.username = name },
                [redirect("/login"), welcome, .answer(200, body), .answer(200, body)])
            #expect(fault { _ = try exchange.login() }?.exitCode == expected, "\(exchange.requests)")
            #expect(exchange.requests.last?.contains("cookie sid=anonymous") == (name == nil), "\(exchange.requests)")
        }
        let busy = Exchange(
            try blog { $0.response.username = nil }, [redirect("/login"), welcome, .answer(200, "{}"), .answer(503)])
        _ = try busy.login()
    }

    @Test func `What the cookies of steps that write before the password get proves nothing, and none goes out`() throws
    {
        var profile = try blog { $0.response.username = nil }
        let first = try SomeProfiles.rule("POST", "/start")
        profile.loginSteps.insert(first, at: 0)
        let started = HTTPResponse.answer(200, cookies: [.named("sid", "begun")])
        let open = Exchange(profile, [redirect("/login"), started, .answer(200)])
        #expect(
            fault { _ = try open.login() }
                == .usage(.verifyProvesNothing(url: open.service.client.guardedURL, withCookies: true)))
        #expect(open.rest == 0 && open.requests.last?.contains("cookie sid=begun") == true)
    }

    @Test func `A missing name proves nothing where the login leads back to its own page, either`() throws {
        let back = HTTPResponse.answer(
            302, cookies: [.named("sid", "two")], redirect: redirect("/users/login?e=1").redirect)
        let profile = try blog { $0.response.username = Place("/name") }
        let exchange = Exchange(profile, [redirect("/in"), back, .answer(200, "{}"), redirect("/in")])
        #expect(fault { _ = try exchange.login() }?.exitCode == .usage)
    }

    @Test func `A login that leads to a page for a code, which verify does not know, is a second factor`() throws {
        let page = "<form method=post><input name=otp autocomplete=one-time-code></form>"
        for target in ["/otp", "/users/login/otp"] {
            let sent = HTTPResponse.answer(302, cookies: [.named("sid", "two")], redirect: redirect(target).redirect)
            let exchange = Exchange(
                try blog(),
                [redirect("/in"), sent, redirect("/in"), .answer(200, page, headers: ["Content-Type: text/html"])])
            #expect(fault { _ = try exchange.login() } == .secondFactor(.notDescribed(words: nil)))
        }
    }

    @Test(arguments: [(401, ExitCode.usage), (403, .forbidden), (429, .busy), (503, .busy)])
    func `A status says enough by itself where the body is no clear JSON`(status: Int, expected: ExitCode) throws {
        for text in ["{\"name\": \"a\", \"name\": \"b\"}", "{\"\u{FF}\""] {
            let body = text.unicodeScalars.map { UInt8($0.value) }.withUnsafeBytes { Secret(copying: $0) }
            let answer = HTTPResponse(status: status, body: body)
            let exchange = Exchange(
                try blog { $0.response.username = Place("/name") }, [.answer(401), welcome, answer])
            #expect(fault { _ = try exchange.login() }?.exitCode == expected, "\(status)")
        }
    }

    @Test func `A stored password is not refused by a response without a user name`() throws {
        let session = Session.credential(Credential(username: "anna", .password(Secret("pw"))))
        let exchange = try staff([namesNobody], Service.Options(pinnedMethod: .basic))
        guard case .rejected(let refusal)? = fault({ _ = try exchange.service.verify(session, username: "anna") })
        else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.doubt != nil && exchange.requests.count == 1)
    }

    @Test func `What an account remembers survives a state file`() throws {
        let known = try #require(answer(.answer(200))).with([answer(redirect("/in"))])
        let text = try JSONEncoder().encode(known)
        #expect(try JSONDecoder().decode(AnonymousResponse.self, from: text) == known)
        #expect(known.withCookies.map(\.location) == ["/in"])
    }

    @Test func `What 1.0.0 remembered has no content type and no challenges, and fits a response with any`() throws {
        let text = Data(#"{"status": 302, "location": "/in", "withCookies": [{"status": 403}]}"#.utf8)
        let known = try JSONDecoder().decode(AnonymousResponse.self, from: text)
        for response in [redirect("/in"), .answer(403, headers: ["Content-Type: text/html"])] {
            #expect(known.meansLoggedOut(ParsedResponse(response: response, json: nil, origin: Self.origin)))
        }
        let refusal = try JSONDecoder().decode(AnonymousResponse.self, from: Data(#"{"status": 401}"#.utf8))
        let session = Session.credential(Credential(username: "anna", .password(Secret("pw"))))
        let service = try staff([asksForBasic], Service.Options(pinnedMethod: .basic, anonymousResponse: refusal))
            .service
        guard case .rejected(let refusal)? = fault({ _ = try service.verify(session, username: "anna") }) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.doubt == nil)
    }

    @Test func `What anybody gets is no statement, unless a rule makes it one`() throws {
        let options = Service.Options(anonymousResponse: answer(.answer(403)))
        let verified = { (profile: Profile, response: HTTPResponse) in
            let service = Exchange(profile, [response], options: options).service
            return fault { _ = try service.verify(session, username: "anna") }
        }
        #expect(verified(try blog(), .answer(403)) == .rejected(Refusal(status: 403, doubt: .sameForAnybody)))
        #expect(
            verified(try blog(), .answer(404)) == .failure(.unexpectedStatus(404, step: "verify", words: nil)))
        #expect(
            verified(try blog { $0.response.loggedOut = [Condition(status: 401)] }, .answer(403))
                == .rejected(Refusal(status: 403, doubt: .sameForAnybody)))
        #expect(
            verified(try blog { $0.response.loggedOut = [Condition(status: 403)] }, .answer(403))
                == .rejected(Refusal(status: 403)))
        #expect(
            verified(try blog { $0.response.forbidden = [Condition(status: 403)] }, .answer(403))
                == .forbidden(Refusal(status: 403)))
    }

    @Test func `a redirect is compared by the path it leads to`() throws {
        let options = Service.Options(anonymousResponse: answer(redirect("/login?next=/users/me")))
        let verified = { (response: HTTPResponse) in
            fault { _ = try Exchange(try blog(), [response], options: options).service.verify(session, username: "") }
        }
        #expect(
            verified(redirect("/login?next=/other#x")) == .rejected(Refusal(status: 302, doubt: .sameForAnybody)))
        #expect(
            verified(redirect("/home")) == .failure(.redirected(step: "verify", status: 302, target: "/home")))
        let elsewhere = Origin(scheme: "https", host: "sso.example", port: 443)
        #expect(verified(redirect("/login", to: elsewhere)) == .untrusted(.otherOrigin(target: "\(elsewhere)")))
        #expect(answer(redirect("/login?x", to: elsewhere))?.location == "https://sso.example/login")
    }

    @Test func `a challenge that names the reason is still forbidden`() throws {
        let options = Service.Options(anonymousResponse: answer(.answer(403)))
        let scope = HTTPResponse.answer(403, headers: ["WWW-Authenticate: Bearer error=\"insufficient_scope\""])
        let service = Exchange(try blog(), [scope], options: options).service
        #expect(
            fault { _ = try service.verify(session, username: "") }
                == .forbidden(Refusal(status: 403)))
    }

    @Test(arguments: [408, 429, 500, 503])
    func `what tells nothing is not remembered`(status: Int) {
        #expect(answer(.answer(status)) == nil)
    }

    @Test(arguments: [200, 204, 401])
    func `What refuses by itself, or lets in, is remembered but does not mean logged out`(status: Int) {
        let facts = ParsedResponse(response: .answer(status), json: nil, origin: Self.origin)
        #expect(answer(.answer(status))?.meansLoggedOut(facts) == false)
    }
}
