@testable import LoginKit
import Testing

/// Text in pieces, and how much room it takes.
struct StyledTextTests {
    private let look = TextLook(columns: nil, hasColors: true, isUnicode: true, isSeen: true)
    private let bare = TextLook(columns: nil, hasColors: false, isUnicode: true, isSeen: true)

    @Test(arguments: [
        ("", 0), ("abc", 3), ("äö", 2), ("e\u{301}", 1), ("東京", 4), ("ｶﾅ", 2), ("ＡＢ", 4), ("한", 2), ("\u{1100}", 2),
        ("😀", 2), ("👩‍👩‍👧", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("✓", 1), ("✗", 1), ("…", 1), ("\u{20000}", 2), ("🇩🇪", 2),
        ("○", 1),
        ("\u{115F}", 2), ("\u{1160}", 1), ("\u{303E}", 2), ("\u{303F}", 1), ("\u{FF60}", 2), ("\u{FF61}", 1),
    ]) func `a character takes a column or two`(text: String, columns: Int) {
        #expect(TextWidth.of(text) == columns)
    }

    @Test func `what is escaped takes the room of its escape, and a mark that of its sign`() {
        #expect(look.width(of: "a\u{1B}b") == "a\\u{1B}b".count)
        #expect(look.width(of: "\(isGood: true)ok") == 4)
        #expect(TextLook.plain.width(of: "\(isGood: true, instead: "= ")ok") == 4)
        #expect(TextLook.plain.width(of: "\(mark: .absent)ok") == 2)
    }

    @Test func `bold is what did not stand out already`() {
        let text: StyledText = "a \("b", .good)\(isGood: false)"
        #expect(look.text(text.inBold) == "\u{1B}[1ma \u{1B}[0m\u{1B}[32mb\u{1B}[0m\u{1B}[31m✗ \u{1B}[0m")
        #expect(text.inBold.inBold == text.inBold && text.inBold != text)
    }

    @Test func `lines are joined by line ends, and none are nothing`() {
        let joined: StyledText = (["a", "\("b", .bold)", ""] as [StyledText]).joined()
        #expect(bare.text(joined) == "a\nb\n")
        #expect(([] as [StyledText]).joined() == "")
        #expect((["a"] as [StyledText]).joined() == "a")
    }

    @Test func `what is said behind another thing stays as it is`() {
        var text: StyledText = "a"
        text += "\("b", .bad)" + "c"
        #expect(look.text(text) == "a\u{1B}[31mb\u{1B}[0mc")
        #expect(look.text("\(3) of \(4.5)") == "3 of 4.5")
    }

    @Test func `wrapped text keeps its styles, and moves all lines but the first`() {
        let text: StyledText = "one \("two three", .bold) four"
        #expect(bare.text(text.wrapped(for: bare, columns: 9, below: 3), wraps: false) == "one two\n   three\n   four")
        #expect(
            look.text(text.wrapped(for: look, columns: 9, below: 0))
                == "one \u{1B}[1mtwo\u{1B}[0m\n\u{1B}[1mthree\u{1B}[0m\nfour")
        #expect(StyledText("").wrapped(for: bare, columns: 5, below: 2) == "")
    }

    @Test(arguments: [
        (StyledText.Mark.good, "✓ x", "[ok] x"), (.bad, "✗ x", "[failed] x"), (.warning, "! x", "[warning] x"),
        (.absent, "○ x", "[none] x"),
    ]) func `a mark is a sign or a word, and stands out but where nothing is there`(
        mark: StyledText.Mark, sign: String, word: String
    ) {
        let ascii = TextLook(columns: nil, hasColors: false, isUnicode: false, isSeen: true)
        #expect(bare.text("\(mark: mark)x") == sign && ascii.text("\(mark: mark)x") == word)
        #expect(look.text("\(mark: mark)x").hasPrefix("\u{1B}") == (mark != .absent))
        #expect(TextLook.plain.text("\(mark: mark, instead: "- ")x") == "- x")
    }

