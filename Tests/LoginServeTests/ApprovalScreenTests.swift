@testable import LoginKit
import Testing

/// What a person sees of a request that was made to mislead them.
struct ApprovalScreenTests {
    /// Columns and rows.
    private static let sizes = [(80, 24), (40, 10), (200, 60), (60, 16), (34, 10), (30, 8), (20, 12)]

    private static let longURL = "https://blog.example/" + String(repeating: "a/", count: 3000) + "delete?all=\"yes\""

    private static func question(
        _ body: ServeQuestion.Body, url: String = "https://blog.example/issues/7", method: String = "DELETE",
        rule: String = "DELETE /issues/*", isCovered: Bool = true, further: [String] = [], command: String = "agent",
        hasArguments: Bool = false
    ) -> ServeQuestion {
        ServeQuestion(
            id: "1", command: command, method: method, url: url, body: body, hasArguments: hasArguments, rule: rule,
            isCovered: isCovered, further: further)
    }

    private static func lines(_ question: ServeQuestion, _ columns: Int, _ rows: Int) -> [String] {
        ApprovalScreen(columns: columns, rows: rows, isUnicode: true).lines(of: question, profile: "blog", pid: 4711)
    }

    private static let hostile: [ServeQuestion] = [
        question(.text(String(repeating: "\u{1}", count: 512), of: 9431)),
        question(.text(String(repeating: "\r\n", count: 256), of: nil)),
        question(.text(String(repeating: "Rule: GET /**\n  No body.\nAllow? [y/a/N] ", count: 12), of: 9431)),
        question(.text(String(repeating: "\\\"", count: 200), of: 400)),
        question(.text(String(repeating: "漢\u{301}👩‍👩‍👧", count: 20), of: 500)),
        question(.text(String(repeating: "  \u{2800}\u{A0}", count: 50), of: nil)),
        question(.none, url: longURL),
        question(.text("a", of: 1), url: longURL, further: [String(repeating: "PUT /", count: 900), "MOVE /x"]),
        question(.none, further: (1...200).map { "METHOD\($0) /x" }),
        question(.none, method: String(repeating: "A", count: 5000), rule: "* /" + String(repeating: "b", count: 990)),
        question(
            .other(type: String(repeating: "a/", count: 50), of: nil), command: String(repeating: "c ", count: 300)),
        question(.none, url: "https://blog.example/" + String(repeating: "\u{7}\"\\ü", count: 2000)),
        question(
            .text("{\n" + String(repeating: "  \"Rule: TOOL *\": [\n    1\n  ],\n", count: 900) + "}", of: 9),
            url: "delete", method: "TOOL", rule: "TOOL *", hasArguments: true),
        question(
            .text("{\n  \"a\": \"" + String(repeating: "漢", count: 9000), of: nil), url: longURL, method: "TOOL",
            rule: "TOOL *", hasArguments: true),
        question(
            .none, url: String(repeating: "b\n", count: 900), method: "PROMPT", rule: "PROMPT *", hasArguments: true),
    ]

    @Test(arguments: sizes, hostile)
    func `no request makes more rows than the screen has, or wider ones, or one that begins as ours do`(
        size: (Int, Int), question: ServeQuestion
    ) {
        let lines = Self.lines(question, size.0, size.1)
        #expect(lines.count < size.1, "the answer has a row, too: \(lines)")
        #expect(lines.allSatisfy { TextWidth.of($0) < size.0 }, "\(lines)")
        let ours = [
            "blog: ", "DELETE", "AAAA", "y: once.", "  DELETE", "  AAAA", "  Rule: ", "  It may ", "  Body, ",
            "  No body.", "TOOL", "  TOOL", "PROMPT", "  PROMPT", "  Arguments: ", "  No arguments.", "  Not shown: ",
            "    | ",
        ]
        for line in lines where !line.isEmpty && !line.hasPrefix("      ") {
            #expect(ours.contains { line.hasPrefix($0) }, "\(line)")
        }
    }

