import Foundation
@testable import LoginTestSupport
import Testing

/// `exec`: what comes of the gate, and of the command behind it.
@Suite(.onOwnThreads) struct `The command of an exec` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private static let touch = ["--", "touch", "ran"]

    @Test(arguments: [0, 7, 99])
    func `the command of an exec runs at once where somebody is logged in, and gives its own code`(code: Int)
        throws
    {
        try authctl.logIn("wire")
        let before = try demo.requests().count
        let result = try authctl.run("exec", "-P", "wire", "--", "sh", "-c", "echo out; echo err >&2; exit \(code)")
        #expect(result.code == Int32(code))
        #expect(result.output == "out\n" && result.error == "err\n")
        #expect(try demo.requests().count == before + 1)
    }

    @Test(arguments: [SIGTERM, SIGKILL, SIGSEGV, SIGHUP])
    func `the command of an exec dies of a signal, and so has authctl`(number: Int32) throws {
        try authctl.logIn("chat")
        let script = ["-P", "chat", "--", "sh", "-c", "kill -\(number) $$"]
        #expect(try authctl.run(["exec"] + script).ending == .signalled(number))
        let once = try authctl.run(
            ["exec", "--ephemeral", "-u", "ann", "--password-stdin"] + script, input: "correct horse\n")
        #expect(once.ending == .signalled(number), "\(once.error)")
    }

    @Test(arguments: [("nonesuch", 127), ("./nonesuch", 127), ("", 127), ("/etc/passwd", 126), ("/tmp", 126)])
    func `the command of an exec that is not there is 127, that cannot be run 126, before anybody is asked`(
        name: String, code: Int32
    ) throws {
        let result = try authctl.run("exec", "-P", "wire", "--", name)
        #expect(result.code == code)
        #expect(result.error.hasPrefix("authctl: \"\(name)\": "))
        #expect(try demo.requests().isEmpty)
    }

    @Test
    func
        `the command of an exec whose interpreter is missing is 126, and one without a first line runs as from a shell`()
        throws
    {
        try authctl.logIn("wire")
        for (text, code) in [("#!/nonesuch\n", Int32(126)), ("exit 5\n", 5)] {
            let script = try authctl.home.write(text, to: "script", mode: 0o755)
            #expect(try authctl.run("exec", "-P", "wire", "--", script).code == code)
        }
    }

    @Test(arguments: ExitCase.ofGate) func `the command of an exec never runs where the gate fails: 100 and the code`(
        _ test: ExitCase
    ) throws {
        var test = test
        var options = Array(test.command.dropFirst())
        if options.first?.hasPrefix("-") == false { options.insert("-P", at: 0) }
        test.command = ["exec"] + options + Self.touch
        let played = try test.play(ExitCase.Stage(demo: demo, authctl: authctl))
        #expect(played.ending == .exited(100 + test.code), "\(played.error)")
        #expect(!authctl.hasFile("ran"))
    }

    @Test
    func `the command of an exec never runs: 102 for every wrong call, 106 and 108 with a login, 107 for plain http`()
        throws
    {
        for wrong in [["-P", "nope"], ["--bogus"], ["-P", "wire", "--env", "1x"], ["--fd", "2"], ["-p", "x"]] {
            #expect(try authctl.run(["exec"] + wrong + Self.touch).code == 102)
        }
        let bare = try authctl.run("exec", "-P", "wire", "touch", "ran")
        #expect(bare.code == 102 && bare.error.contains("'--'"))
        #expect(try authctl.run("exec", "-P", "wire", "--").code == 102)
        let far = try Installation(config: "[profiles.far]\nurl = \"http://192.0.2.1\"\nverify = { get = \"/\" }\n")
        let plain = try far.run(["exec", "-u", "ann", "--password-stdin"] + Self.touch, input: "correct horse\n")
        #expect(plain.code == 107, "\(plain.error)")
        try authctl.logIn("wire")
        let kept = try authctl.bytes(authctl.plaintext)
        try Data("{\"version\": 1".utf8).write(to: URL(fileURLWithPath: authctl.plaintext))
        #expect(try authctl.run(["exec", "-P", "wire"] + Self.touch).code == 108)
        try kept.write(to: URL(fileURLWithPath: authctl.plaintext))
        demo.stop()
        #expect(try authctl.run(["exec", "-P", "wire"] + Self.touch).code == 106)
        #expect(!authctl.hasFile("ran"))
    }

    @Test func `the command of an exec is not run for a profile that was only guessed: 102 with the list`() throws {
        let config = try String(decoding: authctl.bytes(authctl.folder + "/config/authctl/config.toml"), as: UTF8.self)
        _ = try authctl.file("config/authctl/config.toml", config.replacing("default = \"blog\"", with: ""))
        try authctl.logIn("wire")
        let result = try authctl.run(["exec"] + Self.touch)
        #expect(result.code == 102)
        #expect(result.error.contains("wire") && result.error.contains("blog"))
        #expect(!authctl.hasFile("ran"))
    }

    @Test func `the command of an exec runs with a given password where no store works, which is said once`() throws {
        let result = try authctl.run(
            "exec", "--store", "file", "--", "sh", "-c", "echo $AUTHCTL_USERNAME",
            environment: ["AUTHCTL_PROFILE": "wire", "AUTHCTL_USERNAME": "ann", "AUTHCTL_PASSWORD": "correct horse"])
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output == "ann\n")
        #expect(result.error.components(separatedBy: "was not stored").count == 2)
    }

    @Test(arguments: ["wire", "blog", "chat"])
    func `exec --offline runs its command with what is stored, and the server is not asked`(profile: String) throws {
        try authctl.logIn(profile)
        let before = try demo.requests().count
        let result = try authctl.run(
            "exec", "--offline", "-P", profile, "--curl-config", "--", "sh", "-c", "echo $AUTHCTL_USERNAME")
        #expect(result.code == 0 && result.output == "ann\n", "\(result.error)")
        #expect(try demo.requests().count == before)
    }

    @Test func `exec --offline never runs its command where nothing is stored, or what is stored is over`() throws {
        #expect(try authctl.run(["exec", "--offline", "-P", "wire"] + Self.touch).code == 104)
        try authctl.logIn("wire")
        #expect(try authctl.run("logout", "wire").code == 0)
        #expect(try authctl.run(["exec", "--offline", "-P", "wire"] + Self.touch).code == 104)
        #expect(!authctl.hasFile("ran"))
    }

    @Test func `the command of an exec refreshes a session that is over before it runs`() throws {
        try authctl.logIn("chat")
        try demo.order(.init(path: "/_matrix/client/v3/account/whoami", status: 401))
        #expect(try authctl.run(["exec", "-P", "chat"] + Self.touch).code == 0)
        #expect(try demo.requests().contains { $0.path.hasSuffix("/refresh") })
        #expect(authctl.hasFile("ran"))
    }

    @Test func `inside another is told so, and goes on`() throws {
        try authctl.logIn("wire")
        let result = try authctl.run(
            "exec", "-P", "wire", "--", authctl.program, "exec", "--", "sh", "-c", "echo $AUTHCTL_PROFILE")
        #expect(result.code == 0 && result.output == "wire\n")
        #expect(result.error.contains("running inside 'authctl exec' for the profile \"wire\""))
    }

    @Test func `logged in for it alone leaves nothing here, and the session is ended`() throws {
        let result = try authctl.run(
            "exec", "--ephemeral", "-P", "chat", "-u", "ann", "--password-stdin", "--env", "TOKEN", "--", "sh", "-c",
            "curl -sS -H \"Authorization: Bearer $TOKEN\" $AUTHCTL_ORIGIN/_matrix/client/v3/account/whoami; exit 3",
            input: "correct horse\n")
        #expect(result.code == 3, "\(result.error)")
        #expect(result.output.contains("@ann:demo.invalid"))
        #expect(result.error.contains("session ended at the server"))
        #expect(
            try demo.requests().suffix(2).map(\.path) == [
                "/_matrix/client/v3/logout", "/_matrix/client/v3/account/whoami",
            ])
        #expect(try authctl.keptSecrets().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: authctl.registry))
    }

    @Test func `the command of an exec keeps its code where that session cannot be ended, which is said`() throws {
        try demo.order(.init(path: "/_matrix/client/v3/logout", status: 418))
        let result = try authctl.run(
            "exec", "--ephemeral", "-q", "-P", "chat", "-u", "ann", "--password-stdin", "--", "sh", "-c", "exit 3",
            input: "correct horse\n")
        #expect(result.code == 3)
        #expect(result.error.contains("the server did not end the session"))
    }
}

extension ExitCase {
    /// The logins that fail at a profile; that a given password goes on without a store is another matter.
    fileprivate static let ofGate = all.filter {
        $0.code != 0 && $0.command[0] == "login" && !$0.command[1].contains("/") && !$0.command[1].hasPrefix("ORIGIN")
            && !$0.command.contains("file")
    }
}
