import Foundation
@testable import LoginTestSupport
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
        try run.answer("New passphrase: ", "open sesame\r").answer("Repeat the passphrase: ", "open barley\r")
        try run.pty.wait(for: "The passphrases do not match.")
        try run.answer("New passphrase: ", "open sesame\r").answer("Repeat the passphrase: ", "open sesame\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(!run.pty.text.contains("open sesame"))
    }

    @Test func `the passphrase of the encrypted file is asked twice at the start, and once by each login`() throws {
        try setUp()
        let run = try authctl.onTerminal("login", "wire")
        try run.answer("Passphrase", "open sesame\r").answer("User name: ", "ann\r")
        try run.answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(run.pty.text.components(separatedBy: "Passphrase of").count == 2)
        try LeakSweep(secrets: ["open sesame"], pairs: [("ann", "correct horse")]).expectClean(
            ["transcript": run.pty.text], trees: [URL(fileURLWithPath: authctl.folder)])
        let file = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("passphrase", "open sesame\n")]
        #expect(try authctl.run("whoami", "wire", environment: file).output == "ann\n")
        #expect(try authctl.run("logout", "wire", environment: file).code == 0)
        #expect(try authctl.run("whoami", "wire", environment: file).code == 4)
    }

    /// Logged in to `wire` and to `chat`, both in the encrypted file.
    private func loggedIn() throws -> [String: String] {
        try setUp()
        let file = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("passphrase", "open sesame\n")]
        for profile in ["wire", "chat"] {
            let login = ["login", profile, "-u", "ann", "--password-stdin"]
            #expect(try authctl.run(login, input: "correct horse\n", environment: file).code == 0)
        }
        return file
    }

    @Test(
        arguments: Thoroughness.sample(
            [["whoami", "wire"], ["status", "wire"], ["token", "chat"], ["logout", "wire"]], 2))
    func `the passphrase of the encrypted file is asked for at a terminal by every command`(command: [String]) throws {
        let file = try loggedIn()
        let run = try authctl.onTerminal(command)
        try run.answer("Passphrase of authctl's encrypted file: ", "open sesame\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(run.pty.text.components(separatedBy: "Passphrase of").count == 2)
        if command[0] == "whoami" { #expect(run.output == "ann\n") }
        if command[0] == "token" { #expect(run.output == (try authctl.run("token", "chat", environment: file).output)) }
        if command[0] == "logout" { #expect(try authctl.run("whoami", "wire", environment: file).code == 4) }
        try LeakSweep(secrets: ["open sesame"], pairs: []).expectClean(["transcript": run.pty.text], trees: [])
    }

    @Test(arguments: [
        ["whoami", "wire", "--no-prompt"], ["token", "chat", "--no-prompt"], ["git-credential", "get"],
    ])
    func `the passphrase of the encrypted file is not asked for under --no-prompt, nor by a helper`(command: [String])
        throws
    {
        _ = try loggedIn()
        let before = authctl.home.files
        let input = "protocol=http\nhost=\(demo.origin.dropFirst("http://".count))\nusername=ann\n\n"
        // On a terminal, but for the request that a helper reads.
        let shell = try authctl.shellOnTerminal(
            """
            export AUTHCTL_PROFILE=wire
            printf '\(input.replacing("\n", with: "\\n"))' >request
            authctl \(command.joined(separator: " ")) <request; echo ended $?
            """)
        try shell.wait(for: "ended 8")
        #expect(shell.text.contains("AUTHCTL_STORE_PASSPHRASE_FILE"), "\(shell.text)")
        #expect(!shell.text.contains("Passphrase of"))
        #expect(authctl.home.files.filter { $0 != "request" } == before)
    }

    @Test
    func `the passphrase of the encrypted file is asked for once by a status of many accounts, whatever the answer`()
        throws
    {
        _ = try loggedIn()
        let run = try authctl.onTerminal("status")
        try run.answer("Passphrase of authctl's encrypted file: ", "\u{4}")
        #expect(try run.end() != .exited(0))
        #expect(run.pty.text.components(separatedBy: "Passphrase of").count == 2, "\(run.pty.text)")
    }

    @Test
    func
        `a passphrase that is wrong three times is 8 before anything is asked or sent, and no file is touched`()
        throws
    {
        try setUp()
        let before = try Set(authctl.home.files.map { try authctl.home.read($0) })
        let run = try authctl.onTerminal("login", "wire")
        try run.answer("Passphrase", "open barley\r").answer("Wrong passphrase. Attempt 2 of 3: ", "\r")
        try run.answer("Wrong passphrase. Attempt 3 of 3: ", "open wheat\r")
        #expect(try run.end() == .exited(8), "\(run.pty.text)")
        #expect(run.said.contains("wrong passphrase, or the file is damaged"))
        #expect(!run.pty.text.contains("Password:"))
        #expect(try demo.requests().allSatisfy { $0.carried.isEmpty })
        let after = authctl.home.files.filter { $0 != "stdout" && !$0.hasSuffix(".lock") }
        #expect(try before.isSuperset(of: after.map { try authctl.home.read($0) }))
    }

    @Test func `the passphrase of the encrypted file that is right at the second try is enough`() throws {
        _ = try loggedIn()
        let run = try authctl.onTerminal("whoami", "wire")
        try run.answer("Passphrase", "open barley\r").answer("Attempt 2 of 3: ", "open sesame\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(run.output == "ann\n")
    }

    @Test func `the passphrase of the encrypted file that nobody can type is told as what store init needs`() throws {
        let run = try authctl.run("store", "init")
        #expect(run.code == 8 && run.error.contains("--key-file FILE"), "\(run.error)")
        #expect(run.error.contains("at a terminal") && !run.error.contains("logout"))
    }

    @Test func `the passphrase of the encrypted file that nobody gives is 13 after --prompt-timeout`() throws {
        try setUp()
        let run = try authctl.onTerminal("login", "wire", "--prompt-timeout", "1")
        try run.pty.wait(for: "Passphrase")
        #expect(try run.end() == .exited(13), "\(run.pty.text)")
        #expect(run.said.contains("within 1 seconds"))
    }

    @Test func `the passphrase of the encrypted file can be cancelled, and cannot be blank`() throws {
        let cancelled = try authctl.onTerminal("store", "init", "file")
        try cancelled.answer("New passphrase: ", "\u{4}")
        #expect(try cancelled.end() == .exited(5))
        let blank = try authctl.onTerminal("store", "init", "file")
        try blank.answer("New passphrase: ", "\r")
        #expect(try blank.end() == .exited(8))
        #expect(try authctl.run("store", "init", "file").code == 8)
        #expect(authctl.home.files.filter { $0.hasPrefix("state/authctl/") }.allSatisfy { $0.contains(".lock") })
    }

    @Test func `the passphrase of the encrypted file is given once: a file that is set up is not set up again`() throws
    {
        try setUp()
        let file = ["AUTHCTL_STORE_PASSPHRASE_FILE": try authctl.file("passphrase", "other\n")]
        let before = authctl.home.files
        #expect(try authctl.run("store", "init", "file", environment: file).code == 8)
        #expect(authctl.home.files == before)
    }
}
