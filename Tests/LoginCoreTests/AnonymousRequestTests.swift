@testable import LoginKit
import Secrets
import Testing

struct `An anonymous request` {
    private func rule(_ content: RequestRule.Content) throws -> RequestRule {
        var rule = RequestRule(method: "POST", path: try Template(parsing: "/u/{username}?t={token}"))
        rule.content = content
        return rule
    }

    @Test func `an anonymous request has empty slots in its path and in every kind of body`() throws {
        let name = try Template(parsing: "<{username}>")
        let form = try rule(.form([.init(name: "n", value: name)])).anonymous
        let request = try form.request(base: "https://a.example", SlotValues())
        #expect(request.url == "https://a.example/u/?t=")
        #expect(request.body?.unprotectedText == "n=%3C%3E")
        let nested = JSONTemplate.object([.init(name: "a", value: .array([.string(name), .integer(1)]))])
        let json = try rule(.json(nested)).anonymous
        #expect(try json.request(base: "https://a.example", SlotValues()).body?.unprotectedText == "{\"a\":[\"<>\",1]}")
        #expect(json.slots.isEmpty)
    }

    @Test func `an anonymous request asks for a time to live as every other one`() throws {
        let ttl = RequestRule.Parameter(name: "ttl", value: try Template(parsing: "{ttl}"))
        #expect(try rule(.form([ttl])).anonymous.content == .form([ttl]))
    }
}
