import Foundation
@testable import LoginTestSupport
import Testing

/// The leak sweep L0 over whole runs of the binary: secrets are where they belong, and nowhere else.
@Suite(.onOwnThreads) struct `Secrets` {
    /// What is given from outside lies here, and is not swept.
    let outside: TemporaryHome
    let demo: DemoBackendProcess
    let password = "correct horse"

    init() throws {
        outside = try TemporaryHome()
        demo = try DemoBackendProcess()
    }

    /// An encrypted store whose passphrase is outside, or a plain one.
    private func installation(_ store: String) throws -> (authctl: Installation, environment: [String: String]) {
        let authctl = try Installation(demo, store: store)
        guard store == "file" else { return (authctl, [:]) }
        return (authctl, try StoreOnTest.passphrase.setUp(authctl, outside: outside))
    }

    /// Everything that can be read after a run: output, talk, the server's log, every file in the home.
    private func expectClean(
        _ authctl: Installation, _ texts: [String: String], and secrets: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let sweep = try LeakSweep(
            secrets: secrets + [StoreOnTest.secret, "wrong battery"],
            pairs: [("ann", password), ("ann", "wrong battery")])
        var texts = texts
        texts["the server's log"] = demo.output
        try sweep.expectClean(
            texts, trees: [URL(fileURLWithPath: authctl.folder)], belonging: [URL(fileURLWithPath: authctl.plaintext)],
            sourceLocation: sourceLocation)
    }

