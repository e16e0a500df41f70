import Foundation
import LoginTestSupport
import Testing

/// The encrypted file, with its passphrase from a person at a terminal.
@Suite(.onOwnThreads) struct `The passphrase of the encrypted file` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: "file")
    }

    private func setUp() throws {
        let run = try authctl.onTerminal("store", "init", "file")
        try run.answer("New passphrase: ", "open sesame\r").answer("The same again: ", "open barley\r")
        try run.pty.wait(for: "The two are not the same.")
        try run.answer("New passphrase: ", "open sesame\r").answer("The same again: ", "open sesame\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(!run.pty.text.contains("open sesame"))
    }

    @Test func `is asked twice at the start, and once by each login`() throws {
        try setUp()
        let run = try authctl.onTerminal("login", "wire")
        try run.answer("Passphrase", "open sesame\r").answer("User name: ", "ann\r")
        try run.answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(run.pty.text.components(separatedBy: "Passphrase of").count == 2)
        try LeakSweep(secrets: ["open sesame"], pairs: [("ann", "correct horse")]).expectClean(
            ["transcript": run.pty.text], trees: [URL(fileURLWithPath: authctl.folder)])
        // whoami never asks: it says how the passphrase can be given.
        let mute = try authctl.onTerminal("whoami", "wire")
        #expect(try mute.end() == .exited(8))
        #expect(mute.pty.text.contains("AUTHCTL_STORE_PASSPHRASE_FILE"))
        let file = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("passphrase", "open sesame\n")]
        #expect(try authctl.run("whoami", "wire", environment: file).output == "ann\n")
        #expect(try authctl.run("logout", "wire", environment: file).code == 0)
        #expect(try authctl.run("whoami", "wire", environment: file).code == 4)
    }

    @Test func `that is wrong is 8, before anything is asked or sent`() throws {
        try setUp()
        let run = try authctl.onTerminal("login", "wire")
        try run.answer("Passphrase", "open barley\r")
        #expect(try run.end() == .exited(8), "\(run.pty.text)")
        #expect(!run.pty.text.contains("Password:"))
        #expect(try demo.requests().allSatisfy { $0.carried.isEmpty })
    }

    @Test func `that nobody gives is 13 after --prompt-timeout`() throws {
        try setUp()
        let run = try authctl.onTerminal("login", "wire", "--prompt-timeout", "1")
        try run.pty.wait(for: "Passphrase")
        #expect(try run.end() == .exited(13), "\(run.pty.text)")
        #expect(run.pty.text.contains("within 1 seconds"))
    }

    @Test func `can be cancelled, and cannot be blank`() throws {
        let cancelled = try authctl.onTerminal("store", "init", "file")
        try cancelled.answer("New passphrase: ", "\u{4}")
        #expect(try cancelled.end() == .exited(5))
        let blank = try authctl.onTerminal("store", "init", "file")
        try blank.answer("New passphrase: ", "\r")
        #expect(try blank.end() == .exited(8))
        #expect(try authctl.run("store", "init", "file").code == 8)
        #expect(authctl.home.files.filter { $0.hasPrefix("state/authctl/") }.allSatisfy { $0.contains(".lock") })
    }

    @Test func `is given once: a file that is set up is not set up again`() throws {
        try setUp()
        let file = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("passphrase", "other\n")]
        let before = authctl.home.files
        #expect(try authctl.run("store", "init", "file", environment: file).code == 8)
        #expect(authctl.home.files == before)
    }
}
