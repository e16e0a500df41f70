import Foundation
@testable import LoginTestSupport
import Testing

/// After a refusal the password is asked for first, since that is what whoever was refused types.
@Suite struct PasswordFirstTests {
    static let label = "Password for ann (leave empty to change the name): "

    @Test func `a narrow terminal has the way back to the name in a line above, so that no word is broken`() throws {
        let probe = try Probe(arguments: ["--proposed", "ann", "--refused", "1"], columns: 40)
        try probe.pty.wait(for: "Password for ann: ")
        #expect(probe.screen(columns: 40).lines.contains("(leave empty to change the name)"))
        probe.pty.type(Probe.canary + "\r")
        try expectAnswer(probe, "ann", Probe.canary)
    }

    private func asked(_ more: String...) throws -> Probe {
        try Probe(arguments: ["--proposed", "ann"] + more)
    }

    private func expectAnswer(_ probe: Probe, _ username: String, _ secret: String) throws {
        try probe.finish()
        #expect(try probe.answer == ["username " + Probe.hex(username), "secret " + Probe.hex(secret)])
    }

    @Test(arguments: [["--refused", "1"], ["--stored"], ["--left-blank", "password"]])
    func `a password typed at once is masked, and sent with the remembered user name`(why: [String]) throws {
        let probe = try Probe(arguments: ["--proposed", "ann"] + why)
        try probe.pty.wait(for: Self.label)
        probe.pty.type(Probe.canary + "\r")
        try expectAnswer(probe, "ann", Probe.canary)
        #expect(!probe.pty.text.contains("User name"))
        // What is asked is the secret alone: a name would be shown.
        #expect(probe.screen().lines.contains(Self.label + String(repeating: "*", count: Probe.canary.count)))
    }

    @Test(arguments: ["\r", "\u{15}\u{15}", Self.reflex + "\u{15}\u{15}", Self.reflex + "\u{15}\r"])
    func `an empty password, or Ctrl-U twice, leads back to the name, which another one replaces`(keys: String) throws {
        let probe = try asked("--refused", "1")
        try probe.pty.wait(for: Self.label)
        probe.pty.type(keys)
        try probe.pty.wait(for: "User name [ann]: ")
        probe.pty.type("anna\r")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("pw\r")
        try expectAnswer(probe, "anna", "pw")
    }

    private static let reflex = Probe.canary

    @Test func `Ctrl-U once empties the line, and twice with a key between them too`() throws {
        let probe = try asked("--refused", "1")
        try probe.pty.wait(for: Self.label)
        probe.pty.type("wrong\u{15}other\u{15}right\r")
        try expectAnswer(probe, "ann", "right")
    }

    @Test func `where a blank password is an answer, Ctrl-U twice is the way to the name`() throws {
        let label = "Password for ann (Ctrl-U twice to change the name): "
        let blank = try asked("--refused", "1", "--blank")
        try blank.pty.wait(for: label)
        blank.pty.type("\r")
        try expectAnswer(blank, "ann", "")
        let renamed = try asked("--refused", "1", "--blank")
        try renamed.pty.wait(for: label)
        renamed.pty.type("\u{15}\u{15}")
        try renamed.pty.wait(for: "User name [ann]: ")
        renamed.pty.type("anna\r")
        try renamed.pty.wait(for: "Password: ")
        renamed.pty.type("\r")
        try expectAnswer(renamed, "anna", "")
    }

    @Test func `without a name that is asked for there is nothing to go back to`() throws {
        let probe = try asked("--refused", "1", "--fields", "password")
        try probe.pty.wait(for: "Password for ann: ")
        probe.pty.type("pw\u{15}\u{15}\r")
        try probe.finish()
        #expect(try probe.answer == ["blank password"])
    }

    @Test func `the way out stands in the first question, and only there`() throws {
        for (arguments, isThere) in [
            ([], true), (["--stored"], true), (["--refused", "1"], false), (["--left-blank", "username"], false),
        ] as [([String], Bool)] {
            let probe = try Probe(arguments: arguments)
            try probe.pty.wait(for: ": ")
            probe.pty.watch(milliseconds: 50)
            #expect(probe.pty.text.contains("(https://blog.example) (Ctrl-C cancels)") == isThere)
            probe.pty.type("\u{4}")
            try probe.finish()
            #expect(try probe.answer == ["cancelled"])
        }
    }
}
