@testable import LoginKit
import Testing

@Suite struct SafeTextTests {
    @Test func `plain text is quoted and otherwise left alone`() {
        #expect(SafeText.quoted("Staff área, Straße 5, 東京 😀") == "\"Staff área, Straße 5, 東京 😀\"")
    }

    @Test func `no control character survives, neither C0 nor DEL nor C1`() {
        for value in Array(UInt32(0)..<0x20) + Array(0x7F..<0xA0) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = SafeText.quoted("a\(scalar)b")
            #expect(shown == "\"a\\u{\(String(value, radix: 16, uppercase: true))}b\"")
        }
    }

    @Test func `raw C1 bytes are repaired, not passed on`() {
        let shown = SafeText.quoted(bytes: [0x41, 0x9B, 0x32, 0x4A, 0x80, 0x42])
        #expect(shown == "\"A\u{FFFD}2J\u{FFFD}B\"")
        #expect(!shown.utf8.elementsEqual([0x9B]))
    }

    @Test(arguments: [
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{FEFF}", "\u{2028}", "\u{2029}", "\u{AD}",
        "\u{61C}", "\u{2060}", "\u{3164}", "\u{E0041}", "\u{F8FF}", "\u{FFFE}",
    ])
    func `what turns or hides text is escaped`(text: String) {
        let shown = SafeText.quoted("a" + text + "b")
        #expect(shown.hasPrefix("\"a\\u{") && shown.hasSuffix("}b\""))
    }

    @Test func `a flood of combining marks is escaped, a language's own marks stay`() {
        let flood = SafeText.quoted("e" + String(repeating: "\u{301}", count: 6))
        #expect(flood == "\"e" + String(repeating: "\u{301}", count: 4) + "\\u{301}\\u{301}\"")
        #expect(SafeText.escaped("e\u{302}\u{301}") == "e\u{302}\u{301}")
    }

    @Test func `a mark cannot sit on our own quote`() {
        #expect(SafeText.quoted("\u{338}x") == "\"\\u{338}x\"")
        #expect(SafeText.escaped("\u{338}\u{338}x") == "\\u{338}\\u{338}x")
    }

    @Test func `a list of names is short, and each name is there once`() {
        #expect(SafeText.list(["a", "b", "a", "\u{1B}"]) == "a, b, \\u{1B}")
        #expect(SafeText.list((1...10).map { "s\($0)" }).hasSuffix("s9, s10"))
        let many = SafeText.list((1...1000).map { "s\($0)" + String(repeating: "x", count: 100) })
        #expect(many.hasSuffix(", …") && many.count < 500)
    }

    @Test(arguments: [" ", "\u{A0}", "\u{2003}", "\u{3000}", "\u{2800}", "\u{1D159}"])
    func `of blanks in a row only the first stays, in what others say`(blank: String) {
        let escape = SafeText.quoted("\(blank)\(blank)").dropFirst(2).dropLast()
        #expect(escape.hasPrefix("\\u{"))
        #expect(
            SafeText.quoted("a\(blank)b c\(blank)\(blank)\(blank)d") == "\"a\(blank)b c\(blank)\(escape)\(escape)d\"")
        #expect(SafeText.line("a  b") == "a \\u{20}b")
        #expect(SafeText.escaped("a  b") == "a  b")
    }

    @Test func `a name is short, and cannot push what follows to a line of its own`() {
        let padded = "ann" + String(repeating: "\u{2800}", count: 40) + "Password for root:"
        #expect(
            SafeText.name(padded).hasPrefix("ann\u{2800}\\u{2800}\\u{2800}") && SafeText.name(padded).hasSuffix("…"))
        #expect(SafeText.name(padded).count <= 65 && !SafeText.name(padded).contains("root"))
        #expect(SafeText.name("Ann de Vries 東京") == "Ann de Vries 東京")
    }

    @Test func `a URL that cannot be read shows in ASCII alone`() {
        #expect(SafeText.quoted(url: "https://g\u{43E}o\"gle") == #""https://g\u{43E}o\"gle""#)
    }

    @Test func `of lines that are ours, what would control a terminal is escaped all the same`() {
        #expect(SafeText.lines("a\n\tb\u{1B}[2J\u{9B}\u{202E}\r") == "a\n\tb\\u{1B}[2J\\u{9B}\\u{202E}\\u{D}")
    }

    @Test func `a quote inside cannot end the quotation`() {
        #expect(SafeText.quoted(#"" and now \ mine"#) == #""\" and now \\ mine""#)
    }

    @Test func `long text is cut, and the cut is seen`() {
        #expect(SafeText.quoted(String(repeating: "a", count: 11), limit: 10) == "\"aaaaaaaaaa…\"")
        #expect(SafeText.quoted(String(repeating: "a", count: 10), limit: 10) == "\"aaaaaaaaaa\"")
        #expect(SafeText.quoted("aaaaaaaa\u{1B}", limit: 10) == "\"aaaaaaaa…\"")
    }
}
