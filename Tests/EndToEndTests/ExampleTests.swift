import Foundation
import LoginTestSupport
import Testing

/// The program in `Examples/`, which uses the library as anybody's would.
@Suite(.onOwnThreads) struct `The example` {
    let demo: DemoBackendProcess
    /// For the encrypted file, so that nothing outlives the test, and for the sweep.
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
        let key = try authctl.file("key", String(repeating: "0123456789abcdef", count: 4))
        #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
    }

    private func spec() throws -> ChildSpec {
        ChildSpec(
            try BuiltProducts.path(of: "gated-greeting"),
            [demo.origin + "/account/verify_credentials.json", authctl.state], environment: authctl.environment,
            directory: authctl.folder)
    }

    @Test func `greets after a login, and then without a question`() throws {
        let pty = try Pty(try spec())
        try pty.wait(for: "User name: ")
        pty.type("ann\r")
        try pty.wait(for: "Password: ")
        pty.type("wrong horse\r")
        try pty.wait(for: "Attempt 2 of 3")
        try pty.wait(for: "to change the name): ")
        pty.type("correct horse\r")
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(pty.text.contains("Hello, ann.") && !pty.text.contains("horse"))
        let again = try Command.run(try spec())
        #expect(again.code == 0 && again.output == "Hello, ann.\n" && again.error.isEmpty)
    }

    @Test func `does nothing for whoever cancels, or cannot be asked`() throws {
        let pty = try Pty(try spec())
        try pty.wait(for: "User name: ")
        pty.type("\u{4}")
        #expect(try pty.waitForEnd() == .exited(5))
        #expect(!pty.text.contains("Hello"))
        let result = try Command.run(try spec())
        #expect(result.code == 4 && result.output.isEmpty && result.error.contains("not logged in"))
    }
}
