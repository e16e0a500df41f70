import Foundation
@testable import LoginTestSupport
import Testing

/// After the password the terminal stays without echo until it was judged (D15).
@Suite struct HeldTerminalTests {
    /// Until it is told that it is over.
    private func judged() throws -> Probe {
        let probe = try Probe("--fields", "password", "--judged")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("pw\r")
        try probe.pty.wait(for: "please wait…")
        return probe
    }

    @Test func `what comes later of a paste is not shown, and nobody is given it`() throws {
        let probe = try judged()
        #expect(!probe.pty.echoes)
        probe.typeAhead(Probe.canary + "\r" + Probe.canary + "\r")
        try probe.tell("over")
        try probe.finish()
        #expect(probe.pty.echoes)
        #expect(try probe.answer == ["username -", "secret " + Probe.hex("pw")])
        // Nothing of it waits for the shell.
        #expect(probe.pty.unread == 0)
        #expect(probe.screen().lines.filter { !$0.isEmpty }.last == "Password: **")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV])
    func `whatever kills it meanwhile leaves the terminal as it was, and no notice`(number: Int32) throws {
        let probe = try judged()
        probe.typeAhead(Probe.canary + "\r")
        if number == SIGINT { probe.pty.type("\u{3}") } else { probe.pty.child.send(signal: number) }
        try probe.finish(.signalled(number))
        #expect(probe.pty.unread == 0)
        #expect(!probe.screen().lines.contains { $0.contains("wait") })
    }

    @Test(arguments: [SIGPIPE, SIGXFSZ])
    func `a connection that breaks does not kill`(number: Int32) throws {
        let probe = try judged()
        probe.pty.child.send(signal: number)
        try probe.tell("over")
        try probe.finish()
    }

    @Test func `After a passphrase nothing that is typed is shown or kept until the program ends`() throws {
        let probe = try Probe("--held")
        try probe.pty.wait(for: "Passphrase: ")
        probe.pty.type("pw\r")
        try probe.pty.wait(for: "Opening the encrypted file…")
        #expect(!probe.pty.echoes)
        for _ in 1...10 { probe.typeAhead(Probe.canary + "\r") }
        try probe.tell("opened")
        let isHidden = eventually {
            probe.pty.watch(milliseconds: 10)
            return !probe.screen().lines.contains { $0.contains("Opening") }
        }
        #expect(isHidden && !probe.pty.echoes)
        for _ in 1...10 { probe.typeAhead(Probe.canary + "\r") }
        try probe.tell("over")
        try probe.finish()
        #expect(try probe.answer == ["passphrase " + Probe.hex("pw")])
        #expect(probe.pty.echoes && probe.pty.unread == 0)
    }

    @Test func `a key that was typed right before the end is not shown`() throws {
        let probe = try Probe("--last-keys")
        try probe.finish()
        #expect(try probe.answer == ["shown 0"])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV])
    func `A signal after a passphrase leaves the terminal as it was`(number: Int32) throws {
        let probe = try Probe("--held")
        try probe.pty.wait(for: "Passphrase: ")
        probe.pty.type("pw\r")
        try probe.pty.wait(for: "Opening the encrypted file…")
        probe.typeAhead(Probe.canary + "\r")
        if number == SIGINT { probe.pty.type("\u{3}") } else { probe.pty.child.send(signal: number) }
        try probe.finish(.signalled(number))
        #expect(probe.pty.unread == 0)
    }

    @Test func `stopped it gives the terminal back, and in the foreground it takes it again`() throws {
        let home = try TemporaryHome()
        let pty = try Pty(
            ChildSpec(
                "/bin/bash", ["--norc", "--noprofile", "--noediting", "-i"],
                environment: home.environment.merging(["PS1": "ready> "]) { $1 }, directory: home.path))
        try pty.wait(for: "ready> ")
        let before = pty.settings
        pty.type(try BuiltProducts.path(of: "PromptProbe") + " --fields password --judged\n")
        try pty.wait(for: "Password: ")
        pty.type("pw\r")
        try pty.wait(for: "please wait…")
        #expect(!pty.echoes)
        pty.type("\u{1A}")
        try pty.wait(for: "ready> ")
        #expect(pty.settings == before)
        pty.type("fg\n")
        try pty.wait(for: "please wait…")
        #expect(!pty.echoes)
        let over = try home.write("", to: "over")
        try pty.wait(for: "secret " + Probe.hex("pw"))
        try pty.wait(for: "ready> ")
        #expect(pty.settings == before)
        try FileManager.default.removeItem(atPath: over)
        // In the background it touches neither settings nor screen.
        pty.type(try BuiltProducts.path(of: "PromptProbe") + " --fields password --judged\n")
        try pty.wait(for: "Password: ")
        pty.type("pw\r")
        try pty.wait(for: "please wait…")
        pty.type("\u{1A}")
        try pty.wait(for: "ready> ")
        pty.type("bg; echo going; wait; echo over\n")
        try pty.wait(for: "going\r\n")
        try home.write("", to: "over")
        try pty.wait(for: "secret " + Probe.hex("pw"))
        try pty.wait(for: "over\r\n")
        try pty.wait(for: "ready> ")
        #expect(pty.settings == before)
        pty.type("exit\n")
        #expect(try pty.waitForEnd() == .exited(0))
    }
}
