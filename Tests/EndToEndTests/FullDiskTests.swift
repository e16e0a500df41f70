import Foundation
@testable import LoginTestSupport
import Testing

/// A disk that is full or read-only, found out before a server is told anything that cannot be taken back.
@Suite(.onOwnThreads, .enabled(if: getuid() == 0, "only root mounts")) final class `A disk without room` {
    private let demo: DemoBackendProcess
    private let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
        try FileManager.default.createDirectory(atPath: authctl.state, withIntermediateDirectories: true)
        let mount = try Command.tool("mount", ["-t", "tmpfs", "-o", "size=128k,mode=700", "none", authctl.state])
        try #require(mount.code == 0, "\(mount.error)")
    }

    deinit {
        _ = try? Command.tool("umount", ["-l", authctl.state])
    }

    private func paths() throws -> [String] { try demo.requests().map(\.path) }

    @Test(RealServer.require("faketime"), arguments: ["plaintext", "file"])
    func `A full disk stops a refresh before it is sent, and token is 0 once there is room`(store: String) throws {
        let key = try authctl.file("key", String(repeating: "k", count: 64))
        #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
        try authctl.logIn("chat", "ann", "correct horse", "--store", store)
        let ballast = authctl.state + "/ballast"
        _ = try Command.tool("sh", ["-c", "cat /dev/zero > '\(ballast)'"])
        let full = try authctl.runLater(["token", "chat"])
        #expect(full.code == 8, "\(full.error)")
        #expect(full.error.contains("no room") && full.error.contains("nothing was sent"), "\(full.error)")
        #expect(try !paths().contains { $0.hasSuffix("/refresh") })
        try FileManager.default.removeItem(atPath: ballast)
        let roomy = try authctl.runLater(["token", "chat"])
        #expect(roomy.code == 0, "\(roomy.error)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: authctl.state).allSatisfy { !$0.contains("space-") })
    }

    @Test func `A logout on a read-only disk asks no server, and works once it can write`() throws {
        try authctl.logIn("chat")
        let asked = try paths().count
        #expect(try Command.tool("mount", ["-o", "remount,ro", authctl.state]).code == 0)
        let failed = try authctl.run("logout", "chat")
        #expect(failed.code == 8 && failed.error.contains("stored logins are unchanged"), "\(failed.error)")
        #expect(try paths().count == asked)
        #expect(try Command.tool("mount", ["-o", "remount,rw", authctl.state]).code == 0)
        #expect(try authctl.run("logout", "chat").code == 0)
        #expect(try paths().count > asked)
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test(RealServer.require("faketime"))
    func `A logout waits for a refresh that is on its way, and ends the session that it brings`() throws {
        try authctl.logIn("chat")
        try demo.order(.init(path: "/_matrix/client/v3/refresh", delay: 4))
        let faketime = try #require(RealServer.path(of: "faketime"))
        let elsewhere = try TemporaryHome()
        let refreshing = try TerminalRun(
            ChildSpec(faketime, ["-f", "+1h", authctl.program, "token", "chat"], environment: authctl.environment),
            output: elsewhere.path + "/token", columns: 80)
        let lock = authctl.state + "/.renewal-chat.lock"
        #expect(eventually { FileManager.default.fileExists(atPath: lock) })
        #expect(eventually { (try? Command.tool("flock", ["-n", lock, "true"]).code) != 0 })
        let logout = try authctl.run("logout", "chat")
        #expect(logout.code == 0 && logout.error.contains("session ended at the server"), "\(logout.error)")
        // The logout may come before the check of what the refresh brought.
        let ending = try refreshing.end()
        #expect(ending == .exited(0) || ending == .exited(4), "\(ending)")
        let order = try paths().filter { $0.hasSuffix("/refresh") || $0.hasSuffix("/logout") }
        #expect(order.map { $0.hasSuffix("/logout") } == [false, true], "\(order)")
        let token = refreshing.output.trimmingCharacters(in: .whitespacesAndNewlines)
        if !token.isEmpty {
            let whoami = try Curl(
                "-H", "Authorization: Bearer \(token)",
                "http://127.0.0.1:\(demo.port)/_matrix/client/v3/account/whoami")
            #expect(whoami.status == 401)
        }
        #expect(try authctl.keptSecrets().isEmpty)
    }
}
