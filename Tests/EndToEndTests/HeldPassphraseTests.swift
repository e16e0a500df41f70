import Foundation
@testable import LoginTestSupport
import Testing

/// The terminal between the passphrase of the encrypted file and the end of the command.
@Suite(.onOwnThreads) struct `A terminal after the passphrase of the encrypted file` {
    private static let canary = "Zx9canaryQ7"
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: "file")
    }

    /// Logged in to `wire` and `chat`.
    private func logIn() throws {
        try makeStore("init-slow")
        let file = try authctl.file("passphrase", "correct horse\n")
        for profile in ["wire", "chat"] {
            let login = ["login", profile, "-u", "ann", "--password-stdin"]
            let run = try authctl.run(
                login, input: "correct horse\n", environment: ["AUTHCTL_STORE_PASSPHRASE_FILE": file])
            #expect(run.code == 0, "\(run.error)")
        }
    }

    /// - Parameter verb: `init`, or `init-slow` for an Argon2id that takes seconds.
    private func makeStore(_ verb: String) throws {
        let probe = try BuiltProducts.path(of: "StoreProbe")
        let run = try Command.run(
            ChildSpec(
                probe, [verb, "file", authctl.state, "wire", "ann"], environment: authctl.environment,
                directory: authctl.folder))
        #expect(run.code == 0, "\(run.error)")
    }

    /// Types from the Return after the passphrase to the end of the command.
    /// - Parameter middle: happens meanwhile.
    private func typing(_ run: TerminalRun, _ middle: (TerminalRun) throws -> Void = { _ in }) throws -> Ending {
        try run.answer("Passphrase of authctl's encrypted file: ", "correct horse\r")
        try run.pty.wait(for: "\n")
        run.pty.type(Self.canary)
        try middle(run)
        while !run.pty.child.hasEnded() {
            // What is typed once the terminal is the shell's again is the shell's.
            if !run.pty.echoes { run.pty.type("\(Self.canary)\r") }
            run.pty.watch(milliseconds: 50)
        }
        return try run.end()
    }

    private func expectNothingShown(_ run: TerminalRun) {
        var shown = run.pty.text
        // The terminal may have become the shell's again between the look and the last key.
        if shown.hasSuffix(Self.canary + "\r\n") { shown.removeLast(Self.canary.count + 1) }
        #expect(!shown.contains(Self.canary), "\(shown)")
        #expect(eventually { run.pty.echoes })
    }

    @Test(
        arguments: Thoroughness.sample(
            [
                ["whoami", "wire"], ["token", "chat"], ["status"], ["request", "-P", "wire", "/account"],
                ["login", "wire"], ["exec", "-P", "wire", "--", "true"], ["store", "move", "file", "plaintext"],
                ["logout", "wire"],
            ], 1))
    func
        `what is typed while the passphrase is checked for three seconds is never shown`(
            command: [String]
        ) throws
    {
        try logIn()
        let run = try authctl.onTerminal(command)
        _ = try typing(run) { try $0.pty.wait(for: "Opening the encrypted file…") }
        expectNothingShown(run)
        #expect(!run.lines.contains { $0.contains("Opening") }, "\(run.lines)")
    }

    @Test
    func
        `the terminal shows no typing while the server is asked after the passphrase, and the notice of that is shown`()
        throws
    {
        try makeStore("init")
        try demo.order(.init(path: "/account/verify_credentials.json", status: nil, delay: 3))
        let run = try authctl.onTerminal("login", "wire", "-u", "ann", "--password-file", try password())
        #expect(try typing(run) { try $0.pty.wait(for: "please wait…") } == .exited(0), "\(run.pty.text)")
        expectNothingShown(run)
    }

    @Test
    func
        `the command of exec gets the terminal as it was before the passphrase, without what was typed since`()
        throws
    {
        try makeStore("init")
        let script = "stty -a </dev/tty | grep -o ' echo ' >&2; read line; echo \"got $line\" >&2"
        for how in [[], ["--serve"]] {
            let words = ["exec", "-P", "chat", "-u", "ann", "--password-file", try password()]
            let run = try authctl.onTerminal(words + how + ["--", "sh", "-c", script])
            try run.answer("Passphrase of authctl's encrypted file: ", "correct horse\r")
            try run.pty.wait(for: "\n")
            run.pty.type("\(Self.canary)\r")
            try run.pty.wait(for: " echo ").type("hello\r")
            try run.pty.wait(for: "got hello")
            #expect(try run.end() == .exited(0))
            #expect(!run.pty.text.contains(Self.canary), "\(run.pty.text)")
        }
    }

    @Test func `a terminal after the passphrase of the encrypted file is as it was after Ctrl-C and during Ctrl-Z`()
        throws
    {
        try makeStore("init-slow")
        let shell = try authctl.shellOnTerminal(
            "set -m; authctl login wire -u ann; echo stopped; stty -a | grep -o ' echo '; fg")
        try shell.wait(for: "Passphrase of authctl's encrypted file: ").type("correct horse\r")
        try shell.wait(for: "Opening the encrypted file…").type(Self.canary + "\u{1A}")
        try shell.wait(for: "stopped\r\n").wait(for: " echo ").wait(for: "Opening the encrypted file…")
        shell.type("\(Self.canary)\r\u{3}")
        _ = try shell.waitForEnd()
        #expect(shell.echoes && shell.unread == 0)
        #expect(!shell.text.contains(Self.canary), "\(shell.text)")
    }

    private func password() throws -> String { try authctl.file("password", "correct horse\n") }
}
