import Foundation
@testable import LoginTestSupport
import Testing

/// The line in which a user name is edited, and how lines fit on the screen.
@Suite(.onOwnThreads) struct NameLineTests {
    private func username(proposed: String = "", keys: [String], columns: UInt16 = 80) throws -> String? {
        let probe = try Probe("--fields", "username", "--proposed", proposed, columns: columns)
        try probe.pty.wait(for: proposed.isEmpty ? "User name: " : "User name [\(proposed)]: ")
        for key in keys { probe.pty.type(key) }
        probe.pty.type("\r")
        try probe.finish()
        return try probe.answer.first
    }

    @Test func `Return keeps the name that is proposed, and what is typed replaces it`() throws {
        #expect(try username(proposed: "ann@blog", keys: []) == "username " + Probe.hex("ann@blog"))
        #expect(try username(proposed: "ann", keys: ["bob"]) == "username " + Probe.hex("bob"))
        #expect(try username(proposed: "ann", keys: ["b\u{7F}"]) == "username " + Probe.hex("ann"))
    }

    @Test func `a proposed name that would leave no room to type stands in a line of its own`() throws {
        let probe = try Probe("--fields", "username", "--proposed", "annabella.holthausen", columns: 40)
        try probe.pty.wait(for: "User name: ")
        #expect(probe.screen(columns: 40).lines.contains("(leave empty to keep"))
        probe.pty.type("\r")
        try probe.finish()
        #expect(try probe.answer.first == "username " + Probe.hex("annabella.holthausen"))
    }

    @Test(
        arguments: [
            (["\u{7F}"], "anna marie hol"), (["\u{15}x"], "x"), (["\u{17}"], "anna marie "),
            (["\u{01}x"], "xanna marie holt"),
            (["\u{1B}[H\u{1B}[3~"], "nna marie holt"), (["\u{01}\u{0B}"], "*"), (["\u{1B}OH\u{06}\u{06}\u{0B}"], "an"),
            (["\u{1B}[D\u{1B}[D\u{1B}[3~"], "anna marie hot"), (["\u{02}\u{02}x\u{05}y"], "anna marie hoxlty"),
            (["\u{1B}[1~\u{1B}[C_\u{1B}[4~!"], "a_nna marie holt!"),
            (["\u{1B}[1;5C", "\u{1B}[200~", "?\u{1B}[201~"], "anna marie holt?"),
            (["ä€😀\u{7F}\u{1B}[D\u{7F}"], "anna marie holt€"),
        ] as [([String], String)])
    func `the name can be edited`(keys: [String], result: String) throws {
        let answer = try username(keys: ["anna marie holt"] + keys)
        #expect(answer == (result == "*" ? "blank username" : "username " + Probe.hex(result)))
    }

    @Test func `a lone Escape does nothing and does not swallow Enter`() throws {
        #expect(try username(keys: ["ann", "\u{1B}"]) == "username " + Probe.hex("ann"))
    }

    @Test func `a long name fits on a narrow screen, the part at the cursor shown`() throws {
        let name = "annabella.holthausen@department.example"
        let probe = try Probe("--fields", "username", columns: 20)
        try probe.pty.wait(for: "User name: ")
        probe.pty.typeSlowly(name)
        #expect(probe.shows("User name: .example", columns: 20))
        probe.pty.type("\u{01}")
        #expect(probe.shows("User name: annabell", columns: 20))
        probe.pty.typeSlowly("X\u{05}\u{7F}\u{7F}ZZ")
        #expect(probe.shows("User name: .exampZZ", columns: 20))
        probe.pty.type("\r")
        try probe.finish()
        #expect(try probe.answer.first == "username " + Probe.hex("X" + name.dropLast(2) + "ZZ"))
    }

    @Test func `a long secret keeps to its line on a narrow screen`() throws {
        let probe = try Probe("--fields", "password", columns: 20)
        try probe.pty.wait(for: "Password: ")
        probe.pty.typeSlowly(String(repeating: "p", count: 30))
        #expect(probe.shows("Password: *********", columns: 20))
        probe.pty.typeSlowly(String(repeating: "\u{7F}", count: 28))
        #expect(probe.shows("Password: **", columns: 20))
        probe.pty.type("\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("pp"))
    }

    @Test func `of a key that is not known nothing is left, however long its sequence`() throws {
        let probe = try Probe("--fields", "username")
        try probe.pty.wait(for: "User name: ")
        probe.pty.type("a\u{1B}[1" + String(repeating: ";1", count: 60) + "~b\u{1B}[99Xc")
        probe.pty.watch(milliseconds: 200)
        probe.pty.type("\u{1B}[1;1\r")
        try probe.finish()
        #expect(try probe.answer.first == "username " + Probe.hex("abc"))
    }

    @Test func `a change of the window draws the line again`() throws {
        let probe = try Probe("--fields", "username")
        try probe.pty.wait(for: "User name: ")
        probe.pty.type("annabella.holthausen")
        try probe.pty.wait(for: "annabella.holthausen")
        probe.pty.resize(columns: 24)
        probe.pty.child.send(signal: SIGWINCH)
        try probe.pty.wait(for: "User name: a.holthausen")
        probe.pty.type("\r")
        try probe.finish()
    }

    @Test func `a name with hidden characters shows them`() throws {
        let probe = try Probe("--fields", "username", "--proposed", "ann\u{202E}nna")
        try probe.pty.wait(for: "User name [ann\\u{202E}nna]: ")
        probe.pty.type("\r")
        try probe.finish()
        #expect(try probe.answer.first == "username " + Probe.hex("ann\u{202E}nna"))
    }
}
