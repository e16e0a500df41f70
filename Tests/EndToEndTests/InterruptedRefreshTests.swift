import Foundation
@testable import LoginTestSupport
import Testing

/// The server of these tests counts a refresh when it arrives and answers later; the old token then ends the login.
@Suite(.onOwnThreads) struct `A refresh that was sent` {
    private static let base = "/_matrix/client/v3"
    private static let refresh = base + "/refresh"

    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
        try authctl.logIn("chat")
    }

    /// Has the next command find its token refused.
    private func end(answeringAfter delay: Double) throws {
        try demo.order(.init(path: Self.base + "/account/whoami", status: 401))
        try demo.order(.init(path: Self.refresh, delay: delay))
    }

    private func waitUntilSent() throws {
        try #require(eventually { demo.output.contains("\(Self.refresh)  ") })
    }

    private func expectSaved() throws {
        #expect(try demo.requests().filter { $0.path == Self.refresh }.map(\.status) == [200])
        let next = try authctl.run("token", "chat", "--verify")
        #expect(next.code == 0, "\(next.error)")
        #expect(try demo.requests().filter { $0.path == Self.refresh }.count == 1)
    }

    @Test(
        arguments: Thoroughness.sample(
            [["whoami"], ["token", "--verify"], ["status"], ["login"], ["exec", "--", "true"]], 2))
    func `a refresh that was sent survives Ctrl-C, says so, and the program then dies of it`(command: [String]) throws {
        try end(answeringAfter: 3)
        let words = command.first == "exec" ? ["exec", "-P", "chat", "--", "true"] : command + ["chat"]
        let run = try authctl.onTerminal(words)
        try waitUntilSent()
        run.pty.type("\u{3}")
        try run.pty.wait(for: "Finishing the refresh before stopping")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(run.pty.settings == Pty.usualSettings && run.pty.echoes)
        try expectSaved()
    }

    @Test func `a refresh that was sent is saved before a move takes the login to another store`() throws {
        try end(answeringAfter: 1.5)
        let key = try authctl.file("key", String(repeating: "k3y-f1le", count: 8))
        #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
        let run = try authctl.onTerminal("whoami", "chat")
        try waitUntilSent()
        let move = try authctl.run("store", "move", "plaintext", "file")
        #expect(move.code == 0, "\(move.error)")
        #expect(try run.end() == .exited(0))
        try expectSaved()
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGUSR1])
    func `a refresh that was sent survives a signal, of which the program then dies`(number: Int32) throws {
        try end(answeringAfter: 3)
        let run = try authctl.onTerminal("whoami", "chat")
        try waitUntilSent()
        run.pty.child.send(signal: number)
        #expect(try run.end() == .signalled(number))
        try expectSaved()
    }

    @Test func `a refresh that was sent survives timeout(1), which sends its signal twice`() throws {
        try end(answeringAfter: 3)
        let words = ["2", authctl.program, "whoami", "chat"]
        let result = try Command.run(ChildSpec("/usr/bin/timeout", words, environment: authctl.environment))
        #expect(result.code == 124, "\(result.error)")
        // On a busy machine the signal may come before the refresh is sent; then it is sent now.
        let next = try authctl.run("token", "chat", "--verify")
        #expect(next.code == 0, "\(next.error)")
    }

    @Test func `a refresh that was sent has more time than --timeout says`() throws {
        try end(answeringAfter: 3)
        let result = try authctl.run("whoami", "chat", "--timeout", "2")
        #expect(result.code == 0, "\(result.error)")
        try expectSaved()
    }

    @Test func `a refresh that was sent is given up at a second signal, of which the program dies`() throws {
        try end(answeringAfter: 60)
        let run = try authctl.onTerminal("whoami", "chat")
        try waitUntilSent()
        run.pty.type("\u{3}")
        try run.pty.wait(for: "Finishing the refresh before stopping")
        #expect(
            eventually {
                run.pty.child.send(signal: SIGTERM)
                return run.pty.child.hasEnded()
            })
        // After 5 s it would have died of the first.
        #expect(try run.end() == .signalled(SIGTERM))
        #expect(run.pty.settings == Pty.usualSettings && run.pty.echoes)
    }

    @Test(Thoroughness.isNeeded)
    func `a refresh that was sent is given up 5 seconds after a signal`() throws {
        try end(answeringAfter: 60)
        let run = try authctl.onTerminal("whoami", "chat")
        try waitUntilSent()
        run.pty.child.send(signal: SIGTERM)
        #expect(try run.end() == .signalled(SIGTERM))
    }

    @Test func `a refresh that was sent survives the end of the command of an exec --serve`() throws {
        try end(answeringAfter: 3)
        try demo.order(.init(path: Self.base + "/account/whoami", status: 401))
        let script = """
            curl -q -s "${AUTHCTL_SERVE_URL}account/whoami" &
            for _ in $(seq 600); do curl -q -s \(demo.origin)/demo/requests | grep -q refresh && break; sleep 0.1; done
            """
        let result = try authctl.run("exec", "--serve", "--offline", "-P", "chat", "--", "sh", "-c", script)
        #expect(result.code == 0, "\(result.error)")
        try expectSaved()
    }
}
