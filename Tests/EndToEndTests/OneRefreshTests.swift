import Foundation
@testable import LoginTestSupport
import Testing

/// A refresh token that is good once, and whose second use ends the session, in the hands of many processes.
@Suite(.onOwnThreads, .serialized, RealServer.require("faketime"), RealServer.require("flock"))
struct `Fifty processes with one expired token` {
    private static let base = "/_matrix/client/v3"
    private static let refresh = base + "/refresh"

    let demo: DemoBackendProcess
    let authctl: Installation
    /// For what `token` prints, which belongs nowhere in the home.
    let outside: TemporaryHome

    init() throws {
        demo = try DemoBackendProcess()
        outside = try TemporaryHome()
        authctl = try Installation(config: Self.profiles(demo))
    }

    /// Those of the demo server, where 401 alone refuses a refresh: an ordered refusal has no code.
    private static func profiles(_ demo: DemoBackendProcess) throws -> String {
        try demo.profiles().replacing(#"refused = [{ "/errcode" = "M_UNKNOWN_TOKEN" }]"#, with: "refused = [401]")
    }

    /// The same with the password kept beside the session.
    private func keepingPassword() throws -> Installation {
        try Installation(
            config: Self.profiles(demo).replacing(
                "refresh = { post = \"/refresh\"", with: "keep-password = true\nrefresh = { post = \"/refresh\""))
    }

    /// Logs in an hour ago: here the token is past its end, at the server it is not.
    private func logInAnHourAgo(_ authctl: Installation) throws {
        let faketime = try #require(RealServer.path(of: "faketime"))
        let words = [authctl.program, "login", "chat", "-u", "ann", "--password-stdin"]
        let result = try Command.run(
            ChildSpec(faketime, ["-f", "-1h"] + words, environment: authctl.environment),
            input: Array("correct horse".utf8))
        #expect(result.code == 0, "\(result.error)")
    }

    /// `token` 44 times, three of its forms among them, and `request` six times.
    private static let commands: [[String]] = (0..<50).map { number in
        switch number {
        case 0..<6: ["request", "GET", "/account/whoami", "-P", "chat"]
        case 6..<12: ["token", "chat", "--min-ttl", "100"]
        case 12..<16: ["token", "chat", "--verify"]
        default: ["token", "chat"]
        }
    }

    /// Starts `token` and does not wait for it.
    private func start(_ authctl: Installation) throws -> TerminalRun {
        let spec = ChildSpec(authctl.program, ["token", "chat"], environment: authctl.environment)
        return try TerminalRun(spec, output: outside.path + "/token", columns: 80)
    }

    private func statuses(of path: String) throws -> [Int] {
        try demo.requests().filter { $0.path == path }.map(\.status)
    }

    /// What the server says of a token that was printed.
    private func isAlive(_ token: String) throws -> Bool {
        try Curl("-H", "Authorization: Bearer \(token)", demo.origin + Self.base + "/account/whoami").status == 200
    }

    private func expectOneToken(_ results: [CommandResult], _ authctl: Installation) throws {
        for (words, result) in zip(Self.commands, results) {
            #expect(result.code == 0, "\(words): \(result.ending) \(result.error)")
        }
        let tokens = Set(zip(Self.commands, results).filter { $0.0.first == "token" }.map(\.1.output))
        #expect(tokens.count == 1)
        let token = try #require(tokens.first).trimmingCharacters(in: .newlines)
        #expect(try isAlive(token))
        #expect(results.prefix(6).allSatisfy { $0.output.contains("@ann:demo.invalid") })
        // Whoever comes later finds it, and asks for none.
        #expect(try authctl.run("token", "chat").output == token + "\n")
    }

    @Test func `ask for one refresh, and all print the same new token`() throws {
        try logInAnHourAgo(authctl)
        // Slow enough for all of them to have read the old token.
        try demo.order(.init(path: Self.refresh, delay: 2))
        let begun = Date()
        let results = try Crowd.run(Self.commands, of: authctl)
        print("50 processes, one refresh: \(Int(Date().timeIntervalSince(begun) * 1000)) ms, 2000 of them the server's")
        try expectOneToken(results, authctl)
        #expect(try statuses(of: Self.refresh) == [200])
    }

    @Test
    func `fifty processes with one expired token that is refused: 4 for all, asked once, and nothing more is tried`()
        throws
    {
        try logInAnHourAgo(authctl)
        let before = try demo.requests().count
        try demo.order(.init(path: Self.refresh, status: 401, delay: 2))
        let results = try Crowd.run(Self.commands, of: authctl)
        #expect(results.allSatisfy { $0.code == 4 && $0.outputBytes.isEmpty }, "\(results.map(\.error))")
        #expect(try demo.requests().dropFirst(before).map(\.path) == [Self.refresh])
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test
    func
        `fifty processes whose refresh is refused log in once with the kept password, and all print that token`()
        throws
    {
        let authctl = try keepingPassword()
        try logInAnHourAgo(authctl)
        try demo.order(.init(path: Self.refresh, status: 401, delay: 2))
        let results = try Crowd.run(Self.commands, of: authctl)
        try expectOneToken(results, authctl)
        #expect(try statuses(of: Self.refresh) == [401])
        #expect(try statuses(of: Self.base + "/login") == [200, 200])
    }

    @Test
    func `fifty processes with one expired token that is refused: a kept password that is refused too is sent once`()
        throws
    {
        let authctl = try keepingPassword()
        try logInAnHourAgo(authctl)
        try demo.order(
            .init(path: Self.refresh, status: 401, delay: 2), .init(path: Self.base + "/login", status: 403))
        let results = try Crowd.run(Self.commands, of: authctl)
        // The one that sent it is told that it was refused.
        #expect(results.filter { $0.code == 3 }.count == 1)
        #expect(results.filter { $0.code == 4 }.count == 49, "\(results.map(\.ending))")
        #expect(try statuses(of: Self.refresh) == [401])
        #expect(try statuses(of: Self.base + "/login") == [200, 403])
    }

    @Test func `a loser that comes late prints the newest token, not the one it waited for`() throws {
        try logInAnHourAgo(authctl)
        let lock = authctl.state + "/.renewal-chat.lock"
        let holder = try Pty(
            ChildSpec("/bin/sh", ["-c", "umask 077; exec 9<>'\(lock)'; flock 9; echo held; exec sleep 60"]))
        try holder.wait(for: "held")
        let late = try start(authctl)
        usleep(1_500_000)
        late.pty.child.send(signal: SIGSTOP)
        #expect(late.pty.child.isStopped())
        holder.child.send(signal: SIGKILL)
        _ = try holder.waitForEnd()
        let first = try authctl.run("token", "chat")
        #expect(first.code == 0)
        // Renewed once more behind its back: the first is dead by now.
        #expect(try authctl.run("token", "chat", "--min-ttl", "100000").code == 1)
        #expect(try !isAlive(first.output.trimmingCharacters(in: .newlines)))
        late.pty.child.send(signal: SIGCONT)
        #expect(try late.end() == .exited(0))
        #expect(try late.output == authctl.run("token", "chat").output)
        #expect(try isAlive(late.output.trimmingCharacters(in: .newlines)))
        #expect(try statuses(of: Self.refresh) == [200, 200])
    }

    /// What came for it is lost: the one loss that nobody can make good but a login.
    private func killRightAfterRotation(_ authctl: Installation) throws {
        try logInAnHourAgo(authctl)
        try demo.order(.init(path: Self.refresh, delay: 5))
        let killed = try start(authctl)
        #expect(try eventually { try !statuses(of: Self.refresh).isEmpty })
        killed.pty.child.send(signal: SIGKILL)
        #expect(try killed.end() == .signalled(SIGKILL))
        #expect(killed.output.isEmpty)
    }

    @Test
    func
        `fifty processes with one expired token after one that was killed right after the server rotated: 4, asked once`()
        throws
    {
        try killRightAfterRotation(authctl)
        let results = try Crowd.run(Self.commands, of: authctl)
        #expect(results.allSatisfy { $0.code == 4 && $0.outputBytes.isEmpty }, "\(results.map(\.error))")
        #expect(try statuses(of: Self.refresh) == [200, 401])
        #expect(try statuses(of: Self.base + "/login") == [200])
    }

    @Test
    func
        `fifty processes recover by the kept password when one was killed right after the server rotated the token`()
        throws
    {
        let authctl = try keepingPassword()
        try killRightAfterRotation(authctl)
        let results = try Crowd.run(Self.commands, of: authctl)
        try expectOneToken(results, authctl)
        #expect(try statuses(of: Self.refresh) == [200, 401])
        #expect(try statuses(of: Self.base + "/login") == [200, 200])
    }

    @Test func `a refresh whose answer is lost is not sent again unasked`() throws {
        try authctl.logIn("chat")
        // The refresh follows on the connection of verify; libcurl by itself would repeat it there.
        try demo.order(.init(path: Self.base + "/account/whoami", status: 401), .init(path: Self.refresh, reset: true))
        #expect(try authctl.run("whoami", "chat").code == 6)
        #expect(try statuses(of: Self.refresh) == [200])
    }

    @Test func `a clock that differs from the server's is named`() throws {
        let faketime = try #require(RealServer.path(of: "faketime"))
        let profiles = try demo.profiles().replacing(
            "session = { header = \"auth_token: {token}\" }",
            with: "session = { header = \"auth_token: {token}\" }\nkeep-password = true")
        let authctl = try Installation(config: profiles)
        func wrong(_ jump: String, _ words: String...) throws -> CommandResult {
            try Command.run(
                ChildSpec(faketime, ["-f", jump, authctl.program] + words, environment: authctl.environment),
                input: Array("correct horse".utf8))
        }
        let login = try wrong("+3h", "login", "screencast", "-u", "ann", "--password-stdin")
        #expect(login.code == 0)
        #expect(login.error.contains("the clock here is 3 hours ahead of the server's"), "\(login.error)")
        let token = try wrong("+3h", "token", "screencast")
        #expect(token.code == 1 && token.output.isEmpty)
        #expect(
            token.error.contains("has already expired: the clock here is 3 hours ahead of the server's"),
            "\(token.error)")
        let json = try wrong("+3h", "token", "screencast", "--json")
        #expect(json.code == 1 && json.member("message")?.contains("3 hours ahead") == true)
        // Where nothing looks over, nothing is said.
        for jump in ["-3h", "+30s"] {
            let silent = try wrong(jump, "login", "screencast", "-u", "ann", "--password-stdin", "--force")
            #expect(silent.code == 0 && !silent.error.contains("clock"), "\(silent.error)")
        }
    }
}
