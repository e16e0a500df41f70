import Foundation
@testable import LoginTestSupport
import Testing

/// Several commands that ask at one terminal at once, as under `make -j4` and `xargs -P4`.
@Suite(.onOwnThreads) struct `Several commands at one terminal` {
    let demo: DemoBackendProcess
    let authctl: Installation

    /// Rounds of each kind: `AUTHCTL_TEST_CASES` is how many.
    static let rounds =
        ProcessInfo.processInfo.environment["AUTHCTL_TEST_CASES"].flatMap { Int($0) }
        ?? Thoroughness.choose(usual: 1, full: 5)

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    /// As many as `count` at once, on one terminal whose settings are written to files before and after.
    private func together(_ count: Int, _ command: String) throws -> Pty {
        try authctl.shellOnTerminal(
            """
            trap : INT; stty -a > before
            seq \(count) | xargs -P \(count) -I ROUND sh -c '\(command); echo "code $?" >> codes'
            until [ "$(stty -a)" = "$(cat before)" ]; do sleep 0.05; done; stty -a > after; echo all done
            """)
    }

    private func settings(_ name: String) throws -> Data { try authctl.bytes(authctl.folder + "/" + name) }

    private func codes() throws -> [String] {
        String(decoding: try settings("codes"), as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    @Test(arguments: [2, 4, 16])
    func `one login serves all that wait for it, and each key reaches the one that asks`(count: Int) throws {
        for _ in 0..<Self.rounds {
            let pty = try together(
                count, "authctl request -P wire /account/verify_credentials.json 2>>errors >>answers")
            try pty.wait(for: "User name: ")
            pty.typeSlowly("ann\r")
            try pty.wait(for: "Password: ")
            pty.typeSlowly("correct horse\r")
            try pty.wait(for: "all done")
            #expect(try pty.waitForEnd() == .exited(0))
            #expect(try codes() == Array(repeating: "code 0", count: count))
            #expect(pty.text.components(separatedBy: "Log in to wire").count == 2, "\(pty.text)")
            #expect(!pty.text.contains("horse"))
            #expect(try settings("before") == settings("after"))
            #expect(try authctl.run("logout", "wire").code == 0)
            try FileManager.default.removeItem(atPath: authctl.folder + "/codes")
        }
    }

    @Test func `a question that belongs to one command is asked by each in turn`() throws {
        for _ in 0..<Self.rounds {
            let pty = try together(3, "authctl login blog --force --store none -u ann 2>>errors")
            for _ in 1...3 {
                // Each writes that once; its label is written anew for each that comes.
                try pty.wait(for: "Log in to blog")
                try pty.wait(for: "Password for ann")
                pty.typeSlowly("correct horse\r")
            }
            try pty.wait(for: "all done")
            #expect(try codes() == Array(repeating: "code 0", count: 3))
            #expect(try settings("before") == settings("after"))
            try FileManager.default.removeItem(atPath: authctl.folder + "/codes")
        }
    }

    @Test func `the one that asks shows how many wait, and they say so on standard error elsewhere`() throws {
        let pty = try together(3, "authctl login wire 2>>errors")
        try pty.wait(for: "(2 more waiting) User name: ")
        // A command is counted as soon as it waits, and says so after that.
        #expect(
            try eventually {
                String(decoding: try settings("errors"), as: UTF8.self)
                    .components(separatedBy: "waiting for another command to finish").count == 3
            })
        pty.type("\u{3}")
        try pty.wait(for: "all done")
        #expect(try settings("before") == settings("after"))
    }

    @Test(arguments: [SIGHUP, SIGTERM, SIGKILL])
    func `where the one that asks is ended by a signal, the next one asks`(signal: Int32) throws {
        let pty = try authctl.shellOnTerminal(
            """
            stty -a > before; authctl login wire 2>>errors & echo $! > first; until [ -e go ]; do sleep 0.05; done
            authctl login blog 2>>errors; echo second $?; stty -a > after
            """)
        try pty.wait(for: "User name: ").type("a")
        _ = try authctl.file("go", "")
        try pty.wait(for: "(1 more waiting) User name: a")
        let first = String(decoding: try settings("first"), as: UTF8.self)
        kill(try #require(pid_t(first.dropLast())), signal)
        try pty.wait(for: "User name: ").type("ann\r")
        try pty.wait(for: "Password")
        pty.typeSlowly("correct horse\r")
        try pty.wait(for: "second 0")
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(!pty.text.contains("horse"))
        // Nothing is put back for a process that is killed.
        if signal != SIGKILL { #expect(try settings("before") == settings("after")) }
    }

    @Test func `one that is stopped gives its turn to the next, and takes it again before it goes on`() throws {
        let pty = try authctl.shellOnTerminal(
            """
            set -m; stty -a > before; authctl login wire 2>>errors; echo stopped $?
            authctl login blog -u ann 2>>errors; echo second $?
            fg; echo done $?; stty -a > after
            """)
        try pty.wait(for: "User name: ").type("ann\r")
        try pty.wait(for: "Password: ").type("corr")
        try pty.wait(for: "****").type("\u{1A}")
        try pty.wait(for: "stopped 148")
        try pty.wait(for: "Password for ann").type("correct horse\r")
        try pty.wait(for: "second 0")
        try pty.wait(for: "Password: ****").type("ect horse\r")
        try pty.wait(for: "done 0")
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(try settings("before") == settings("after"))
    }

    @Test func `a command that goes on after its question lets the next one ask`() throws {
        let pty = try authctl.shellOnTerminal(
            """
            stty -a > before; authctl exec -P wire -- sh -c 'until [ -e end ]; do sleep 0.05; done' 2>>errors &
            until [ -e go ]; do sleep 0.05; done
            authctl login blog -u ann 2>>errors; echo second $?; touch end; wait; stty -a > after
            """)
        try pty.wait(for: "User name: ").type("ann\r")
        try pty.wait(for: "Password: ").type("correct horse\r")
        _ = try authctl.file("go", "")
        try pty.wait(for: "Password for ann").type("correct horse\r")
        try pty.wait(for: "second 0")
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(try settings("before") == settings("after"))
    }

    @Test(.enabled(if: getuid() == 0, "only root can be two users"))
    func `a command of another user, who may not open the terminal, waits for its turn, too`() throws {
        let theirs = try TemporaryHome(), they = "65534"
        let config = String(decoding: try authctl.bytes(authctl.folder + "/config/authctl/config.toml"), as: UTF8.self)
        try theirs.write(config, to: "config/authctl/config.toml")
        for words in [["cp", authctl.program, theirs.path], ["chown", "-R", "\(they):\(they)", theirs.path]] {
            #expect(try Command.tool("env", words).ending == .exited(0))
        }
        let variables = theirs.environment.map { "\($0)=\($1)" }.joined(separator: " ")
        let pty = try authctl.shellOnTerminal(
            """
            stty -a > before; authctl login wire 2>>errors & until [ -e go ]; do sleep 0.05; done
            setpriv --reuid=\(they) --regid=\(they) --clear-groups env \(variables) \\
                \(theirs.path)/authctl login blog -u ann 2>>theirs &
            until [ -e third ]; do sleep 0.05; done
            authctl login blog -u ann 2>>errors; echo third $?; wait; stty -a > after
            """)
        try pty.wait(for: "User name: ")
        _ = try authctl.file("go", "")
        try pty.wait(for: "(1 more waiting) User name: ").type("ann\r")
        try pty.wait(for: "Password: ").type("correct horse\r")
        try pty.wait(for: "Password for ann")
        _ = try authctl.file("third", "")
        try pty.wait(for: "(1 more waiting) Password for ann").type("correct horse\r")
        try pty.wait(for: "Log in to blog")
        try pty.wait(for: "Password for ann").type("correct horse\r")
        try pty.wait(for: "third 0")
        #expect(try pty.waitForEnd() == .exited(0))
        #expect(try settings("before") == settings("after"))
    }

    @Test func `waiting for the turn counts to the time of the prompt, and ends with 13`() throws {
        let pty = try authctl.shellOnTerminal(
            """
            authctl login wire 2>>errors & first=$!; until [ -e go ]; do sleep 0.05; done
            authctl login blog --prompt-timeout 1 2>>errors; echo "second $?" > code; kill $first; wait
            """)
        try pty.wait(for: "User name: ")
        _ = try authctl.file("go", "")
        _ = try pty.waitForEnd()
        let code = String(decoding: try settings("code"), as: UTF8.self)
        #expect(code == "second 13\n")
    }
}
