@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// When a session ends: as the profile has it, else as the token itself tells it.
struct ServiceExpiryTests {
    private func expiry(_ rule: (Place) -> ResponseRule.Expiry, _ value: String, token: String = "t") throws -> Int64? {
        var profile = try SomeProfiles.screencast()
        profile.login?.response.expiry = Place("/end").map(rule)
        return try expiry(profile, "{\"auth_token\":\"\(token)\",\"end\":\(value)}")
    }

    private func expiry(_ profile: Profile, _ body: String) throws -> Int64? {
        let exchange = Exchange(
            profile, [.answer(401), .answer(200, body), .answer(200, "{\"user\":{\"username\":\"a\"}}")])
        return try exchange.login().session.expires
    }

    @Test(
        arguments: [
            ("\"1970-01-12T13:46:40Z\"", 1_000_000), ("\"1970-01-12T14:46:40+01:00\"", 1_000_000),
            ("\"1970-01-12T13:46:40.999Z\"", 1_000_000), ("1000000", 1_000_000), ("1000000.9", 1_000_000),
            ("\"1000000\"", 1_000_000), ("\"soon\"", nil), ("\"\"", nil), ("null", nil), ("true", nil), ("[]", nil),
            ("1e300", nil), ("\"nan\"", nil), ("\"inf\"", nil), ("\"2030-99-99T00:00:00Z\"", nil),
        ] as [(String, Int64?)])
    func `a date, or seconds of Unix time; garbage is unknown`(value: String, expected: Int64?) throws {
        #expect(try expiry({ .at($0) }, value) == expected)
    }

    @Test(
        arguments: [
            ("3600", 3600), ("\"3600\"", 3600), ("0", 0), ("-5", -5), ("1.9", 1), ("\"x\"", nil), ("1e300", nil),
            ("null", nil),
        ] as [(String, Int64?)])
    func `seconds from now`(value: String, expected: Int64?) throws {
        #expect(try expiry({ .inSeconds($0) }, value) == expected.map { Exchange.now + $0 })
    }

    @Test(arguments: [("3600000", 3600), ("999", 0), ("\"1500\"", 1), ("{}", nil)] as [(String, Int64?)])
    func `milliseconds from now`(value: String, expected: Int64?) throws {
        #expect(try expiry({ .inMilliseconds($0) }, value) == expected.map { Exchange.now + $0 })
    }

    @Test(
        arguments: [
            // {"exp":1893456000}, {"exp":1893456000.5}, {"exp":"x"}, {}, and what is no token of this kind.
            ("e30.eyJleHAiOjE4OTM0NTYwMDB9.sig", 1_893_456_000), ("e30.eyJleHAiOjE4OTM0NTYwMDAuNX0.", 1_893_456_000),
            ("e30.eyJleHAiOiJ4In0.sig", nil), ("e30.e30.sig", nil), ("a.b.c", nil), ("a.b", nil), ("opaque", nil),
            ("e30.eyJleHAiOjE4OTM0NTYwMDB9.a.b", nil),
        ] as [(String, Int64?)])
    func `where the profile says nothing, a JSON Web Token tells it itself`(token: String, expected: Int64?) throws {
        var profile = try SomeProfiles.screencast()
        profile.login?.response.expiry = nil
        #expect(try expiry(profile, "{\"auth_token\":\"\(token)\"}") == expected)
    }

    @Test func `a place that the answer does not have is unknown, whatever the token says`() throws {
        let token = "e30.eyJleHAiOjE4OTM0NTYwMDB9.sig"
        #expect(try expiry({ .at($0) }, "null", token: token) == nil)
    }

    @Test func `cookies end with the last of them, where all of them say when`() throws {
        let ending = [Cookie.named("b", "2", expires: 30), .named("c", "3", expires: 20)]
        #expect(Session.cookies(ending).expires == 30)
        #expect(Session.cookies(ending + [.named("a", "1")]).expires == nil)
        #expect(Session.cookies([.named("a", "1")]).expires == nil)
    }

    @Test(arguments: [(4_000_000_000, true), (1, false)])
    func `the end of a cookie session is what the login's response says, and a past one is not believed`(
        end: Int64, isKept: Bool
    ) throws {
        let sid = CookieRecord.cookie(
            "sid", Secret("canary"), expires: nil, domain: "blog.example", isSecure: false, isHTTPOnly: true)
        var profile = try SomeProfiles.blog()
        profile.login?.response.expiry = Place("/end").map { .at($0) }
        let welcome = HTTPResponse.answer(200, "{\"name\":\"a\"}", cookies: [sid])
        let exchange = Exchange(
            profile, [.answer(401), .answer(200, "{\"end\":\(end)}", cookies: [sid]), welcome])
        // The answer of verify does not tell it again.
        #expect(try exchange.login().session.expires == (isKept ? end : nil))
    }
}
