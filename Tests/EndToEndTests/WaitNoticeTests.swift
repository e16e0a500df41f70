import Foundation
@testable import LoginTestSupport
import Testing

/// A server that takes its time, and whoever waits for it at a terminal.
@Suite struct `A server that does not answer` {
    private static let welcome = "{\"screen_name\": \"ann\"}"

    /// Logged in by Basic, and from here on the server says nothing any more.
    private func silent() throws -> (Installation, RecordingServer) {
        let refusal = RecordingServer.Reply.answer(401, ["WWW-Authenticate: Basic realm=\"x\""])
        let server = try RecordingServer([refusal, .answer(200, body: Self.welcome)])
        let authctl = try Installation(
            config: """
                [profiles.wire]
                url = "http://127.0.0.1:\(server.port)"
                verify = { get = "/me", username = "/screen_name" }
                logout = { post = "/logout" }

                """)
        try authctl.logIn("wire")
        server.reply(Array(repeating: .silence, count: 9))
        return (authctl, server)
    }

    static let commands = [
        ["whoami"], ["status"], ["token", "--header", "--verify"], ["request", "GET", "/x"], ["logout"],
    ]

    @Test(arguments: commands)
    func `a server that does not answer is named on the terminal after half a second, and in no pipe`(command: [String])
        throws
    {
        let (authctl, server) = try silent()
        let start = ContinuousClock.now
        let run = try authctl.onTerminal(command, environment: ["NO_COLOR": "1"])
        try run.pty.wait(for: "Waiting for http://127.0.0.1:\(server.port)…")
        let waited = ContinuousClock.now - start
        // Aim: a second. The machine may be busy.
        #expect(waited > .milliseconds(450) && waited < .seconds(10), "\(waited)")
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(!run.lines.contains { $0.contains("Waiting") }, "\(run.lines)")
        #expect(run.output.isEmpty)
    }

    @Test(arguments: ["whoami", "login"])
    func `a server that does not answer has a spinner, and tells of the seconds`(command: String) throws {
        let (authctl, server) = try silent()
        let arguments = command == "login" ? ["login", server.url("/other")] : [command]
        let run = try authctl.onTerminal(arguments)
        let words =
            command == "login" ? "Contacting the service, please wait…" : "Waiting for http://127.0.0.1:\(server.port)…"
        for frame in ["⠋", "⠙", "⠸", "⠴"] { try run.pty.wait(for: "\r\(words) \(frame)") }
        try run.pty.wait(for: " 3 s")
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(run.lines == [""] && run.output.isEmpty, "\(run.lines)")
    }

    @Test(
        arguments: [(["NO_COLOR": "1"], []), (["TERM": "dumb"], []), ([:], ["--color", "never"])]
            as [([String: String], [String])])
    func `stands still where nothing may move`(environment: [String: String], options: [String]) throws {
        let (authctl, server) = try silent()
        let run = try authctl.onTerminal(["whoami", "--timeout", "2"] + options, environment: environment)
        #expect(try run.end() == .exited(6))
        let text = run.pty.text
        #expect(text.components(separatedBy: "Waiting for http://127.0.0.1:\(server.port)…").count == 2, "\(text)")
        #expect(!text.contains("⠋"))
    }

    @Test func `a spinner in an ASCII locale has ASCII alone`() throws {
        let (authctl, server) = try silent()
        let run = try authctl.onTerminal("whoami", environment: ["LC_ALL": "C"])
        try run.pty.wait(for: "Waiting for http://127.0.0.1:\(server.port)... /")
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(run.pty.transcript.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: [[], ["-q"], ["-v"]] as [[String]])
    func `a server that does not answer is not named in what is piped, nor where quiet or more was asked for`(
        options: [String]
    ) throws {
        let (authctl, server) = try silent()
        let arguments = (["whoami", "--timeout", "1"] + options).joined(separator: " ")
        let shell = try authctl.shellOnTerminal("authctl \(arguments) >out 2>error; echo \"code $?\"")
        try shell.wait(for: "code 6")
        #expect(shell.text.contains("Waiting for http://127.0.0.1:\(server.port)…") == options.isEmpty)
        let piped = try authctl.home.read("out") + authctl.home.read("error")
        #expect(!piped.contains("Waiting") && !piped.unicodeScalars.contains("\u{1B}"), "\(piped)")
        #expect(try !authctl.run(["whoami", "--timeout", "1"]).error.contains("Waiting"))
    }

    @Test func `a server that does not answer is named no more once it answers`() throws {
        let demo = try DemoBackendProcess(), authctl = try Installation(demo)
        try authctl.logIn("wire")
        try demo.order(.init(path: "/account/verify_credentials.json", status: nil, delay: 3))
        let run = try authctl.onTerminal("whoami", "wire")
        try run.pty.wait(for: "Waiting for \(demo.origin)…")
        #expect(try run.end() == .exited(0))
        #expect(run.output == "ann\n")
        #expect(run.lines == [""])
    }

    @Test func `a server that does not answer is waited for from the first probe of a URL on`() throws {
        let server = try RecordingServer([.silence])
        let authctl = try Installation()
        let run = try authctl.onTerminal("login", server.url("/me"), environment: ["LC_ALL": "C"])
        try run.pty.wait(for: "Contacting the service, please wait...")
        #expect(!run.pty.text.contains("Log in to"))
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(run.lines == [""])
    }

    @Test func `the rest of a paste is not shown while it is asked, and no command of the shell`() throws {
        let demo = try DemoBackendProcess(), authctl = try Installation(demo)
        try demo.order(.init(path: "/account/verify_credentials.json"), .init(status: nil, delay: 1))
        for more in ["", "--verbose"] {
            let shell = try authctl.shellOnTerminal("authctl login wire --force -u slow \(more); echo \"code $?\"; cat")
            try shell.wait(for: "Password for slow: ").type("slow and steady\r")
            shell.watch(milliseconds: 300)
            #expect(eventually { !shell.echoes })
            shell.type("touch made\r")
            try shell.wait(for: "code 0")
            shell.watch(milliseconds: 200)
            #expect(eventually { shell.echoes } && !shell.text.contains("touch"), "\(shell.text)")
            shell.type("\u{4}")
            _ = try shell.waitForEnd()
        }
        #expect(!authctl.hasFile("made"))
    }
}
