import Foundation
@testable import LoginTestSupport
import Testing

/// A command that has to ask, and `authctl approve` in another terminal.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette")) struct `A command that asks before it sends` {
    let service: StreamServer
    let authctl: Installation
    let runtime: TemporaryHome

    init() throws {
        service = try StreamServer()
        authctl = try Installation(config: service.profile)
        try authctl.logIn("stream")
        runtime = try TemporaryHome()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: runtime.path)
    }

    private static let curl = "curl -q -sS"

    private func onTerminal(_ arguments: String...) throws -> TerminalRun {
        try authctl.onTerminal(arguments, columns: 200, environment: ["XDG_RUNTIME_DIR": runtime.path])
    }

    private func exec(_ script: String, _ options: String...) throws -> Pty {
        let words = ["exec", "-P", "stream", "--serve", "--read-only", "--ask", "PATCH /v1/*"] + options
        return try Pty(
            authctl.spec(words + ["--", "bash", "-c", script], ["XDG_RUNTIME_DIR": runtime.path]), columns: 200)
    }

    @Test func `an answer sends the request, refuses it, or goes for its rule until the command ends`() throws {
        let approve = try onTerminal("approve", "stream")
        try approve.pty.wait(for: "Waiting for requests")
        let command = try exec(
            """
            ask() { \(Self.curl) -X PATCH -d "$1" "$AUTHCTL_SERVE_URL"echo; echo " = $1"; }
            ask one; ask two; ask three; ask four; ask five; \(Self.curl) "$AUTHCTL_SERVE_URL"me
            """, "--log", authctl.folder + "/log")
        for (key, body, told) in [
            ("y", "one", "Allowed once"), ("n", "two", "Refused"), ("", "three", "Refused"), ("a", "four", "until"),
        ] {
            try approve.pty.wait(for: "\"bash\"")
            try approve.pty.wait(for: "PATCH \"\(service.origin)/v1/echo\"")
            try approve.pty.wait(for: "Rule: PATCH /v1/*")
            try approve.pty.wait(for: "\(body.utf8.count) bytes: \"\(body)\"")
            try approve.pty.wait(for: "Allow?")
            try approve.typeAnswer(key + "\r")
            try approve.pty.wait(for: told)
        }
        #expect(try command.waitForEnd() == .exited(0))
        let shown = command.text.replacing("\r\n", with: "\n")
        #expect(shown.contains("PATCH  one\n = one\n") && shown.contains("PATCH  four\n = four\n"), "\(shown)")
        #expect(shown.contains("PATCH  five\n = five\n") && shown.contains("{\"name\":\"ann\"}"), "\(shown)")
        #expect(!shown.contains("PATCH  two") && !shown.contains("PATCH  three"))
        let log = try String(contentsOfFile: authctl.folder + "/log", encoding: .utf8)
        #expect(log.components(separatedBy: "\"asked-yes\"").count == 4, "\(log)")
        #expect(log.components(separatedBy: "\"asked-no\"").count == 3, "\(log)")
        #expect(
            try eventually { try FileManager.default.contentsOfDirectory(atPath: runtime.path + "/authctl").isEmpty })
    }

    @Test func `without an approver the person is told once, and the request is refused in time`() throws {
        let command = try exec(
            """
            for i in 1 2; do \(Self.curl) -w ' %{http_code}\\n' -X PATCH -d a "$AUTHCTL_SERVE_URL"echo; done
            """, "--prompt-timeout", "4")
        #expect(try command.waitForEnd() == .exited(0))
        let shown = command.text
        #expect(shown.components(separatedBy: "waiting for approval: authctl approve stream").count == 2, "\(shown)")
        #expect(shown.components(separatedBy: "needs-approval").count == 3 && shown.contains(" 403"), "\(shown)")
    }

    @Test func `a client that leaves takes its question away, and an approver that leaves gives it to the next`() throws
    {
        let first = try onTerminal("approve"), service = try service.seen()
        try first.pty.wait(for: "Waiting for requests")
        let command = try exec(
            """
            \(Self.curl) -X PATCH -d gone "$AUTHCTL_SERVE_URL"echo &
            until [ -e leave ]; do sleep 0.05; done; kill $!; wait; echo left
            \(Self.curl) -X PATCH -d stays "$AUTHCTL_SERVE_URL"echo
            """)
        try first.pty.wait(for: "\"gone\"")
        _ = try authctl.file("leave", "")
        try first.pty.wait(for: "The request was withdrawn")
        try first.pty.wait(for: "\"stays\"")
        first.pty.child.send(signal: SIGKILL)
        let second = try onTerminal("approve", "stream")
        try second.pty.wait(for: "\"stays\"")
        try second.pty.wait(for: "Allow?")
        try second.typeAnswer("y\r")
        #expect(try command.waitForEnd() == .exited(0))
        #expect(command.text.contains("PATCH  stays") && !command.text.contains("PATCH  gone"))
        #expect(try self.service.seen().refused == service.refused)
    }
}