    @Test(arguments: [
        ("  a b c", 5, "  a b\n  c"), ("a  b   c", 4, "a b\nc"), ("abcdef gh", 4, "abcdef\ngh"), ("", 4, ""),
        ("    ", 2, ""),
        ("a\n\nb c d", 3, "a\n\nb c\nd"), ("then authctl login x, or not", 14, "then\n  authctl login x\nor not"),
        ("see: authctl login 'a, b", 12, "see:\n  authctl login 'a, b"),
    ]) func `lines break at blanks alone`(text: String, columns: Int, lines: String) {
        let look = TextLook(columns: columns, hasColors: false, isUnicode: true, isSeen: true)
        #expect(look.text(StyledText(text)) == lines)
    }
}

/// Facts that change what an error says to do next.
struct NextStepTests {
    private func next(_ error: LoginFault, _ topic: ErrorContext = ErrorContext()) -> String {
        error.message(about: topic).next
    }

    @Test(arguments: [
        ("libcurl.so.4: cannot open shared object file", "libcurl4"), ("libxml2.so.2: cannot open", "libxml2"),
        ("libssl.so.3: cannot open", "libssl3"), ("libcrypto.so.3: cannot open", "libssl3"),
    ]) func `a library is named with Debian's package of it`(problem: String, package: String) {
        #expect(next(.failure(.libraryMissing(problem))) == "install it (on Debian: apt install \(package))")
    }

    @Test(arguments: [
        "libssl.so.3: failed to map segment from shared object", "libssl.so.3: cannot map zero-fill pages",
        "libcurl.so.4: cannot allocate memory in static TLS block",
    ]) func `a library for which there is no memory is not to be installed`(problem: String) {
        #expect(next(.failure(.libraryMissing(problem))) == "allow authctl more memory: ulimit -d, ulimit -v")
    }

    @Test func `a line is styled without a colour where none is known`() {
        #expect(next(.failure(.libraryMissing("/opt/libcurl.so.4: cannot open"))) == "install it")
    }

    @Test(arguments: [
        ("--password-file", "--password-stdin"), ("AUTHCTL_PASSWORD_FILE", "--password-stdin"),
        ("--store", "store list"),
        ("AUTHCTL_STORE", "store list"), ("--ttl", ""), ("--stores", ""),
    ]) func `a value that is wrong has a remedy where there is one`(option: String, part: String) {
        let next = next(.usage(.badValue(option: option, problem: "is wrong")))
        #expect(part.isEmpty ? next.isEmpty : next.contains(part))
    }

    @Test func `a status that may be a refusal is told as one that the profile can name`() {
        let said = { (status: Int, step: String) in
            self.next(.failure(.unexpectedStatus(status, step: step, words: nil)))
        }
        #expect(said(404, "login").contains("check 'url' and the path of 'login'"))
        #expect(said(405, "verify").contains("the path of 'verify'"))
        #expect(said(422, "login").contains("refused = [422]") && said(422, "login").contains("forbidden = [422]"))
        #expect(said(302, "login").hasPrefix("try again later"))
    }

    @Test func `a method that is refused leads on by the URL where there is one, else by the profile`() {
        let error = LoginFault.untrusted(.weakerMethod(offered: ["Digest", "NTLM"], accepted: [.auto]))
        var topic = ErrorContext(profile: "wire")
        #expect(next(error, topic).contains("'method' in the profile"))
        topic.url = "https://wire.example/a b"
        #expect(next(error, topic).contains("authctl discover 'https://wire.example/a b'"))
        #expect(error.message(about: topic).what.contains("does not say how that login works"))
        let basic = LoginFault.untrusted(.weakerMethod(offered: ["NTLM"], accepted: [.basic]))
        #expect(
            basic.message(about: topic).what.contains("NTLM")
                && basic.message(about: topic).what.contains("and not basic"))
    }

    @Test func `a token that lives too short is the clock's fault, the profile's, or asked too much of`() {
        let clock = ClockDifference(seconds: 10_800)
        #expect(next(.failure(.tokenTooShortLived(seconds: 5, clock: clock))) == "set the clock, then log in again")
        #expect(next(.failure(.tokenTooShortLived(seconds: 5))).contains("--min-ttl"))
        #expect(next(.failure(.tokenTooShortLived(seconds: 0))).contains("'expires'"))
    }

    @Test func `a name that is none gets the near ones, quoted for a shell`() {
        let near = next(.usage(.unknownProfile(name: "wrie", near: ["wire", "a b"])))
        #expect(near == "did you mean wire or 'a b'?")
        #expect(next(.usage(.unknownProfile(name: "x", near: []))) == "see: authctl profile list")
    }
}
