import Foundation
@testable import LoginTestSupport
import Testing

/// What is said before and around the questions.
@Suite(.onOwnThreads) struct DialogueTests {
    @Test func `the profile and the origin come first, then the server's words`() throws {
        let probe = try Probe("--realm", "Staff")
        try probe.pty.wait(for: "User name: ")
        probe.pty.type("\u{04}")
        try probe.finish()
        let lines = probe.screen().lines.filter { !$0.isEmpty }
        #expect(lines.prefix(2) == ["Log in to blog (https://blog.example) (Ctrl-C cancels)", "Realm: \"Staff\""])
    }

    @Test func `where SIGINT is ignored, the question names the key that cancels then`() throws {
        let probe = try Probe(ignoring: [SIGINT])
        try probe.pty.wait(for: "(Ctrl-D cancels)")
        try probe.pty.wait(for: "User name: ")
        probe.pty.type("\u{04}")
        try probe.finish()
        #expect(try probe.answer == ["cancelled"] && !probe.pty.text.contains("Ctrl-C"))
    }

    @Test func `a user name with a colon is refused before the password is asked for`() throws {
        let probe = try Probe()
        try probe.pty.wait(for: "User name: ")
        probe.pty.type("ann:x\r")
        try probe.finish(.exited(2))
        #expect(!probe.pty.text.contains("Password"))
    }

