import Foundation
@testable import LoginTestSupport
import Testing

/// The binary against a real httpd with HTTP Basic.
@Suite(.onOwnThreads, RealServer.require("apache2"), RealServer.require("htpasswd")) struct `At a real httpd` {
    static let accounts = [
        ("ann", "correct horse"), ("bob", "pä:ss%wörd&+\"\\ünïcode"), ("zoë müller@wire", "  blank ends "),
        ("a", ":::"),
    ]

    let authctl: Installation

    init() throws {
        authctl = try Installation()
    }

    private func logIn(
        _ url: String, _ user: String, _ password: String, _ more: String...
    ) throws -> CommandResult {
        try authctl.run(["login", url, "-u", user, "--password-stdin"] + more, input: password)
    }

    @Test func `right passwords of every kind are let in, and are sent only after the challenge`() throws {
        let httpd = try HttpdServer(accounts: Self.accounts)
        defer { httpd.stop() }
        for (user, password) in Self.accounts {
            let before = try httpd.accesses().count
            let login = try logIn(httpd.whoami, user, password)
            #expect(login.code == 0, "\(user): \(login.error)")
            let seen = try httpd.accesses(expecting: before + 3).dropFirst(before)
            #expect(seen.first?.scheme == nil)
            #expect(seen.last?.scheme == "Basic")
            #expect(seen.last?.status == 200)
            #expect(try authctl.run("whoami").output == user + "\n")
            #expect(try authctl.run("logout").code == 0)
        }
    }

    @Test func `wrong passwords are refused: one attempt each, nothing stored`() throws {
        let httpd = try HttpdServer(accounts: Self.accounts)
        defer { httpd.stop() }
        for (user, password) in [
            ("ann", "Correct horse"), ("bob", "pä"), ("nobody", "correct horse"), ("ann", "correct horse "),
        ] {
            let login = try logIn(httpd.whoami, user, password)
            #expect(login.code == 3)
            #expect(login.error.contains("refused"))
        }
        let seen = try httpd.accesses(expecting: 12)
        #expect(seen.filter { $0.scheme != nil }.count == 4)
        #expect(try authctl.keptSecrets().isEmpty)
        #expect(try authctl.run("profile", "list", "--json").json as? [String] == [])
    }

    @Test func `a user name with a colon never reaches it`() throws {
        let httpd = try HttpdServer(accounts: Self.accounts)
        defer { httpd.stop() }
        #expect(try logIn(httpd.whoami, "ann:correct", "horse").code == 2)
        #expect(try logIn(httpd.whoami.replacing("//", with: "//a%3Ab@"), "ann:x", "horse").code == 2)
        let typed = try authctl.onTerminal("login", httpd.whoami, "--max-attempts", "1")
        try typed.answer("User name: ", "ann:correct\r")
        #expect(try typed.end() == .exited(2), "\(typed.pty.text)")
        // What a person types comes after the challenge, and goes nowhere.
        #expect(try httpd.accesses(expecting: 2).allSatisfy { $0.scheme == nil && $0.user == nil })
        #expect(try httpd.accesses().count == 2)
    }

    static let realms = [
        "\u{1B}]0;owned\u{7}\u{1B}[31m %s \\x \u{8}realm", "a \"quoted\" \\ realm \u{202E}\u{9B}31m\u{200B}",
        "\u{1B}[2J\u{7F}",
    ]

    @Test(arguments: realms) func `a realm full of escape sequences is shown harmlessly`(realm: String) throws {
        let httpd = try HttpdServer(realm: realm, accounts: Self.accounts)
        defer { httpd.stop() }
        let run = try authctl.onTerminal("login", httpd.rawRealm, "--verbose", "--max-attempts", "1", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        #expect(try run.end() == .exited(3), "\(run.pty.text)")
        expectHarmless(run)
        // Where a value with quotes of its own ends cannot be told.
        #expect(run.pty.text.contains("Realm: \"") != realm.contains("\""))
    }

    @Test func `a realm full of escapes that httpd itself sends is escaped, too`() throws {
        let httpd = try HttpdServer(realm: Self.realms[1], accounts: Self.accounts)
        defer { httpd.stop() }
        let run = try authctl.onTerminal("login", httpd.whoami, "--verbose", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        expectHarmless(run)
    }

    /// Nothing that a server made controls the terminal: no control character but ours, no C1, no bidi.
    private func expectHarmless(_ run: TerminalRun) {
        let ours: Set<Unicode.Scalar> = ["\r", "\n", "\u{8}"]
        // Ours: clear to the end of the line, tell pasted text from keys, bold, and a mark in its colour. A colour alone is none.
        let sequences = ["[K", "[?2004h", "[?2004l", "[31m✗ ", "[32m✓ ", "[1m", "[0m"]
        let text = sequences.reduce(run.pty.text) { $0.replacing("\u{1B}\($1)", with: "") }
        let bad = text.unicodeScalars.filter {
            ($0.value < 32 && !ours.contains($0)) || (0x7F...0x9F).contains($0.value)
                || (0x200B...0x200F).contains($0.value) || (0x202A...0x202E).contains($0.value)
        }
        #expect(bad.isEmpty, "\(run.pty.text.debugDescription)")
    }

    @Test func `httpd's logs hold no secret`() throws {
        let httpd = try HttpdServer(accounts: Self.accounts)
        defer { httpd.stop() }
        for (user, password) in Self.accounts { _ = try logIn(httpd.whoami, user, password, "--verbose") }
        try LeakSweep(secrets: [], pairs: Self.accounts.dropLast().map { ($0, $1) }).expectClean(["logs": httpd.logs])
    }

    @Test func `no credential is sent before it was asked for, and later at once`() throws {
        let httpd = try HttpdServer(accounts: Self.accounts)
        defer { httpd.stop() }
        #expect(try logIn(httpd.whoami, "ann", "correct horse").code == 0)
        let before = try httpd.accesses(expecting: 3).count
        #expect(try authctl.run("whoami").code == 0)
        let seen = try httpd.accesses(expecting: before + 1).dropFirst(before)
        #expect(seen.map(\.status) == [200])
    }

    @Test func `a page that names nobody any more leaves a stored password usable`() throws {
        let httpd = try HttpdServer(accounts: Self.accounts)
        defer { httpd.stop() }
        let authctl = try Installation(
            config: """
                [profiles.site]
                url    = "\(httpd.origin)"
                verify = { get = "/private/whoami.json", username = "/user" }

                """)
        try authctl.logIn("site")
        try httpd.forgetNames()
        for _ in 0..<2 {
            let whoami = try authctl.run("whoami", "site")
            #expect(whoami.code == 4 && whoami.output.isEmpty, "\(whoami.output)\(whoami.error)")
            #expect(whoami.error.contains("no user name at \"/user\""), "\(whoami.error)")
        }
        #expect(try authctl.run("request", "-P", "site", httpd.whoami).code == 0)
        #expect(try httpd.accesses(expecting: 1).filter { $0.user == "ann" }.allSatisfy { $0.status == 200 })
    }
}
