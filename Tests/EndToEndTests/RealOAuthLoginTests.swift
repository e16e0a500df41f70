import Foundation
@testable import LoginTestSupport
import Testing

/// Logins by consent at servers that others have written.
@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.require("glewlwyd"), RealServer.require("openssl"))
final class `A login at a real Glewlwyd` {
    private let glewlwyd: GlewlwydServer
    private let person: ScriptedPerson
    private let authctl: Installation

    init() throws {
        let redirect = "http://127.0.0.1:\(try FreePort.next())/callback"
        let desk = OAuthClient("desk", secret: "desk-secret-4711", redirects: [redirect])
        let glewlwyd = try GlewlwydServer(clients: [OAuthClient("authctl", redirects: [redirect]), desk])
        self.glewlwyd = glewlwyd
        person = try ScriptedPerson()
        func profile(_ name: String, _ client: String, _ redirect: String, _ username: String = "/sub") -> String {
            """
            [profiles.\(name)]
            url    = "\(glewlwyd.origin)"
            method = "oauth"
            verify = { get = "/api/oidc/userinfo", username = "\(username)" }
            oauth  = { issuer = "\(glewlwyd.issuer)", \(client), redirect = "\(redirect)", scope = "openid notes" }

            """
        }
        let secret = "client-id = \"desk\", client-secret = \"desk-secret-4711\""
        authctl = try Installation(
            config: profile("open", "client-id = \"authctl\"", redirect) + profile("desk", secret, redirect)
                + profile("wrong", "client-id = \"authctl\"", "http://127.0.0.1:1/callback")
                + profile("unknown", "client-id = \"nobody\"", redirect))
        authctl.givesSecretInConfig()
    }

