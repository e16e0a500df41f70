import Foundation
@testable import LoginTestSupport
import Testing

/// Threat F4 at the binary: a login that is killed in the middle of its save.
@Suite(.onOwnThreads, .serialized, RealServer.require("strace")) struct `A login that is killed while it saves` {
    /// The calls of a save that change a file, or come between two that do.
    private static let calls = ["flock", "openat", "fchmod", "write", "fsync", "renameat", "renameat2", "unlinkat"]

    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    /// Bob joins Ann: one save of the secret, one of what is remembered.
    private let login = ["login", "wire", "-u", "bob", "--password-stdin", "--force"]
    private let password = "pä:ss%wörd&+\"\\ünïcode"

    private func traced(_ options: [String], _ store: String) throws -> CommandResult {
        let strace = try #require(RealServer.path(of: "strace"))
        let spec = ChildSpec(
            strace, options + [authctl.program] + login + ["--store", store], environment: authctl.environment)
        return try Command.run(spec, input: Array(password.utf8))
    }

    /// Which occurrences of each call belong to the saves: those from the first lock on.
    private func moments(_ store: String) throws -> [(call: String, number: Int)] {
        let trace = authctl.folder + "/trace"
        let names = Self.calls.map { "?" + $0 }.joined(separator: ",")
        let result = try traced(["-o", trace, "-e", "trace=" + names], store)
        try #require(result.code == 0, "\(result.error)")
        var counts: [String: Int] = [:], found: [(String, Int)] = []
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            let call = String(line.prefix { $0 != "(" })
            guard Self.calls.contains(call) else { continue }
            counts[call, default: 0] += 1
            // Of the opened files, those that are written.
            if call == "openat", !line.contains("O_CREAT") { continue }
            if counts["flock", default: 0] > 0 { found.append((call, counts[call, default: 0])) }
        }
        return found
    }

    @Test(arguments: ["plaintext", "file"])
    func `a save that is killed leaves the old or the new store whole, and the next one works`(store: String) throws {
        if store == "file" {
            let key = try authctl.file("key", String(repeating: "k", count: 64))
            #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
        }
        try authctl.logIn("wire", "ann", "correct horse", "--store", store)
        let snapshot = authctl.folder + "/snapshot"
        try FileManager.default.copyItem(atPath: authctl.state, toPath: snapshot)
        let moments = try moments(store)
        #expect(moments.count >= 15)
        var seen: [Int32] = []
        for (call, number) in Thoroughness.sample(moments, 8) {
            try FileManager.default.removeItem(atPath: authctl.state)
            try FileManager.default.copyItem(atPath: snapshot, toPath: authctl.state)
            let killed = try traced(
                ["-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=\(call):signal=KILL:when=\(number)"], store)
            #expect(killed.ending == .signalled(SIGKILL), "\(call) \(number): \(killed.ending)")
            let place = Comment(rawValue: "\(call) \(number)")
            // Ann is in the old store and in the new one; Bob is logged in whole or not at all.
            #expect(try authctl.run("whoami", "wire", "-u", "ann").output == "ann\n", place)
            let bob = try authctl.run("whoami", "wire", "-u", "bob")
            #expect(bob.code == 0 || bob.code == 4, place)
            seen.append(bob.code ?? -1)
            // A logout leaves no copy of a secret, be it in a file that was never put in place.
            #expect(try authctl.run("logout", "wire", "--all").code == 0, place)
            if store == "plaintext" {
                let left = try FileManager.default.contentsOfDirectory(atPath: authctl.state)
                #expect(left.filter { $0.hasPrefix(".plaintext.json.new-") }.isEmpty, place)
            }
            #expect(try authctl.run(login + ["--store", store], input: password).code == 0, place)
            #expect(try authctl.run("whoami", "wire").output == "bob\n", place)
        }
        // The saves were really cut: some before, some after.
        #expect(seen.contains(4))
        #expect(seen.contains(0))
        let files = try FileManager.default.contentsOfDirectory(atPath: authctl.state)
        #expect(files.filter { $0.contains("new-") }.isEmpty, "\(files)")
    }

    @Test func `a save that is killed at any other moment leaves no broken store either`() throws {
        try authctl.logIn("wire")
        for delay in Thoroughness.sample(Array(stride(from: 2_000, through: 120_000, by: 8_000)), 5) {
            let run = try Pty(
                ChildSpec(
                    authctl.program,
                    ["login", "wire", "--force", "--password-file", authctl.file("password", "correct horse")],
                    environment: authctl.environment))
            usleep(UInt32(delay))
            run.child.send(signal: SIGKILL)
            _ = try run.waitForEnd()
            #expect(try authctl.run("whoami", "wire").output == "ann\n", "\(delay)")
        }
    }
}