    /// The question about a call of a tool.
    private static func call(_ params: String, _ client: String) throws -> ServeQuestion {
        let call = try MCPMessage(Array(#"{"id":1,"method":"tools/call","params":\#(params)}"#.utf8))
        let acts = try #require(call.acts(withTasks: []))
        return call.question("1", of: client, acts, try ServeRule("TOOL send"), isCovered: true)
    }

    @Test func `a call stands above its arguments and below them, and what has no room is counted`() throws {
        let params = #"{"_meta":{"progressToken":1},"name":"send","arguments":{"to":"ann","lines":[1,2]}}"#
        let call = try Self.call(params, "Claude Code")
        #expect(
            Self.lines(call, 80, 24) == [
                "", "blog: \"Claude Code\" (process 4711 of authctl) asks to send", "  TOOL \"send\"",
                "  Rule: TOOL send",
                "  Arguments: {", "        \"to\": \"ann\",", "        \"lines\": [", "          1,", "          2",
                "        ]", "      }", "TOOL \"send\"",
                "y: once. a: always for this rule, until the command ends. n or Return: no.",
            ])
        let small = Self.lines(call, 40, 10)
        #expect(small.contains("  Not shown: 4 lines of arguments."), "\(small)")
    }

    @Test func `nothing in a client's name looks like the words around it, or takes their room`() throws {
        let params = #"{"name":"send","arguments":{}}"#
        let quote = Self.lines(try Self.call(params, "a\u{201D} asks to send TOOL \u{201C}get"), 80, 24)
        #expect(
            quote.joined(separator: " ").contains("\"a\\u{201D} asks to send TOOL \\u{201C}get\" (process 4711"),
            "\(quote)")
        let wide = Self.lines(try Self.call(params, String(repeating: "\u{5B57}", count: 64)), 60, 24)
        #expect(wide.joined().contains("authctl) asks to send"), "\(wide)")
    }

    @Test func `no text of an argument can be taken for another argument, or for its end`() {
        let spoof =
            "{\n  \"command\": \"rm -rf / #\u{2BA}," + String(repeating: " ", count: 60)
            + "\u{2BA}dry_run\u{2BA}: true\"\n}"
        func call(_ text: String, of length: Int64?) -> ServeQuestion {
            Self.question(.text(text, of: length), url: "run", method: "TOOL", rule: "TOOL *", hasArguments: true)
        }
        let lines = Self.lines(call(spoof, of: Int64(spoof.utf8.count)), 80, 24)
        #expect(lines.contains { $0.hasPrefix("    | ") } && !lines.joined().contains("#\u{2BA},"), "\(lines)")
        let long = "{\n  \"a\": \"" + String(repeating: "b", count: 3000) + " all done"
        let cut = Self.lines(call(long, of: nil), 80, 24)
        #expect(!cut.joined().contains("all done") && cut.contains("  Not shown: the rest of arguments."), "\(cut)")
    }