    @Test func `a login at a real Glewlwyd with code and PKCE is refreshed, and its refresh token used once`() throws {
        let run = try authctl.login(["login", "open", "--no-browser"], opening: "/auth?") {
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
        let first = try authctl.run("token", "open").output
        try authctl.letTokensExpire()
        let second = try authctl.run("token", "open")
        #expect(second.code == 0 && second.output != first, "\(second.error)")
        try authctl.letTokensExpire()
        #expect(try authctl.run("token", "open").code == 0)
        // It revokes for clients with a secret alone, and says so: it is not tried.
        let logout = try authctl.run("logout", "open")
        #expect(logout.code == 0 && logout.error.contains("revokes no tokens of this client"), "\(logout.error)")
        #expect(try authctl.run("whoami", "open").code == 4)
    }

    @Test func `a login at a real Glewlwyd as a client with a secret is revoked at the logout`() throws {
        let run = try authctl.login(["login", "desk", "--no-browser"], opening: "/auth?") {
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
        let logout = try authctl.run("logout", "desk")
        #expect(logout.code == 0 && logout.error.contains("session ended at the server"), "\(logout.error)")
    }

    @Test func `a login at a real Glewlwyd with a code on another device works`() throws {
        let run = try authctl.login(["login", "open", "--device"], opening: "/device") { url in
            let told = try authctl.home.read("told")
            let code = try #require(told.firstMatch(of: /\nenter (\S+)/)?.1)
            _ = try person.consent(at: glewlwyd.issuer + "/device", code: String(code))
        }
        #expect(run.code == 0, "\(run.error)")
        #expect(try authctl.run("whoami", "open").code == 0)
    }

    /// Such a server keeps the browser: nothing comes back.
    @Test func `a redirect that it does not know is named when the time is up`() throws {
        let run = try authctl.login(
            ["login", "unknown", "--no-browser", "--prompt-timeout", "3"], opening: "/auth?"
        ) { _ = try person.consent(at: $0, stays: true) }
        #expect(run.code == 13 && run.error.contains("has to be registered for the client"), "\(run.error)")
    }
}

@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.requirePackage("fastmcp"))
final class `A login at a real FastMCP` {
    @Test func `a login at a real FastMCP with nothing configured works by its URL alone`() throws {
        let mcp = try FastMCPServer(), person = try ScriptedPerson(), authctl = try Installation()
        let run = try authctl.login(["login", mcp.resource, "--no-browser"], opening: "/authorize?") {
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
        #expect(run.error.contains("with the new login counts as logged in"), "\(run.error)")
        let again = try authctl.run("login", mcp.resource)
        #expect(again.code == 0 && again.error.contains("Already logged in"), "\(again.error)")
        let call =
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#
            + #""capabilities":{},"clientInfo":{"name":"authctl","version":"1"}}}"#
        let answer = try authctl.run(
            "request", "POST", mcp.resource, "-H", "Accept: application/json, text/event-stream", "--json", call)
        #expect(answer.code == 0 && answer.output.contains("protocolVersion"), "\(answer.error)\(answer.output)")
        let logout = try authctl.run(["logout", "--all-profiles"])
        #expect(logout.code == 0 || logout.code == 15 || logout.code == 2, "\(logout.error)")
    }

    @Test
    func
        `a login at a real FastMCP outlives its token, which takes the refresh token from whoever shows it an ended one`()
        throws
    {
        let mcp = try FastMCPServer(lifetime: 2), person = try ScriptedPerson(), authctl = try Installation()
        let run = try authctl.login(["login", mcp.resource, "--no-browser"], opening: "/authorize?") {
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
        for command in [["status"], ["whoami"], ["login", mcp.resource]] {
            sleep(3)
            let run = try authctl.run(command)
            #expect(run.code == 0, "\(command): \(run.error)")
        }
    }

    @Test func `a real FastMCP that registers nobody knows authctl by a document, whose redirect it compares exactly`()
        throws
    {
        let mcp = try FastMCPServer(registers: false, readsDocuments: true), person = try ScriptedPerson()
        let port = try FreePort.next(), document = "http://127.0.0.1:\(try FreePort.next())/authctl.json"
        let authctl = try Installation(config: "client-metadata = \"\(document)\"\n")
        let printed = try authctl.run("profile", "client-metadata", document)
        #expect(printed.code == 0 && printed.error.contains("client-metadata = \"\(document)\""), "\(printed.error)")
        let site = try Files(at: document)
        try site.write(printed.output.replacingOccurrences(of: ":8976/", with: ":\(port)/"))
        let run = try authctl.login(["login", mcp.resource, "--no-browser"], opening: "/authorize?") {
            #expect($0.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A\(port)%2Fcallback"), "\($0)")
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
        #expect(try authctl.run("login", mcp.resource).error.contains("Already logged in"))
        try site.write(printed.output.replacingOccurrences(of: "http://127.0.0.1:8976", with: "https://ann.example"))
        let elsewhere = try authctl.run("login", mcp.resource, "--force", "--no-browser")
        #expect(elsewhere.code == 2 && elsewhere.error.contains("leads to other machines only"), "\(elsewhere.error)")
    }

    @Test func `a real FastMCP that registers nobody and knows no documents is told with the three ways`() throws {
        let mcp = try FastMCPServer(registers: false), authctl = try Installation()
        let run = try authctl.run("login", mcp.resource, "--no-browser")
        #expect(run.code == 2, "\(run.error)")
        let ways = ["client-id = ", "client-metadata = ", "registration-endpoint = "]
        let places = ways.compactMap { run.error.range(of: $0)?.lowerBound }
        #expect(places.count == 3 && places == places.sorted(), "\(run.error)")
        #expect(run.error.contains("authctl profile client-metadata"), "\(run.error)")
    }
}

/// One document at a URL of this machine.
private final class Files {
    private let server: ServerProcess
    private let name: String

    init(at url: String) throws {
        server = try ServerProcess()
        let url = try #require(URL(string: url))
        name = url.lastPathComponent
        let script = "python3 -m http.server -b 127.0.0.1 -d \"$1\" \"$2\" < /dev/null & cat > /dev/null; kill $!"
        try write("{}")
        try server.start("/bin/sh", ["-c", script, "sh", server.folder.path, "\(url.port ?? 80)"])
        try server.wait(for: "a site") { (try? Curl(url.absoluteString).status) == 200 ? () : nil }
    }

    func write(_ text: String) throws {
        try text.write(to: server.folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
}

@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.requirePython("oauth2_provider"))
final class `A login at a real Django` {
    @Test func `a login at a real Django with endpoints in the profile, in Chromium, is refreshed and revoked`() throws
    {
        let person = try ScriptedPerson()
        let desk = OAuthClient("desk", secret: "desk-secret-4711", redirects: ["http://127.0.0.1/callback"])
        let django = try DjangoOAuthServer(clients: [desk])
        let authctl = try Installation(
            config: """
                [profiles.pages]
                url    = "\(django.origin)"
                method = "oauth"
                verify = { get = "/me", username = "/name", logged-out = [401, 403] }
                [profiles.pages.oauth]
                authorization-endpoint = "/o/authorize/"
                token-endpoint         = "/o/token/"
                revocation-endpoint    = "/o/revoke_token/"
                client-id     = "desk"
                client-secret = "desk-secret-4711"
                scope         = "notes"
                """)
        authctl.givesSecretInConfig()
        let run = try authctl.login(["login", "pages", "--no-browser"], opening: "/authorize/?") {
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
        #expect(try authctl.run("whoami", "pages").output == "ann\n")
        try authctl.letTokensExpire()
        #expect(try authctl.run("token", "pages").code == 0)
        let logout = try authctl.run("logout", "pages")
        #expect(logout.code == 0 && logout.error.contains("session ended at the server"), "\(logout.error)")
    }
}

@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.require("chromium"))
final class `A login in a real browser` {
    @Test func `a login in a real browser ends at the listener's page, which obeys its policy`() throws {
        let demo = try DemoBackendProcess(), chromium = try ChromiumBrowser()
        let authctl = try Installation(config: demo.oauthProfiles())
        authctl.givesSecretInConfig()
        let run = try authctl.onTerminal("login", "notes", "--browser", chromium.browser)
        #expect(try run.end() == .exited(0))
        #expect(run.lines.contains { $0.hasSuffix("as ann.") }, "\(run.pty.text)")
        let page = try chromium.visited()
        #expect(page.text == "You can close this tab and return to the terminal.", "\(page)")
        #expect(page.address.hasPrefix("http://127.0.0.1:") && page.address.hasSuffix("/done"), "\(page)")
    }
}
