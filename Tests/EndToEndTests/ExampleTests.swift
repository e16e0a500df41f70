import Foundation
@testable import LoginTestSupport
import Testing

/// The programs in `Examples/`, a package of its own that uses the library as anybody's would. It takes minutes to build.
@Suite(.onOwnThreads, .serialized, Thoroughness.isNeeded) struct `The examples` {
    let demo: DemoBackendProcess
    /// For the encrypted file, so that nothing outlives the test, and for the sweep.
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
        let key = try authctl.file("key", String(repeating: "0123456789abcdef", count: 4))
        #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
    }

    private struct NotBuilt: Error {
        let words: String
    }

    /// Built once, in a folder that later runs find.
    private static let folder = Result {
        let repository = Repository.path
        // SwiftPM does not see that a package it depends on by path has a file more; without its plan it looks again.
        try? FileManager.default.removeItem(atPath: "\(repository)/.build/examples/debug.yaml")
        let arguments = [
            "build", "--package-path", "\(repository)/Examples", "--scratch-path", "\(repository)/.build/examples",
        ]
        let built = try Command.run(
            ChildSpec(
                "/usr/bin/env", ["swift"] + arguments, environment: ProcessInfo.processInfo.environment,
                directory: repository),
            within: 1800)
        guard built.code == 0 else {
            throw NotBuilt(words: built.output + built.error)
        }
        return "\(repository)/.build/examples/debug"
    }

    private func spec(_ program: String, _ arguments: String...) throws -> ChildSpec {
        ChildSpec(
            "\(try Self.folder.get())/\(program)", arguments, environment: authctl.environment,
            directory: authctl.folder)
    }

    private func logIn(_ pty: Pty) throws {
        try pty.wait(for: "User name: ")
        pty.type("ann\r")
        try pty.wait(for: "Password: ")
        pty.type("correct horse\r")
    }

    @Test func `a profile of one's own: greets after a login, and then without a question`() throws {
        let spec = try spec("own-profile", demo.origin, authctl.state)
        let pty = try Pty(spec)
        try pty.wait(for: "User name: ")
        pty.type("ann\r")
        try pty.wait(for: "Password: ")
        pty.type("wrong horse\r")
        try pty.wait(for: "Attempt 2 of 3")
        try pty.wait(for: "to change the name): ")
        pty.type("correct horse\r")
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(pty.text.contains("Hello, ann.") && !pty.text.contains("horse"))
        let again = try Command.run(spec)
        #expect(again.code == 0 && again.output == "Hello, ann.\n" && again.error.isEmpty)
    }

    @Test func `a program tests its delegate with questions, responses and errors that it makes itself`() throws {
        #expect(try Command.run(spec("faked-answers")).output == "good\n")
        let asked = try Command.run(spec("faked-answers", authctl.folder + "/own"))
        #expect(asked.output == "false 0\n", "\(asked.ending) \(asked.error)")
    }

    @Test func `a profile of one's own: nothing for whoever cancels, or cannot be asked`() throws {
        let spec = try spec("own-profile", demo.origin, authctl.state)
        let pty = try Pty(spec)
        try pty.wait(for: "User name: ")
        pty.type("\u{4}")
        #expect(try pty.waitForEnd() == .exited(5))
        #expect(!pty.text.contains("Hello"))
        let result = try Command.run(spec)
        #expect(result.code == 4 && result.output.contains("not logged in"))
    }

    @Test func `a profile of config.toml: the login is the one that authctl has`() throws {
        try authctl.logIn("wire")
        let run = try Command.run(spec("configured-login", "wire"))
        #expect(run.code == 0 && run.output == "Hello, ann.\n", "\(run)")
    }

    @Test func `a request: logs in at the terminal, and sends the same once more`() throws {
        let pty = try Pty(spec("replayed-request", "blog", "hi"))
        try logIn(pty)
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(pty.text.contains("201: "), "\(pty.text)")
        #expect(try demo.requests().count { $0.path == "/posts" && $0.status == 201 } == 1)
    }

    @Test func `a delegate: answers once, and no wrong password twice`() throws {
        let good = try Command.run(spec("own-delegate", "blog", "ann"), input: Array("correct horse\n".utf8))
        #expect(good.code == 0 && good.output.hasSuffix("Hello, ann.\n"), "\(good)")
        let bad = try Command.run(spec("own-delegate", "chat", "ann"), input: Array("wrong horse\n".utf8))
        #expect(bad.code == 3, "\(bad)")
        #expect(try demo.requests().count { $0.path == "/_matrix/client/v3/login" } == 1)
    }

    @Test func `a login that is cancelled: ends at once, with the terminal as it was`() throws {
        let pty = try Pty(spec("cancelled-login", "blog", "1"))
        try pty.wait(for: "User name: ")
        #expect(try pty.waitForEnd() == .exited(13))
        #expect(pty.text.contains("nobody logged in in time") && !pty.text.contains("Hello"))
    }
}
