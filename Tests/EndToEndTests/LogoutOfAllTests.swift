import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// `logout --all`, and the key of the encrypted file that the kernel may hold.
@Suite(.onOwnThreads) struct `A logout of everybody` {
    let outside: TemporaryHome
    let demo: DemoBackendProcess

    init() throws {
        outside = try TemporaryHome()
        demo = try DemoBackendProcess()
    }

    /// As in a container whose system call filter knows no keys.
    private func withoutKeys(_ authctl: Installation, _ words: String...) throws -> CommandResult {
        let strace = try #require(RealServer.path(of: "strace"))
        let inject = ["-f", "-o", "/dev/null", "-e", "trace=add_key,keyctl", "-e", "inject=add_key,keyctl:error=EPERM"]
        return try Command.run(
            ChildSpec(strace, inject + [authctl.program] + words, environment: authctl.environment))
    }

    @Test(RealServer.require("strace"))
    func `a logout of everybody is 0 where the kernel refuses keys, and so is the second`() throws {
        let authctl = try Installation(demo, store: "file")
        _ = try StoreOnTest.keyFile.setUp(authctl, outside: outside)
        try authctl.logIn("wire")
        let first = try withoutKeys(authctl, "logout", "--all", "--json")
        #expect(first.code == 0, "\(first.error)")
        #expect((first.json as? [[String: Any]])?.first?["erased"] as? Bool == true, "\(first.output)")
        #expect(try withoutKeys(authctl, "logout", "--all").code == 0)
    }

    @Test func `removes what a killed save has left, even of an account that is gone`() throws {
        let authctl = try Installation(demo)
        try authctl.logIn("wire")
        #expect(try authctl.run("logout", "--all").code == 0)
        let left = [".plaintext.json.new-1f", ".store.authctl.new-2e"].map { authctl.state + "/" + $0 }
        for file in left {
            try Data("correct horse".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        #expect(try authctl.run("logout", "--all").code == 0)
        for file in left { #expect(!FileManager.default.fileExists(atPath: file), "\(file)") }
    }

    @Test func `drops the held key although one account stays`() throws {
        let authctl = try Installation(demo, top: "passphrase-cache = 60\n", store: "file")
        let passphrase = try StoreOnTest.passphrase.setUp(authctl, outside: outside)
        try authctl.run(
            "login", "wire", "-u", "ann", "--password-stdin", input: "correct horse\n", environment: passphrase)
        #expect(try authctl.run("store", "test", "file").code == 0)
        try AccountRegistry(folder: authctl.state).update { document in
            let origin = document.profiles[0].origin
            document.profiles[0].accounts.append(
                AccountRecord(
                    username: "bob", serverName: nil, origin: origin, store: .helper("gone-for-good"), kind: .basic,
                    expires: nil, savedAt: 0))
        }
        let logout = try authctl.run("logout", "--all", "--local")
        #expect(logout.code == 8 && logout.error.contains("gone-for-good"), "\(logout.error)")
        let test = try authctl.run("store", "test", "file")
        #expect(test.code == 8 && test.error.contains("passphrase"), "\(test.error)")
        let kept = try AccountRegistry(folder: authctl.state).read().profiles[0].accounts
        #expect(kept.map(\.username) == ["bob"])
    }
}
