import Foundation
@testable import LoginTestSupport
import Testing

/// The terminal comes back as it was, whatever happens (P4 to P17).
@Suite(.onOwnThreads) struct TerminalStateTests {
    private static let deadly: [Int32] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF,
        SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGSYS, SIGPOLL, 40,
    ]

    private func askHalfway() throws -> Probe {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(Probe.canary)
        try probe.pty.wait(for: "*")
        #expect(!probe.pty.echoes)
        return probe
    }

    @Test(arguments: deadly)
    func `a signal at the prompt leaves the terminal as it was and kills`(number: Int32) throws {
        let probe = try askHalfway()
        probe.pty.child.send(signal: number)
        try probe.finish(.signalled(number))
        #expect(try probe.answer.isEmpty)
        #expect(probe.home.files == ["answers"])
    }

    @Test(arguments: [("trap", [SIGILL, SIGTRAP]), ("segv", [SIGSEGV]), ("abort", [SIGABRT]), ("overflow", [SIGSEGV])])
    func `a crash at the prompt leaves the terminal as it was and kills`(kind: String, numbers: [Int32]) throws {
        let probe = try Probe("--fields", "password", "--crash", kind)
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(Probe.canary)
        try probe.pty.wait(for: "*")
        probe.pty.child.send(signal: SIGURG)
        guard case .signalled(let number) = try probe.pty.waitForEnd() else {
            Issue.record("not killed")
            return
        }
        #expect(numbers.contains(number))
        #expect(probe.pty.settings == Pty.usualSettings)
        #expect(!probe.pty.text.contains(Probe.canary))
        #expect(probe.home.files == ["answers"])
    }

    @Test(arguments: [SIGPIPE, SIGINT, SIGHUP])
    func `a signal that the caller ignores stays ignored`(number: Int32) throws {
        let probe = try Probe("--fields", "password", ignoring: [number])
        try probe.pty.wait(for: "Password: ")
        probe.pty.child.send(signal: number)
        probe.pty.watch(milliseconds: 100)
        probe.pty.type("still\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("still"))
    }

    @Test(arguments: ["\u{03}", "\u{1C}"])
    func `Ctrl-C and Ctrl-backslash end the program by their signals`(key: String) throws {
        let probe = try askHalfway()
        probe.pty.type(key)
        try probe.finish(.signalled(key == "\u{03}" ? SIGINT : SIGQUIT))
    }

    @Test func `SIGKILL cannot be caught, and gives no answer`() throws {
        let probe = try askHalfway()
        probe.pty.child.send(signal: SIGKILL)
        #expect(try probe.pty.waitForEnd() == .signalled(SIGKILL))
        #expect(try probe.answer.isEmpty)
        #expect(probe.home.files == ["answers"])
    }

    @Test func `what was typed ahead is no part of the answer and does not stay on the screen`() throws {
        let probe = try Probe("--fields", "password", "--late")
        probe.typeAhead("EARLY\r")
        probe.pty.type("more")
        try probe.pty.wait(for: "more")
        try probe.tell("begin")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("real\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("real"))
        #expect(probe.screen().lines.contains("Log in to blog (https://blog.example) (Ctrl-C cancels)"))
    }

    @Test(arguments: [
        ("username,password", "User name: ", ""), ("username", "User name [ann]: ", "ann"),
        ("password", "Password for ann: ", "abc"),
    ])
    func `Ctrl-D cancels, on an empty line and on a full one`(fields: String, label: String, typed: String)
        throws
    {
        let probe = try Probe("--fields", fields, "--proposed", typed.isEmpty ? "" : "ann")
        try probe.pty.wait(for: label)
        probe.pty.type(typed + "\u{04}")
        try probe.finish()
        #expect(try probe.answer == ["cancelled"])
    }

    @Test(arguments: ["", "half"])
    func `a hang-up ends the program within a second`(typed: String) throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(typed)
        probe.pty.watch(milliseconds: 50)
        let start = Date()
        probe.pty.hangUp()
        #expect(try probe.pty.waitForEnd() == .signalled(SIGHUP))
        #expect(Date().timeIntervalSince(start) < 10)
        #expect(try probe.answer.isEmpty)
    }

    @Test(arguments: ["", "half"])
    func `a hang-up that is ignored ends the input within a second and gives no answer`(typed: String) throws {
        let probe = try Probe("--fields", "password", ignoring: [SIGHUP])
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(typed)
        probe.pty.watch(milliseconds: 50)
        let start = Date()
        probe.pty.hangUp()
        #expect(try probe.pty.waitForEnd() == .exited(0))
        #expect(Date().timeIntervalSince(start) < 10)
        #expect(try probe.answer == ["cancelled"])
    }

    @Test(arguments: ["", "ann\nsecret\n", String(repeating: "A", count: 70000) + "\u{15}\0"])
    func `without a terminal nobody is asked, and piped text is not taken`(input: String) throws {
        let home = try TemporaryHome()
        let spec = ChildSpec(try BuiltProducts.path(of: "PromptProbe"), environment: home.environment)
        let result = try Command.run(spec, input: Array(input.utf8))
        #expect(result.ending == .exited(4))
        #expect(result.output.contains("loginRequired") && result.output.contains("username"))
        #expect(!result.output.contains("User name:") && result.error.isEmpty)
    }

    @Test func `the dialogue goes to the terminal alone`() throws {
        let probe = try Probe()
        try probe.answer(password: Probe.canary)
        try probe.finish()
        #expect(try probe.answer.count == 2)
        #expect(probe.screen().lines.first == "Log in to blog (https://blog.example) (Ctrl-C cancels)")
    }

    @Test func `a prompt that nobody answers expires`() throws {
        let probe = try Probe("--fields", "password", "--timeout", "1")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("half")
        try probe.finish(.exited(13))
        #expect(try probe.answer.first?.contains("promptExpired") == true)
    }
}
