import Foundation
@testable import LoginTestSupport
import Testing

/// `exec` on a terminal: the question first, then the command, and the keyboard is the command's.
@Suite(.onOwnThreads) struct `An exec on a terminal` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    @Test(arguments: [[], ["--ephemeral"], ["--serve"]])
    func `an exec on a terminal asks, and then runs the command on the same terminal`(how: [String]) throws {
        let script = "stty -a </dev/tty | grep -o ' echo ' >&2; read line; echo \"got $line\" >&2; exit 7"
        let run = try authctl.onTerminal(
            ["exec", "-P", "chat"] + how + ["--", "sh", "-c", script])
        try run.answer("User name: ", "ann\r").answer("Password: ", "correct horse\r").pty.wait(for: " echo ")
        run.pty.type("hello\r")
        try run.pty.wait(for: "got hello")
        #expect(try run.end() == .exited(7))
        #expect(!run.pty.text.contains("horse"))
        #expect(try authctl.run("whoami", "chat").code == (how == ["--ephemeral"] ? 4 : 0))
    }

    @Test(arguments: [[], ["--ephemeral"], ["--serve"]])
    func `an exec on a terminal that is cancelled never runs it: 105`(how: [String]) throws {
        let run = try authctl.onTerminal(["exec", "-P", "chat"] + how + ["--", "touch", "ran"])
        try run.answer("User name: ", "ann\r").answer("Password: ", "\u{4}")
        #expect(try run.end() == .exited(105))
        #expect(!authctl.hasFile("ran"))
    }

    @Test(arguments: [[], ["--ephemeral"], ["--serve"]])
    func `an exec on a terminal that is ended by Ctrl-C at the question dies of it, and never runs the command`(
        how: [String]
    ) throws {
        let run = try authctl.onTerminal(["exec", "-P", "chat"] + how + ["--", "touch", "ran"])
        try run.pty.wait(for: "User name: ").type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(!authctl.hasFile("ran"))
    }

    private func ready(_ script: String, _ how: [String]) throws -> TerminalRun {
        let password = try authctl.file("password", "correct horse\n")
        let words = ["exec", "-P", "chat", "-u", "ann", "--password-file", password]
        let run = try authctl.onTerminal(words + how + ["--", "bash", "-c", script])
        try run.pty.wait(for: "ready")
        return run
    }

    @Test(arguments: [[], ["--ephemeral"], ["--serve"]]) func `an exec on a terminal leaves Ctrl-C to the command`(
        how: [String]
    ) throws {
        let loop = "echo ready >&2; while :; do sleep 0.05; done"
        let catching = try ready("trap 'echo caught >&2; exit 9' INT; \(loop)", how)
        catching.pty.type("\u{3}")
        try catching.pty.wait(for: "caught")
        #expect(try catching.end() == .exited(9))
        let dying = try ready(loop, how)
        dying.pty.type("\u{3}")
        #expect(try dying.end() == .signalled(SIGINT))
        let logouts = try demo.requests().filter { $0.path.hasSuffix("/logout") }.count
        // A login with a password takes the place of the one before, which it ends.
        #expect(logouts == (how == ["--ephemeral"] ? 2 : 1))
    }

    /// Whether the logout was sent, and verify asked after it whether the session has ended.
    private func hasLoggedOut() throws -> Bool {
        try demo.requests().dropLast().last?.path.hasSuffix("/logout") == true
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGPWR])
    func `an exec on a terminal passes a signal on to the command that it waits for, then logs out`(number: Int32)
        throws
    {
        let run = try ready(
            "trap 'exit 9' TERM HUP INT QUIT ALRM PWR; echo ready >&2; while :; do sleep 0.05; done", ["--ephemeral"])
        run.pty.child.send(signal: number)
        #expect(try run.end() == .exited(9))
        #expect(try hasLoggedOut())
    }

    @Test(arguments: [SIGABRT, SIGSYS, SIGSEGV, SIGTRAP, SIGBUS, SIGFPE, SIGILL, SIGUSR1, 34, 64])
    func `an exec on a terminal logs out after whatever signal somebody sends, as the command has it`(number: Int32)
        throws
    {
        let run = try ready(
            "trap 'exit 9' \(number); echo ready >&2; while :; do sleep 0.05; done", ["--ephemeral"])
        run.pty.child.send(signal: number)
        #expect(try run.end() == .exited(9))
        #expect(try hasLoggedOut())
    }

    @Test(arguments: [SIGABRT, SIGSEGV, 34])
    func `an exec on a terminal logs out after a signal that its command dies of`(number: Int32)
        throws
    {
        let run = try ready("echo ready >&2; while :; do sleep 0.05; done", ["--ephemeral"])
        run.pty.child.send(signal: number)
        #expect(try run.end() == .signalled(number))
        #expect(try hasLoggedOut())
    }

    @Test(arguments: ["", "--ephemeral", "--serve"])
    func `an exec on a terminal leaves Ctrl-Z to the command, and fg goes on with it`(how: String) throws {
        _ = try authctl.file("password", "correct horse\n")
        let shell = try authctl.shellOnTerminal(
            """
            set -m
            authctl exec \(how) -P chat -u ann --password-file password -- sh -c 'echo ready; read x; echo got $x; exit 4'
            echo stopped $?; fg; echo done $?
            """)
        try shell.wait(for: "ready").type("\u{1A}")
        try shell.wait(for: "stopped 148")
        shell.type("hello\r")
        try shell.wait(for: "got hello")
        try shell.wait(for: "done 4")
        #expect(try shell.waitForEnd() == .exited(0))
    }

    @Test func `an exec on a terminal runs a shell with jobs of its own, which can be suspended too`() throws {
        _ = try authctl.file("password", "correct horse\n")
        let shell = try authctl.shellOnTerminal(
            """
            set -m
            export PS1='inner> '
            authctl exec --ephemeral -P chat -u ann --password-file password -- bash --norc --noprofile --noediting -i
            echo stopped $?; fg; echo done $?
            """)
        try shell.wait(for: "inner> ").type("sh -c 'echo there; exec sleep 100'\r")
        try shell.wait(for: "there\r\n").type("\u{1A}")
        try shell.wait(for: "Stopped")
        try shell.wait(for: "inner> ").type("suspend\r")
        try shell.wait(for: "stopped ").wait(for: "inner> ")
        // The first is answered with a warning of the stopped job.
        shell.type("exit 6\r")
        try shell.wait(for: "inner> ").type("exit 6\r")
        try shell.wait(for: "done 6")
        #expect(try shell.waitForEnd() == .exited(0))
    }
}
