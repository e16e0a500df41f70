import Foundation
@testable import LoginTestSupport
import Testing

/// The binary against a real httpd with Digest (mod_auth_digest).
@Suite(.onOwnThreads, RealServer.require("apache2"), RealServer.require("openssl")) struct `At a real httpd with Digest`
{
    static let accounts = [
        ("ann", "correct horse"), ("zoë müller@wire", "pä:ss%wörd&+\"\\ünïcode"), ("quo\"te\\", "  blank ends "),
    ]
    /// Without quotes: mod_auth_digest then expects what no client sends.
    static let realm = "the real httpd, ünïcode"

    let httpd: HttpdSite
    let authctl: Installation

    init() throws {
        httpd = try HttpdSite(
            modules: ["auth_digest", "auth_basic"], pages: ["private", "short", "bob", "mixed"],
            prepare: { try Self.writePasswords($0) },
            configuration: { folder in
                [("private", "valid-user", 300), ("short", "valid-user", 2), ("bob", "user bob", 300)].map {
                    """
                    <Location "/\($0)">
                        AuthType Digest
                        AuthName "\(Self.realm)"
                        AuthDigestProvider file
                        AuthUserFile "\(folder)/digests"
                        AuthDigestNonceLifetime \($2)
                        Require \($1)
                    </Location>

                    """
                }.joined()
            })
        authctl = try Installation()
    }

    /// As htdigest(1) does, which reads from a terminal alone: the hashes by openssl, not by ours.
    private static func writePasswords(_ folder: URL) throws {
        let lines = try accounts.map { user, password in
            let run = try Command.tool(
                "openssl", ["dgst", "-md5", "-r"], input: Array("\(user):\(realm):\(password)".utf8))
            return "\(user):\(realm):\(run.output.prefix(32))\n"
        }
        let file = folder.appendingPathComponent("digests")
        try Data(lines.joined().utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }

    private func logIn(
        _ page: String, _ user: String = "ann", _ password: String = "correct horse", _ more: String...
    ) throws -> CommandResult {
        try authctl.run(["login", httpd.whoami(page), "-u", user, "--password-stdin"] + more, input: password)
    }

    @Test func `right passwords of every kind are let in, and later commands too`() throws {
        for (user, password) in Self.accounts {
            let login = try logIn("private", user, password)
            #expect(login.code == 0, "\(user): \(login.error)")
            #expect(try authctl.run("whoami").output == user + "\n")
            #expect(try authctl.run("status").output.contains(" digest "))
            #expect(try authctl.run("logout").code == 0)
        }
        // Asked first by each command, and answered once.
        let told = httpd.requests(expecting: 3).filter { $0.contains(" Digest ") }
        #expect(!told.isEmpty && told.allSatisfy { $0.hasSuffix(" 200") })
    }

    @Test func `the first request has no credential, and a wrong password is one attempt and stores nothing`()
        throws
    {
        for (user, password) in [("ann", "Correct horse"), ("ann", "correct horse "), ("nobody", "correct horse")] {
            let before = httpd.requests().count
            let login = try logIn("private", user, password)
            #expect(login.code == 3, "\(login.error)")
            let seen = httpd.requests(expecting: before + 3).dropFirst(before)
            #expect(seen.filter { $0.contains(" Digest ") }.count == 1)
            #expect(seen.first?.hasPrefix("- - GET") == true)
        }
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test func `an account without rights is told with both readings, since httpd answers it alike`() throws {
        let login = try logIn("bob")
        #expect(login.code == 3)
        #expect(login.error.contains("or the account is blocked"))
    }

    @Test func `a nonce of two seconds goes stale between commands, and within one`() throws {
        #expect(try logIn("short").code == 0)
        for _ in 0..<2 {
            usleep(2_300_000)
            let before = httpd.requests().count
            #expect(try authctl.run("whoami").output == "ann\n")
            #expect(httpd.requests(expecting: before + 2).count - before == 2)
        }
        let slow = try authctl.onTerminal("login", httpd.whoami("short"), "--force", "-u", "ann")
        try slow.pty.wait(for: "Password for ann: ")
        usleep(2_300_000)
        slow.pty.type("correct horse\r")
        #expect(try slow.end() == .exited(0), "\(slow.pty.text)")
        // Not a failed attempt: it is the same question, answered again with the new nonce.
        #expect(!slow.pty.text.contains("refused"))
    }

    @Test func `a nonce that went stale while a person typed a wrong password is one refusal`() throws {
        let slow = try authctl.onTerminal("login", httpd.whoami("short"), "-u", "ann", "--max-attempts", "2")
        try slow.pty.wait(for: "Password for ann: ")
        usleep(2_300_000)
        slow.pty.type("wrong\r")
        try slow.answer("Attempt 2 of 2", "correct horse\r")
        #expect(try slow.end() == .exited(0), "\(slow.pty.text)")
    }

    @Test func `a profile for Digest never sends Basic, and one for Basic never Digest`() throws {
        let basic = try HttpdServer(accounts: [("ann", "correct horse")])
        defer { basic.stop() }
        let profiles = """
            [profiles.digest]
            url = "\(basic.origin)"
            method = "digest"
            verify = { get = "/private/whoami.json" }
            [profiles.basic]
            url = "\(httpd.origin)"
            method = "basic"
            verify = { get = "/private/whoami.json" }
            """
        let authctl = try Installation(config: profiles)
        for (name, offered) in [("digest", "basic"), ("basic", "digest")] {
            let login = try authctl.run("login", name, "-u", "ann", "--password-stdin", input: "correct horse")
            #expect(login.code == 7)
            #expect(login.error.contains(offered))
        }
        #expect(try basic.accesses(expecting: 1).allSatisfy { $0.scheme == nil })
        #expect(httpd.requests(expecting: 1).allSatisfy { $0.hasPrefix("- - ") })
    }

    @Test func `token has neither a token nor a header of Digest, says why, and has the login for curl`() throws {
        #expect(try logIn("private").code == 0)
        for arguments in [["token"], ["token", "--header"], ["token", "--json"]] {
            let token = try authctl.run(arguments)
            #expect(token.code == 2)
            #expect(token.error.contains("one request only"))
            #expect(!(token.output + token.error).contains("correct horse"))
        }
        let config = try authctl.run("token", "--as", "curl")
        let arguments = ["-q", "-sS", "-K", "-", httpd.whoami("private")]
        let curl = try Command.tool("curl", arguments, input: Array(config.output.utf8))
        #expect(curl.output.contains("ann"), "\(config.error)\(curl.error)")
    }

    @Test func `neither its logs nor our talk hold a secret`() throws {
        var talk = ""
        for (user, password) in Self.accounts { talk += try logIn("private", user, password, "-v").error }
        try LeakSweep(secrets: [], pairs: Self.accounts.map { ($0, $1) }).expectClean([
            "logs": httpd.logs, "talk": talk,
        ])
        #expect(!talk.contains("response="))
    }
}
