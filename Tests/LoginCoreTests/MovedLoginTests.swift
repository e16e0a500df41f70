@testable import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

/// When the response to a login says that its address has moved, and so nothing of the password.
struct MovedLoginTests {
    private let sid = Cookie.named("sid", "one")

    private func url(_ text: String) -> ParsedURL? {
        let halves = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard halves.count == 4 else { return nil }
        let scheme = String(halves[0].dropLast()), place = halves[2].split(separator: ":")
        let port = place.count > 1 ? Int(place[1]) : nil
        let origin = Origin(scheme: scheme, host: String(place[0]), port: port ?? (scheme == "https" ? 443 : 80))
        let target = "/\(halves[3])".split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return ParsedURL(
            origin: origin, path: String(target[0]), query: target.count > 1 ? String(target[1]) : nil, user: nil,
            password: nil)
    }

    private func moved(
        _ from: String, _ to: String, status: Int = 301, cookies: [Cookie] = [], rule: ResponseRule = ResponseRule(),
        anonymous: Set<String> = [], wrote: Bool = true
    ) throws -> Bool {
        let from = try #require(url(from)), to = try #require(url(to))
        let redirect = Redirect(url: to.text, origin: to.origin, target: to.target)
        let response = HTTPResponse(status: status, cookies: cookies, redirect: redirect)
        let facts = ParsedResponse(response: response, json: nil, origin: from.origin, wrote: wrote)
        return facts.moved(from: from, by: rule, former: [sid], anonymous: anonymous) != nil
    }

    @Test(arguments: [
        ("https://a.example/login", "https://a.example/login/"),
        ("https://a.example/login/", "https://a.example/login"),
        ("http://a.example/login", "https://a.example/login"),
        ("http://a.example:8080/in", "https://a.example:8443/in"),
        ("https://a.example/in", "https://www.a.example/in"), ("https://www.a.example/in", "https://a.example/in"),
        ("http://a.example/in", "https://www.a.example/in/"), ("https://a.example/in?x=1", "https://a.example/in/?x=1"),
    ])
    func `an address has moved to the same path but for the scheme, www and a slash at the end`(
        from: String, to: String
    ) throws {
        for status in [301, 302, 303, 307, 308] { #expect(try moved(from, to, status: status), "\(status)") }
        #expect(try !moved(from, to, status: 300) && !moved(from, to, status: 200) && !moved(from, to, wrote: false))
    }

    @Test(arguments: [
        ("https://a.example/login", "https://a.example/login"),
        ("https://a.example/login", "https://a.example/login?error"),
        ("https://a.example/login?x=1", "https://a.example/login/"), ("https://a.example/login", "https://a.example/"),
        ("https://a.example/login", "https://a.example/login/failed"), ("https://a.example/in", "https://b.example/in"),
        ("https://a.example/in", "https://a.example:8443/in"), ("https://a.example/in", "https://id.a.example/in"),
        ("https://a.example/in", "https://a.example/IN"), ("https://a.example/in", "https://a.example/in/?"),
    ])
    func `any other redirect is no new address`(from: String, to: String) throws {
        #expect(try !moved(from, to))
    }

    @Test func `a new cookie says that something was judged, and one that was there or that anybody gets does not`()
        throws
    {
        let (from, to) = ("https://a.example/login", "https://a.example/login/")
        #expect(try moved(from, to, cookies: [sid]))
        #expect(try !moved(from, to, cookies: [.named("sid", "two")]))
        #expect(try !moved(from, to, cookies: [sid, .named("lb", "7")]))
        #expect(try moved(from, to, cookies: [sid, .named("lb", "7")], anonymous: ["lb"]))
    }

    @Test func `only a rule that names the status, or a token, goes before it`() throws {
        let (from, to) = ("https://a.example/login", "https://a.example/login/")
        let places = [Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("/login*"))]
        var rule = ResponseRule()
        rule.refused = [Condition(status: nil, places: places), Condition(status: 401)]
        #expect(try moved(from, to, rule: rule))
        rule.refused = [Condition(status: 302, places: places)]
        #expect(try moved(from, to, rule: rule) && !moved(from, to, status: 302, rule: rule))
        rule.refused = nil
        rule.forbidden = [Condition(status: 301)]
        #expect(try !moved(from, to, rule: rule))
        rule.forbidden = nil
        rule.token = .header("Location")
        #expect(try !moved(from, to, rule: rule))
    }

    @Test(arguments: [
        ("POST", "/login", "/login/", "post = \"/login/\""), ("POST", "/in/?a={{b", "/in", "post = \"/in?a={{b\""),
        ("PUT", "/session", "/session/", "send = \"PUT /session/\""),
    ])
    func `the line of the profile names the path with the other slash`(
        method: String, path: String, new: String, line: String
    ) throws {
        let rule = RequestRule(method: method, path: try Template(parsing: path))
        #expect(rule.pathWithOtherSlash == (new, line))
    }
}
