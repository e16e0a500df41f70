import Foundation
@testable import LoginTestSupport
import Testing

/// The binary and a person, on a real pseudo-terminal.
@Suite(.onOwnThreads) struct `A login on a terminal` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    @Test
    func `a login on a terminal goes on after a wrong password: name kept, attempt counted, no password in the name`()
        throws
    {
        let run = try authctl.onTerminal("login", "wire", "--verbose")
        try run.answer("User name: ", "anne\r").answer("Password: ", "wrong horse\r")
        try run.pty.wait(for: "✗ Wrong user name or password. Attempt 2 of 3.")
        // Typed by reflex: it lands where nothing shows. Ctrl-U twice, and another name can be typed.
        try run.answer("Password for anne (leave empty to change the name): ", "correct horse\u{15}\u{15}")
        try run.answer("User name [anne]: ", "ann\r").answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        #expect(run.output.isEmpty)
        #expect(run.pty.text.components(separatedBy: "Log in to wire (\(demo.origin)) (Ctrl-C cancels)").count == 2)
        #expect(run.pty.text.contains("Realm: \"Demo Wire\""))
        #expect(run.lines.contains("User name [anne]: ann"))
        #expect(run.lines.contains("Password: " + String(repeating: "*", count: 13)))
        #expect(run.lines.contains("✓ Logged in to wire (\(demo.origin)) as ann."))
        try LeakSweep(secrets: ["wrong horse"], pairs: [("ann", "correct horse")]).expectClean([
            "transcript": run.pty.text, "stdout": run.output,
        ])
        #expect(!run.pty.text.contains("horse"))
        #expect(run.pty.settings == Pty.usualSettings)
        #expect(run.pty.echoes)
        #expect(try demo.requests().filter { !$0.carried.isEmpty }.map(\.status) == [401, 200])
    }

    @Test func `a password in a pipe is not read without its option, and a login on a terminal says so`() throws {
        let shell = try authctl.shellOnTerminal("echo 'correct horse' | authctl login wire -u ann")
        try shell.wait(for: "Standard input is not read").wait(for: "--password-stdin")
        try shell.wait(for: "Password for ann: ").type("\u{4}")
        #expect(try shell.waitForEnd() == .exited(5))
        for way in ["</dev/null", ""] {
            let silent = try authctl.shellOnTerminal("authctl login wire -u ann \(way)")
            try silent.wait(for: "Password for ann: ").type("\u{4}")
            #expect(try silent.waitForEnd() == .exited(5))
            #expect(!silent.text.contains("Standard input"), "\(silent.text)")
        }
        let given = try authctl.shellOnTerminal("echo 'correct horse' | authctl login wire -u ann --password-stdin")
        #expect(try given.waitForEnd() == .exited(0))
        #expect(!given.text.contains("Standard input"), "\(given.text)")
    }

    @Test func `a login on a terminal ends with 3 after the last attempt, and asks no more than that`() throws {
        let run = try authctl.onTerminal("login", "wire", "--max-attempts", "2", "-u", "ann")
        for _ in 0..<2 { try run.answer("Password for ann: ", "wrong\r") }
        #expect(try run.end() == .exited(3))
        #expect(run.pty.text.components(separatedBy: "Password for ann: ").count - 1 == 2)
        #expect(run.pty.echoes)
    }

    @Test func `a login on a terminal shows the server's own words, quoted`() throws {
        let run = try authctl.onTerminal("login", "chat", "-u", "ann")
        try run.answer("Password for ann: ", "wrong\r").pty.wait(
            for: "The server says: \"Invalid username or password\"")
        try run.answer("Password for ann: ", "\u{4}")
        #expect(try run.end() == .exited(5))
    }

    @Test func `a login on a terminal asks only for what is missing`() throws {
        let token = try authctl.onTerminal("login", "forge")
        try token.answer("Token: ", "demo-pat-ann-7f3a9c\r")
        #expect(try token.end() == .exited(0))
        #expect(!token.pty.text.contains("User name"))
        let named = try authctl.onTerminal("login", "wire", "-u", "ann")
        try named.answer("Password for ann: ", "correct horse\r")
        #expect(try named.end() == .exited(0))
        #expect(!named.pty.text.contains("User name:"))
    }

    @Test func `a login on a terminal says so of a blank answer, and sends nothing`() throws {
        let run = try authctl.onTerminal("login", "wire")
        try run.answer("User name: ", "\r")
        try run.pty.wait(for: "The user name was left blank; nothing was sent.")
        try run.answer("User name: ", "ann\r").answer("Password: ", "\r")
        try run.pty.wait(for: "The password was left blank; nothing was sent.")
        #expect(try demo.requests().filter { !$0.carried.isEmpty }.isEmpty)
        // The name stands; what comes next cannot be typed into it.
        try run.answer("Password for ann (leave empty to change the name): ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        #expect(!run.pty.text.contains("attempt"))
    }

    @Test
    func
        `a login on a terminal shows nothing of what is typed before the question, and does not take it for the answer`()
        throws
    {
        try demo.order(DemoBackendProcess.Fault(path: "/users/me", delay: 4))
        let run = try authctl.onTerminal("login", "blog", "-u", "ann")
        try run.pty.wait(for: "please wait…")
        #expect(!run.pty.echoes)
        run.pty.type("canary")
        try run.answer("Password for ann: ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        #expect(run.pty.echoes && !run.pty.text.contains("canary"))
    }

    @Test func `a login on a terminal takes UTF-8, and a blank password where that is allowed`() throws {
        let bob = try authctl.onTerminal("login", "wire")
        try bob.answer("User name: ", "bob\r").answer("Password: ", "pä:ss%wörd&+\"\\ünïcode\r")
        #expect(try bob.end() == .exited(0), "\(bob.pty.text)")
        #expect(bob.lines.contains("Password: " + String(repeating: "*", count: 21)))
        let guest = try authctl.onTerminal("login", "wire", "--force", "--blank-password", "-u", "guest")
        try guest.answer("Password for guest: ", "\r")
        #expect(try guest.end() == .exited(0))
    }

    @Test func `a login on a terminal shows marks as AUTHCTL_MASK has them, or none`() throws {
        for (mask, shown) in [("#", "Password for ann: #############"), ("", "Password for ann:")] {
            let run = try authctl.onTerminal(
                "login", "wire", "-u", "ann", "--force", environment: ["AUTHCTL_MASK": mask])
            try run.answer("Password for ann: ", "correct horse\r")
            #expect(try run.end() == .exited(0))
            #expect(run.lines.contains(shown))
        }
    }

    @Test func `discards what was typed ahead`() throws {
        let run = try authctl.onTerminal("login", "wire", "-u", "slow")
        run.pty.type("EARLY")
        try run.answer("Password for slow: ", "slow and steady\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
    }

    @Test func `a login on a terminal says that it waits, and takes that away`() throws {
        try demo.order(.init(path: "/account/verify_credentials.json"), .init(status: nil, delay: 1))
        let run = try authctl.onTerminal("login", "wire", "-u", "slow")
        try run.answer("Password for slow: ", "slow and steady\r")
        try run.pty.wait(for: "Authenticating, please wait…")
        #expect(try run.end() == .exited(0))
        #expect(!run.lines.contains { $0.contains("please wait") })
        #expect(run.lines.last { !$0.isEmpty } == "✓ Logged in to wire (\(demo.origin)) as slow.")
    }

    @Test func `fits a terminal of 20 columns`() throws {
        let run = try authctl.onTerminal("login", "wire", columns: 20)
        try run.answer("User name: ", "ann\r").answer("Password: ", "wrong and much longer than the line\r")
        try run.answer("Password for ann: ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        #expect(!run.pty.text.contains("horse"))
        // The marks stay on one line: a long password neither wraps nor scrolls.
        let screen = RenderedScreen(run.pty.transcript, columns: 20).lines
        #expect(screen.filter { $0.contains("*") }.count == 2, "\(screen)")
        #expect(!screen.contains { $0.contains("Authenticating") })
    }

    @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
    func `a login on a terminal needs neither colour nor cursor movement`(environment: [String: String]) throws {
        let run = try authctl.onTerminal("login", "wire", environment: environment)
        try run.answer("User name: ", "ann\r").answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        let colours = run.pty.text.components(separatedBy: "\u{1B}[").dropFirst().filter {
            $0.first { $0.isLetter } == "m"
        }
        #expect(colours.isEmpty)
        if environment["TERM"] == "dumb" {
            #expect(!run.pty.transcript.contains(0x1B), "\(run.pty.text.debugDescription)")
        }
    }

    @Test func `words for refused, forbidden, busy, broken and unreachable all differ`() throws {
        var seen: [String] = []
        for (user, password) in [
            ("ann", "wrong"), ("forbidden", "forbidden fruit"), ("busy", "busy as a bee"), ("broken", "broken record"),
        ] {
            let run = try authctl.onTerminal("login", "wire", "-u", user, "--max-attempts", "1", columns: 250)
            try run.answer("Password for \(user): ", password + "\r")
            if user == "busy" || user == "broken" { try run.answer("[Y/n] ", "n\r") }
            _ = try run.end()
            seen.append(run.screen(250).first { $0.hasPrefix("✗ authctl: ") } ?? "")
        }
        demo.stop()
        let dead = try authctl.onTerminal("login", "wire", "-u", "ann", columns: 250)
        #expect(try dead.end() == .exited(6))
        #expect(!dead.pty.text.contains("Password"))
        seen.append(dead.screen(250).first { $0.hasPrefix("✗ authctl: ") } ?? "")
        #expect(Set(seen).count == 5)
        #expect(seen.filter { $0.contains("login refused") }.count == 1)
    }

    @Test func `a server that breaks down in the midst of a login costs no second typing`() throws {
        let run = try authctl.onTerminal("login", "wire", "-u", "ann")
        try run.pty.wait(for: "Password for ann: ")
        try demo.order(.init(status: 500), .init(status: 503, retryAfter: 1))
        run.pty.type("correct horse\r")
        try run.pty.wait(for: "your password was not checked")
        try run.answer("Try again with the same password? [Y/n] ", "\r").pty.wait(
            for: "It asks to wait 1 second before")
        try run.answer("Try again with the same password? [Y/n] ", "\r")
        #expect(try run.end() == .exited(0))
        #expect(run.pty.text.components(separatedBy: "Password for ann: ").count - 1 == 1)
        #expect(run.lines.contains("✓ Logged in to wire (\(demo.origin)) as ann."))
        #expect(!run.pty.text.contains("horse"))
    }
}