    @Test func `the request stands below its body once more`() {
        let lines = Self.lines(Self.question(.text("a", of: 1)), 80, 24)
        #expect(
            lines == [
                "", "blog: \"agent\" (process 4711 of authctl) asks to send",
                "  DELETE \"https://blog.example/issues/7\"", "  Rule: DELETE /issues/*", "  Body, 1 byte: \"a\"",
                "DELETE \"https://blog.example/issues/7\"",
                "y: once. a: always for this rule, until the command ends. n or Return: no.",
            ])
    }

    @Test func `a rule that does not name the request is shown as one that is like it`() {
        let lines = Self.lines(Self.question(.none, url: "https://blog.example/issues/7/", isCovered: false), 40, 10)
        #expect(lines.contains("  Like rule: DELETE /issues/*"), "\(lines)")
    }

    @Test(
        arguments: [
            ("abc", 3, "Body, 3 bytes: \"abc\""), ("abc", 9431, "Body, first 3 of 9,431 bytes: \"abc\""),
            ("abc", nil, "Body, first 3 bytes, and more: \"abc\""),
            ("a\"\\b\n", 5, #"Body, 5 bytes: "a\"\\b\u{A}""#),
            ("ä", 1_234_567, "Body, first 2 of 1,234,567 bytes: \"ä\""),
        ] as [(String, Int64?, String)])
    func `a body is quoted, and it is said how much of it is shown`(text: String, length: Int64?, shown: String) {
        #expect(Self.lines(Self.question(.text(text, of: length)), 80, 24).contains("  " + shown))
    }

    @Test(arguments: ["TOOL", "PROMPT", "RESOURCE"])
    func `a body is shown as a body, whatever the method of its request is called`(method: String) {
        let lines = Self.lines(Self.question(.text("{\n\"a\":1\n}", of: 9431), method: method), 80, 24)
        #expect(lines.contains(#"  Body, first 9 of 9,431 bytes: "{\u{A}\"a\":1\u{A}}""#), "\(lines)")
        #expect(Self.lines(Self.question(.none, method: method), 80, 24).contains("  No body."))
    }

    @Test(arguments: sizes.prefix(5)) func `what has no room is counted`(columns: Int, rows: Int) throws {
        let text = String(repeating: "\u{1}", count: 512)
        let lines = Self.lines(Self.question(.text(text, of: 9431)), columns, rows)
        let shown = lines.map { $0.drop { $0 == " " } }.joined()
        let count = shown.ranges(of: "\\u{1}").count
        #expect(shown.replacing(" ", with: "").contains("first\(count)of9,431bytes"), "\(shown)")
        #expect(count < 512 || rows > 50)
    }

    @Test func `of a long URL the beginning, the end and the length are shown`() {
        for (columns, rows) in Self.sizes.prefix(5) {
            let lines = Self.lines(Self.question(.none, url: Self.longURL), columns, rows)
            let shown = lines.map { $0.drop { $0 == " " } }.joined()
            #expect(shown.contains("DELETE \"https:"), "\(shown)")
            #expect(shown.replacing(" ", with: "").contains("yes\\\"\"(6,037bytes)"), "\(shown)")
        }
        let wide = Self.lines(Self.question(.none, url: Self.longURL), 80, 24)
        #expect(wide.suffix(3)[wide.count - 3].hasPrefix("DELETE \"https://blog.example/a/a/"), "\(wide)")
    }

    @Test(arguments: sizes.prefix(6)) func `of a long method the length is shown`(columns: Int, rows: Int) {
        let question = Self.question(.none, method: "DELETE" + String(repeating: "X", count: 1000))
        let shown = Self.lines(question, columns, rows).map { $0.replacing(" ", with: "") }.joined()
        #expect(shown.contains(/DELETE(X{10})?…\(1,006bytes\)"https:/), "\(shown)")
    }

    @Test func `what else a request may do is shown, or counted`() {
        let lines = Self.lines(Self.question(.none, further: ["PUT /a", "PATCH /a", "MOVE /a"]), 80, 24)
        #expect(["PUT", "PATCH", "MOVE"].allSatisfy { lines.contains("  It may also do: \"\($0) /a\"") }, "\(lines)")
        let many = Self.lines(Self.question(.none, further: (1...20).map { "M\($0) /a" }), 40, 10)
        #expect(many.contains("  It may also do: \"M1 /a\""), "\(many)")
        #expect(many.contains { $0.hasPrefix("  It may also do 19 other things") }, "\(many)")
    }

    @Test func `of a WebSocket nothing is shown that goes through it, and that is said`() {
        let lines = Self.lines(Self.question(.none, method: "WEBSOCKET"), 80, 24)
        #expect(lines.contains("  What goes through the WebSocket later is not shown."))
    }

    @Test func `a terminal that knows ASCII alone gets nothing else`() {
        let screen = ApprovalScreen(columns: 80, rows: 24, isUnicode: false)
        let question = Self.question(.text("ä", of: 2), url: Self.longURL, rule: "GET /ä")
        #expect(screen.lines(of: question, profile: "blog", pid: 1).joined().utf8.allSatisfy { $0 < 0x7F })
    }
}
