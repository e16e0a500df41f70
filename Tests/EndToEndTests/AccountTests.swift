import Foundation
@testable import LoginTestSupport
import Testing

/// Status, several accounts of one profile, and stored passwords that the server refuses.
@Suite(.onOwnThreads) struct `An account` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private let bob = "pä:ss%wörd&+\"\\ünïcode"

    private func rows(_ arguments: String...) throws -> [[String: Any]] {
        try authctl.run(["status", "--json"] + arguments).json as? [[String: Any]] ?? []
    }

    @Test func `an account is seen by status: the first code that is not 0, the default profile first`() throws {
        #expect(try authctl.run("status").code == 4)
        for profile in ["blog", "screencast", "admin", "chat", "index", "wire"] { try authctl.logIn(profile) }
        #expect(try authctl.run("login", "forge", "--password-stdin", input: "demo-pat-ann-7f3a9c").code == 0)
        let all = try authctl.run("status")
        #expect(all.code == 0, "\(all.output)")
        #expect(all.output.split(separator: "\n").dropFirst().first?.hasPrefix("blog") == true)
        #expect(!all.error.contains("ca-certificates"))
        #expect(try authctl.run("status", "wire", "-v").error.contains("ca-certificates"))
        #expect(try rows().compactMap { $0["state"] as? String } == Array(repeating: "verified", count: 7))
        try demo.order(.init(path: "/users/me", status: 503), .init(path: "/home/index.json", status: 401))
        #expect(try authctl.run("status").code == 12)
        // Meanwhile the token was refused, and is gone.
        #expect(try authctl.run("status").code == 4)
        #expect(try authctl.run("status", "wire").code == 0)
        let quiet = try authctl.run("status", "-q")
        #expect(quiet.code == 4)
        #expect(quiet.output + quiet.error == "")
    }

    @Test func `an account is seen by status --offline without the network`() throws {
        for profile in ["blog", "chat"] { try authctl.logIn(profile) }
        demo.stop()
        #expect(try authctl.run("status", "blog", "--offline").code == 0)
        #expect(try rows("chat", "--offline").first?["state"] as? String == "stored")
        #expect(try authctl.run("whoami", "chat", "--offline").output == "@ann:demo.invalid\n")
        #expect(try authctl.run("status", "--offline").code == 0)
        #expect(try authctl.run("status", "blog").code == 6)
    }

    @Test func `an account may stand beside others, of which one is active`() throws {
        try authctl.logIn("wire", "ann", "correct horse")
        try authctl.logIn("wire", "bob", bob, "--force")
        #expect(try authctl.run("whoami", "wire").output == "bob\n")
        #expect(try authctl.run("whoami", "wire", "-u", "ann").output == "ann\n")
        #expect(try rows("wire").compactMap { $0["username"] as? String }.sorted() == ["ann", "bob"])
        #expect(try authctl.run("switch", "wire", "ann").code == 0)
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
        let unknown = try authctl.run("switch", "wire", "zoe")
        #expect(unknown.code == 2)
        #expect(unknown.error.contains("ann"))
        #expect(try authctl.run("logout", "wire").code == 0)
        #expect(try authctl.run("whoami", "wire", "-u", "bob").output == "bob\n")
        #expect(try authctl.run("whoami", "wire", "-u", "ann").code != 0)
        try authctl.logIn("wire", "ann", "correct horse")
        #expect(try authctl.run("logout", "wire", "--all").code == 0)
        #expect(try authctl.keptSecrets().isEmpty)
        #expect(try authctl.run("status", "wire").code == 4)
    }

    @Test func `an account goes by the server's name too`() throws {
        try authctl.logIn("chat")
        #expect(try authctl.run("whoami", "chat", "-u", "@ann:demo.invalid").code == 0)
        #expect(try authctl.run("switch", "chat", "@ann:demo.invalid").code == 0)
        #expect(try authctl.run("token", "chat", "-u", "ann").code == 0)
    }

    @Test func `an account whose stored password is refused is marked, and it is not sent again by itself`() throws {
        try authctl.logIn("wire")
        try demo.order(.refusesWire)
        #expect(try authctl.run("whoami", "wire").code == 3)
        let before = try demo.requests().count
        for command in [
            ["whoami", "wire"], ["status", "wire"], ["token", "wire", "--header"], ["login", "wire", "--no-prompt"],
        ] {
            let result = try authctl.run(command)
            #expect(result.code == 4, "\(command): \(result.error)")
        }
        // login may look for the challenge, without the password.
        #expect(try demo.requests().dropFirst(before).allSatisfy { $0.carried.isEmpty })
        #expect(try authctl.run("logout", "wire", "--json").code == 0)
    }

    @Test func `an account whose stored password is refused is asked for, and the new one takes its place`() throws {
        try authctl.logIn("wire")
        try demo.order(.refusesWire)
        let run = try authctl.onTerminal("login", "wire")
        try run.pty.wait(for: "The server refused the stored password.")
        try run.answer("Password for ann (leave empty to change the name): ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
    }

    @Test func `an account is not touched by a fault of the network`() throws {
        try authctl.logIn("wire")
        let kept = try authctl.bytes(authctl.plaintext)
        let verify = "/account/verify_credentials.json"
        for (fault, code) in [
            (DemoBackendProcess.Fault(path: verify, status: 500), 12), (.init(path: verify, status: 403), 4),
            (.init(path: verify, cutShort: true), 6),
        ] {
            try demo.order(fault)
            #expect(try authctl.run("whoami", "wire").code == Int32(code))
        }
        #expect(try authctl.bytes(authctl.plaintext) == kept)
        #expect(try authctl.run("whoami", "wire").code == 0)
    }

    @Test func `an account in the kernel's keyring is found by the next process, and gone after logout`() throws {
        let authctl = try Installation(demo, store: "keyring")
        defer { _ = try? authctl.run("logout", "--all", "--local") }
        try authctl.logIn("wire")
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
        try LeakSweep(secrets: [], pairs: [("ann", "correct horse")]).expectClean(
            trees: [URL(fileURLWithPath: authctl.folder)])
        #expect(try authctl.run("logout", "wire").code == 0)
        #expect(try authctl.run("whoami", "wire").code == 4)
    }

    @Test func `an account with --store none or --persist none is kept nowhere`() throws {
        for more in [["--store", "none"], ["--persist", "none"]] {
            let result = try authctl.run(
                ["login", "wire", "-u", "ann", "--password-stdin"] + more, input: "correct horse")
            #expect(result.code == 0)
            #expect(try authctl.run("whoami", "wire").code == 4)
        }
    }

    @Test func `an account is bound to its origin: another url of the profile does not get its secret`() throws {
        try authctl.logIn("wire")
        let other = try RecordingServer([.answer(401, ["WWW-Authenticate: Basic realm=\"Demo Wire\""]), .answer(401)])
        defer { other.stop() }
        let path = authctl.folder + "/config/authctl/config.toml"
        let config = try String(decoding: authctl.bytes(path), as: UTF8.self)
        _ = try authctl.file("config/authctl/config.toml", config.replacing(demo.origin, with: other.url("")))
        for command in ["whoami", "token", "login"] {
            #expect(try authctl.run(command, "wire").code == 4, "\(command)")
        }
        #expect(other.texts.allSatisfy { !$0.lowercased().contains("authorization:") })
        #expect(try authctl.run("logout", "wire").code == 0)
    }
}
