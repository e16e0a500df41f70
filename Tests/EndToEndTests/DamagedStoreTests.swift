import Foundation
@testable import LoginTestSupport
import Testing

/// Threat F6 at the binary: an encrypted file that is not what it was.
@Suite(.onOwnThreads) struct `A damaged encrypted file` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: "file")
        let key = try authctl.file("key", String(repeating: "k", count: 64))
        try authctl.run("store", "init", "file", "--key-file", key)
        try authctl.logIn("wire")
        try demo.reset()
    }

    @Test func `a limit on the size of files is 8, not the end by a signal, and leaves nothing behind`() throws {
        let words = [
            "-c", "ulimit -f 0; exec \"$@\"", "sh", authctl.program, "login", "wire", "-u", "ann", "--force",
            "--password-stdin",
        ]
        let spec = ChildSpec("/bin/sh", words, environment: authctl.environment, directory: authctl.folder)
        let result = try Command.run(spec, input: Array("correct horse".utf8))
        #expect(result.ending == .exited(8), "\(result.error)")
        let left = (try? FileManager.default.contentsOfDirectory(atPath: authctl.state)) ?? []
        #expect(!left.contains { $0.contains(".new-") })
    }

    private var store: String { authctl.state + "/store.authctl" }

    /// Reading and writing commands, none of which may change the file or tell the server anything.
    private func expectRefused(_ damaged: Data, _ what: Comment) throws {
        try damaged.write(to: URL(fileURLWithPath: store))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store)
        for command in [["whoami", "wire"], ["login", "wire", "-u", "bob", "--password-stdin"], ["logout", "wire"]] {
            let result = try authctl.run(command, input: "pä:ss%wörd&+\"\\ünïcode")
            #expect(result.code == 8, what)
            #expect(result.output.isEmpty, what)
            #expect(try authctl.bytes(store) == damaged, what)
        }
        #expect(try demo.requests().allSatisfy { $0.carried.isEmpty }, what)
    }

    @Test func `a damaged encrypted file is 8 after any flipped byte, and stays as it is`() throws {
        let whole = try authctl.bytes(store)
        // Every byte of the header, and a sample of the rest; LoginStoresTests flips each one.
        let places = Array(0..<min(24, whole.count)) + stride(from: 24, to: whole.count, by: 37) + [whole.count - 1]
        for place in Thoroughness.sample(places, 10) {
            var damaged = whole
            damaged[place] ^= 0x20
            try expectRefused(damaged, "byte \(place) of \(whole.count)")
        }
        try whole.write(to: URL(fileURLWithPath: store))
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
    }

    @Test func `a damaged encrypted file is 8 when it is cut short or too long, and stays as it is`() throws {
        let whole = try authctl.bytes(store)
        for length in [0, 1, 7, 24, whole.count / 2, whole.count - 16, whole.count - 1] {
            try expectRefused(whole.prefix(length), "\(length) of \(whole.count)")
        }
        try expectRefused(whole + Data([0]), "one byte more")
    }

    @Test func `a damaged encrypted file is 8 with another key, and stays as it is`() throws {
        let whole = try authctl.bytes(store)
        _ = try authctl.file("key", String(repeating: "K", count: 64))
        try expectRefused(whole, "another key")
    }

    @Test func `a damaged encrypted file is 8 with a wrong passphrase, in the same words as damage`() throws {
        let authctl = try Installation(demo, store: "file"), outside = try TemporaryHome()
        let right = try StoreOnTest.passphrase.setUp(authctl, outside: outside)
        let wrong = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("wrong", StoreOnTest.secret + "!\n")]
        let login = ["login", "wire", "-u", "ann", "--password-stdin"]
        #expect(try authctl.run(login, input: "correct horse", environment: right).code == 0)
        let file = authctl.state + "/store.authctl"
        let whole = try authctl.bytes(file)
        let refused = try authctl.run("whoami", "wire", environment: wrong)
        #expect(refused.code == 8)
        #expect(try authctl.bytes(file) == whole)
        var damaged = whole
        damaged[whole.count - 1] ^= 1
        try damaged.write(to: URL(fileURLWithPath: file))
        #expect(try authctl.run("whoami", "wire", environment: right).error == refused.error)
        #expect(try authctl.run("whoami", "wire", environment: ["AUTHCTL_STORE_PASSPHRASE_FILE": "/nowhere"]).code == 8)
        try LeakSweep(secrets: [StoreOnTest.secret]).expectClean(
            ["talk": refused.error], trees: [URL(fileURLWithPath: authctl.state)])
    }

    /// Argon2id's passes and memory in KiB, at their places in the header; a login takes neither the memory nor the time.
    @Test func `a damaged encrypted file is 8 with hostile work for its passphrase, before any memory is taken`() throws
    {
        let authctl = try Installation(demo, store: "file"), outside = try TemporaryHome()
        let environment = try StoreOnTest.passphrase.setUp(authctl, outside: outside)
        let file = authctl.state + "/store.authctl", whole = try authctl.bytes(file)
        func peak(_ passes: UInt32, _ memory: UInt32) throws -> Int {
            var bytes = whole
            for (place, number) in [(9, passes), (13, memory)] {
                for index in 0..<4 {
                    bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index))
                }
            }
            try bytes.write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let spec = ChildSpec(
                authctl.program, ["login", "wire", "-u", "ann", "--password-stdin"],
                environment: authctl.environment.merging(environment) { $1 })
            let tracee = try Tracee(spec, input: Array("correct horse".utf8)), begun = Date()
            let ending = try tracee.next()
            #expect(ending == .ending)
            #expect(Date().timeIntervalSince(begun) < 30)
            let status = try String(contentsOfFile: "/proc/\(tracee.pid)/status", encoding: .utf8)
            let peak = try #require(status.firstMatch(of: #/VmPeak:\s+(\d+) kB/#))
            #expect(try tracee.next() == .ended(.exited(bytes == whole ? 0 : 8)))
            #expect(try bytes == whole || authctl.bytes(file) == bytes)
            return Int(peak.1) ?? .max
        }
        let honest = try peak(2, 8192)
        let least: UInt32 = 8192, most: UInt32 = 1 << 20
        let hostile: [(UInt32, UInt32)] = [
            (0, least), (1, least), (17, least), (.max, least), (2, 0), (2, 1), (2, least - 1), (2, most + 1),
            (2, .max), (16, .max), (.max, .max), (0, 0), (1, 1),
        ]
        var largest = 0
        for (passes, memory) in hostile { largest = max(largest, try peak(passes, memory)) }
        // Less even than the least that the format allows.
        #expect(largest < honest)
        print("F6: \(hostile.count) hostile parameters: \(largest) KiB at most; \(honest) KiB with honest ones")
    }

    @Test func `a damaged encrypted file is 8 when it is a link, and the target stays as it is`() throws {
        let whole = try authctl.bytes(store)
        try FileManager.default.moveItem(atPath: store, toPath: authctl.folder + "/moved")
        try FileManager.default.createSymbolicLink(atPath: store, withDestinationPath: authctl.folder + "/moved")
        #expect(try authctl.run("whoami", "wire").code == 8)
        #expect(try authctl.run("login", "wire", "-u", "ann", "--password-stdin", input: "correct horse").code == 8)
        #expect(try authctl.bytes(authctl.folder + "/moved") == whole)
    }
}
