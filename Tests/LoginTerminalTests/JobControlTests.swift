import Foundation
@testable import LoginTestSupport
import Testing

/// Stopping and going on, under a shell with job control, since a process without one is never stopped.
@Suite(.onOwnThreads) struct JobControlTests {
    private func shell() throws -> Pty {
        let home = try TemporaryHome()
        let spec = ChildSpec(
            "/bin/bash", ["--norc", "--noprofile", "--noediting", "-i"],
            environment: home.environment.merging(["PS1": "ready> "]) { $1 }, directory: home.path)
        let pty = try Pty(spec)
        try pty.wait(for: "ready> ")
        return pty
    }

    private var ask: String {
        get throws { try BuiltProducts.path(of: "PromptProbe") + " --fields password" }
    }

    @Test func `Ctrl-Z gives the terminal back, and fg draws the line again`() throws {
        let pty = try shell(), before = pty.settings
        pty.type(try ask + "\n")
        try pty.wait(for: "Password: ")
        pty.typeSlowly("abc")
        try pty.wait(for: "***")
        pty.type("\u{1A}")
        try pty.wait(for: "ready> ")
        #expect(pty.settings == before)
        pty.type("fg\n")
        try pty.wait(for: "Password: ***")
        #expect(!pty.echoes)
        pty.type("d\r")
        try pty.wait(for: "secret " + Probe.hex("abcd"))
        try pty.wait(for: "ready> ")
        #expect(pty.settings == before)
        pty.type("exit\n")
        #expect(try pty.waitForEnd() == .exited(0))
    }

    @Test func `a prompt in the background waits until it is brought to the front`() throws {
        let pty = try shell(), before = pty.settings
        pty.type(try ask + " &\n")
        try pty.wait(for: "ready> ")
        let isStopped = eventually {
            pty.type("jobs\n")
            pty.watch(milliseconds: 100)
            return pty.text.contains("Stopped")
        }
        #expect(isStopped && pty.settings == before)
        #expect(!pty.text.contains("Password: "))
        pty.type("fg\n")
        try pty.wait(for: "Password: ")
        pty.type("x\r")
        try pty.wait(for: "secret 78")
        pty.type("exit\n")
        try pty.wait(for: "exit")
        #expect(pty.settings == before)
    }

    @Test func `a stopped prompt that is killed leaves the shell's terminal alone`() throws {
        let pty = try shell(), before = pty.settings
        pty.type(try ask + "\n")
        try pty.wait(for: "Password: ")
        pty.type("\u{1A}")
        try pty.wait(for: "ready> ")
        pty.type("kill %1; while kill -0 %1 2>/dev/null; do sleep 0.05; done; jobs; echo\n")
        try pty.wait(for: "Terminated")
        try pty.wait(for: "ready> ")
        #expect(pty.settings == before)
        pty.type("exit\n")
        #expect(try pty.waitForEnd() == .exited(0))
    }

    @Test func `after SIGSTOP and SIGCONT the line is there again`() throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("ab")
        try probe.pty.wait(for: "**")
        probe.pty.child.send(signal: SIGSTOP)
        #expect(probe.pty.child.isStopped())
        probe.pty.child.send(signal: SIGCONT)
        try probe.pty.wait(for: "Password: **")
        probe.pty.type("c\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("abc"))
    }
}
