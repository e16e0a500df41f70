import Foundation
@testable import LoginTestSupport
import Testing

/// However a login on a terminal ends, the terminal is as it was.
@Suite(.onOwnThreads) struct `A login that is interrupted` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private func expectNothingStored() throws {
        #expect(try authctl.keptSecrets().isEmpty)
        #expect(try authctl.run("whoami", "wire").code == 4)
        #expect(try demo.requests().filter { !$0.carried.isEmpty }.isEmpty)
    }

    /// At the user name, and in the middle of the password.
    private func interrupted(_ how: (TerminalRun) -> Void) throws -> [Ending] {
        try [false, true].map { inPassword in
            let run = try authctl.onTerminal("login", "wire")
            try run.pty.wait(for: "User name: ")
            if inPassword {
                run.pty.type("ann\r")
                try run.answer("Password: ", "corr").pty.wait(for: "****")
            }
            how(run)
            let ending = try run.end()
            #expect(run.pty.settings == Pty.usualSettings)
            #expect(run.pty.echoes)
            #expect(run.output.isEmpty)
            #expect(!run.pty.text.contains("corr"))
            return ending
        }
    }

    @Test func `a login that is interrupted by Ctrl-D is cancelled, 5`() throws {
        let run = try authctl.onTerminal("login", "wire")
        try run.answer("User name: ", "ann\r").answer("Password: ", "\u{4}")
        #expect(try run.end() == .exited(5))
        #expect(run.pty.settings == Pty.usualSettings)
        #expect(run.pty.text.contains("cancelled"))
        try expectNothingStored()
    }

    @Test func `a login that is interrupted by Ctrl-C dies of SIGINT`() throws {
        #expect(try interrupted { $0.pty.type("\u{3}") } == [.signalled(SIGINT), .signalled(SIGINT)])
        try expectNothingStored()
    }

    @Test func `a login that is interrupted by Ctrl-C is seen by the shell as death by SIGINT`() throws {
        let shell = try authctl.shellOnTerminal(
            "trap : INT; authctl login wire; echo \"status $?\"; stty -a | grep -o '.echo '")
        try shell.wait(for: "User name: ").type("\u{3}")
        try shell.wait(for: "status 130")
        try shell.wait(for: " echo ")
        // A script goes no further than that: bash looks at the signal, not at a number.
        let script = try authctl.shellOnTerminal("authctl login wire; echo \"went on\"")
        try script.wait(for: "User name: ").type("\u{3}")
        #expect(try script.waitForEnd() == .signalled(SIGINT))
        #expect(!script.text.contains("went on"))
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT])
    func `a login that is interrupted by a signal dies of that signal`(signal: Int32) throws {
        #expect(try interrupted { $0.pty.child.send(signal: signal) } == [.signalled(signal), .signalled(signal)])
        try expectNothingStored()
        #expect(authctl.home.files.filter { $0.contains("core") }.isEmpty)
    }

    @Test func `a login that is interrupted by a lost terminal ends`() throws {
        let run = try authctl.onTerminal("login", "wire")
        try run.pty.wait(for: "User name: ")
        run.pty.hangUp()
        let ending = try run.end()
        #expect(ending == .signalled(SIGHUP) || ending == .exited(5) || ending == .exited(4))
        try expectNothingStored()
    }

    @Test func `a login that is interrupted by Ctrl-Z stops, gives the terminal back, and goes on where it was`() throws
    {
        let shell = try authctl.shellOnTerminal(
            """
            set -m; stty -a > before; authctl login wire; echo stopped $?
            stty -a > between; fg; echo done $?; stty -a > after
            """)
        try shell.wait(for: "User name: ").type("ann\r")
        try shell.wait(for: "Password: ").type("corr")
        try shell.wait(for: "****").type("\u{1A}")
        try shell.wait(for: "stopped 148")
        try shell.wait(for: "Password: ****").type("ect horse\r")
        try shell.wait(for: "done 0")
        #expect(try shell.waitForEnd() == .exited(0))
        let settings = try ["before", "between", "after"].map { try authctl.bytes(authctl.folder + "/" + $0) }
        #expect(settings[0] == settings[1])
        #expect(settings[0] == settings[2])
        #expect(!shell.text.contains("horse"))
        #expect(!shell.text.contains("corr"))
    }

    @Test func `a login that is interrupted by Ctrl-C while the server is slow dies at once`() throws {
        let run = try authctl.onTerminal("login", "wire", "-u", "ann")
        try run.pty.wait(for: "Password for ann: ")
        try demo.order(.init(delay: 60))
        run.pty.type("correct horse\r")
        try run.pty.wait(for: "please wait…")
        let start = ContinuousClock.now
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        // Aim: a second. The machine may be busy; the server answers after a minute.
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(run.pty.settings == Pty.usualSettings)
        #expect(try authctl.run("whoami", "wire").code == 4)
    }

    @Test func `or waited for in vain ends with 13`() throws {
        let run = try authctl.onTerminal("login", "wire", "--prompt-timeout", "1")
        #expect(try run.end() == .exited(13))
        #expect(run.pty.settings == Pty.usualSettings)
        try expectNothingStored()
    }
}
