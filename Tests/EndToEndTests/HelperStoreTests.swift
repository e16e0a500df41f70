import Foundation
@testable import LoginTestSupport
import Testing

/// Logins that docker-credential-pass keeps, with a password store, a key and an agent of the test's own.
@Suite(
    .onOwnThreads, RealServer.require("docker-credential-pass"), RealServer.require("pass"), RealServer.require("gpg"))
final class `A login kept by a docker credential helper` {
    private let demo: DemoBackendProcess
    private let authctl: Installation
    private let helper: [String: String]

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: nil)
        helper = ["GNUPGHOME": authctl.folder + "/gnupg", "PASSWORD_STORE_DIR": authctl.folder + "/pass"]
        try FileManager.default.createDirectory(
            atPath: authctl.folder + "/gnupg", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        let key = ["--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "ann@example.invalid"]
        try other("/usr/bin/gpg", key + ["future-default", "default", "never"])
        try other("/usr/bin/pass", ["init", "ann@example.invalid"])
    }

    deinit {
        do {
            try other("/usr/bin/gpgconf", ["--kill", "all"])
        } catch {
            Issue.record(error, "the agent of the test's key goes on running")
        }
    }

    private func other(_ program: String, _ arguments: [String]) throws {
        let environment = authctl.environment.merging(helper) { $1 }
        let result = try Command.run(ChildSpec(program, arguments, environment: environment))
        guard result.code == 0 else { throw Unexpected(result: result) }
    }

    private func run(_ words: String..., input: String = "", more: [String: String] = [:]) throws -> CommandResult {
        try authctl.run(words, input: input, environment: helper.merging(more) { $1 })
    }

    private func logIn(_ profile: String = "wire", _ options: String...) throws {
        let words = ["login", profile, "-u", "ann", "--password-stdin", "--store", "helper:pass"] + options
        let result = try authctl.run(words, input: "correct horse", environment: helper)
        guard result.code == 0 else { throw Unexpected(result: result) }
        #expect(result.error.contains("Stored in 'helper:pass'"))
    }

    private var entries: [String] {
        let folder = authctl.folder + "/pass/docker-credential-helpers"
        return FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    }

    @Test func `a login kept by a docker credential helper is found by every command, and gone after the logout`()
        throws
    {
        try logIn()
        try logIn("blog")
        #expect(entries.filter { $0.hasSuffix(".gpg") }.count == 2)
        for profile in ["wire", "blog"] {
            #expect(try run("whoami", profile).output == "ann\n")
            #expect(try run("status", profile, "--offline").code == 0)
            let out = try run("logout", profile)
            #expect(out.code == 0 && out.error.contains("login deleted here"), "\(out.error)")
            #expect(try run("logout", profile).code == 0)
            #expect(try run("whoami", profile).code == 4)
        }
        #expect(entries.isEmpty)
    }

    @Test
    func
        `a login saved by a docker helper replaces the one in another store, whoever chose the helper`()
        throws
    {
        try authctl.logIn("wire", "ann", "correct horse", "--store", "plaintext")
        let login = try run(
            "login", "wire", "-u", "ann", "--force", "--password-stdin", input: "correct horse",
            more: ["AUTHCTL_STORE": "helper:pass"])
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.keptSecrets().isEmpty)
        #expect(try run("status", "wire", "--json").output.contains("helper:pass"))
        #expect(try run("logout", "wire").code == 0)
        #expect(entries.isEmpty)
    }

    @Test
    func
        `a docker helper that is gone is named with exit code 8, and its login is there once it is back`()
        throws
    {
        try logIn()
        let gone = ["PATH": "/nonexistent"]
        for words in [["whoami", "wire"], ["logout", "wire"], ["logout", "--all"], ["token", "wire", "--header"]] {
            let result = try authctl.run(words, environment: helper.merging(gone) { $1 })
            #expect(result.code == 8, "\(words) \(result.error)")
            #expect(result.error.contains("docker-credential-pass") && result.error.contains("PATH"), "\(result.error)")
            #expect(result.output.isEmpty)
        }
        let status = try run("status", "wire", more: gone)
        #expect(status.code == 8)
        #expect(status.error.contains("docker-credential-pass"), "\(status.error)")
        #expect(try run("status", "wire", "--offline", more: gone).code == 8)
        #expect(try run("whoami", "wire").output == "ann\n")
        #expect(try run("logout", "wire").code == 0)
        #expect(entries.isEmpty)
    }

    @Test
    func
        `a login in another store replaces the one of a missing docker helper, which is erased once it is back`()
        throws
    {
        try logIn()
        let words = ["login", "wire", "-u", "ann", "--force", "--password-stdin", "--store", "plaintext"]
        let variables = helper.merging(["PATH": "/nonexistent"]) { $1 }
        let login = try authctl.run(words, input: "correct horse", environment: variables)
        #expect(login.code == 0, "\(login.error)")
        #expect(login.error.contains("helper:pass"), "what stays behind is named: \(login.error)")
        #expect(try authctl.run("whoami", "wire", environment: variables).output == "ann\n")
        let logout = try authctl.run("logout", "wire", environment: variables)
        #expect(logout.code == 8 && logout.error.contains("docker-credential-pass"), "\(logout.error)")
        #expect(try run("logout", "wire").code == 0)
        #expect(entries.isEmpty)
    }

    @Test
    func
        `nobody is asked for a password before a docker helper has passed its test`()
        throws
    {
        let login = try run(
            "login", "wire", "-u", "ann", "--password-stdin", "--store", "helper:pass", input: "correct horse",
            more: ["PASSWORD_STORE_DIR": authctl.folder + "/nowhere"])
        #expect(login.code == 8)
        #expect(login.error.contains("pass init"), "\(login.error)")
        #expect(try demo.requests().isEmpty)
    }

    @Test func `store list names the helpers, and store test tries one`() throws {
        let list = try run("store", "list")
        #expect(list.code == 0 && list.output.contains("helper:pass"), "\(list.output)")
        let completed = try run("complete", "--", "login", "--store", "")
        #expect(
            Set(["plaintext", "helper:pass"]).isSubset(of: completed.output.split(separator: "\n").map(String.init)))
        #expect(try run("store", "test", "helper:pass").code == 0)
        let gone = try run("store", "test", "helper:no-such-helper")
        #expect(gone.code == 8 && gone.error.contains("docker-credential-no-such-helper"))
        #expect(entries.isEmpty)
    }

    @Test func `Ctrl-C ends the helper, then authctl`() throws {
        let mark = authctl.folder + "/running"
        let script = "#!/bin/sh\ntrap 'rm \(mark); exit 1' TERM\ntouch \(mark)\nwhile :; do sleep 0.05; done\n"
        try authctl.home.write(script, to: "bin/docker-credential-slow", mode: 0o755)
        let path = ["PATH": authctl.folder + "/bin:/usr/bin:/bin"]
        let run = try authctl.onTerminal("store", "test", "helper:slow", environment: path)
        #expect(eventually { FileManager.default.fileExists(atPath: mark) })
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test(arguments: ["helper:authctl", "helper:x; touch pwn", "helper:../pass", "helper:-rf", "helper:"])
    func `a name that is none is 2 wherever it is given`(store: String) throws {
        for words in [["login", "wire", "--store", store], ["store", "test", store]] {
            #expect(try authctl.run(words, environment: helper).code == 2)
        }
        #expect(try run("login", "wire", more: ["AUTHCTL_STORE": store]).code == 2)
        let config = "store = \"\(store)\"\n[profiles.a]\nurl = \"https://a.example\"\nverify = { get = \"/\" }\n"
        let file = try authctl.file("odd.toml", config)
        #expect(try run("login", "a", "--config", file).code == 2)
    }
}
