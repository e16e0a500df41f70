import Foundation
@testable import LoginTestSupport
import Testing

/// The recipes of UNATTENDED USE for monitoring, prompts and ssh, each read from the page and run as it is written.
@Suite(.onOwnThreads) struct `Unattended and watched` {
    let place: Workplace

    init() throws {
        place = try Workplace()
    }

    private var environment: [String: String] { place.authctl.environment.merging(["PATH": place.path]) { $1 } }

    private func logIn() throws { try place.authctl.logIn("blog", "ann", Workplace.secret, "--store", "plaintext") }

    // --- Monitoring

    private func monitor() throws -> CommandResult {
        try place.shell("/bin/sh", ["-c"], place.recipe("Monitoring"), environment)
    }

    @Test(RealServer.require("jq")) func `monitoring: silent if all is well, else a line for each login`() throws {
        #expect(try monitor().output == "blog -: login-required\n")
        try logIn()
        let well = try monitor()
        #expect(well.code == 0 && well.output.isEmpty && well.error.isEmpty, "\(well.output)\(well.error)")
        try place.demo.reset()
        #expect(try monitor().output == "blog ann: login-required\n")
        try place.authctl.home.write("nonsense", to: "config/authctl/config.toml")
        #expect(try monitor().output == "- -: usage\n")
    }

    @Test(RealServer.require("jq")) func `monitoring: a login that ends within a day`() throws {
        let profiles = try place.demo.profiles()
        try place.authctl.home.write(profiles, to: "config/authctl/config.toml")
        let login = ["login", "screencast", "-u", "ann", "--password-stdin", "--store", "plaintext", "--ttl", "3600"]
        #expect(try place.authctl.run(login, input: Workplace.secret).code == 0)
        #expect(try monitor().output.contains("screencast ann: verified\n"))
    }

    // --- Prompts

    @Test func `the account, or that there is none`() throws {
        let line = try place.recipe("Shell prompts", 0)
        let pty = try Pty(
            ChildSpec("/bin/bash", ["--norc", "-i"], environment: environment, directory: place.authctl.folder))
        pty.type(line.trimmingCharacters(in: .newlines) + "\r")
        try pty.wait(for: "[logged out] ")
        try logIn()
        let before = try place.demo.requests().count
        pty.type("\r")
        try pty.wait(for: "[ann] ")
        pty.type("exit\r")
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(try place.demo.requests().count == before, "a prompt asked the server")
    }

    /// As starship's documentation says ("Custom commands"): a command goes to the shell's standard input, and the module is shown if
    /// `when` is 0.
    @Test func `starship: the module is shown with a login alone`() throws {
        let script = "import json, sys, tomllib; json.dump(tomllib.load(sys.stdin.buffer), sys.stdout)"
        let toml = try place.recipe("Shell prompts", 1)
        let read = try Command.run(ChildSpec("/usr/bin/python3", ["-c", script]), input: Array(toml.utf8))
        let file = try #require(try JSONSerialization.jsonObject(with: Data(read.outputBytes)) as? [String: Any])
        let module = try #require((file["custom"] as? [String: [String: Any]])?["authctl"])
        #expect(module["shell"] as? [String] == ["sh"])
        func run(_ key: String) throws -> CommandResult {
            let command = try #require(module[key] as? String)
            return try Command.run(ChildSpec("/bin/sh", [], environment: environment), input: Array(command.utf8))
        }
        #expect(try run("when").code == 4)
        try logIn()
        let (shown, text) = (try run("when"), try run("command"))
        #expect(shown.code == 0 && shown.output.isEmpty)
        #expect(text.code == 0 && text.output == "ann\n", "\(text.error)")
    }
}

/// The same for ssh, at a real sshd on loopback.
@Suite(.onOwnThreads) struct `Unattended over ssh` {
    let place: Workplace

    init() throws {
        place = try Workplace()
    }

    /// `host.example` is that server.
    private func startServer() throws -> SSHServer {
        let folder = place.authctl.folder
        let server = try SSHServer(
            in: folder,
            """
            PermitRootLogin yes
            SetEnv PATH=\(place.path) XDG_CONFIG_HOME=\(folder)/config XDG_STATE_HOME=\(folder)/state AUTHCTL_STORE=plaintext
            """)
        let lines = ["Host host.example", "User=\(NSUserName())"] + server.options
        let file = try place.authctl.home.write(lines.joined(separator: "\n") + "\n", to: "ssh_config")
        try place.authctl.home.write("#!/bin/sh\nexec /usr/bin/ssh -F \(file) \"$@\"\n", to: "bin/ssh", mode: 0o755)
        return server
    }

    @Test(RealServer.require("sshd"), RealServer.require("ssh"))
    func `a login with a terminal, one without, and the code of whoami`() throws {
        let server = try startServer()
        defer { withExtendedLifetime(server) {} }
        let environment = ["HOME": place.authctl.folder, "PATH": place.path, "TERM": "xterm"]
        let lines = try place.recipe("ssh").replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
        func run(_ line: String) throws -> CommandResult { try place.shell("/bin/sh", ["-c"], line, environment) }
        #expect(try run(lines[2]).code == 4)
        let pty = try Pty(ChildSpec("/bin/sh", ["-c", lines[0]], environment: environment))
        try pty.wait(for: "User name: ")
        pty.type("ann\r")
        try pty.wait(for: "Password: ")
        pty.type(Workplace.secret + "\r")
        #expect(try pty.waitForEnd() == .exited(0), "\(pty.text)")
        #expect(!pty.text.contains(Workplace.secret))
        let who = try run(lines[2])
        #expect(who.code == 0 && who.output == "ann\n", "\(who.error)")
        _ = try place.authctl.file(".blog.password", Workplace.secret + "\n")
        #expect(try run(lines[1]).code == 0)
        _ = try place.authctl.file(".blog.password", "wrong\n")
        #expect(try run(lines[1]).code == 3)
    }
}
