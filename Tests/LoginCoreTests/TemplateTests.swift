@testable import LoginKit
import Secrets
import Testing

/// What stands between braces, and how it gets into its place.
struct TemplateTests {
    private static let all: SlotValues = {
        var values = SlotValues()
        values.username = "añ& b"
        values.password = Secret("p+:%/\"\\")
        values.ttl = 3600
        values.token = Secret("t0k.en~")
        values.refreshToken = Secret("r=1")
        values.cookies = [Cookie(name: "csrf", value: Secret("c;1"), record: Secret(""), expires: nil)]
        return values
    }()

    private func fill(_ text: String, _ escaping: Escaping, _ values: SlotValues = all) throws -> String {
        try Template(parsing: text).filled(values, escaping).unprotectedText
    }

    @Test(
        arguments: [
            ("", []), ("plain", [.text("plain")]), ("{username}", [.slot(.username)]),
            ("a{token}b", [.text("a"), .slot(.token), .text("b")]),
            ("{username}:{token}", [.slot(.username), .text(":"), .slot(.token)]),
            ("{ttl}{refresh-token}", [.slot(.ttl), .slot(.refreshToken)]), ("{password}", [.slot(.password)]),
            ("{cookie:csrf token}", [.slot(.cookie("csrf token"))]), ("{cookie:a:b}", [.slot(.cookie("a:b"))]),
            ("{secret:TOTP seed}", [.slot(.secret("TOTP seed"))]), ("{{", [.text("{")]),
            ("{{username}", [.text("{username}")]),
            ("{{{username}}", [.text("{"), .slot(.username), .text("}")]), ("a } b", [.text("a } b")]),
            ("{{{{", [.text("{{")]), ("{cookie:a|percent-decoded}", [.decoded(.cookie("a"))]),
            ("{cookie:a|b}", [.slot(.cookie("a|b"))]), ("a{token|percent-decoded}", [.text("a"), .decoded(.token)]),
        ] as [(String, [Template.Part])])
    func `slots stand in braces, and a doubled brace is one`(text: String, parts: [Template.Part]) throws {
        #expect(try Template(parsing: text).parts == parts)
    }

    @Test(arguments: [
        ("{user}", Template.Malformed.unknownSlot("user")), ("{}", .unknownSlot("")),
        ("{Username}", .unknownSlot("Username")),
        ("{token|percent}", .unknownSlot("token|percent")), ("{|percent-decoded}", .unknownSlot("|percent-decoded")),
        ("{cookie:}", .unknownSlot("cookie:")), ("{secret:}", .unknownSlot("secret:")),
        ("{ token }", .unknownSlot(" token ")),
        ("{username", .unclosedBrace), ("a{", .unclosedBrace), ("{{{", .unclosedBrace),
    ])
    func `what is no template says why`(text: String, expected: Template.Malformed) {
        #expect(throws: expected) { try Template(parsing: text) }
    }

    @Test func `each slot has the name that it is read by`() throws {
        let slots: [Template.Slot] = [
            .username, .password, .ttl, .token, .refreshToken, .cookie("a b"), .secret("L"),
        ]
        for slot in slots { #expect(try Template(parsing: "{\(slot.name)}").parts == [.slot(slot)]) }
        #expect(slots.filter(\.isTypedSecret) == [.password, .secret("L")])
    }

    @Test(arguments: [
        ("/users/{username}?a=b&c", Escaping.path, "/users/a%C3%B1%26%20b?a=b&c"),
        ("x y{username}", .query, "x%20ya%C3%B1%26%20b"), ("{username}", .form, "a%C3%B1%26+b"),
        ("{password}", .form, "p%2B%3A%25%2F%22%5C"), ("{password}", .query, "p%2B%3A%25%2F%22%5C"),
        ("\"{password}\"", .json, "\\\"p+:%/\\\"\\\\\\\""), ("{username}", .json, "añ& b"),
        ("Bearer {token}", .header, "Bearer t0k.en~"), ("{username}", .header, "añ& b"), ("{ttl}", .query, "3600"),
        ("{cookie:csrf}", .header, "c;1"), ("{refresh-token}", .form, "r%3D1"), ("{{\"a\"}", .form, "%7B%22a%22%7D"),
    ])
    func `a value is made safe for its place`(text: String, escaping: Escaping, expected: String) throws {
        #expect(try fill(text, escaping) == expected)
    }

    @Test func `percent-encoding leaves RFC 3986's unreserved characters alone, and no others`() throws {
        let unreserved = "ABCXYZabcxyz0189-._~"
        var values = SlotValues()
        for byte in UInt8(0)...255 {
            values.password = Secret(count: 1) { $0[0] = byte }
            let shown = try fill("{password}", .query, values)
            let digits = String(byte, radix: 16, uppercase: true)
            let encoded = "%" + (digits.count == 1 ? "0" : "") + digits
            let isUnreserved =
                unreserved.utf8.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte)
            #expect(shown == (isUnreserved ? String(Unicode.Scalar(byte)) : encoded))
        }
    }

