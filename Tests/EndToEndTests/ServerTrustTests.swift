import Foundation
@testable import LoginTestSupport
import Testing

/// The binary against a real nginx whose certificates do not verify.
@Suite(.onOwnThreads, RealServer.require("nginx"), RealServer.require("openssl"))
struct `A server whose certificate does not verify` {
    let authctl: Installation
    let certificates: TestCertificates
    /// Self-signed, for this host and in its time.
    let own: CertificatePair

    init() throws {
        authctl = try Installation()
        certificates = try TestCertificates()
        own = try certificates.selfSigned()
    }

    private func nginx(_ pairs: CertificatePair...) throws -> NginxServer {
        try NginxServer(pairs, user: "ann", password: "correct horse")
    }

    private func logIn(_ url: String, _ more: String..., password: String = "correct horse") throws -> CommandResult {
        try authctl.run(["login", url, "-u", "ann", "--password-stdin"] + more, input: password)
    }

    private var trusted: [String] {
        get throws {
            let rows = try authctl.run("trust", "list", "--json").json as? [[String: Any]]
            return (rows ?? []).compactMap { $0["origin"] as? String }
        }
    }

    @Test
    func
        `a server with an accepted certificate is 6 when it is gone, and 7 with another fingerprint`()
        throws
    {
        let nginx = try nginx(own)
        defer { withExtendedLifetime(nginx) {} }
        let url = nginx.origin() + "/whoami.json", trust = "sha256:\(try own.fingerprint())"
        #expect(try logIn(url, "--trust-fingerprint", trust).code == 0)
        let other = "sha256:" + String(repeating: "ab", count: 32)
        #expect(try logIn(url, "--force", "--trust-fingerprint", other).code == 7)
        #expect(try authctl.run("whoami").code == 0)
        nginx.stop()
        let gone = try authctl.run("whoami")
        #expect(gone.code == 6, "\(gone.error)")
    }

    @Test(arguments: [429, 503])
    func `a server whose certificate does not verify that limits its requests is busy, whatever the password`(
        status: Int
    ) throws {
        let nginx = try NginxServer([own], user: "ann", password: "correct horse", limitStatus: status)
        let trust = ["--trust-fingerprint", "sha256:\(try own.fingerprint())"]
        for (password, code) in [("correct horse", 12), ("wrong battery", 12)] {
            let result = try authctl.run(
                ["login", nginx.origin() + "/limited.json", "-u", "ann", "--password-stdin"] + trust, input: password)
            #expect(result.code == Int32(code), "\(result.error)")
            #expect(result.error.contains("status \(status)"))
        }
        // The password of the first login came too late to be judged; nothing was kept.
        #expect(nginx.accesses(expecting: 4).map(\.status) == [401, 401, status, status])
        #expect(try authctl.run("profile", "list", "--json").json as? [String] == [])
    }

