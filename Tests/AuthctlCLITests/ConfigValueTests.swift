@testable import LoginKit
import Testing

/// Values of a profile that are written, and read again.
struct ConfigValueTests {
    private static let texts = [
        "", "plain", "with \"quotes\" and 'more'", "back\\slash", "tab\tand\nline", "\u{1B}[2J\u{7F}", "ä€😀",
        "\u{202E}",
        "#", "a = b", "{x}", "]]", "'''", "\"\"\"", " ",
    ]

    private static let values: [ConfigValue] =
        texts.map { .string($0) }
        + [
            .integer(0), .integer(.max), .integer(.min), .bool(true), .bool(false), .number(1.5), .number(-0.25),
            .array([]),
        ]
        + [
            .array([.integer(1), .string("a"), .array([.bool(false)])]), .table([:]),
            .table(["a b": .string("x"), "": .integer(1), "ä": .table(["x.y": .array([.table(["z": .bool(true)])])])]),
        ]

    private func parsed(_ text: String) throws -> ConfigValue { try ConfigValue.parse(text, file: "f") }

    @Test(arguments: values.indices) func `what stands behind a key is read as it was`(index: Int) throws {
        let value = Self.values[index]
        #expect(try parsed("k = \(value.inline)") == .table(["k": value]), "\(value.inline)")
        #expect(!value.inline.contains("\n"))
    }

    @Test(arguments: values.indices) func `no terminal obeys what is written`(index: Int) {
        #expect(Self.values[index].inline.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
    }

    @Test(arguments: [[], ["profiles", "q.r"]]) func `a whole table is read as it was, whichever tables have headings`(
        path: [String]
    ) throws {
        let long = ConfigValue.table(["text": .string(String(repeating: "a", count: 80))])
        var members = Dictionary(uniqueKeysWithValues: Self.values.enumerated().map { ("key \($0)", $1) })
        members["long.key"] = .table(["url": .integer(1), "deeper": .table(["deepest": long]), "short": .table([:])])
        let table = ConfigValue.table(members)
        #expect(try parsed(table.section(path)) == path.reversed().reduce(table) { .table([$1: $0]) })
    }

    @Test func `a table too wide for a terminal has a heading, and the others a line each in the order of a login`() {
        let wide = ConfigValue.table([
            "post": .string("/in"), "form": .table(["field": .string(String(repeating: "a", count: 50))]),
        ])
        let table = ConfigValue.table([
            "verify": .table(["get": .string("/me")]), "method": .string("cookie"), "login": wide,
            "url": .string("https://a.example"),
        ])
        #expect(
            table.section(["profiles", "a"]) == """
                [profiles.a]
                url    = "https://a.example"
                method = "cookie"
                verify = { get = "/me" }

                [profiles.a.login]
                post = "/in"
                form = { field = "\(String(repeating: "a", count: 50))" }
                """)
    }

    @Test func `only a table has lines`() {
        #expect(ConfigValue.string("a").section([]).isEmpty && ConfigValue.array([]).section([]).isEmpty)
    }

    @Test(arguments: [
        ("plain", "plain"), ("with-dash_1", "with-dash_1"), ("", "\"\""), ("app.example", "\"app.example\""),
        ("~", "\"~\""), ("a b", "\"a b\""), ("ä", "\"\\u00E4\""),
    ]) func `a name is a bare key where it can be one`(name: String, key: String) throws {
        #expect(ConfigValue.key(name).uppercased() == key.uppercased())
        #expect(try parsed("\(ConfigValue.key(name)) = 1") == .table([name: .integer(1)]))
    }

    @Test func `members of a request stand in the order in which profiles have them`() {
        let names = ["token", "refused", "form", "post", "page", "expires", "json", "get", "status"]
        let table = ConfigValue.table(Dictionary(uniqueKeysWithValues: names.map { ($0, .integer(1)) }))
        let keys = table.inline.split(separator: ",").map { $0.split { " {}".contains($0) }[0] }
        #expect(keys == ["status", "page", "get", "post", "form", "json", "token", "expires", "refused"])
        #expect(ConfigValue.table([:]).inline == "{}" && ConfigValue.array([]).inline == "[]")
    }

    @Test(arguments: ["a{b}", "{{", "}", "{secret:x}", "plain", "{username}@{cookie:sid}/{{x}"])
    func `a template is written as it parses`(text: String) throws {
        let literal = Template(literal: text)
        #expect(try Template(parsing: literal.source) == literal)
        guard let template = try? Template(parsing: text) else { return }
        #expect(try Template(parsing: template.source) == template)
    }

    @Test(arguments: [
        ("a = 1979-05-27", "a date"), ("a = 07:32:00", "a time"), ("a = 1979-05-27T07:32:00Z", "a date-time"),
        ("a = 1", "an integer"),
        ("a = 1.0", "a number"), ("a = [[]]", "a list"), ("a = {}", "a table"), ("a = ''", "a string"),
        ("a = true", "true or false"),
    ]) func `a message can call every kind by its name`(text: String, kind: String) throws {
        guard case .table(let members) = try parsed(text) else { return }
        #expect(members["a"]?.kind == kind)
    }
}
