import Foundation
@testable import LoginTestSupport
import Testing

/// `login URL`: no profile is needed, and one is made.
@Suite(.onOwnThreads) struct `A login by URL` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation()
    }

    private var verify: String { demo.origin + "/account/verify_credentials.json" }
    private var name: String { "127.0.0.1:\(demo.port)" }

    private func logIn(_ url: String, _ more: String..., input: String = "correct horse") throws -> CommandResult {
        try authctl.run(["login", url, "-u", "ann", "--password-stdin"] + more, input: input)
    }

    private func profiles() throws -> [String] {
        let listed = try authctl.run("profile", "list", "--json").json as? [[String: Any]]
        return (listed ?? []).compactMap { $0["name"] as? String }
    }

    @Test func `a login by URL is remembered under the host's name, and the only profile needs no name`() throws {
        let login = try logIn(verify)
        #expect(login.code == 0, "\(login.error)")
        #expect(try profiles() == [name])
        #expect(try authctl.run("whoami").output == "ann\n")
        #expect(try authctl.run("logout").code == 0)
        #expect(try profiles() == [name])
        #expect(try authctl.run("whoami").code == 4)
    }

    @Test func `again is the same profile, and another URL there is another`() throws {
        let other = try RecordingServer([.answer(401, ["WWW-Authenticate: Basic realm=\"x\""]), .answer(200)])
        defer { other.stop() }
        #expect(try logIn(verify).code == 0)
        #expect(try authctl.run("login", verify).error.hasPrefix("Already logged in"))
        #expect(try profiles() == [name])
        try demo.order(.init(path: "/users/me", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
        try demo.order(.init(path: "/users/me", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
        try demo.order(.init(path: "/users/me", status: 200))
        let second = try logIn(demo.origin + "/users/me")
        #expect(second.code == 0, "\(second.error)")
        #expect(try profiles() == [name, name + "-2"])
        #expect(try authctl.run("whoami", "-P", name).output == "ann\n")
    }

    @Test func `a login by URL at the same time as others gets a profile for each URL, and one for the same URL`()
        throws
    {
        let script = """
            program=$1; shift; pids=; code=0
            for url; do
                printf 'correct horse' | "$program" login "$url" -u ann --password-stdin & pids="$pids $!"
            done
            for pid in $pids; do wait $pid || code=$?; done; exit $code
            """
        let urls = (0..<6).map { "\(verify)?n=\($0 / 2)" }
        let spec = ChildSpec(
            "/bin/sh", ["-c", script, "sh", authctl.program] + urls, environment: authctl.environment,
            directory: authctl.folder)
        let result = try Command.run(spec)
        #expect(result.ending == .exited(0), "\(result.error)")
        #expect(try profiles() == [name, name + "-2", name + "-3"])
        let shown = try profiles().map { try authctl.run("profile", "show", $0).output }.joined()
        for profile in try profiles() { #expect(try authctl.run("whoami", profile).output == "ann\n") }
        for number in 0...2 { #expect(shown.split(separator: "?n=\(number)").count == 2) }
    }

    @Test func `a login by URL takes the name that --name chooses, if it is free`() throws {
        #expect(try logIn(verify, "--name", "work").code == 0)
        #expect(try profiles() == ["work"])
        #expect(try authctl.run("whoami", "work").output == "ann\n")
        let taken = try logIn(demo.origin + "/other", "--name", "work")
        #expect(taken.code == 2)
        for bad in ["../evil", "a/b", "", "\u{1B}[31m"] {
            #expect(try logIn(demo.origin + "/other", "--name", bad).code == 2)
        }
        #expect(try profiles() == ["work"])
    }

    @Test func `a login by URL that fails is not remembered`() throws {
        #expect(try logIn(verify, input: "wrong").code == 3)
        #expect(try logIn(demo.origin + "/open.json").code == 2)
        #expect(try logIn(demo.origin + "/nowhere").code != 0)
        #expect(try profiles().isEmpty)
        #expect(try authctl.keptSecrets().isEmpty)
        #expect(try authctl.run("status").code == 4)
    }

    @Test
    func `a login by URL follows redirects on its own origin, sends nothing secret before, and remembers the end`()
        throws
    {
        let challenge = ["WWW-Authenticate: Basic realm=\"here\""]
        let server = try RecordingServer([
            .answer(301, ["Location: /step"]), .answer(307, ["Location: /end?a=b"]), .answer(401, challenge),
            .answer(401, challenge), .answer(200, body: "{}"), .answer(200, body: "{}"),
        ])
        defer { server.stop() }
        let login = try logIn(server.url("/start"), "--name", "moved")
        #expect(login.code == 0, "\(login.error)")
        let requests = server.texts
        #expect(
            requests.map { $0.prefix { $0 != "\n" } }.prefix(3) == [
                "GET /start HTTP/1.1", "GET /step HTTP/1.1", "GET /end?a=b HTTP/1.1",
            ])
        #expect(requests.filter { $0.lowercased().contains("authorization:") }.count == 1)
        #expect(requests.last?.hasPrefix("GET /end?a=b ") == true)
        #expect(try authctl.run("whoami", "moved").code == 0)
        #expect(server.texts.last?.hasPrefix("GET /end?a=b ") == true)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a login by URL goes to no other origin`(status: Int) throws {
        let other = try RecordingServer([.answer(401, ["WWW-Authenticate: Basic realm=\"evil\""]), .answer(200)])
        let server = try RecordingServer([.answer(status, ["Location: \(other.url("/me"))"])])
        defer {
            server.stop()
            other.stop()
        }
        let login = try logIn(server.url("/me"))
        #expect(login.code == 7)
        #expect(login.error.contains("http://127.0.0.1:\(other.port)"))
        #expect(other.connections.isEmpty)
        #expect(server.texts.allSatisfy { !$0.lowercased().contains("authorization:") })
        #expect(try profiles().isEmpty)
    }

    @Test func `pins the method: another offer later is refused, and the password is not sent`() throws {
        let basic = ["WWW-Authenticate: Basic realm=\"here\""], other = ["WWW-Authenticate: Bearer realm=\"here\""]
        let server = try RecordingServer([
            .answer(401, basic), .answer(401, basic), .answer(200, body: "{}"),
            .answer(401, other), .answer(401, other), .answer(401, other),
        ])
        defer { server.stop() }
        #expect(try logIn(server.url("/me"), "--name", "pinned").code == 0)
        let before = server.requests.count
        let later = try authctl.run(
            "login", "pinned", "--force", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(later.code == 7, "\(later.error)")
        #expect(later.error.contains("bearer"))
        #expect(server.texts.dropFirst(before).allSatisfy { !$0.lowercased().contains("authorization:") })
    }

    @Test
    func `a login by URL takes user and password out of the URL: neither is in the profile nor in a request line`()
        throws
    {
        let url = verify.replacing("http://", with: "http://ann:correct%20horse@")
        let login = try authctl.run("login", url, "--verbose")
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("whoami").output == "ann\n")
        let config = URL(fileURLWithPath: authctl.folder + "/config")
        let shown = try authctl.run("profile", "show", name).output
        try LeakSweep(secrets: [], pairs: [("ann", "correct horse")]).expectClean(
            ["talk": login.error, "profile": shown, "server": demo.output], trees: [config])
        #expect(!shown.contains("@"))
        #expect(try demo.requests().allSatisfy { $0.path == "/account/verify_credentials.json" })
    }

    @Test func `a login by URL without a scheme is refused, and one is proposed`() throws {
        for (host, scheme) in [("api.wire.example", "https"), ("localhost:8080", "http"), ("127.0.0.1/me", "http")] {
            let result = try authctl.run("login", host)
            #expect(result.code == 2)
            #expect(result.error.contains("\(scheme)://\(host)"))
        }
    }

    @Test func `AUTHCTL_VERIFY_URL stands for the argument, and the given credential belongs to it`() throws {
        let supplied = ["AUTHCTL_VERIFY_URL": verify, "AUTHCTL_USERNAME": "ann", "AUTHCTL_PASSWORD": "correct horse"]
        let login = try authctl.run("login", environment: supplied)
        #expect(login.code == 0, "\(login.error)")
        #expect(try profiles() == [name])
    }

    @Test func `login asks about a login form in a sentence, and shows the profile for details as discover prints it`()
        throws
    {
        let url = demo.origin + "/login/"
        let printed = try authctl.run("discover", url).output.split(separator: "\n").drop { $0.hasPrefix("#") }
        let run = try authctl.onTerminal("login", url, columns: 40)
        let label = "Log in with it? [yes/no/details] "
        try run.pty.wait(for: label)
        #expect(!run.pty.text.contains("[profiles."), "\(run.pty.text)")
        run.pty.type("details\r")
        try run.pty.wait(for: "[profiles.")
        try run.answer(label, "n\r")
        #expect(try run.end() == .exited(5), "\(run.pty.text)")
        #expect(printed.contains { $0.count > 80 })
        for line in printed { #expect(run.pty.text.contains("\(line)\r\n"), "\(run.pty.text)") }
    }
}
