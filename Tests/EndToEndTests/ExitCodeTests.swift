import Foundation
@testable import LoginTestSupport
import Testing

/// Every exit code of the contract, reached by the binary; `--json` changes none of them.
@Suite(.onOwnThreads) struct `The exit code` {
    let stage: ExitCase.Stage

    init() throws {
        let demo = try DemoBackendProcess()
        stage = ExitCase.Stage(demo: demo, authctl: try Installation(demo))
    }

    @Test(arguments: ExitCase.all) func `the exit code says what happened`(_ test: ExitCase) throws {
        let played = try test.play(stage)
        #expect(played.ending == .exited(test.code), "\(played.error)")
        #expect(test.code == 0 || played.output.isEmpty || test.command.first == "status")
        // The table of status says it.
        #expect(test.code == 0 || !played.error.isEmpty || test.command.first == "status")
    }

    @Test(arguments: ExitCase.all) func `the exit code is the same with --json, which prints one value`(
        _ test: ExitCase
    ) throws {
        let played = try test.play(stage, ["--json"])
        #expect(played.ending == .exited(test.code), "\(played.error)")
        #expect(played.json != nil, "\(played.output)")
        // What status and logout report of is a list of its own.
        guard test.code != 0, played.json is [String: Any] else { return }
        #expect(played.member("code") == test.name)
        #expect(played.member("exit") == "\(test.code)")
        #expect(played.member("message")?.isEmpty == false)
    }

    @Test func `the exit code of every failure but status is told as an error object, and whom it is about`() throws {
        let result = try stage.authctl.run("whoami", "wire", "--json")
        #expect(result.member("profile") == "wire")
        for test in ExitCase.all where test.code == 15 {
            let played = try test.play(stage, ["--json"])
            #expect(played.member("code") == "partial", "\(played.output)")
        }
    }

    @Test func `12 shows how long to wait, and 1 the status and the server's own words`() throws {
        let busy = try stage.authctl.run("login", "chat", "-u", "busy", "--password-stdin", input: "busy as a bee")
        #expect(busy.error.contains("7 seconds"))
        #expect(busy.error.contains("\"Too many logins, try later\""))
        try stage.demo.order(.init(path: "/auth/login.json", status: 418))
        let failure = try stage.authctl.run("login", "screencast", "-u", "ann", "--password-stdin", input: "x")
        #expect(failure.error.contains("418"))
        #expect(failure.error.contains("\"This went wrong on request\""))
        #expect(!failure.error.lowercased().contains("password"))
    }

    @Test func `7 comes without a connection for plain http, and without a request for a self-signed certificate`()
        throws
    {
        let server = try SelfSignedServer()
        defer { server.stop() }
        let login = ["login", server.origin + "/me", "-u", "ann", "--password-stdin", "--name", "tls"]
        let result = try stage.authctl.run(login, input: "correct horse")
        #expect(result.code == 7, "\(result.error)")
        #expect(try stage.authctl.run(login + ["--json"], input: "correct horse").member("code") == "untrusted")
        #expect(try server.received().isEmpty)
        let trusted = try stage.authctl.run(login + ["--ca-file", server.certificate], input: "correct horse")
        #expect(trusted.code == 2, "\(trusted.error)")
        #expect(try !server.received().isEmpty)
    }

    @Test func `14 says that another authctl held the lock too long`() throws {
        try stage.authctl.logIn("wire")
        let lock = stage.authctl.state + "/.plaintext.json.lock"
        let held = open(lock, O_RDWR | O_CLOEXEC)
        defer { close(held) }
        try #require(flock(held, LOCK_EX) == 0)
        let result = try stage.authctl.run("logout", "wire", "--json")
        #expect(result.code == 14, "\(result.error)")
        #expect(result.member("code") == "locked")
    }

    @Test func `8 leaves nothing behind of a login whose store does not work`() throws {
        let result = try stage.authctl.run(
            "login", "wire", "-u", "ann", "--password-stdin", "--store", "file", input: "correct horse")
        #expect(result.code == 8)
        // The store is tried before anybody is asked, and before anything is sent.
        #expect(try stage.demo.requests().isEmpty)
        #expect(try stage.authctl.run("whoami", "wire").code == 4)
    }
}
