import Foundation
@testable import LoginTestSupport
import Testing

/// The binary at login pages that want something else than a login, and at cookies that end.
@Suite(.onOwnThreads) struct `At a login page` {
    private static let anonymous = RecordingServer.Reply.answer(302, ["Location: /login/?next=/me"])

    private func installation(_ origin: String) throws -> Installation {
        try Installation(
            config: """
                [profiles.p]
                url    = "\(origin)"
                method = "cookie"
                login  = { page = "/login/", post = "/login/", form = { username = "{username}", password = "{password}" } }
                verify = { get = "/me", username = "/name", logged-out = [401, { status = 302, "header:Location" = "/login/*" }] }

                """)
    }

    private func logIn(_ page: String, headers: [String] = [], then more: [RecordingServer.Reply] = []) throws -> (
        result: CommandResult, sent: [String], kept: Int
    ) {
        let page = RecordingServer.Reply.answer(200, headers, body: page)
        // Verify is asked with the page's cookies, too, and the page is fetched once more for the login.
        let look = headers.isEmpty ? [page] : [page, Self.anonymous]
        let server = try RecordingServer([Self.anonymous] + look + [page] + more)
        defer { server.stop() }
        let authctl = try installation("http://127.0.0.1:\(server.port)")
        let result = try authctl.run("login", "p", "-u", "ann", "--password-stdin", "--verbose", input: "CANARY-1\n")
        try LeakSweep(secrets: ["CANARY-1"]).expectClean(["output": result.output + result.error])
        return (result, server.texts, try authctl.keptSecrets().count)
    }

    private static let fields = "<input name=username><input type=password name=password></form>"

    @Test(arguments: [
        "<form method=post action=http://127.0.0.1:1/login/>", "<form method=post action=//127.0.0.1:1/>",
        "<form method=post action=javascript:alert(1)>", "<base href=//127.0.0.1:1/><form method=post>",
        "<form method=post><button formaction=//127.0.0.1:1/>in</button>", "<form method=get action=/login/>", "<form>",
    ])
    func `a form that leads elsewhere or into the URL gets no password, and the code is 7`(form: String) throws {
        let (result, sent, kept) = try logIn(form + Self.fields)
        #expect(result.code == 7, "\(result.error)")
        #expect(result.error.contains("nothing was sent"))
        #expect(sent.count == 3 && kept == 0)
        #expect(sent.allSatisfy { $0.hasPrefix("GET ") && !$0.contains("CANARY") })
    }

    @Test func `a page without the form says what was looked for`() throws {
        let (result, sent, _) = try logIn("<form method=post><input name=\u{1B}[31mx></form>")
        #expect(result.code == 1)
        #expect(result.error.contains("has no form with the fields") && result.error.contains("password"))
        #expect(sent.count == 3 && !result.error.contains("\u{1B}"))
    }

    @Test func `a session that the page had given already is kept with a warning`() throws {
        let set = ["Set-Cookie: sid=first-visit; Path=/; HttpOnly"]
        let (result, sent, kept) = try logIn(
            "<form method=post>" + Self.fields, headers: set,
            then: [.answer(302, ["Location: /"]), .answer(200, body: "{\"name\": \"ann\"}")])
        #expect(result.code == 0, "\(result.error)")
        #expect(result.error.contains("set no new session cookie at login"))
        #expect(sent.count == 6 && kept == 1)
    }

    @Test func `The cookie of a page is not kept where verify says no, which is no refusal of the password`() throws {
        let (result, _, kept) = try logIn(
            "<form method=post>" + Self.fields, headers: ["Set-Cookie: sid=anonymous; HttpOnly"],
            then: [.answer(200, body: "<p>wrong password"), Self.anonymous])
        #expect(result.code == 2, "\(result.error)")
        #expect(kept == 0)
    }

    @Test(RealServer.require("faketime")) func `a cookie that has ended is no login any more`() throws {
        let demo = try DemoBackendProcess()
        defer { demo.stop() }
        let authctl = try Installation(
            config: """
                [profiles.short]
                url    = "\(demo.origin)"
                method = "cookie"
                login  = { post = "/users/login?ttl=2", json = { name = "{username}", password = "{password}" } }
                verify = { get = "/users/me", username = "/name", logged-out = [401, 403] }

                """)
        try authctl.logIn("short")
        #expect(try authctl.run("status", "short", "--offline").code == 0)
        #expect(try authctl.runLater(["status", "short", "--offline"]).code == 4)
        #expect(try authctl.runLater(["whoami", "short"]).code == 4)
        #expect(try demo.requests().suffix(1).allSatisfy { $0.carried.isEmpty })
    }
}
