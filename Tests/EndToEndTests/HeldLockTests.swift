import Foundation
@testable import LoginTestSupport
import Testing

/// Half a minute, which is why it stands apart from the crowds, that take their turns.
@Suite(.onOwnThreads, RealServer.require("flock")) struct `The lock of an account` {
    /// The locks of the files are held in LoginStoresTests, for shorter.
    @Test func `a lock that is held is waited for, then 14, and nothing is changed`() throws {
        let demo = try DemoBackendProcess()
        defer { demo.stop() }
        let authctl = try Installation(demo)
        try authctl.logIn("wire")
        let lock = authctl.state + "/.logins-wire.lock"
        let before = try authctl.keptSecrets()
        let holder = try Pty(ChildSpec("/bin/sh", ["-c", "exec 9<>'\(lock)'; flock 9; echo held; exec sleep 60"]))
        try holder.wait(for: "held")
        let begun = Date(), login = ["login", "wire", "-u", "ann", "--force", "--password-stdin"]
        let late = try authctl.run(login, input: "correct horse")
        #expect(late.code == 14, "\(late.error)")
        #expect((29.0..<75).contains(Date().timeIntervalSince(begun)))
        #expect(try authctl.keptSecrets() == before)
        // Reading waits for nobody, and the lock of a killed process is free.
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
        holder.child.send(signal: SIGKILL)
        _ = try holder.waitForEnd()
        #expect(try authctl.run(login, input: "correct horse").code == 0)
    }
}
