import Foundation
@testable import LoginTestSupport
import Testing

/// A password that is given, not typed: by stdin, file, command or variable.
@Suite(.onOwnThreads) struct `A given password` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    /// Blanks at both ends of name and password.
    private let zoe = ("zoë müller@wire", "  blank ends ")

    private func logIn(_ more: [String], input: String = "", _ variables: [String: String] = [:]) throws
        -> CommandResult
    {
        try authctl.run(["login", "wire", "--force"] + more, input: input, environment: variables)
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func `a given password loses its line end and nothing else`(end: String) throws {
        let file = try authctl.file("password", zoe.1 + end)
        let ways = [
            ["--password-stdin"], ["--password-file", file], ["--password-command", "cat '\(file)'"],
        ]
        for way in ways {
            let result = try logIn(["-u", zoe.0] + way, input: zoe.1 + end)
            #expect(result.code == 0, "\(way): \(result.error)")
            #expect(result.output.isEmpty)
        }
        let named = ["AUTHCTL_USERNAME": zoe.0, "AUTHCTL_PASSWORD_FILE": file]
        #expect(try logIn([], named).code == 0)
        #expect(try logIn([], ["AUTHCTL_USERNAME": zoe.0, "AUTHCTL_PASSWORD": zoe.1]).code == 0)
    }

    @Test(arguments: [
        "correct horse\nmore", "correct horse\n\n", "correct horse\r\n more\r\n", "\ncorrect horse\n",
    ])
    func `a given password of several lines is refused, except from a command`(text: String) throws {
        let file = try authctl.file("password", text)
        for way in [["--password-stdin"], ["--password-file", file]] {
            let result = try logIn(["-u", "ann"] + way, input: text)
            #expect(result.code == 2)
            #expect(!result.error.contains("correct horse"))
        }
        #expect(try logIn(["-u", "ann"], ["AUTHCTL_PASSWORD_FILE": file]).code == 2)
        #expect(try demo.requests().isEmpty)
        guard text.first != "\n" else { return }
        #expect(try logIn(["-u", "ann", "--password-command", "cat \(file)"]).code == 0)
    }

    @Test func `a given password is not what happens to stand on stdin`() throws {
        let result = try authctl.run("login", "wire", "-u", "ann", input: "correct horse\n")
        #expect(result.code == 4)
        #expect(try demo.requests().filter { !$0.carried.isEmpty }.isEmpty)
    }

    @Test
    func
        `a given password that is wrong ends with 3 after one attempt, with no question and no look at the stored one`()
        throws
    {
        try authctl.logIn("wire")
        try demo.reset()
        let run = try authctl.onTerminal("login", "wire", "--password-file", try authctl.file("password", "wrong\n"))
        #expect(try run.end() == .exited(3))
        #expect(!run.pty.text.contains("Password"))
        #expect(try demo.requests().filter { !$0.carried.isEmpty }.count == 1)
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
    }

    @Test func `a given password comes from a command without a shell, whose failure is 4 with its status`() throws {
        let script = try authctl.file("give", "#!/bin/sh\necho 'correct horse'\nexit \"$1\"\n", mode: 0o700)
        #expect(try logIn(["-u", "ann", "--password-command", "\(script) 0"]).code == 0)
        try demo.reset()
        let failed = try logIn(["-u", "ann", "--password-command", "\(script) 7"])
        #expect(failed.code == 4)
        #expect(failed.error.contains("status 7"))
        #expect(!failed.error.contains("correct horse"))
        #expect(try logIn(["-u", "ann", "--password-command", "/no/such/program"]).code == 4)
        let quoted = try logIn(["-u", "ann", "--password-command", "echo correct horse; touch \(authctl.folder)/shell"])
        #expect(quoted.code == 3)
        #expect(!FileManager.default.fileExists(atPath: authctl.folder + "/shell"))
    }

    @Test func `a given password is in no environment of what authctl starts`() throws {
        let dump = authctl.folder + "/dump"
        let script = try authctl.file("give", "#!/bin/sh\nenv > \(dump)\necho 'correct horse'\n", mode: 0o700)
        let result = try logIn(
            ["-u", "ann", "--password-command", script],
            [
                "AUTHCTL_PASSWORD": "battery staple", "AUTHCTL_PASSWORD_FILE": "/nowhere/file",
                "AUTHCTL_USERNAME": "nobody", "AUTHCTL_STORE_PASSPHRASE_FILE": "/nowhere/passphrase", "OTHER": "kept",
            ])
        #expect(result.code == 0, "\(result.error)")
        let seen = try String(contentsOfFile: dump, encoding: .utf8)
        #expect(seen.contains("OTHER=kept"))
        #expect(!seen.contains("AUTHCTL_"))
        #expect(!seen.contains("battery staple"))
    }

    @Test func `a given password comes by option before variable before file`() throws {
        let right = try authctl.file("right", "correct horse\n"), wrong = try authctl.file("wrong", "wrong\n")
        let config = try String(contentsOfFile: authctl.folder + "/config/authctl/config.toml", encoding: .utf8)
        let command = { (config: String, file: String) in
            config.replacing("[profiles.wire]", with: "[profiles.wire]\npassword-command = \"cat \(file)\"")
        }
        _ = try authctl.file("config/authctl/config.toml", command(config, wrong))
        #expect(try logIn(["-u", "ann"]).code == 3)
        #expect(try logIn(["-u", "ann"], ["AUTHCTL_PASSWORD": "correct horse"]).code == 0)
        #expect(try logIn(["-u", "ann"], ["AUTHCTL_PASSWORD_FILE": right]).code == 0)
        #expect(try logIn(["-u", "ann", "--password-file", right], ["AUTHCTL_PASSWORD": "wrong"]).code == 0)
        #expect(try logIn(["-u", "ann", "--password-file", wrong], ["AUTHCTL_PASSWORD": "correct horse"]).code == 3)
        #expect(try logIn(["-u", "ann", "--password-command", "cat \(right)"]).code == 0)
        _ = try authctl.file("config/authctl/config.toml", command(config, right))
        #expect(try logIn(["-u", "ann"]).code == 0)
        #expect(try logIn(["-u", "ann"], ["AUTHCTL_PASSWORD": "wrong"]).code == 3)
    }

    @Test func `a given password by variable is for the profile that AUTHCTL_PROFILE names, and for no other`() throws {
        var supplied = ["AUTHCTL_USERNAME": "ann", "AUTHCTL_PASSWORD": "correct horse", "AUTHCTL_PROFILE": "wire"]
        #expect(try authctl.run("login", "blog", environment: supplied).code == 4)
        #expect(try authctl.run("whoami", "blog", environment: supplied).code == 4)
        #expect(try demo.requests().filter { $0.method == "POST" || !$0.carried.isEmpty }.isEmpty)
        #expect(try authctl.run("whoami", environment: supplied).output == "ann\n")
        // whoami keeps nothing.
        #expect(try authctl.run("whoami", "wire").code == 4)
        #expect(try authctl.run("login", environment: supplied).code == 0)
        supplied["AUTHCTL_PROFILE"] = nil
        #expect(try authctl.run("login", "blog", environment: supplied).code == 0)
        #expect(try authctl.run("logout", "--all").code == 0)
        // Without a name in the environment they serve login alone.
        #expect(try authctl.run("whoami", "blog", environment: supplied).code == 4)
    }

    @Test func `a given password of other bytes than UTF-8 is refused before anything is sent`() throws {
        let file = authctl.folder + "/latin1"
        try Data([0x70, 0xE4, 0x0A]).write(to: URL(fileURLWithPath: file))
        #expect(try logIn(["-u", "ann", "--password-file", file]).code == 2)
        #expect(try demo.requests().isEmpty)
    }

    @Test(arguments: ["a\u{1B}b", "a\tb", "a\u{7F}b"])
    func `a given password with a control character is refused for Basic before it is sent`(password: String) throws {
        let result = try logIn(["-u", "ann", "--password-stdin"], input: password)
        #expect(result.code == 2)
        #expect(!result.error.contains(password))
        #expect(try demo.requests().filter { !$0.carried.isEmpty }.isEmpty)
    }
}