    @Test func `JSON escapes quotes, backslashes and every control character, and nothing else`() throws {
        var values = SlotValues()
        values.password = Secret("\u{0}\u{1}\t\n\r\u{1f} \"\\/\u{7f}é😀\u{2028}")
        #expect(
            try fill("{password}", .json, values)
                == "\\u0000\\u0001\\u0009\\u000A\\u000D\\u001F \\\"\\\\/\u{7f}é😀\u{2028}")
    }

    @Test func `bytes that are no UTF-8 go through a form as they are`() throws {
        var values = SlotValues()
        values.password = Secret(count: 2) { $0.copyBytes(from: [0xff, 0xc3] as [UInt8]) }
        #expect(try fill("{password}", .form, values) == "%FF%C3")
    }

    @Test(arguments: [
        (Escaping.header, "a=+/\u{e9}%zz%"), (.json, "a=+/\u{e9}%zz%"), (.form, "a%3D%2B%2F%C3%A9%25zz%25"),
        (.query, "a%3D%2B%2F%C3%A9%25zz%25"), (.path, "a%3D%2B%2F%C3%A9%25zz%25"),
    ])
    func `a value that has to go back percent-decoded is, wherever it is filled in`(
        escaping: Escaping, expected: String
    ) throws {
        var values = SlotValues()
        values.cookies = [Cookie(name: "c", value: Secret("a%3D+%2f%C3%A9%zz%"), record: Secret(""), expires: nil)]
        values.extraSecrets = [.taken("t"): values.cookies[0].value]
        let template = try Template(parsing: "{t|percent-decoded}", taken: ["t"])
        #expect(try fill("{cookie:c|percent-decoded}", escaping, values) == expected)
        #expect(try template.filled(values, escaping).unprotectedText == expected)
        #expect(template.slots == [.taken("t")] && template.source == "{t|percent-decoded}")
    }

    @Test func `a decoded value that its place cannot have is refused`() {
        var values = SlotValues()
        values.token = Secret("a%0d%0aX: 1")
        #expect(throws: FillFault.notForHeader(.token)) { try fill("{token|percent-decoded}", .header, values) }
        values.token = Secret("%2e%2e")
        #expect(throws: FillFault.dotSegment(.token)) { try fill("/a/{token|percent-decoded}/b", .path, values) }
    }

    @Test(arguments: ["t\r\nCookie: x=1", "t\nX: 1", "t\r", "\u{0}", "a\u{7f}", "\u{1b}[2J"])
    func `what would end a header's line is refused`(value: String) {
        var values = Self.all
        values.token = Secret(value)
        #expect(throws: FillFault.notForHeader(.token)) { try fill("Bearer {token}", .header, values) }
        values.username = value
        #expect(throws: FillFault.notForHeader(.username)) { try fill("{username}", .header, values) }
        values.cookies = [Cookie(name: "c", value: Secret(value), record: Secret(""), expires: nil)]
        #expect(throws: FillFault.notForHeader(.cookie("c"))) { try fill("{cookie:c}", .header, values) }
    }

    @Test(arguments: ["username", "password", "ttl", "token", "refresh-token", "cookie:other", "secret:L"])
    func `a slot without a value is named`(name: String) throws {
        let slot = try #require(Template.Slot(name))
        var values = SlotValues()
        values.cookies = Self.all.cookies
        #expect(throws: FillFault.missing(slot)) { try fill("{\(name)}", .form, values) }
    }

    @Test(arguments: [
        ("/users/{username}/me", ".."), ("/users/{username}/me", "."), ("/users/{username}", ".."),
        ("/{username}?q=/x", ".."), ("/a/.{username}/b", "."), ("/a/%2E{username}", "."),
        ("/a/{username}{username}/b", "."),
    ])
    func `a value that would lead to another path is refused`(path: String, value: String) {
        var values = SlotValues()
        values.username = value
        #expect(throws: FillFault.dotSegment(.username)) { try fill(path, .path, values) }
    }

    @Test(arguments: [
        ("/users/{username}/me", "...", "/users/.../me"), ("/users/{username}/me", "../x", "/users/..%2Fx/me"),
        ("/users/a{username}", "..", "/users/a.."), ("/x?u={username}", "..", "/x?u=.."),
        ("/../{username}", "a", "/../a"),
    ])
    func `a value with dots that stays in its place is sent`(path: String, value: String, filled: String) throws {
        var values = SlotValues()
        values.username = value
        #expect(try fill(path, .path, values) == filled)
    }

    @Test func `a value that grows beyond the limit is refused`() {
        var values = SlotValues()
        values.password = Secret(String(repeating: "\u{1}", count: 200_000))
        #expect(throws: FillFault.tooLong(limit: RequestRule.bodyLimit)) { try fill("{password}", .json, values) }
    }
}
