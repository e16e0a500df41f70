import Foundation
@testable import LoginTestSupport
import Testing

/// One way to reach an exit code, to be run once with `--json` and once without.
struct ExitCase: Sendable, CustomTestStringConvertible {
    /// What a case is played on.
    struct Stage {
        let demo: DemoBackendProcess
        let authctl: Installation
    }

    let code: Int32
    /// The name of the code.
    let name: String
    let title: String
    var command: [String]
    var input = "correct horse\n"
    /// Typed at the question for a user name, on a terminal.
    var keys: String?
    var environment: [String: String] = [:]
    var prepare: @Sendable (Stage) throws -> Void = { _ in }

    var testDescription: String { "\(code), \(title)" }

    /// - Parameter more: `--json` or nothing.
    /// - Returns: what it left behind; of a terminal, all that was on it as the errors.
    func play(_ stage: Stage, _ more: [String] = []) throws -> CommandResult {
        try prepare(stage)
        let arguments = command.map { $0.replacing("ORIGIN", with: stage.demo.origin) } + more
        let environment = environment.mapValues { $0.replacing("HOME", with: stage.authctl.folder) }
        guard let keys else {
            return try stage.authctl.run(arguments, input: input, environment: environment)
        }
        let run = try TerminalRun(
            ChildSpec(stage.authctl.program, arguments, environment: stage.authctl.environment),
            output: stage.authctl.folder + "/stdout", columns: 80)
        try run.answer("User name: ", keys)
        let ending = try run.end()
        return CommandResult(ending: ending, outputBytes: Array(run.output.utf8), errorBytes: run.pty.transcript)
    }
}

extension ExitCase {
    private static func logIn(_ profile: String, as user: String = "ann") -> [String] {
        ["login", profile, "-u", user, "--password-stdin"]
    }

    private static func fault(_ fault: DemoBackendProcess.Fault) -> @Sendable (Stage) throws -> Void {
        { try $0.demo.order(fault) }
    }

    private static func loggedIn(_ profile: String) -> @Sendable (Stage) throws -> Void {
        { try $0.authctl.logIn(profile) }
    }

    static let all: [ExitCase] = fine + ours + theirs + stores

    private static let fine = [
        ExitCase(code: 0, name: "ok", title: "a login", command: logIn("wire")),
        ExitCase(code: 0, name: "ok", title: "whoami", command: ["whoami", "wire"], prepare: loggedIn("wire")),
        ExitCase(code: 0, name: "ok", title: "status", command: ["status", "blog"], prepare: loggedIn("blog")),
        ExitCase(code: 0, name: "ok", title: "logout", command: ["logout", "chat"], prepare: loggedIn("chat")),
        ExitCase(code: 0, name: "ok", title: "a logout of nobody", command: ["logout", "chat"]),
        ExitCase(code: 0, name: "ok", title: "the profiles", command: ["profile", "list"]),
        ExitCase(code: 0, name: "ok", title: "the stores", command: ["store", "list"]),
    ]

    private static let ours = [
        ExitCase(code: 2, name: "usage", title: "an unknown option", command: ["login", "--nonsense"]),
        ExitCase(code: 2, name: "usage", title: "an unknown profile", command: ["whoami", "wir"]),
        ExitCase(
            code: 2, name: "usage", title: "a password on the command line", command: ["login", "wire", "-p", "x"]),
        ExitCase(
            code: 2, name: "usage", title: "an endpoint that proves nothing", command: logIn("ORIGIN/open.json")),
        ExitCase(
            code: 2, name: "usage", title: "a bad configuration", command: ["whoami"],
            prepare: { _ = try $0.authctl.file("config/authctl/config.toml", "[profiles.a]\nurll = 1\n") }),
        ExitCase(code: 4, name: "login-required", title: "whoami of nobody", command: ["whoami", "wire"]),
        ExitCase(code: 4, name: "login-required", title: "a login that cannot ask", command: ["login", "wire"]),
        ExitCase(code: 4, name: "login-required", title: "status of nobody", command: ["status", "wire"]),
        ExitCase(
            code: 4, name: "login-required", title: "a password command that fails",
            command: ["login", "wire", "-u", "ann", "--password-command", "false"]),
        ExitCase(code: 5, name: "cancelled", title: "Ctrl-D", command: ["login", "wire"], keys: "\u{4}"),
        ExitCase(
            code: 13, name: "expired", title: "a person who does not answer",
            command: ["login", "wire", "--prompt-timeout", "1"], keys: ""),
    ]