    @Test(arguments: ["file", "plaintext"], ["wire", "blog", "screencast", "chat", "index"])
    func `secrets of a login, a refusal, a token and a logout are nowhere else`(store: String, profile: String) throws {
        let (authctl, environment) = try installation(store)
        let file = try outside.write(password + "\n", to: "password")
        let user = ["-u", "ann", "--verbose"]
        let runs = [
            try authctl.run(
                ["login", profile, "--password-stdin"] + user, input: "wrong battery", environment: environment),
            try authctl.run(["login", profile, "--password-stdin"] + user, input: password, environment: environment),
            try authctl.run(["login", profile, "--force", "--password-file", file] + user, environment: environment),
            try authctl.run(["whoami", profile, "--verbose"], environment: environment),
            try authctl.run(["whoami", profile, "--verbose", "--explain"], environment: environment),
            try authctl.run(["status", "--verbose", "--json"], environment: environment),
        ]
        #expect(runs.map(\.code).prefix(4) == [3, 0, 0, 0])
        let header = try authctl.run("token", profile, "--header", "--verbose", environment: environment)
        #expect(header.code == 0)
        let proof = try secret(in: header.output)
        let talk = (runs + [header]).map(\.error).joined() + runs.map(\.output).joined()
        try expectClean(authctl, ["talk": talk], and: [proof])
        let token = try authctl.run("token", profile, "--verbose", environment: environment)
        if token.code == 0 { #expect(header.output.contains(token.output.dropLast()) || profile == "index") }
        try expectClean(authctl, ["talk of token": token.error], and: [proof])
        let logout = try authctl.run("logout", profile, "--verbose", environment: environment)
        #expect(logout.code == 0)
        try expectClean(authctl, ["logout": logout.output + logout.error], and: [proof])
        // F12: after the logout not even the store has it.
        let sweep = try LeakSweep(secrets: [proof], pairs: [("ann", password)])
        try sweep.expectClean(trees: [URL(fileURLWithPath: authctl.folder)])
        #expect(try authctl.keptSecrets().isEmpty)
    }

    /// The part of a header line that has to stay secret.
    private func secret(in header: String) throws -> String {
        let value = try #require(header.split(separator: ": ", maxSplits: 1).last)
        let last = try #require(value.split { $0 == " " || $0 == "\n" }.last)
        return String(last.split(separator: "=", maxSplits: 1).last.map { $0.count > 16 ? $0 : last } ?? last)
    }

    @Test(arguments: ["wire", "screencast"]) func `typed on a terminal are nowhere else`(profile: String) throws {
        let (authctl, environment) = try installation("file")
        let run = try authctl.onTerminal("login", profile, "--verbose", environment: environment)
        try run.answer("User name: ", "ann\r").answer("Password: ", "wrong battery\r")
        try run.answer("Password for ann (leave empty to change the name): ", password + "\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(run.output.isEmpty)
        try expectClean(authctl, ["transcript": run.pty.text, "stdout": run.output])
    }

    @Test func `secrets in the answers of a server are not in what --verbose shows`() throws {
        let authctl = try Installation(demo)
        let leak = "a-secret-of-the-server-77"
        try demo.order(
            .init(
                path: "/auth/login.json", body: "{\"auth_token\": \"\(leak)\", \"other\": \"\(leak)\"}",
                headers: ["Set-Cookie": "sid=\(leak); Path=/", "X-Token": leak, "Authorization": leak]))
        let login = try authctl.run(
            "login", "screencast", "-u", "ann", "--password-stdin", "--verbose", input: password)
        #expect(login.code == 2)
        try LeakSweep(secrets: [leak]).expectClean(["talk": login.error + login.output])
    }

    @Test(.enabled(if: getuid() == 0, "only root can read the environment of a protected process"))
    func `secrets are in no arguments and in no environment while the server is asked`() throws {
        let (authctl, environment) = try installation("file")
        let slow = "slow and steady"
        let file = try outside.write(slow + "\n", to: "slow")
        let sweep = try LeakSweep(secrets: [StoreOnTest.secret], pairs: [("slow", slow)])
        let variable = ["AUTHCTL_PASSWORD": slow, "AUTHCTL_USERNAME": "slow", "AUTHCTL_PROFILE": "wire"]
        for (more, given) in [(["--password-file", file, "-u", "slow"], [:]), ([], variable), (["-u", "slow"], [:])] {
            let run = try TerminalRun(
                ChildSpec(
                    authctl.program, ["login", "wire", "--force"] + more,
                    environment: authctl.environment.merging(environment) { $1 }.merging(given) { $1 }),
                output: authctl.folder + "/stdout", columns: 80)
            if more.first == "-u" { try run.answer("Password for slow: ", slow + "\r") }
            var looks = 0
            try run.pty.wait(for: "please wait…")
            while !run.pty.child.hasEnded(), looks < 40 {
                if let hits = try? sweep.hits(ofProcess: run.pty.child.pid) {
                    #expect(hits.isEmpty, "\(hits)")
                    looks += 1
                }
                run.pty.watch(milliseconds: 50)
            }
            #expect(looks > 3)
            #expect(try run.end() == .exited(0), "\(run.pty.text)")
        }
    }

    @Test(RealServer.require("strace")) func `secrets are in nothing that authctl starts`() throws {
        let (authctl, environment) = try installation("plaintext")
        let strace = try #require(RealServer.path(of: "strace")), trace = authctl.folder + "/execve"
        let file = try outside.write(password + "\n", to: "password")
        let commands = [
            ["login", "wire", "-u", "ann", "--verbose", "--password-command", "/bin/cat \(file)"],
            ["login", "blog", "-u", "ann", "--password-stdin"], ["whoami", "wire"], ["token", "wire", "--header"],
            ["store", "test", "keyring"], ["logout", "--all"],
        ]
        for command in commands {
            let spec = ChildSpec(
                strace, ["-f", "-v", "-s", "4096", "-e", "trace=execve", "-o", trace, authctl.program] + command,
                environment: authctl.environment.merging(environment) { $1 })
            let result = try Command.run(spec, input: Array(password.utf8))
            #expect(result.code == 0, "\(command): \(result.error)")
            let seen = try String(contentsOfFile: trace, encoding: .utf8)
            #expect(seen.contains("execve("))
            try LeakSweep(secrets: [], pairs: [("ann", password)]).expectClean(["execve": seen])
        }
    }

    @Test func `token prints the token and nothing else`() throws {
        let authctl = try Installation(demo)
        for (profile, length) in [("screencast", 20), ("chat", 20), ("index", 20)] {
            try authctl.logIn(profile)
            let result = try authctl.run("token", profile)
            #expect(result.error.isEmpty)
            #expect(result.output.hasSuffix("\n"))
            #expect(result.output.filter { $0.isWhitespace }.count == 1)
            #expect(result.output.count > length)
        }
    }
}
