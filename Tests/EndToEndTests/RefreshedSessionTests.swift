import Foundation
@testable import LoginTestSupport
import Testing

/// Sessions that the server refreshes: after their end by a refresh token, or by a new cookie at each request.
@Suite(.onOwnThreads) struct `A session that is refreshed` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private let verify = "/_matrix/client/v3/account/whoami"

    private func refreshes() throws -> [Int] {
        try demo.requests().filter { $0.path.hasSuffix("/refresh") }.map(\.status)
    }

    @Test(
        RealServer.require("faketime"),
        arguments: [["whoami"], ["status"], ["login"], ["token"], ["token", "--verify"], ["whoami", "--json"]])
    func `a session that is refreshed goes on after its end, by a refresh`(command: [String]) throws {
        try authctl.logIn("chat")
        #expect(try authctl.run("status", "chat", "--offline").code == 0)
        #expect(try authctl.runLater(["status", "chat", "--offline"]).code == 4)
        let result = try authctl.runLater(command + ["chat"])
        #expect(result.code == 0, "\(result.error)")
        #expect(try refreshes() == [200])
        // Renewed once and for all: what came was saved.
        #expect(try authctl.runLater(["whoami", "chat"]).code == 0)
        #expect(try authctl.runLater(["status", "chat", "--offline"]).code == 0)
        #expect(try refreshes() == [200])
    }

    @Test func `a session that is refreshed is erased when the refresh is refused, and stays when the server is busy`()
        throws
    {
        try authctl.logIn("chat")
        let refresh = "/_matrix/client/v3/refresh"
        for _ in 0..<3 { try demo.order(.init(path: verify, status: 401)) }
        try demo.order(.init(path: refresh, status: 503, retryAfter: 3))
        #expect(try authctl.run("whoami", "chat").code == 12)
        try demo.order(.init(path: refresh, status: 400, body: "{}", cutShort: true))
        #expect(try authctl.run("whoami", "chat").code == 6)
        #expect(try authctl.keptSecrets().count == 1)
        for _ in 0..<2 { try demo.order(.init(path: verify, status: 401)) }
        try demo.order(.init(path: refresh, status: 401))
        #expect(try authctl.run("whoami", "chat").code == 4)
        #expect(try authctl.keptSecrets().count == 1)
        try demo.order(.init(path: refresh, status: 401, body: #"{"errcode": "M_UNKNOWN_TOKEN"}"#))
        #expect(try authctl.run("whoami", "chat").code == 4)
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test(arguments: [403, 404, 407, 451, 499])
    func `a session that is refreshed stays where something in between answers its refresh`(status: Int) throws {
        try authctl.logIn("chat")
        let refresh = "/_matrix/client/v3/refresh", page = "<html><h1>Blocked</h1></html>"
        // The token is still good, only too short-lived.
        try demo.order(.init(path: refresh, status: status, body: page))
        #expect(try authctl.run("token", "chat", "--min-ttl", "100000").code == 12)
        // It has ended.
        try demo.order(.init(path: verify, status: 401), .init(path: refresh, status: status, body: page))
        let ended = try authctl.run("whoami", "chat")
        #expect(ended.code == 4 && ended.error.contains("status \(status)"), "\(ended.error)")
        #expect(ended.error.contains("or something in between answered"), "\(ended.error)")
        #expect(ended.error.contains("nothing was erased") && ended.error.contains("authctl login"), "\(ended.error)")
        #expect(try authctl.keptSecrets().count == 1)
        try demo.order(.init(path: verify, status: 401))
        #expect(try authctl.run("whoami", "chat").output == "@ann:demo.invalid\n")
        #expect(try refreshes() == [status, status, 200])
    }

    @Test func `a session that is refreshed is refreshed once, however many ask at the same time`() async throws {
        try authctl.logIn("chat")
        // Slow enough for all of them to have read the old token.
        try demo.order(.init(path: "/_matrix/client/v3/refresh", delay: 1))
        let (program, environment) = (authctl.program, authctl.environment)
        let results = try await withThrowingTaskGroup(of: CommandResult.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try Command.run(
                        ChildSpec(program, ["token", "chat", "--min-ttl", "100000"], environment: environment))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // A refresh token that is used twice would have ended the session.
        #expect(results.allSatisfy { $0.code == 1 }, "\(results.map(\.error))")
        #expect(try refreshes().allSatisfy { $0 == 200 })
        #expect(try authctl.run("whoami", "chat").output == "@ann:demo.invalid\n")
    }

    @Test func `a session that is refreshed keeps the new tokens although the service fails right after the refresh`()
        throws
    {
        try authctl.logIn("chat")
        try demo.order(.init(path: verify, status: 401), .init(path: verify, status: 503))
        #expect(try authctl.run("whoami", "chat").code == 12)
        #expect(try authctl.run("whoami", "chat").output == "@ann:demo.invalid\n")
        #expect(try refreshes() == [200])
    }

    @Test func `a session that is refreshed does not become the active account, nor move to another store`() throws {
        let bob = "pä:ss%wörd&+\"\\ünïcode"
        let key = try authctl.file("key", String(repeating: "k", count: 64))
        #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
        try authctl.logIn("chat", "ann", "correct horse", "--store", "file")
        try authctl.logIn("chat", "bob", bob, "--force")
        #expect(try authctl.run("token", "chat", "-u", "ann", "--min-ttl", "200000").code == 1)
        #expect(try refreshes() == [200])
        #expect(try authctl.run("whoami", "chat").output == "@bob:demo.invalid\n")
        let rows = try authctl.run("status", "chat", "--json").json as? [[String: Any]] ?? []
        #expect(rows.compactMap { $0["store"] as? String } == ["plaintext", "file"])
    }

    @Test func `a session that is refreshed by a new cookie at each request stays in its store and sends the newest`()
        throws
    {
        let refused = RecordingServer.Reply.answer(401)
        let cookie = { (number: Int) in
            RecordingServer.Reply.answer(200, ["Set-Cookie: sid=value-\(number); Path=/"], body: #"{"user": "ann"}"#)
        }
        let server = try RecordingServer([refused] + (1...7).map(cookie))
        defer { server.stop() }
        let authctl = try Installation(
            config: """
                [profiles.sliding]
                url = "\(server.url(""))"
                method = "cookie"
                login = { post = "/login", form = { user = "{username}", password = "{password}" } }
                verify = { get = "/me", username = "/user" }
                """, store: nil)
        try authctl.logIn("sliding", "ann", "correct horse", "--store", "plaintext")
        for _ in 0..<2 { #expect(try authctl.run("whoami", "sliding").output == "ann\n") }
        let sent = server.texts.map { text in text.split(separator: "\n").first { $0.hasPrefix("Cookie:") } }
        // Each new value is asked about before it takes the place of the old one.
        #expect(sent == [nil, nil] + (1...6).map { "Cookie: sid=value-\($0)" })
        #expect(try authctl.keptSecrets().count == 1)
        let row = (try authctl.run("status", "--offline", "--json").json as? [[String: Any]])?.first
        #expect(row?["store"] as? String == "plaintext")
        #expect(try authctl.run("logout").code == 0)
        #expect(try authctl.keptSecrets().isEmpty)
    }
}
