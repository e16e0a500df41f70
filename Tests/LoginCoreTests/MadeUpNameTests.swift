@testable import LoginKit
import Secrets
import Testing

/// Cookies and headers whose names a service makes up.
struct MadeUpNameTests {
    private func values(_ cookies: [(String, String)], taken: String = "AB") -> SlotValues {
        var values = SlotValues()
        values.cookies = cookies.map { Cookie(name: $0.0, value: Secret($0.1), record: Secret(""), expires: nil) }
        values.extraSecrets = [.taken("id"): Secret(taken)]
        return values
    }

    @Test func `the one cookie whose name begins so`() throws {
        let template = try Template(parsing: "{cookie:CSRF-*}")
        #expect(try template.filled(values([("sid", "1"), ("CSRF-X", "2")]), .header).unprotectedText == "2")
        // The same name of two paths is one cookie, and the first one counts.
        #expect(try template.filled(values([("CSRF-X", "2"), ("CSRF-X", "3")]), .header).unprotectedText == "2")
        #expect(throws: FillFault.missing(.cookie("CSRF-*"))) { try template.filled(values([("sid", "1")]), .header) }
        #expect(throws: FillFault.severalCookies(.cookie("CSRF-*"))) {
            try template.filled(values([("CSRF-X", "2"), ("CSRF-Y", "3")]), .header)
        }
        #expect(try Template(parsing: "{cookie:*}").filled(values([("a", "1")]), .header).unprotectedText == "1")
    }

    @Test(arguments: [(["CSRF-X"], "v"), (["CSRF-X", "other"], "v"), (["CSRF-X", "CSRF-Y"], nil), (["other"], nil)])
    func `the same in an answer`(names: [String], expected: String?) throws {
        let cookies = names.map { Cookie(name: $0, value: Secret("v"), record: Secret(""), expires: nil) }
        let facts = ParsedResponse(
            response: HTTPResponse(status: 200, cookies: cookies), json: nil,
            origin: Origin(scheme: "https", host: "a", port: 443))
        let place = try #require(Place("cookie:CSRF-*"))
        #expect(facts.text(at: place) == expected && facts.value(at: place)?.unprotectedText == expected)
    }

    @Test func `what only the names of cookies say`() throws {
        let cookies = [("sid", "1"), ("CSRF-AB1", "v=w")].map {
            Cookie(name: $0.0, value: Secret($0.1), record: Secret(""), expires: nil)
        }
        let facts = ParsedResponse(
            response: HTTPResponse(status: 200, cookies: cookies), json: nil,
            origin: Origin(scheme: "https", host: "a", port: 443))
        let place = try #require(Place("header:set-Cookie"))
        #expect(facts.text(at: .between(place, before: "CSRF-", after: "=")) == "AB1")
        #expect(facts.text(at: .between(place, before: "CSRF-X", after: "=")) == nil)
        #expect(facts.text(at: place) == nil)
    }

    @Test func `what the login took ends the name of a header`() throws {
        let rule = HeaderRule(
            name: try Template(parsing: "X-CSRF-{id}", taken: ["id"]), value: try Template(parsing: "{cookie:C*}"))
        let field = try rule.filled(values([("C1", "v")]))
        #expect(field.name == "X-CSRF-AB" && field.value == Secret("v") && rule.slots.count == 2)
        for name in ["A B", "A:B", "ä", "A\tB"] {
            #expect(throws: FillFault.notForHeaderName(.taken("id"))) {
                try rule.filled(values([("C1", "v")], taken: name))
            }
        }
    }
}
