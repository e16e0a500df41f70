import Foundation
@testable import LoginTestSupport
import Testing

/// Logins in which a person consents in a browser, or with a code: the binary, at the demo's authorization server.
@Suite(.onOwnThreads) final class `A login by consent` {
    private let demo: DemoBackendProcess
    private let authctl: Installation
    private let person: ScriptedPerson

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(config: demo.oauthProfiles())
        // That of tv, which comes with a program and is none.
        authctl.givesSecretInConfig()
        person = try ScriptedPerson()
    }

    deinit { demo.stop() }

    /// Runs a command without a terminal, and does something with a URL that it shows.
    private func logIn(
        _ arguments: String..., opening pattern: String, _ open: (String) throws -> Void
    ) throws -> CommandResult {
        try authctl.login(arguments, opening: pattern, open)
    }

    @Test func `a login by consent in a browser is used, refreshed and revoked`() throws {
        let run = try authctl.onTerminal("login", "notes", "--browser", person.browser, columns: 140)
        try run.pty.wait(for: "at \(demo.origin)/id, in the browser.")
        #expect(try run.end() == .exited(0))
        #expect(run.lines.contains("✓ Logged in to notes (\(demo.origin)) as ann."), "\(run.pty.text)")
        #expect(try person.visited().text.contains("You can close this tab and return to the terminal."))
        #expect(try authctl.run("whoami", "notes").output == "ann\n")
        let request = try authctl.run("request", "-P", "notes", "/me")
        #expect(request.code == 0 && request.output.contains("ann"), "\(request.error)")
        let old = try authctl.run("token", "notes").output
        let refreshed = try authctl.runLater(["token", "notes"])
        #expect(refreshed.code == 0 && refreshed.output != old, "\(refreshed.error)")
        let logout = try authctl.run("logout", "notes")
        #expect(logout.code == 0 && logout.error.contains("session ended at the server"), "\(logout.error)")
        #expect(try authctl.run("whoami", "notes").code == 4)
    }

    @Test func `a login by consent works without a terminal and without a client: by the port, or with a code`() throws
    {
        let browser = try logIn("login", "pad", "--no-browser", opening: "/authorize?") {
            _ = try person.consent(at: $0)
        }
        #expect(browser.code == 0, "\(browser.error)")
        #expect(try authctl.run("whoami", "pad").output == "ann\n")
        #expect(try authctl.run("logout", "pad").code == 0)
        let device = try logIn("login", "tv", "--device", opening: "/device?") {
            _ = try person.consent(at: $0)
        }
        #expect(device.code == 0, "\(device.error)")
        #expect(try authctl.run("whoami", "tv").output == "ann\n")
        #expect(try authctl.run("login", "notes").code == 4)
        #expect(try authctl.run("login", "notes", "--device", "--no-prompt").code == 4)
    }

    @Test func `a login by consent takes a pasted address, after others that are none`() throws {
        let run = try authctl.onTerminal("login", "notes", "--no-browser")
        try run.pty.wait(for: "Address: ")
        let url = try #require(run.pty.text.firstMatch(of: /http\S+\/authorize\?\S+/)?.0)
        let address = try person.consent(at: String(url), stays: true).address
        for wrong in ["c0de", String(url), address.replacing("state=", with: "state=x")] {
            run.pty.type(wrong + "\r")
            try run.pty.wait(for: "Address: ")
        }
        run.pty.type(address + "\r")
        #expect(try run.end() == .exited(0))
        #expect(try demo.requests().count { $0.path == "/id/token" } == 1)
        #expect(!run.pty.text.contains("code="))
    }

    @Test func `a login by consent is denied in the browser: 5, and nothing is kept`() throws {
        let run = try logIn("login", "notes", "--no-browser", opening: "/authorize?") {
            _ = try person.consent(at: $0, denies: true)
        }
        #expect(run.code == 5, "\(run.error)")
        #expect(try authctl.run("whoami", "notes").code == 4)
    }

    @Test func `a login by consent of a URL with nothing configured is found, registered, remembered and revoked`()
        throws
    {
        let url = demo.origin + "/notes/me"
        let run = try logIn("login", url, "--no-browser", opening: "/authorize?") {
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
        let again = try authctl.run("login", url)
        #expect(again.code == 0 && again.error.contains("Already logged in"), "\(again.error)")
        let request = try authctl.run("request", "-P", "127.0.0.1:\(demo.port)", "/notes/me")
        #expect(request.code == 0, "\(request.error)")
        #expect(try authctl.run("logout", "127.0.0.1:\(demo.port)").code == 0)
    }

    @Test func `a login by consent of a URL, with no terminal and no way chosen, names the ways that need none`() throws
    {
        let url = demo.origin + "/notes/me"
        let run = try authctl.run("login", url)
        #expect(run.code == 4 && run.error.contains("someone must approve this login"), "\(run.error)")
        for way in ["--device", "--no-browser"] { #expect(run.error.contains("authctl login \(url) \(way)")) }
    }

    @Test func `a scope that does not reach is 10, with the login that asks for more`() throws {
        let first = try authctl.onTerminal("login", "notes", "--browser", person.browser)
        #expect(try first.end() == .exited(0))
        let post = ["request", "POST", demo.origin + "/notes", "-P", "notes", "--json", "{\"text\":\"hi\"}"]
        let refused = try authctl.run(post)
        #expect(refused.code == 10, "\(refused.error)")
        let command = "authctl login notes --force --scope 'openid notes:read notes:write'"
        #expect(refused.error.contains(command), "\(refused.error)")
        // At a terminal it is asked about, once.
        let no = try authctl.onTerminal(post)
        try no.pty.wait(for: "Type yes")
        no.pty.type("no\r")
        #expect(try no.end() == .exited(10))
        let asked = try authctl.onTerminal(post + ["--browser", person.browser])
        try asked.pty.wait(for: "Type yes")
        asked.pty.type("yes\r")
        #expect(try asked.end() == .exited(0), "\(asked.pty.text)")
        #expect(asked.output.contains("hi"), "\(asked.output)")
        #expect(try authctl.run(post).code == 0)
        let narrow = try authctl.onTerminal(
            "login", "notes", "--force", "--scope", "openid notes:read", "--browser", person.browser)
        #expect(try narrow.end() == .exited(0))
        let more = try authctl.onTerminal(
            "login", "notes", "--force", "--scope", "openid notes:read notes:write", "--browser", person.browser)
        #expect(try more.end() == .exited(0))
        #expect(try authctl.run(post).code == 0)
    }

    @Test func `what can be pushed is not in the URL, and an id_token of this login is a name`() throws {
        let desk = """
            [profiles.desk]
            url    = "\(demo.origin)/notes"
            method = "oauth"
            verify = { get = "/me", username = "id-token:preferred_username" }
            [profiles.desk.oauth]
            issuer        = "\(demo.origin)/id"
            client-id     = "desk:1"
            client-secret = "50% off + tax & ünïcode"
            scope         = "openid notes:read"
            """
        let authctl = try Installation(config: desk)
        authctl.givesSecretInConfig()
        var shown = ""
        let run = try authctl.login(["login", "desk", "--no-browser"], opening: "/authorize?") { url in
            shown = url
            _ = try person.consent(at: url)
        }
        #expect(run.code == 0 && run.error.contains("as ann."), "\(run.error)")
        let names = URLComponents(string: shown)?.queryItems?.map(\.name)
        #expect(names == ["response_type", "client_id", "request_uri"], "\(shown)")
        let paths = try demo.requests().map(\.path).filter { $0.hasPrefix("/id/") && $0 != "/id/consent" }
        #expect(paths == ["/id/par", "/id/authorize", "/id/token"])
    }

    @Test(arguments: [(400, "{\"error\":\"invalid_request\"}", 2), (201, "{}", 1), (503, "", 12)])
    func `a push that fails ends the login before anybody is sent anywhere`(
        status: Int, body: String, code: Int32
    ) throws {
        try demo.order(.init(path: "/id/par", status: status, body: body))
        let run = try authctl.run("login", "notes", "--no-browser")
        #expect(run.code == code && !run.error.contains("/authorize"), "\(run.error)")
    }

    @Test(arguments: [("--no-browser", "Address: "), ("--device", "Waiting for your approval")])
    func `Ctrl-C deletes the client that was registered`(option: String, wait: String) throws {
        let run = try authctl.onTerminal("login", "pad", option)
        try run.pty.wait(for: wait)
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        let last = try #require(try demo.requests().last)
        #expect(last.method == "DELETE" && last.path.hasPrefix("/id/register/") && last.status == 204)
    }

    @Test func `Ctrl-C waits for the deletion of a client no longer than seconds`() throws {
        let run = try authctl.onTerminal("login", "pad", "--no-browser")
        try run.pty.wait(for: "Address: ")
        try demo.order(.init(delay: 60))
        let start = Date()
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(Date().timeIntervalSince(start) < 50)
    }

    @Test func `two logins at once are one dialogue`() throws {
        let person = person
        let result = try authctl.login(["login", "pad", "--no-browser"], opening: "/authorize?") { url in
            let second = try authctl.onTerminal("login", "pad", "--no-browser")
            try second.pty.wait(for: "another authctl is logging in to pad; waiting for it")
            _ = try person.consent(at: url)
            #expect(try second.end() == .exited(0))
            #expect(second.lines.contains { $0.hasSuffix("as ann.") }, "\(second.pty.text)")
        }
        #expect(result.code == 0, "\(result.error)")
        #expect(try demo.requests().count { $0.path == "/id/register" } == 1)
    }
}