    @Test func `after a refusal only what is new is said: our words, then the server's`() throws {
        let probe = try Probe("--refused", "1", "--words", "Bad \"login\"", "--realm", "Staff", "--proposed", "ann")
        try probe.pty.wait(for: "to change the name): ")
        probe.pty.type("pw\r")
        try probe.finish()
        #expect(
            probe.screen().lines.filter { !$0.isEmpty } == [
                "✗ Wrong user name or password. Attempt 2 of 3.",
                "The server says: \"Bad \\\"login\\\"\"",
                "Password for ann (leave empty to change the name): **",
            ])
    }

    @Test(arguments: ["realm", "words"], [80, 60] as [UInt16])
    func `text of the server draws no line of its own, however it is padded`(what: String, columns: UInt16) throws {
        for blank in [" ", "\u{A0}", "x"] {
            let hostile = "Staff" + String(repeating: blank, count: 60) + "Password for https://bank.example: "
            let reason = what == "words" ? ["--refused", "1"] : []
            let probe = try Probe(
                arguments: ["--fields", "password", "--\(what)", hostile] + reason, columns: columns)
            try probe.pty.wait(for: "Password: ")
            probe.pty.watch(milliseconds: 50)
            let lines = probe.screen(columns: Int(columns)).lines
            #expect(lines.count == 3 && !lines.contains { $0.hasPrefix("Password for") }, "\(lines)")
            #expect(lines[1].contains("…") && lines[1].contains("Staff") && lines[1].count < columns)
            probe.pty.type("x\r")
            try probe.finish()
        }
    }

    @Test func `the notice is ASCII where the locale is`() throws {
        for (variables, dots) in [
            (["LC_ALL": "C"], "..."), (["LC_ALL": "", "LANG": "en_GB.utf8"], "…"),
            (["LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "de_DE.UTF-8"], "..."), (["LC_ALL": ""], "..."),
        ] {
            let probe = try Probe("--waiting", "Authenticating, please wait…", environment: variables)
            try probe.pty.wait(for: "please wait\(dots)")
            try probe.tell("over")
            try probe.finish()
        }
    }

    @Test func `Ctrl-C in the notice takes it away`() throws {
        let probe = try Probe("--waiting", "Authenticating, please wait…")
        try probe.pty.wait(for: "wait…")
        probe.pty.type("\u{3}")
        try probe.finish(.signalled(SIGINT))
        #expect(probe.screen().lines == [""])
    }

    @Test func `both readings are named where a refusal may mean forbidden`() throws {
        let probe = try Probe("--refused", "1", "--forbidden")
        try probe.pty.wait(for: "or a blocked account. Attempt 2 of 3.")
        probe.pty.type("\u{04}")
        try probe.finish()
    }

    @Test func `a blank answer is told and nothing was sent`() throws {
        let probe = try Probe("--fields", "password", "--left-blank", "password")
        try probe.pty.wait(for: "The password was left blank; nothing was sent.")
        probe.pty.type("\r")
        try probe.finish()
        #expect(try probe.answer == ["blank password"])
        let allowed = try Probe("--fields", "password", "--blank")
        try allowed.pty.wait(for: "Password: ")
        allowed.pty.type("\r")
        try allowed.finish()
        #expect(try allowed.answer == ["username -", "secret "])
    }

    @Test func `a pasted token is a secret`() throws {
        let probe = try Probe("--fields", "token")
        try probe.pty.wait(for: "Token: ")
        probe.pty.type(Probe.canary + "\r")
        try probe.finish()
        #expect(try probe.answer == ["username -", "secret " + Probe.hex(Probe.canary)])
    }

    @Test(arguments: [
        "\u{1B}]0;evil\u{07}", "\u{1B}[2J", "\u{1B}P1$r\u{1B}\\", "\u{9B}31m", "\u{7F}\u{7F}", "a\rb", "a\u{8}b",
        "a\nb",
        "\u{202E}gro.evil", "\u{2066}x", "a\u{200B}b", "\u{FEFF}", "\u{2028}",
        "e" + String(repeating: "\u{301}", count: 300),
    ])
    func `the server's words cannot control the terminal`(words: String) throws {
        let probe = try Probe("--fields", "password", "--refused", "1", "--words", words, "--realm", words)
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("x\r")
        try probe.finish()
        // Ours: the new line after each line, and the clearing of the first.
        let ours = ["\r\u{1B}[K", "\r\n", "\u{1B}[?2004h", "\u{1B}[?2004l"]
        let theirs = ours.reduce(probe.pty.text) { $0.replacing($1, with: "") }
        #expect(theirs.unicodeScalars.allSatisfy { !$0.properties.isDefaultIgnorableCodePoint && $0.value != 0x2028 })
        #expect(theirs.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
        #expect(theirs.unicodeScalars.count { $0 == "\u{301}" } <= 8)
    }

    @Test(arguments: ["xterm", "dumb"], [80, 20] as [UInt16])
    func `the waiting notice goes away without a trace`(terminal: String, columns: UInt16) throws {
        let probe = try Probe(
            "--waiting", "Authenticating, please wait…", columns: columns, environment: ["TERM": terminal])
        try probe.pty.wait(for: "Authent")
        probe.pty.watch(milliseconds: 100)
        #expect(probe.screen(columns: Int(columns)).lines.count == 1)
        try probe.tell("over")
        try probe.finish()
        #expect(probe.screen(columns: Int(columns)).lines == [""])
    }

    @Test(arguments: [("", "true"), ("y", "true"), ("maybe\ryes", "true"), ("n", "false")])
    func `Enter tries again, n does not, and anything else is asked once more`(typed: String, answer: String) throws {
        let probe = try Probe("--retry", "0")
        try probe.pty.wait(for: "Try again with the same password? [Y/n] ")
        probe.pty.type(typed + "\r")
        try probe.finish()
        #expect(try probe.answer == ["retry \(answer)"])
        #expect(
            probe.pty.text.contains("The server is busy or unavailable (status 503); your password was not checked."))
    }

    @Test func `nothing is tried before Retry-After, and Ctrl-D cancels`() throws {
        let probe = try Probe("--retry", "2")
        let begun = ContinuousClock.now
        try probe.pty.wait(for: "It asks to wait 2 seconds before the next try.")
        try probe.pty.wait(for: "Try again with the same password? [Y/n] ")
        probe.pty.type("\r")
        try probe.pty.wait(for: "Trying again in ")
        try probe.finish()
        #expect(ContinuousClock.now - begun >= .seconds(1))
        #expect(try probe.answer == ["retry true"])
        let cancelled = try Probe("--retry", "0")
        try cancelled.pty.wait(for: "[Y/n] ")
        cancelled.pty.type("\u{04}")
        try cancelled.finish(.exited(5))
    }

    @Test(arguments: [
        ("ended", "The server no longer accepts the stored session."),
        ("marked", "The server refused the stored password before; it was not sent again."),
        ("1700000000", "The stored session expired on 2023-11-14 at 22:13."),
    ])
    func `the reason of the question is said`(reason: String, words: String) throws {
        let probe = try Probe("--reason", reason, environment: ["TZ": "UTC"])
        try probe.pty.wait(for: words)
        probe.pty.type("\u{04}")
        try probe.finish()
    }

    @Test func `a new passphrase is typed twice, until both are the same`() throws {
        let probe = try Probe("--passphrase", "--confirm")
        for typed in ["one", "two", "three", "three"] {
            try probe.pty.wait(for: typed == "two" || typed == "three" ? ": " : "Passphrase: ")
            probe.pty.watch(milliseconds: 50)
            probe.pty.type(typed + "\r")
        }
        try probe.finish()
        #expect(probe.pty.text.contains("The passphrases do not match."))
        #expect(try probe.answer == ["passphrase " + Probe.hex("three")])
    }

    @Test func `a blank passphrase is refused, Ctrl-D cancels`() throws {
        let blank = try Probe("--passphrase")
        try blank.pty.wait(for: "Passphrase: ")
        blank.pty.type("\r")
        try blank.finish(.exited(8))
        let cancelled = try Probe("--passphrase")
        try cancelled.pty.wait(for: "Passphrase: ")
        cancelled.pty.type("\u{04}")
        try cancelled.finish()
        #expect(try cancelled.answer == ["passphrase -"])
    }

    @Test(arguments: [("yes", true), ("no", false), ("", false), ("YES!", false)])
    func `only the whole word is a yes`(typed: String, confirmed: Bool) throws {
        let probe = try Probe("--typing", "yes")
        try probe.pty.wait(for: "Type yes to continue: ")
        probe.pty.type(typed + "\r")
        try probe.finish()
        #expect(try probe.answer == ["confirmed \(confirmed)"])
    }

    @Test(arguments: [(["yes"], "decided true"), (["No"], "decided false"), (["", "y", "no"], "decided false")])
    func `yes and no are each a whole word, and Return is neither`(typed: [String], answer: String) throws {
        let probe = try Probe("--deciding", "Add it? yes/no: ")
        for word in typed {
            try probe.pty.wait(for: "Add it? yes/no: ")
            probe.pty.type(word + "\r")
        }
        try probe.finish()
        #expect(try probe.answer == [answer])
    }

    @Test func `three answers that are neither yes nor no cancel`() throws {
        let probe = try Probe("--deciding", "Add it? yes/no: ")
        for word in ["", "maybe", ""] {
            try probe.pty.wait(for: "Add it? yes/no: ")
            probe.pty.type(word + "\r")
        }
        try probe.finish(.exited(5))
        #expect(probe.pty.text.contains("Type the whole word yes or no"))
    }

    @Test(arguments: [
        (["y"], "decided true"), (["N"], "decided false"), (["details", "details", "details", "yes"], "decided true"),
    ])
    func `a question with details shows them as often as wanted, and takes a letter`(
        typed: [String], answer: String
    ) throws {
        let probe = try Probe("--deciding", "Log in? ", "--details", "what was found")
        for word in typed {
            try probe.pty.wait(for: "Log in? ")
            probe.pty.type(word + "\r")
        }
        try probe.finish()
        #expect(try probe.answer == [answer])
        #expect(probe.pty.text.contains("what was found") == (typed.count > 1), "\(probe.pty.text)")
    }

    @Test(arguments: [("yes", true), ("\r", false), ("y", false)])
    func `half of the word is asked about twice more`(typed: String, confirmed: Bool) throws {
        let probe = try Probe("--typing", "yes")
        for answer in ["y", "YES", typed] {
            try probe.pty.wait(for: "Type yes to continue: ")
            probe.pty.type(answer.trimmingCharacters(in: .newlines) + "\r")
        }
        try probe.finish()
        #expect(probe.pty.text.contains("Type the whole word yes, or press Return to cancel."))
        #expect(try probe.answer == ["confirmed \(confirmed)"])
    }
}
