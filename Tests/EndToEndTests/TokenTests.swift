import Foundation
@testable import LoginTestSupport
import Testing

/// Tokens that end, and are refreshed.
@Suite(.onOwnThreads) struct `A token` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private func token(_ arguments: String...) throws -> String {
        let result = try authctl.run(["token"] + arguments)
        #expect(result.code == 0, "\(result.error)")
        return String(result.output.dropLast())
    }

    private func whoami(_ token: String) throws -> Int {
        try Curl("-H", "Authorization: Bearer \(token)", demo.origin + "/_matrix/client/v3/account/whoami").status
    }

    @Test func `a token is printed without a request while it lives long enough`() throws {
        try authctl.logIn("chat")
        let before = try demo.requests().count
        let first = try token("chat")
        #expect(try token("chat", "--min-ttl", "200") == first)
        #expect(try demo.requests().count == before)
        demo.stop()
        #expect(try token("chat") == first)
    }

    @Test func `a token that lives too short is refreshed, saved, and the old one is refused`() throws {
        try authctl.logIn("chat", "ann", "correct horse", "--ttl", "60")
        // Only the login knows a ttl where the profile sends none; the demo's tokens live five minutes.
        let first = try token("chat")
        let second = try authctl.run("token", "chat", "--min-ttl", "100000")
        #expect(second.code == 1)
        #expect(second.output.isEmpty)
        #expect(second.error.contains("is valid for only"))
        // The new pair was saved all the same, since the old one is used up.
        let third = try token("chat")
        #expect(third != first)
        #expect(try whoami(third) == 200)
        #expect(try whoami(first) == 401)
        #expect(try authctl.run("whoami", "chat").code == 0)
        #expect(try demo.requests().filter { $0.path.hasSuffix("/refresh") }.map(\.status) == [200])
    }

    @Test func `a token whose refresh is refused ends the session: 4, nothing printed, nothing sent again`() throws {
        try authctl.logIn("chat")
        try demo.order(.refusesRefresh)
        let result = try authctl.run("token", "chat", "--min-ttl", "100000")
        #expect(result.code == 4, "\(result.error)")
        #expect(result.output.isEmpty)
        #expect(try authctl.keptSecrets().isEmpty)
        let before = try demo.requests().count
        #expect(try authctl.run("token", "chat").code == 4)
        #expect(try demo.requests().count == before)
    }

    @Test(arguments: [503, 429]) func `a token whose refresh is busy stays, and that is 12`(status: Int) throws {
        try authctl.logIn("chat")
        let first = try token("chat")
        try demo.order(.init(path: "/_matrix/client/v3/refresh", status: status, retryAfter: 9))
        let result = try authctl.run("token", "chat", "--min-ttl", "100000")
        #expect(result.code == 12, "\(result.error)")
        #expect(result.error.contains("9 seconds"))
        #expect(try token("chat") == first)
    }

    @Test(RealServer.require("faketime")) func `a token that is over is never printed`() throws {
        try authctl.logIn("screencast", "ann", "correct horse", "--ttl", "60")
        let first = try authctl.run("token", "screencast")
        #expect(first.code == 0)
        #expect(try demo.requests().contains { $0.query == ["ttl": "60"] })
        for more in [[], ["--header"], ["--json"], ["--verify"]] {
            let late = try authctl.runLater(["token", "screencast"] + more)
            #expect(late.code == 4, "\(more): \(late.error)")
            #expect(!late.output.contains(first.output.dropLast()))
        }
        // The server's clock has not moved.
        try demo.order(.init(path: "/home/index.json", status: 401))
        #expect(try authctl.runLater(["whoami", "screencast"]).code == 4)
        #expect(try authctl.runLater(["status", "screencast", "--offline"]).code == 4)
    }

    @Test func `too short for --min-ttl without a way to refresh it is 4`() throws {
        try authctl.logIn("screencast", "ann", "correct horse", "--ttl", "30")
        #expect(try authctl.run("token", "screencast", "--min-ttl", "10").code == 0)
        let late = try authctl.run("token", "screencast", "--min-ttl", "60")
        #expect(late.code == 4)
        #expect(late.output.isEmpty)
    }

    @Test func `a token that the server refuses is erased: 4, and nothing is sent the next time`() throws {
        try authctl.logIn("screencast")
        try demo.order(.init(path: "/home/index.json", status: 401))
        #expect(try authctl.run("token", "screencast", "--verify").code == 4)
        #expect(try authctl.keptSecrets().isEmpty)
        let before = try demo.requests().count
        #expect(try authctl.run("whoami", "screencast").code == 4)
        #expect(try authctl.run("token", "screencast").code == 4)
        #expect(try demo.requests().count == before)
    }

    @Test func `a token survives a server that is busy, broken or gone`() throws {
        try authctl.logIn("screencast")
        let first = try token("screencast")
        for fault in [
            DemoBackendProcess.Fault(path: "/home/index.json", status: 503),
            .init(path: "/home/index.json", status: 429),
            .init(path: "/home/index.json", status: 403), .init(path: "/home/index.json", cutShort: true),
        ] {
            try demo.order(fault)
            let result = try authctl.run("whoami", "screencast")
            #expect([4, 6, 12].contains(result.code), "\(result.error)")
            #expect(try token("screencast") == first)
        }
        demo.stop()
        #expect(try authctl.run("whoami", "screencast").code == 6)
        #expect(try token("screencast") == first)
    }

    @Test func `a token comes back by itself where the password is kept`() throws {
        let config = try String(decoding: authctl.bytes(authctl.folder + "/config/authctl/config.toml"), as: UTF8.self)
        _ = try authctl.file(
            "config/authctl/config.toml",
            config.replacing("[profiles.screencast]", with: "[profiles.screencast]\nkeep-password = true"))
        try authctl.logIn("screencast")
        let first = try token("screencast")
        try demo.order(.init(path: "/home/index.json", status: 401))
        let who = try authctl.run("whoami", "screencast")
        #expect(who.output == "ann\n", "\(who.error)")
        #expect(try token("screencast") != first)
        #expect(try demo.requests().filter { $0.method == "POST" }.count == 2)
        #expect(try authctl.run("logout", "screencast").code == 0)
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test(arguments: [
        ("wire", "/account/verify_credentials.json"), ("blog", "/users/me"), ("screencast", "/home/index.json"),
        ("chat", "/_matrix/client/v3/account/whoami"), ("index", "/+api"), ("admin", "/api/me/"),
    ])
    func `curl reads the session of each kind from standard input`(profile: String, path: String) throws {
        try authctl.logIn(profile)
        let config = try token("--as", "curl", profile)
        let curl = try Command.tool("curl", ["-q", "-sS", "-K", "-", demo.origin + path], input: Array(config.utf8))
        #expect(curl.code == 0 && curl.output.contains("ann"), "\(curl.output)\(curl.error)")
    }

    @Test func `a token is not what Basic and cookies have: 2, and other forms are named`() throws {
        for profile in ["wire", "blog"] {
            try authctl.logIn(profile)
            let result = try authctl.run("token", profile)
            #expect(result.code == 2)
            #expect(result.output.isEmpty)
            #expect(result.error.contains("--as header; other forms: headers, curl"))
        }
    }
}