    @Test
    func
        `without a terminal a bad certificate is 7, with all reasons, fingerprint and remedies, and no HTTP`()
        throws
    {
        let expired = try certificates.selfSigned(period: ("20200101000000Z", "20200201000000Z"))
        let foreign = try certificates.selfSigned("DNS:other.example")
        let both = try certificates.selfSigned("IP:127.0.0.2", period: ("20440101000000Z", "20450101000000Z"))
        let nginx = try nginx(own, expired, foreign, both)
        let words = [
            ["self-signed"], ["self-signed", "has expired", "2020-01-01 to 2020-02-01"],
            ["self-signed", "another host"],
            ["self-signed", "another host", "not valid yet"],
        ]
        for (host, pair) in [own, expired, foreign, both].enumerated() {
            let fingerprint = "sha256:" + (try pair.fingerprint()).replacing(":", with: "").lowercased()
            for path in ["/whoami.json", "/to"] {
                let refused = try logIn(nginx.origin(host) + path)
                #expect(refused.code == 7)
                for word in words[host] { #expect(refused.error.contains(word), "\(word) in \(refused.error)") }
                #expect(refused.error.contains("CN = 127.0.0.1"))
                #expect(refused.error.contains("--trust-fingerprint \(fingerprint)"))
                #expect(refused.error.contains("--ca-file"))
            }
        }
        let json = try logIn(nginx.origin() + "/whoami.json", "--json")
        #expect(json.code == 7 && json.member("code") == "untrusted")
        #expect(json.member("message")?.contains("self-signed") == true)
        #expect(nginx.accesses().isEmpty)
        #expect(try authctl.run("profile", "list", "--json").json as? [String] == [])
    }

    @Test func `on a narrow terminal the question about a certificate is not broken in a word`() throws {
        let nginx = try nginx(own)
        let run = try authctl.onTerminal("login", nginx.origin() + "/whoami.json", columns: 40)
        try run.pty.wait(for: "Type reject, once, always or its")
        try run.pty.wait(for: "Trust it? [reject]: ")
        run.pty.type("\r")
        #expect(try run.end() == .exited(7), "\(run.pty.text)")
    }

    @Test(arguments: [("reject", 7), ("", 7), ("yes\ry\rALWAYS", 7), ("\u{04}", 5)] as [(String, Int32)])
    func `a no, a blank line or any other word trusts nothing, before a byte of HTTP`(typed: String, code: Int32)
        throws
    {
        let nginx = try nginx(own)
        for path in ["/whoami.json", "/to"] {
            let run = try authctl.onTerminal("login", nginx.origin() + path, columns: 100)
            try run.pty.wait(for: "Trust it? Type reject, once, always or its fingerprint [reject]: ")
            for line in typed.split(separator: "\r", omittingEmptySubsequences: false) {
                run.pty.watch(milliseconds: 30)
                run.pty.type(line == "\u{04}" ? "\u{04}" : line + "\r")
            }
            #expect(try run.end() == .exited(code), "\(run.pty.text)")
            #expect(!run.pty.text.contains("Password"))
            // B15: what was looked at is not told once more, nor how to trust it after all.
            #expect(run.pty.text.contains("Rejected; nothing was sent.") == (code == 7))
            #expect(run.pty.text.components(separatedBy: "CN = 127.0.0.1").count == 3)
            #expect(!run.pty.text.contains("--trust-fingerprint"))
        }
        #expect(nginx.accesses().isEmpty)
        #expect(try trusted.isEmpty)
    }

    @Test func `the question shows origin, reasons, names, dates and fingerprint, on narrow terminals too`() throws {
        let nginx = try nginx(try certificates.selfSigned("DNS:other.example"))
        for columns in [100, 40, 20] as [UInt16] {
            let run = try authctl.onTerminal("login", nginx.origin() + "/whoami.json", columns: columns)
            try run.pty.wait(for: "sent yet.")
            run.pty.watch(milliseconds: 100)
            #expect(nginx.accesses().isEmpty)
            run.pty.type("\u{04}")
            _ = try run.end()
            // A sentence goes on below its own beginning.
            let text = run.pty.text.replacing("\r\n  ", with: " ")
            if columns == 100 { #expect(text.contains("Hosts: other.example") && text.contains("sha256:")) }
            for word in [nginx.origin(), "self-signed", "another host", "CN = 127.0.0.1", "2025-01-01 to 2045-01-01"] {
                #expect(text.contains(word), "\(word)")
            }
            let widest = run.screen(Int(columns)).filter { $0.contains(":") && $0.hasPrefix("  ") }.map(\.count).max()
            #expect((widest ?? 0) <= Int(columns))
        }
    }

    @Test(arguments: [true, false]) func `the fingerprint is an answer, and another one is a no`(isRight: Bool) throws {
        let nginx = try nginx(own)
        let run = try authctl.onTerminal("login", nginx.origin() + "/whoami.json", columns: 120)
        let typed = isRight ? try own.fingerprint() : String(repeating: "ab", count: 32)
        try run.answer("[reject]: ", "\(typed)\r")
        if isRight { try run.answer("User name: ", "ann\r").answer("Password: ", "correct horse\r") }
        #expect(try run.end() == .exited(isRight ? 0 : 7), "\(run.pty.text)")
        #expect(run.pty.text.contains("That is not the fingerprint of this certificate.") == !isRight)
        #expect(try trusted == (isRight ? [nginx.origin()] : []))
        #expect(isRight || nginx.accesses().isEmpty)
    }

    @Test func `once is for this process, and asks for one decision over redirect and login`() throws {
        let nginx = try nginx(own)
        let run = try authctl.onTerminal("login", nginx.origin() + "/to")
        try run.answer("[reject]: ", "once\r").answer("User name: ", "ann\r").answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(run.pty.text.components(separatedBy: "Trust it?").count == 2)
        #expect(run.said.contains("trusted for this command only") && run.said.contains("type always"), "\(run.lines)")
        let served = nginx.accesses(expecting: 4)
        #expect(served.last?.user == "ann")
        #expect(try trusted.isEmpty)
        #expect(try authctl.run("whoami").code == 7)
        #expect(nginx.accesses() == served)
    }

    @Test func `always is remembered with the login, used by every command, and ended by trust remove alone`() throws {
        let nginx = try nginx(own)
        let run = try authctl.onTerminal("login", nginx.origin() + "/whoami.json")
        try run.answer("[reject]: ", "always\r").answer("User name: ", "ann\r").answer("Password: ", "wrong\r")
        try run.pty.wait(for: "Attempt 2")
        #expect(try trusted.isEmpty)
        try run.answer("Password for ann (leave empty to change the name): ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(try trusted == [nginx.origin()])
        #expect(try authctl.run("whoami").output == "ann\n")
        let status = try authctl.run("status")
        #expect(
            status.code == 0 && status.error.contains("does not verify (see: authctl trust list)"), "\(status.error)")
        let rows = try authctl.run("status", "--json").json as? [[String: Any]]
        #expect((rows?.first?["trusted"] as? String)?.hasPrefix("sha256:") == true)
        #expect(try authctl.run("token", "--header", "--verify").code == 0)
        #expect(try authctl.run("logout").code == 0)
        #expect(try trusted == [nginx.origin()])
        #expect(try logIn(nginx.origin() + "/whoami.json").code == 0)
        #expect(try authctl.run("trust", "remove", nginx.origin() + "/some/path").code == 0)
        #expect(try trusted.isEmpty)
        #expect(try authctl.run("trust", "remove", nginx.origin()).code == 2)
        #expect(try authctl.run("whoami").code == 7)
    }

    @Test func `a key that has changed is 7 for every command, says so, asks nothing and sends nothing`() throws {
        let nginx = try nginx(own)
        let url = nginx.origin() + "/whoami.json"
        #expect(try logIn(url, "--trust-fingerprint", "sha256:" + own.fingerprint()).code == 0)
        let served = nginx.accesses(expecting: 3)
        let other = try certificates.selfSigned()
        try nginx.present(other)
        for command in [["whoami"], ["status"], ["token", "--header", "--verify"], ["login", url]] {
            let run = try authctl.run(command)
            #expect(run.code == 7, "\(command)")
            guard command != ["status"] else { continue }
            #expect(run.error.contains("changed") && run.error.contains("authctl trust remove \(nginx.origin())"))
        }
        let named = try logIn(url, "--trust-fingerprint", "sha256:" + other.fingerprint())
        #expect(named.code == 7 && named.error.contains("changed"))
        let asked = try authctl.onTerminal("login", url, "--force", columns: 200)
        #expect(try asked.end() == .exited(7))
        #expect(!asked.pty.text.contains("Trust it?") && !asked.pty.text.contains("Password"))
        #expect(nginx.accesses() == served)
        #expect(try trusted == [nginx.origin()])
        // The old one is as good as before.
        try nginx.present(own)
        #expect(try authctl.run("whoami").code == 0)
        // The same key, but with another fault than was accepted.
        let profile = String(nginx.origin().dropFirst("https://".count))
        #expect(try authctl.run("trust", "remove", profile).code == 0)
        #expect(try trusted.isEmpty)
        try nginx.present(other)
        #expect(try logIn(url, "--force", "--trust-fingerprint", "sha256:" + other.fingerprint()).code == 0)
    }

    @Test func `a named fingerprint is read in every spelling, and another one is 7`() throws {
        let nginx = try nginx(own)
        let url = nginx.origin() + "/to", fingerprint = try own.fingerprint()
        let spellings = [
            "sha256:" + fingerprint, "SHA256:" + fingerprint.lowercased(),
            "sha256:" + fingerprint.replacing(":", with: ""),
        ]
        for spelling in spellings {
            #expect(try logIn(url, "--force", "--trust-fingerprint", spelling).code == 0, "\(spelling)")
            #expect(try trusted == [nginx.origin()])
            #expect(try authctl.run("trust", "remove", nginx.origin()).code == 0)
        }
        let served = nginx.accesses().count
        let other = try certificates.selfSigned().fingerprint()
        let refused = try logIn(url, "--force", "--trust-fingerprint", "sha256:" + other)
        #expect(refused.code == 7 && refused.error.contains("is not the one in --trust-fingerprint"))
        for bad in [fingerprint, "sha256:" + fingerprint.dropLast(3), "sha1:" + fingerprint] {
            #expect(try logIn(url, "--trust-fingerprint", bad).code == 2)
        }
        #expect(nginx.accesses().count == served)
        #expect(try trusted.isEmpty)
    }

    @Test func `a login that fails, and one that is not kept, leave nothing trusted`() throws {
        let nginx = try nginx(own)
        let url = nginx.origin() + "/whoami.json", named = "sha256:" + (try own.fingerprint())
        #expect(try logIn(url, "--trust-fingerprint", named, password: "wrong").code == 3)
        #expect(try logIn(url, "--trust-fingerprint", named, "--persist", "none").code == 0)
        #expect(try trusted.isEmpty)
    }

    @Test func `a certificate that verifies needs no exception, and none is made`() throws {
        let nginx = try nginx(own)
        let other = "sha256:" + (try certificates.selfSigned().fingerprint())
        let url = nginx.origin() + "/whoami.json"
        #expect(try logIn(url, "--ca-file", own.certificate, "--trust-fingerprint", other).code == 0)
        #expect(try trusted.isEmpty)
        #expect(try authctl.run("whoami").code == 0)
    }

    @Test func `names in a certificate cannot control the terminal`() throws {
        var wish = TestCertificates.Wish()
        wish.subject = "/CN=a\u{1B}]0;evil\u{7}\u{202E}b\u{9B}2J"
        let nginx = try nginx(try certificates.make(wish))
        let run = try authctl.onTerminal("login", nginx.origin() + "/whoami.json")
        try run.answer("[reject]: ", "\r")
        #expect(try run.end() == .exited(7))
        let ours = ["[K", "[?2004h", "[?2004l", "[31m✗ ", "[1m", "[0m"]
        let text = ours.reduce(run.pty.text) { $0.replacing("\u{1B}\($1)", with: "") }
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && !text.contains("\u{202E}"))
        #expect(!text.contains("\u{9B}"))
    }
}
