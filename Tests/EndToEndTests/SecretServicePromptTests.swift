import Foundation
@testable import LoginTestSupport
import Testing

/// What GNOME Keyring cannot be made to do without a desktop: a person at its dialogue, and services with faults.
@Suite(
    .onOwnThreads, RealServer.require("dbus-daemon"), RealServer.requirePython("dbus"), RealServer.requirePython("gi"))
struct `The dialogue of a keyring` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: "secret-service")
    }

    private func desktop(_ keyring: KeyringSession) -> [String: String] {
        keyring.address.merging(["DISPLAY": ":77"]) { $1 }
    }

    private func logIn(_ keyring: KeyringSession) throws -> CommandResult {
        try authctl.run(
            ["login", "wire", "-u", "ann", "--password-stdin"], input: "correct horse\n", environment: desktop(keyring))
    }

    @Test func `the dialogue of a keyring unlocks it at a terminal on a desktop, and the login goes on`() throws {
        let keyring = try KeyringSession(.fake(.unlocked))
        let run = try authctl.onTerminal("login", "wire", environment: desktop(keyring))
        try run.pty.wait(for: "waiting for the dialogue of the desktop's keyring")
        try run.answer("User name: ", "ann\r").answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.lines)")
        #expect(try authctl.run("whoami", "wire", environment: desktop(keyring)).output == "ann\n")
    }

    @Test func `closed is the person's no: 5, and no other store is taken`() throws {
        let keyring = try KeyringSession(.fake(.dismissed))
        let run = try authctl.onTerminal("login", "wire", "--store", "auto", environment: desktop(keyring))
        #expect(try run.end() == .exited(5))
        #expect(run.lines.joined().contains("dialogue was closed"), "\(run.lines)")
    }

    @Test func `left alone is 13 after the time for a prompt`() throws {
        let keyring = try KeyringSession(.fake(.unanswered))
        let run = try authctl.onTerminal("login", "wire", "--prompt-timeout", "1", environment: desktop(keyring))
        #expect(try run.end() == .exited(13))
        #expect(run.lines.joined().contains("within 1 second"), "\(run.lines)")
    }

    @Test
    func
        `the keyring's dialogue does not appear without a terminal or display, or for a command that never asks`()
        throws
    {
        let keyring = try KeyringSession(.fake(.unlocked))
        let piped = try logIn(keyring)
        #expect(piped.code == 8 && piped.error.contains("is locked"), "\(piped.error)")
        let run = try authctl.onTerminal("login", "wire", environment: keyring.address)
        #expect(try run.end() == .exited(8))
        let silent = try authctl.onTerminal("store", "list", environment: desktop(keyring))
        #expect(try silent.end() == .exited(0))
        #expect(silent.output.contains("is locked"))
    }

    @Test func `a service without encryption is used all the same`() throws {
        let keyring = try KeyringSession(.fake(.plain))
        let login = try logIn(keyring)
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("whoami", "wire", environment: desktop(keyring)).output == "ann\n")
        #expect(try authctl.run("logout", "wire", environment: desktop(keyring)).code == 0)
    }

    @Test func `an item that is deleted between search and reading was not there`() throws {
        let keyring = try KeyringSession(.fake(.vanishing))
        let test = try authctl.run("store", "test", "secret-service", environment: desktop(keyring))
        #expect(test.code == 8 && test.error.contains("cannot be read back"), "\(test.error)")
    }

    @Test func `an answer that does not match is not taken for ours`() throws {
        let keyring = try KeyringSession(.fake(.careless))
        #expect(try logIn(keyring).code == 0)
        let other = try authctl.run(
            ["login", "wire", "-u", "bob", "--password-stdin"], input: "wrong\n", environment: desktop(keyring))
        #expect(other.code == 3)
        #expect(try authctl.run("whoami", "wire", environment: desktop(keyring)).output == "ann\n")
    }

    @Test func `a service that is killed while it is asked is 8, and the next command finds none`() throws {
        let keyring = try KeyringSession(.fake(.dying))
        let result = try logIn(keyring)
        #expect(result.code == 8 && result.error.contains("exited during the request"), "\(result.error)")
        let next = try logIn(keyring)
        #expect(next.code == 8 && next.error.contains("no Secret Service is running"), "\(next.error)")
    }

    @Test func `no default keyring and a full disk have messages of their own`() throws {
        let homeless = try logIn(KeyringSession(.fake(.homeless)))
        #expect(homeless.code == 8 && homeless.error.contains("no default keyring"), "\(homeless.error)")
        let full = try logIn(KeyringSession(.fake(.full)))
        #expect(full.code == 8 && full.error.contains("no space left on device"), "\(full.error)")
    }
}
