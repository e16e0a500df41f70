@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A profile's request, filled in: byte for byte.
struct RequestRuleTests {
    private let base = "https://blog.example/api"

    private static var values: SlotValues {
        var values = SlotValues()
        values.username = "añ b"
        values.password = Secret("p&\"")
        values.token = Secret("tok")
        return values
    }

    private func rule(_ method: String, _ path: String) throws -> RequestRule {
        RequestRule(method: method, path: try Template(parsing: path))
    }

    private func parameter(_ name: String, _ value: String) throws -> RequestRule.Parameter {
        RequestRule.Parameter(name: name, value: try Template(parsing: value))
    }

    private func dump(_ rule: RequestRule, _ values: SlotValues = values) throws -> String {
        try rule.request(base: base, values).dump
    }

    @Test func `the path is appended to the base, the query behind the one that is there`() throws {
        var rule = try rule("GET", "/u/{username}?x=1")
        rule.query = [try parameter("a b", "{username}"), try parameter("é", "&")]
        #expect(try dump(rule) == "GET https://blog.example/api/u/a%C3%B1%20b?x=1&a%20b=a%C3%B1%20b&%C3%A9=%26")
    }

    @Test func `what fills the path is not in the URL that is shown`() throws {
        let request = try rule("GET", "/s/{token}/end?x=1").request(base: base, Self.values)
        #expect(request.url.hasSuffix("/s/tok/end?x=1"))
        #expect(request.shownURL == "https://blog.example/api/s/…/end?x=1")
        #expect(try rule("GET", "/plain").request(base: base, Self.values).shownURL == nil)
    }

    @Test func `what holds {ttl} is left out unless a time was asked for`() throws {
        var rule = try rule("POST", "/l")
        rule.query = [try parameter("ttl", "{ttl}"), try parameter("a", "b")]
        rule.headers = [HeaderRule(name: "X-TTL", value: try Template(parsing: "{ttl} s"))]
        rule.content = .form([try parameter("t", "{ttl}"), try parameter("u", "{username}")])
        let without = """
            POST https://blog.example/api/l?a=b
            Content-Type: application/x-www-form-urlencoded

            u=a%C3%B1+b
            """
        #expect(try dump(rule) == without)
        var values = Self.values
        values.ttl = 60
        let with = """
            POST https://blog.example/api/l?ttl=60&a=b
            X-TTL: 60 s
            Content-Type: application/x-www-form-urlencoded

            t=60&u=a%C3%B1+b
            """
        #expect(try dump(rule, values) == with)
    }

    @Test func `a query of nothing but {ttl} leaves no question mark behind`() throws {
        var rule = try rule("GET", "/l")
        rule.query = [try parameter("ttl", "{ttl}")]
        #expect(try dump(rule) == "GET https://blog.example/api/l")
    }

    @Test func `JSON keeps the order of its members, and leaves out what holds {ttl}`() throws {
        var rule = try rule("POST", "/l")
        rule.content = .json(
            .object([
                .init(name: "z\"", value: .string(try Template(parsing: "{username} {{}"))),
                .init(name: "ttl", value: .string(try Template(parsing: "{ttl}"))),
                .init(
                    name: "list",
                    value: .array([
                        .null, .bool(true), .integer(-7), .number(1.5), .string(try Template(parsing: "{ttl}")),
                        .string(try Template(parsing: "{password}")), .object([]), .array([]),
                    ])),
            ]))
        let expected = """
            POST https://blog.example/api/l
            Content-Type: application/json

            {"z\\"":"añ b {}","list":[null,true,-7,1.5,"p&\\"",{},[]]}
            """
        #expect(try dump(rule) == expected)
    }

    @Test func `a text is sent as it is, braces included, and a header of the profile's own wins`() throws {
        var rule = try rule("PUT", "/l")
        rule.content = .body("{username} ü\n")
        #expect(
            try dump(rule)
                == "PUT https://blog.example/api/l\nContent-Type: text/plain; charset=utf-8\n\n{username} ü\n")
        rule.headers = [HeaderRule(name: "content-TYPE", value: try Template(parsing: "a/b"))]
        #expect(try dump(rule) == "PUT https://blog.example/api/l\ncontent-TYPE: a/b\n\n{username} ü\n")
    }

    @Test func `every slot of a request is known beforehand, and which are outside of bodies`() throws {
        var rule = try rule("POST", "/{username}")
        rule.headers = [HeaderRule(name: "A", value: try Template(parsing: "{token}"))]
        rule.query = [try parameter("q", "{ttl}")]
        rule.content = .json(.array([.object([.init(name: "p", value: .string(try Template(parsing: "{password}")))])]))
        #expect(rule.slots == [.username, .token, .ttl, .password])
        #expect(Set(rule.slotsOutsideBodies) == [.username, .token, .ttl])
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("OPTIONS", true), ("PROPFIND", true), ("REPORT", true), ("POST", false),
        ("PUT", false), ("DELETE", false), ("PATCH", false), ("MKCOL", false),
    ])
    func `GET, HEAD and their like are the verbs that only read`(method: String, reads: Bool) {
        #expect(RequestRule.onlyReads(method) == reads)
    }

    /// state.json keeps it beside each login.
    @Test func `the fingerprint of a rule with every property stays what it was in earlier releases`() throws {
        var rule = try rule("POST", "/me?a={ttl}")
        rule.query = [try parameter("q", "{cookie:c|percent-decoded}")]
        rule.headers = [HeaderRule(name: "X-A", value: try Template(parsing: "{username} {secret:s}"))]
        rule.content = .json(.object([.init(name: "u", value: .string(try Template(parsing: "{token}")))]))
        let name = try #require(Place("/user/name")), field = Place.field("user")
        let shown = Condition(places: [.init(place: field, pattern: TextPattern("a*"))])
        rule.response = ResponseRule(
            refused: [Condition(status: 401)], loggedOut: [shown], loggedIn: [Condition(status: 302)],
            forbidden: [Condition(status: 403)], secondFactor: [Condition(status: 409)],
            pending: [Condition(status: 202)], interval: 7, message: .header("X-Why"), username: name,
            token: .between(.text, before: "<", after: ">"), refreshToken: .cookie("r"), expiry: .at(.xml(["a", "b"])),
            taken: [.init(name: "id", place: .redirectQuery("id"))])
        #expect(
            rule.fingerprint == "be248bc922194325",
            "after an upgrade every profile's verify would look changed; if that is meant, put the new value here")
    }

    @Test func `a URL that grows beyond its limit is refused`() throws {
        var values = Self.values
        values.username = String(repeating: "é", count: 4000)
        #expect(throws: FillFault.tooLong(limit: 16 << 10)) { try dump(try rule("GET", "/{username}"), values) }
    }
}
