import Foundation
import LoginTestSupport
import Testing

/// Threat F6 at the binary: an encrypted file that is not what it was.
@Suite struct `A damaged encrypted file` {
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

    @Test func `F6 is 8 after any flipped byte, and stays as it is`() throws {
        let whole = try authctl.bytes(store)
        // Every byte of the header, and a sample of the rest; LoginStoresTests flips each one.
        let places = Array(0..<min(24, whole.count)) + stride(from: 24, to: whole.count, by: 37) + [whole.count - 1]
        for place in places {
            var damaged = whole
            damaged[place] ^= 0x20
            try expectRefused(damaged, "byte \(place) of \(whole.count)")
        }
        try whole.write(to: URL(fileURLWithPath: store))
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
    }

    @Test func `F6 is 8 when it is cut short or too long, and stays as it is`() throws {
        let whole = try authctl.bytes(store)
        for length in [0, 1, 7, 24, whole.count / 2, whole.count - 16, whole.count - 1] {
            try expectRefused(whole.prefix(length), "\(length) of \(whole.count)")
        }
        try expectRefused(whole + Data([0]), "one byte more")
    }

    @Test func `F6 is 8 with another key, and stays as it is`() throws {
        let whole = try authctl.bytes(store)
        _ = try authctl.file("key", String(repeating: "K", count: 64))
        try expectRefused(whole, "another key")
    }

    @Test func `F6 is 8 with a wrong passphrase, in the same words as damage`() throws {
        let authctl = try Installation(demo, store: "file")
        let right = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("right", "open sesame\n")]
        let wrong = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("wrong", "open sesame!\n")]
        #expect(try authctl.run("store", "init", "file", environment: right).code == 0)
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
        try LeakSweep(secrets: ["open sesame"]).expectClean(
            ["talk": refused.error], trees: [URL(fileURLWithPath: authctl.state)])
    }

    @Test func `F2 is 8 when it is a link, and the target stays as it is`() throws {
        let whole = try authctl.bytes(store)
        try FileManager.default.moveItem(atPath: store, toPath: authctl.folder + "/moved")
        try FileManager.default.createSymbolicLink(atPath: store, withDestinationPath: authctl.folder + "/moved")
        #expect(try authctl.run("whoami", "wire").code == 8)
        #expect(try authctl.run("login", "wire", "-u", "ann", "--password-stdin", input: "correct horse").code == 8)
        #expect(try authctl.bytes(authctl.folder + "/moved") == whole)
    }
}
