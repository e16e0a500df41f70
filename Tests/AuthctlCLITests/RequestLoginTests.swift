import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What stands before a `request`, and what its answer leads to: nobody's first, once, or once more after a login.
@Suite struct `A request and its login` {
    private static let wire = """
        [profiles.wire]
        url    = "https://wire.example"
        method = "basic"
        verify = { get = "/account/me" }

        """

    private static let shop = """
        [profiles.shop]
        url    = "https://shop.example"
        method = "cookie"
        login  = { page = "/login/", post = "/in", form = { name = "{username}", password = "{password}" } }
        verify = { get = "/me", username = "/name", logged-out = [401, { "/ok" = "false" }] }

        """

    private let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"A\""])
    private let refused = HTTPResponse.answer(401, "who?", headers: ["WWW-Authenticate: Basic realm=\"A\""])
    private let elsewhere = HTTPResponse.answer(401, "no", headers: ["WWW-Authenticate: Basic realm=\"B\""])
    private let me = HTTPResponse.answer(200, "{\"name\":\"Anna\"}")

    private func loggedIn() throws -> TestWorld {
        let world = try TestWorld(config: Self.wire)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "old-secret")])
        #expect(world.run("login", "wire", server: [anonymous, .answer(200)]).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    /// Logged in by a token, so that nothing has to be read from a page.
    private func chat() throws -> TestWorld {
        let world = try TestWorld(
            config: """
                [profiles.chat]
                url    = "https://chat.example"
                method = "token"
                keep-password = true
                login  = { post = "/in", json = { n = "{username}", p = "{password}" }, token = "/token" }
                verify = { get = "/me", username = "/name", logged-out = [401, 403, { "/ok" = "false" }] }
                """)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        #expect(world.run("login", server: [.answer(401), .answer(200, "{\"token\":\"t1\"}"), me]).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    @Test func `a session that is still good goes before the profile's command for a password`() throws {
        let home = try TemporaryHome(), login = HTTPResponse.answer(200, "{\"token\":\"t1\"}")
        let world = try TestWorld(
            config: """
                [profiles.chat]
                url    = "https://chat.example"
                method = "token"
                user   = "anna"
                password-command = "sh -c 'echo run >>\(home.path)/runs; echo pw'"
                login  = { post = "/in", json = { n = "{username}", p = "{password}" }, token = "/token" }
                verify = { get = "/me", username = "/name" }
                """)
        for (runs, server) in [
            (1, [.answer(401), login, me, .answer(200)]), (1, [.answer(200)]),
            (2, [.answer(401), .answer(401), login, me, .answer(200)]),
        ] {
            let run = world.run("request", "POST", "/x", "-d", "x", server: server)
            #expect(try home.read("runs").split(separator: "\n").count == runs)
            #expect(run.code == 0 && world.requests.count == server.count, "\(run.talk)\(world.requests)")
        }
    }

    @Test(arguments: ["Basic realm=\"A", "Basic realm=\"A\"B", "Basic", "Basic realm=\"\u{FFFD}\""])
    func `a password that verify accepts is not marked for a 401 whose realm cannot be told`(challenge: String) throws {
        let world = try loggedIn()
        let unclear = HTTPResponse.answer(401, headers: ["WWW-Authenticate: \(challenge)"])
        #expect(world.run("request", "/account/x", "-P", "wire", server: [unclear, .answer(200)]).code == 10)
        #expect(world.run("whoami", "wire", server: [.answer(200)]).code == 0)
        #expect(world.run("request", "/account/x", "-P", "wire", server: [unclear, refused]).code == 3)
    }

    private func sent(_ world: TestWorld, _ part: String) -> Int { world.requests.count { $0.contains(part) } }

    // MARK: A1

    @Test func `a stored password that was changed at the server is refused once, then the person is asked`() throws {
        let world = try loggedIn()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "new-secret")])
        let run = world.run(
            "request", "GET", "/account/x", server: [refused, anonymous, .answer(200), .answer(200, "done")])
        #expect(run.code == 0 && run.output == "done", "\(run.talk)")
        #expect(sent(world, "old-secret") == 1 && sent(world, "new-secret") == 2, "\(world.requests)")
        #expect(run.talk.contains("refused the stored password") && run.talk.contains("sending the same request again"))
    }

    @Test func `a password that is refused with nobody to ask is 3, and is never sent again by itself`() throws {
        let world = try loggedIn()
        let run = world.run("request", "POST", "/account/x", "-d", "x", server: [refused])
        #expect(run.code == 3 && run.output == "who?" && world.requests.count == 1, "\(run.talk)")
        let again = world.run("request", "GET", "/account/x")
        #expect(again.code == 4 && world.requests.isEmpty, "\(again.talk)")
    }

    @Test func `a password that was verified a moment ago is good: 401 is forbidden`() throws {
        let world = try TestWorld(config: Self.wire)
        world.variables.merge(["AUTHCTL_PROFILE": "wire", "AUTHCTL_USERNAME": "anna"]) { $1 }
        world.password = Secret("pw")
        let run = world.run("request", "GET", "/account/x", server: [anonymous, .answer(200), refused])
        #expect(run.code == 10 && world.requests.count == 3, "\(run.talk)")
    }

    @Test func `a 401 without a challenge leaves a stored password alone where verify still accepts it`() throws {
        let world = try loggedIn()
        let run = world.run("request", "GET", "/account/x", server: [.answer(401, "no"), .answer(200)])
        #expect(run.code == 10 && run.output == "no" && sent(world, "old-secret") == 2, "\(run.talk)")
        let again = world.run("request", "GET", "/account/x", server: [.answer(200, "here")])
        #expect(again.code == 0 && again.output == "here", "\(again.talk)")
    }

    @Test func `a 401 without a challenge marks a stored password once verify has refused it`() throws {
        let world = try loggedIn()
        let run = world.run("request", "GET", "/account/x", server: [.answer(401, "no"), refused])
        #expect(run.code == 3 && run.output == "no" && sent(world, "old-secret") == 2, "\(run.talk)")
        #expect(world.run("request", "GET", "/account/x").code == 4 && world.requests.isEmpty)
    }

    // MARK: C1

    @Test(arguments: [401, 403])
    func `what a rule calls logged out is put to verify first: forbidden is 10, and nothing is erased`(
        status: Int
    ) throws {
        let world = try chat()
        let run = world.run("request", "POST", "/x", "-d", "x", server: [.answer(status, "no"), me])
        #expect(run.code == 10 && run.output == "no" && world.requests.count == 2, "\(run.talk)")
        #expect(world.run("request", "GET", "/x", server: [.answer(200)]).code == 0)
        #expect(sent(world, "Bearer t1") == 1)
    }

    @Test
    func `a response that fits logged-out is passed on where verify takes the session, and nothing is sent again`()
        throws
    {
        let world = try chat()
        let answer = HTTPResponse.answer(200, "{\"ok\":false}", headers: ["Content-Type: application/json"])
        let run = world.run("request", "POST", "/x", "-d", "x", server: [answer, me])
        #expect(run.code == 0 && run.output == "{\"ok\":false}", "\(run.talk)")
        #expect(sent(world, "POST https://chat.example/x") == 1 && sent(world, "/in") == 0)
    }

    @Test func `where verify is out of order nothing is erased, and nothing is sent again`() throws {
        let world = try chat()
        #expect(world.run("request", "POST", "/x", "-d", "x", server: [.answer(403), .answer(503)]).code == 12)
        #expect(world.run("request", "GET", "/x", server: [.answer(200)]).code == 0)
        #expect(sent(world, "Bearer t1") == 1)
    }

    @Test func `the rule decides about a request without a verify endpoint`() throws {
        let world = try TestWorld(
            config: """
                [profiles.chat]
                url    = "https://chat.example"
                method = "token"
                logged-out = [401, { "/ok" = "false" }]
                login  = { post = "/in", json = { n = "{username}", p = "{password}" }, token = "/token" }
                """)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let login = world.run("login", server: [.answer(200), .answer(200, "{\"token\":\"t1\"}")])
        #expect(login.code == 0, "\(login.talk)")
        world.person = ScriptedPerson()
        #expect(world.run("request", "/x", server: [.answer(403)]).code == 10 && world.requests.count == 1)
        #expect(world.run("request", "/x", server: [.answer(401)]).code == 4 && world.requests.count == 1)
    }

    // MARK: A3

    @Test(arguments: [["GET"], ["HEAD"], []])
    func `where nobody ever logged in, what only reads is sent without a login first`(
        method: [String]
    ) throws {
        let world = try TestWorld(config: Self.wire)
        let run = world.run(
            ["request"] + method + ["https://wire.example/public"], server: [.success(.answer(200, "public"))])
        #expect(run.code == 0 && run.output == "public", "\(run.talk)")
        #expect(run.talk.contains("sent without a login"))
        #expect(world.requests == ["\(method.first ?? "GET") https://wire.example/public"])
    }

    @Test func `an answer that means logged out brings the login, and the same request once more`() throws {
        let world = try TestWorld(config: Self.wire)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let run = world.run(
            "request", "GET", "/account/x", server: [refused, anonymous, .answer(200), .answer(200, "mine")])
        #expect(run.code == 0 && run.output == "mine", "\(run.talk)")
        #expect(run.talk.contains("sent without a login") && run.talk.contains("sending the same request again"))
        let alone = try TestWorld(config: Self.wire)
        let nobody = alone.run("request", "GET", "/account/x", server: [refused])
        #expect(nobody.code == 4 && nobody.output == "who?" && alone.requests.count == 1, "\(nobody.talk)")
    }

    @Test func `where nothing could be sent, that is the end of it, and nothing is said to be sent`() throws {
        let origin = Origin(scheme: "https", host: "wire.example", port: 443)
        let trust = ServerTrust(
            origin: origin, reasons: [.selfSigned], subject: "CN = wire", issuer: "CN = wire", notBefore: 0,
            notAfter: .max, fingerprint: try #require(Fingerprint(bytes: Array(repeating: 7, count: 32))), key: "k")
        let closed = LoginFault.network(.notConnected(ignoredProxyVariable: nil, errno: 111))
        for (fault, code) in [(LoginFault.untrusted(.certificate(trust)), Int32(7)), (closed, 6)] {
            let world = try TestWorld(config: Self.wire)
            let run = world.run(["request", "/x"], server: [.failure(fault)])
            #expect(run.code == code && world.requests.count == 1, "\(run.talk)")
            #expect(!run.talk.contains("sent without a login"), "\(run.talk)")
        }
    }

    @Test func `a profile can turn that off`() throws {
        let world = try TestWorld(config: Self.wire + "anonymous = false\n")
        #expect(world.run("request", "/x").code == 4 && world.requests.isEmpty)
    }

    @Test func `a request that writes, or has a name, a password or an account, logs in first`() throws {
        for words in [["POST", "/x", "-d", "x"], ["OPTIONS", "/x"], ["GET", "/x", "-u", "anna"]] {
            let world = try TestWorld(config: Self.wire)
            #expect(world.run(["request"] + words, server: []).code == 4)
            #expect(world.requests.isEmpty, "\(words)")
        }
        let supplied = try TestWorld(config: Self.wire)
        supplied.variables.merge(["AUTHCTL_PROFILE": "wire", "AUTHCTL_USERNAME": "anna"]) { $1 }
        supplied.password = Secret("pw")
        #expect(supplied.run("request", "/account/x", server: [anonymous, .answer(200), .answer(200)]).code == 0)
        let ticket = try TestWorld(config: Self.wire.replacing("\"basic\"", with: "\"auto\""))
        ticket.tickets = TicketCache(find: { .valid(principal: "anna@REALM") }, request: { _ in })
        #expect(!ticket.run("request", "/x").talk.contains("without a login"))
    }

    @Test func `an account that was logged out, has ended or was marked refused logs in first`() throws {
        let erased = try loggedIn()
        #expect(erased.run("logout", "wire").code == 0)
        #expect(erased.run("request", "/account/x").code == 4 && erased.requests.isEmpty)
        let marked = try loggedIn()
        #expect(marked.run("whoami", "wire", server: [refused]).code == 3)
        #expect(marked.run("request", "/account/x").code == 4 && marked.requests.isEmpty)
        let ended = try chat()
        // The session is erased, and then the password that was kept is refused.
        let server = [HTTPResponse.answer(401), .answer(401), .answer(401), .answer(401)]
        _ = ended.run("whoami", server: server)
        _ = ended.run("request", "/x")
        #expect(ended.requests.isEmpty)
    }

    // MARK: A4

    @Test func `--anonymous sends no session and logs in for no answer`() throws {
        let world = try chat()
        let run = world.run("request", "--anonymous", "POST", "/x", "-d", "x", server: [.answer(401, "who?")])
        #expect(run.code == 11 && run.output == "who?", "\(run.talk)")
        #expect(world.requests.count == 1 && sent(world, "t1") == 0)
        #expect(world.run("request", "--anonymous", "/x", server: [.answer(200, "public")]).output == "public")
        #expect(world.run("request", "--anonymous", "/x", server: [.answer(503)]).code == 12)
        for wrong in [["--password-stdin"], ["-u", "anna"]] {
            #expect(world.run(["request", "--anonymous", "/x"] + wrong, server: []).code == 2)
        }
    }

    @Test func `--anonymous needs no profile`() throws {
        for config in ["", Self.wire] {
            let world = try TestWorld(config: config)
            let run = world.run("request", "--anonymous", "https://else.example/x?y", server: [.answer(200, "public")])
            #expect(run.code == 0 && run.output == "public", "\(run.talk)")
            #expect(world.requests == ["GET https://else.example/x?y"])
        }
    }

    @Test func `a body needs a method`() throws {
        let world = try loggedIn()
        #expect(world.run("request", "/x", "-d", "x").code == 2 && world.requests.isEmpty)
        #expect(world.run("request", "GET").code == 2)
    }

    @Test func `only headers that the session sets are refused`() throws {
        let world = try loggedIn()
        let cookie = world.run("request", "/account/x", "-H", "Cookie: theme=dark", server: [.answer(200)])
        #expect(cookie.code == 0 && world.requests.first?.contains("\nCookie: theme=dark") == true, "\(cookie.talk)")
        #expect(world.run("request", "/account/x", "-H", "Authorization: x").code == 2 && world.requests.isEmpty)
        let tokens = try TestWorld(config: Examples.forge)
        tokens.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        #expect(tokens.run("login", server: [.answer(401), .answer(200, "{\"username\":\"anna\"}")]).code == 0)
        #expect(tokens.run("request", "/x", "-H", "Authorization: x", server: [.answer(200)]).code == 0)
        #expect(tokens.run("request", "/x", "-H", "PRIVATE-TOKEN: x").code == 2)
        let cookies = try TestWorld(config: Self.shop)
        for name in ["Cookie", "Proxy-Authorization"] {
            #expect(cookies.run("request", "/x", "-H", "\(name): x").code == 2 && cookies.requests.isEmpty)
        }
    }

    // MARK: A6

    @Test func `outside the folder of verify a password waits for the challenge of its realm`() throws {
        let world = try loggedIn()
        let run = world.run("request", "POST", "/x", "-d", "x", server: [refused, .answer(200, "done")])
        #expect(run.code == 0 && run.output == "done", "\(run.talk)")
        #expect(world.requests.map { $0.contains("old-secret") } == [false, true])
        let below = world.run("request", "POST", "/account/deep/x", "-d", "x", server: [.answer(200)])
        #expect(below.code == 0 && sent(world, "old-secret") == 1)
        let open = world.run("request", "/x", server: [.answer(200, "public")])
        #expect(open.code == 0 && open.output == "public" && sent(world, "old-secret") == 0)
        #expect(open.talk.contains("without the password"), "\(open.talk)")
    }

    @Test func `a password that is refused outside of the folder is refused once`() throws {
        let world = try loggedIn()
        #expect(world.run("request", "/x", server: [refused, refused]).code == 3)
        #expect(world.requests.count == 2 && sent(world, "old-secret") == 1)
    }

    @Test func `another realm gets no password, and is 4 with both names and a profile of its own`() throws {
        let world = try loggedIn()
        let run = world.run("request", "/b/x?y", server: [elsewhere])
        #expect(run.code == 4 && run.output == "no", "\(run.talk)")
        #expect(world.requests.count == 1 && sent(world, "old-secret") == 0)
        #expect(run.talk.contains("\"A\"") && run.talk.contains("\"B\""))
        #expect(run.talk.contains("authctl login https://wire.example/b/x\n"), "\(run.talk)")
        // In the folder it was sent ahead; of the password that says nothing.
        #expect(world.run("request", "/account/b", server: [elsewhere]).code == 4)
        #expect(world.run("request", "/account/x", server: [.answer(200)]).code == 0)
    }

    @Test func `a long body is not sent to be refused`() throws {
        let world = try loggedIn()
        let path = try world.home.write(String(repeating: "x", count: 2 << 20), to: "long")
        let run = world.run(
            "request", "PUT", "/x", "--data-binary", "@" + path, server: [refused, .answer(201, "made")])
        #expect(run.code == 0 && run.output == "made", "\(run.talk)")
        #expect(world.requests.map { $0.prefix(4) } == ["HEAD", "PUT "])
        #expect(world.run("request", "PUT", "/b", "--data-binary", "@" + path, server: [elsewhere]).code == 4)
        #expect(world.requests.count == 1)
    }

    // MARK: A8

    private func redirect(_ target: String) -> HTTPResponse {
        let origin = Origin(scheme: "https", host: "shop.example", port: 443)
        return .answer(
            302, cookies: [.named("sid", "one")],
            redirect: Redirect(url: "\(origin)\(target)", origin: origin, target: target))
    }

    private static let loginPage = page(action: "/in")

    private static func page(action: String, cookies: [Cookie] = []) -> HTTPResponse {
        .answer(
            200, "<form action=\"\(action)\" method=post><input name=name><input name=password type=password></form>",
            headers: ["Content-Type: text/html"], cookies: cookies)
    }

    private func shop() throws -> TestWorld {
        let world = try TestWorld(config: Self.shop)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let page = Self.loginPage
        let session = HTTPResponse.answer(302, cookies: [.named("sid", "one")], redirect: redirect("/").redirect)
        let known = HTTPResponse.answer(200, "{\"name\":\"Anna\"}", cookies: [.named("sid", "one")])
        let login = world.run("login", server: [.answer(401), page, page, session, known])
        #expect(login.code == 0, "\(login.talk)")
        world.person = ScriptedPerson()
        return world
    }

    @Test(arguments: ["/login/?next=/x", "/login", "/in"]) func `a redirect to the login is put to verify`(
        target: String
    ) throws {
        let world = try shop()
        let known = HTTPResponse.answer(200, "{\"name\":\"Anna\"}", cookies: [.named("sid", "one")])
        let fine = world.run("request", "/x", server: [redirect(target), known])
        #expect(fine.code == 0 && world.requests.count == 2, "\(fine.talk)")
        let over = world.run("request", "/x", server: [redirect(target), .answer(401)])
        #expect(over.code == 4 && world.requests.count == 2, "\(over.talk)")
    }

    @Test func `a page with the form of the login is put to verify, and another form is an answer`() throws {
        let world = try shop(), cookies = [Cookie.named("sid", "one")]
        let form = Self.page(action: "/in", cookies: cookies)
        let known = HTTPResponse.answer(200, "{\"name\":\"Anna\"}", cookies: cookies)
        let fine = world.run("request", "/x", server: [form, known])
        #expect(fine.code == 0 && fine.output.contains("<form") && world.requests.count == 2, "\(fine.talk)")
        let other = Self.page(action: "/account", cookies: cookies)
        let account = world.run("request", "/account/edit", server: [other])
        #expect(account.code == 0 && world.requests.count == 1, "\(account.talk)")
        let over = world.run("request", "/x", server: [form, .answer(401)])
        #expect(over.code == 4 && world.requests.count == 2, "\(over.code) \(over.talk)")
    }

    @Test func `a redirect elsewhere is an answer`() throws {
        let world = try shop()
        #expect(world.run("request", "/x", server: [redirect("/y")]).code == 0)
        #expect(world.requests.count == 1)
    }

    // MARK: Cancelled

    @Test func `a request that was cancelled after it went out says so, and what became of the login`() throws {
        let world = try loggedIn()
        world.person = ScriptedPerson([.cancelled])
        let run = world.run("request", "/account/x", server: [refused, anonymous])
        #expect(run.code == 5 && run.output == "who?", "\(run.talk)")
        #expect(run.talk.contains("the request was sent once (status 401) and not again"), "\(run.talk)")
        #expect(run.talk.contains("the stored password was refused by the server") && !run.talk.contains("nothing was"))
        let unsent = try TestWorld(config: Self.wire)
        unsent.person = ScriptedPerson([.cancelled])
        #expect(
            unsent.run("request", "POST", "/x", "-d", "x", server: [anonymous]).talk.contains("nothing was changed"))
    }
}
