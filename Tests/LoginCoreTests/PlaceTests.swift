@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Where things stand in an answer, and what they have to look like.
struct PlaceTests {
    /// The document of RFC 6901, section 5.
    private static let example = JSONValue.object([
        "foo": .array([.string("bar"), .string("baz")]), "": .integer(0), "a/b": .integer(1), "c%d": .integer(2),
        "e^f": .integer(3), "g|h": .integer(4), "i\\j": .integer(5), "k\"l": .integer(6), " ": .integer(7),
        "m~n": .integer(8),
    ])

    @Test(arguments: [
        ("/foo/0", JSONValue.string("bar")), ("/", .integer(0)), ("/a~1b", .integer(1)), ("/c%d", .integer(2)),
        ("/e^f", .integer(3)), ("/g|h", .integer(4)), ("/i\\j", .integer(5)), ("/k\"l", .integer(6)),
        ("/ ", .integer(7)),
        ("/m~0n", .integer(8)), ("/foo", .array([.string("bar"), .string("baz")])), ("", example),
    ])
    func `RFC 6901's examples`(text: String, expected: JSONValue) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(Self.example[pointer] == expected)
    }

    @Test(arguments: ["/bar", "/foo/2", "/foo/-1", "/foo/-", "/foo/00", "/foo/+1", "/foo/0/x", "//", "/foo/bar"])
    func `what is not there is nothing`(text: String) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(Self.example[pointer] == nil)
    }

    @Test func `an escaped tilde before a one is a tilde and a one`() throws {
        #expect(try #require(JSONPointer("/~01")).steps == ["~1"])
    }

    @Test(arguments: ["foo", "foo/bar", " /foo", "#/foo"])
    func `a pointer starts with a slash`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test(
        arguments: [
            (JSONValue.string("a"), "a"), (.string(""), ""), (.integer(-3), "-3"), (.number(1.5), "1.5"),
            (.bool(true), "true"),
            (.bool(false), "false"), (.null, nil), (.array([]), nil), (.object([:]), nil),
        ] as [(JSONValue, String?)])
    func `a scalar is text, anything else is none`(value: JSONValue, text: String?) {
        #expect(value.text == text)
    }

    @Test(arguments: ["/user/name", "/", "/0", "header:X-User", "cookie:a b", "cookie:sid"])
    func `a place is written as it is read`(text: String) throws {
        #expect(try #require(Place(text)).description == text)
    }

    @Test(arguments: ["", "user", "header:", "cookie:", "status", "Header:X", "body:x", " /a"])
    func `nothing else is a place`(text: String) {
        #expect(Place(text) == nil)
    }

    @Test(
        arguments: [
            ("abc", "abc", true), ("abc", "abcd", false), ("abc", "ab", false), ("*", "x", true), ("*", "", true),
            ("*", nil, false), ("", "", true), ("", nil, true), ("", "x", false), ("a*", "a", true),
            ("a*", "abc", true),
            ("a*", "ba", false), ("*c", "abc", true), ("*c", "cb", false), ("a*c", "abbc", true), ("a*c", "ac", true),
            ("a*c", "a", false), ("aba*aba", "aba", false), ("aba*aba", "abaaba", true), ("*b*", "abc", true),
            ("*b*", "ac", false), ("a*b*c", "a1b2c", true), ("a*b*c", "acb", false), ("**", "x", true),
            ("abc", nil, false),
            ("*é*", "caf\u{e9} au lait", true), ("\u{e9}", "e\u{301}", false), ("/login*", "/login?next=/", true),
            ("*a*a*", "aa", true), ("*a*a*", "a", false), ("a*", nil, false),
        ] as [(String, String?, Bool)])
    func `a star stands for anything, and an empty pattern for missing or empty`(
        pattern: String, value: String?, matches: Bool
    ) {
        #expect(TextPattern(pattern).matches(value) == matches)
    }

    @Test func `a pattern with many stars is done in no time`() {
        let pattern = TextPattern(String(repeating: "a*", count: 200) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 20_000)))
    }

    private func facts(_ response: HTTPResponse, json: JSONValue? = nil) -> ParsedResponse {
        ParsedResponse(response: response, json: json, origin: SomeLogin.origin)
    }

    @Test func `all of a condition must hold, and one of a list`() {
        let answer = facts(
            .answer(302, headers: ["X-Error: bad"], redirect: redirect("/login?next=/")),
            json: .object(["ok": .bool(false)]))
        let location = pattern("header:Location", "/login*")
        #expect(answer.matches(Condition(status: 302, places: [location])))
        #expect(!answer.matches(Condition(status: 303, places: [location])))
        #expect(
            answer.matches(Condition(places: [location, pattern("/ok", "false"), pattern("header:x-error", "b*")])))
        #expect(!answer.matches(Condition(places: [location, pattern("/ok", "true")])))
        #expect(answer.matches(any: [Condition(status: 401), Condition(status: 302)]))
        #expect(!answer.matches(any: []))
    }

    @Test func `a Location on the origin is path and query, elsewhere the whole URL`() throws {
        let place = try #require(Place("header:location"))
        #expect(facts(.answer(302, redirect: redirect("/a?b"))).text(at: place) == "/a?b")
        let foreign = Redirect(
            url: "https://evil.example/login/", origin: Origin(scheme: "https", host: "evil.example", port: 443),
            target: "/login/")
        #expect(facts(.answer(302, redirect: foreign)).text(at: place) == "https://evil.example/login/")
    }

    @Test(
        arguments: [
            ("/a?RelayState=x%2By+z&b=1", "x+y z"), ("/a?b=1&RelayState=", ""), ("/a?b=RelayState", nil),
            ("/a?relaystate=x", nil), ("/a?RelayState=1&RelayState=2#RelayState=3", "1"), ("/RelayState=1", nil),
            ("/a?RelayState=%FF", nil), ("/a?RelayState", ""), ("/a?c=d?RelayState=1", nil),
        ] as [(String, String?)])
    func `a member of the query that a Location has is decoded`(target: String, value: String?) throws {
        let place = try #require(Place("header:Location?RelayState"))
        #expect(place.description == "header:Location?RelayState")
        #expect(facts(.answer(302, redirect: redirect(target))).text(at: place) == value)
    }

    @Test func `a path of XML has names between its slashes`() {
        #expect(Place("xml:/a/b-c") == .xml(["a", "b-c"]) && Place("xml:/a/b-c")?.description == "xml:/a/b-c")
        for text in ["xml:", "xml:/", "xml:a", "xml://a", "xml:/a/"] { #expect(Place(text) == nil, "\(text)") }
    }

    @Test func `a cookie is found by its name, and stays a secret`() throws {
        let answer = facts(.answer(200, cookies: [.named("a", "1"), .named("sid", "canary")]))
        let place = try #require(Place("cookie:sid"))
        #expect(answer.value(at: place) == Secret("canary"))
        #expect(answer.text(at: place) == "canary")
        #expect(answer.text(at: .cookie("SID")) == nil)
    }

    @Test func `in a body that is no JSON there is nothing`() {
        #expect(facts(.answer(200, "<html>")).text(at: .json(.root)) == nil)
    }

    private func redirect(_ target: String) -> Redirect {
        Redirect(url: "https://blog.example\(target)", origin: SomeLogin.origin, target: target)
    }

    private func pattern(_ place: String, _ text: String) -> Condition.PlacePattern {
        Condition.PlacePattern(place: Place(place) ?? .header("none"), pattern: TextPattern(text))
    }
}