    private static let theirs = [
        ExitCase(
            code: 1, name: "failure", title: "a 4xx that no rule names", command: logIn("screencast"),
            prepare: fault(.init(path: "/auth/login.json", status: 418))),
        ExitCase(code: 3, name: "rejected", title: "a wrong password", command: logIn("wire"), input: "wrong\n"),
        ExitCase(
            code: 3, name: "rejected", title: "a wrong password for a token", command: logIn("chat"), input: "no\n"),
        ExitCase(
            code: 3, name: "rejected", title: "a wrong password for a cookie", command: logIn("blog"), input: "no\n"),
        ExitCase(
            code: 6, name: "network", title: "a port where nobody listens", command: logIn("wire"),
            prepare: { $0.demo.stop() }),
        ExitCase(
            code: 6, name: "network", title: "an answer that is cut short", command: logIn("screencast"),
            prepare: fault(.init(path: "/auth/login.json", cutShort: true))),
        ExitCase(code: 7, name: "untrusted", title: "plain http", command: logIn("http://192.0.2.1/")),
        ExitCase(
            code: 7, name: "untrusted", title: "a redirect to another origin", command: logIn("ORIGIN/open.json"),
            prepare: fault(.init(status: 302, headers: ["Location": "http://127.0.0.1:1/open.json"]))),
        ExitCase(
            code: 10, name: "forbidden", title: "a suspended account", command: logIn("wire", as: "forbidden"),
            input: "forbidden fruit\n"),
        ExitCase(
            code: 12, name: "busy", title: "429", command: logIn("wire", as: "busy"), input: "busy as a bee\n"),
        ExitCase(
            code: 12, name: "busy", title: "500", command: logIn("blog", as: "broken"), input: "broken record\n"),
        ExitCase(
            code: 15, name: "partial", title: "a logout that fails at the server", command: ["logout", "chat"],
            prepare: {
                try $0.authctl.logIn("chat")
                try $0.demo.order(.init(path: "/_matrix/client/v3/logout", status: 418))
            }),
    ]

    private static let stores = [
        ExitCase(
            code: 8, name: "store", title: "a store that others may write", command: logIn("wire"),
            prepare: {
                try $0.authctl.logIn("wire")
                try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: $0.authctl.state)
            }),
        ExitCase(
            code: 8, name: "store", title: "a damaged store", command: ["whoami", "wire"],
            prepare: {
                try $0.authctl.logIn("wire")
                _ = try $0.authctl.file("state/authctl/plaintext.json", "{\"version\": 1")
            }),
        ExitCase(
            code: 8, name: "store", title: "a wrong passphrase", command: ["whoami", "wire"],
            environment: ["AUTHCTL_STORE_PASSPHRASE_FILE": "HOME/wrong"],
            prepare: {
                let right = ["AUTHCTL_STORE_PASSPHRASE_FILE": try $0.authctl.file("right", "open sesame\n")]
                _ = try $0.authctl.file("wrong", "open barley\n")
                try $0.authctl.run("store", "init", "file", environment: right)
                let login = logIn("wire") + ["--store", "file"]
                let result = try $0.authctl.run(login, input: "correct horse\n", environment: right)
                guard result.code == 0 else { throw Unexpected(result: result) }
            }),
        ExitCase(
            code: 8, name: "store", title: "a store that is not set up", command: logIn("wire") + ["--store", "file"]),
    ]
}
