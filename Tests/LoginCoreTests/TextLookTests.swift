@testable import LoginKit
import Testing

/// How sentences look on a terminal, and in a pipe.
struct TextLookTests {
    private func look(_ columns: Int? = 80, colors: Bool = true, unicode: Bool = true) -> TextLook {
        TextLook(columns: columns, hasColors: colors, isUnicode: unicode, isSeen: true)
    }

    private let text: StyledText = "\(isGood: true)Logged in to \("wire", .bold) as \("ann", .bold)."

    @Test func `a message in a pipe is its words alone`() {
        #expect(TextLook.plain.text(text) == "Logged in to wire as ann.")
        #expect(TextLook.plain.text("   \(isGood: false, instead: "= ")refused") == "   = refused")
    }

    @Test func `a message on a terminal has a mark, and colours where the terminal has them`() {
        #expect(
            look().text(text) == "\u{1B}[32m✓ \u{1B}[0mLogged in to \u{1B}[1mwire\u{1B}[0m as \u{1B}[1mann\u{1B}[0m.")
        #expect(look(colors: false).text(text) == "✓ Logged in to wire as ann.")
        #expect(look(colors: false, unicode: false).text(text) == "[ok] Logged in to wire as ann.")
        #expect(look(colors: false, unicode: false).text("\(isGood: false)no") == "[failed] no")
    }

    @Test(arguments: [nil, 20, 80])
    func `what a text brings along is escaped in every style, before anything is painted`(columns: Int?) {
        let hostile = "\u{1B}[31mred\u{1B}]0;title\u{7}\u{9B}2J\u{202E}x\u{85}\r\u{8}"
        for style: StyledText.Style? in [nil, .bold, .good, .bad, .warning] {
            let written = look(columns).text("\(isGood: true)a \(hostile, style) b", wraps: columns != 80)
            let ours = ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[31m", "\u{1B}[32m", "\u{1B}[33m"]
            let rest = ours.reduce(written.replacing("\\u{1B}[31m", with: "")) { $0.replacing($1, with: "") }
            #expect(rest.unicodeScalars.allSatisfy { $0 == "\n" || SafeText.escape(for: $0) == nil }, "\(rest)")
            #expect(!look(columns, colors: false).text(StyledText(hostile)).unicodeScalars.contains("\u{1B}"))
        }
    }

    @Test func `an escape sequence in two pieces is none`() {
        let written = look(nil).text("\("\u{1B}", .bold)\("[31m", .bold)")
        #expect(written == "\u{1B}[1m\\u{1B}[31m\u{1B}[0m")
    }

    @Test func `sentences are broken at blanks, and go on below their beginning`() {
        let lines = look(20, colors: false).text("  one two three four five six")
        #expect(lines == "  one two three four\n  five six")
        #expect(look(12, colors: false).text("\(isGood: true)one two three") == "✓ one two\n  three")
        #expect(look(12, colors: false).text("東京東京 東京 x") == "東京東京\n東京 x")
        #expect(look(12, colors: false).text("one\n  two three four") == "one\n  two three\n  four")
    }

    @Test func `what fits stays as it is, and what is laid out is not touched`() {
        #expect(look(9, colors: false).text("one   two") == "one   two")
        #expect(look(5, colors: false).text("one   two", wraps: false) == "one   two")
    }

    @Test(arguments: [
        ("check it, then: authctl login wire -u ann", "check it, then:\n  authctl login wire -u ann"),
        (
            "to do so: authctl login a --device, or: authctl login a --no-browser",
            "to do so:\n  authctl login a --device\nor:\n  authctl login a --no-browser"
        ),
        (
            "To log in: authctl login a -u NAME. To go: authctl logout 'a; b'",
            "To log in:\n  authctl login a -u NAME\nTo go:\n  authctl logout 'a; b'"
        ),
        ("not tested, see 'authctl store test'", "not tested, see\n'authctl store test'"),
        ("not tested, see 'authctl store test x'", "not tested, see\n'authctl store test\nx'"),
        ("see authctl and what it does to you", "see authctl and what\nit does to you"),
    ])
    func `a command that may be copied is not broken`(text: String, lines: String) {
        #expect(look(20, colors: false).text(StyledText(text)) == lines)
    }

    @Test func `a URL is not broken, however narrow the terminal`() {
        let url = "https://wiki.example/a/long/path?with=query"
        #expect(look(20, colors: false).text("go to \(url) now") == "go to\n\(url)\nnow")
    }

    @Test func `a broken line is painted as one that is not`() {
        #expect(look(8).text("\("one two three", .bold)") == "\u{1B}[1mone two\u{1B}[0m\n\u{1B}[1mthree\u{1B}[0m")
    }
}
