import Foundation
import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What `request` makes of an answer: once, or once more, and which code.
@Suite struct `The request command` {
    private static let shop = """
        [profiles.shop]
        url    = "https://shop.example"
        method = "cookie"
        login  = { post = "/login", json = { name = "{username}", password = "{password}" } }
        verify = { get = "/me", username = "/name" }

        """

    private let anonymous = HTTPResponse.answer(401)
    private let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")

    private func answer(_ status: Int, _ body: String = "", cookie value: String) -> HTTPResponse {
        .answer(status, body, cookies: [.named("sid", value)])
    }

    /// Logged in, with a cookie that every answer refreshes.
    private func shop() throws -> TestWorld {
        let world = try TestWorld(config: Self.shop)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let me = answer(200, "{\"name\":\"Anna\"}", cookie: "two")
        #expect(world.run("login", server: [anonymous, answer(200, cookie: "one"), me, me]).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    private func chat() throws -> TestWorld {
        let world = try TestWorld(config: Examples.config)
        world.variables.merge(["AUTHCTL_PROFILE": "chat", "AUTHCTL_USERNAME": "anna"]) { $1 }
        world.password = Secret("pw")
        return world
    }

    private let token = "{\"access_token\":\"tok\",\"refresh_token\":\"ref\",\"expires_in_ms\":60000}"

    @Test func `a request without a URL says so`() throws {
        let world = try TestWorld(config: Examples.config)
        for run in [world.run("request"), world.run("request", "-P", "chat"), world.run("request", "-v")] {
            #expect(run.code == 2 && run.output.isEmpty)
            #expect(run.talk.contains("authctl: a URL is missing\n"), "\(run.talk)")
        }
    }

    @Test func `403 is asked of verify once, and forbidden even where verify refreshes the cookie`() throws {
        let world = try shop()
        let refused = HTTPResponse.answer(403, "no")
        let verified = answer(200, "{\"name\":\"Anna\"}", cookie: "three")
        let run = world.run("request", "POST", "/orders", "-d", "x", server: [refused, verified, verified])
        #expect(run.code == 10 && run.output == "no")
        #expect(world.requests.map { $0.prefix(4) } == ["POST", "GET ", "GET "])
        // What verify refreshed is kept, once it has named the user for that.
        _ = world.run("request", "GET", "/orders", server: [.answer(200)])
        #expect(world.requests.first?.contains("cookie sid=three") == true)
    }

    @Test(arguments: [
        ("no end", "no end\n"), ("an end\n", "an end\n"), ("a\r\n", "a\n"), ("", ""), ("ä\u{1B}", "ä\\u{1B}\n"),
    ])
    func `the last line of an answer is ended on a terminal, and nowhere else`(body: String, shown: String) throws {
        let world = try shop()
        let file = world.home.path + "/out"
        for terminals in [[STDOUT_FILENO], []] as [Set<Int32>] {
            world.terminals = terminals
            let run = world.run("request", "/page", server: [.answer(200, body)])
            #expect(run.code == 0 && run.output == (terminals.isEmpty ? body : shown), "\(run.output.debugDescription)")
            #expect(world.run("request", "/page", "-o", file, server: [.answer(200, body)]).code == 0)
            #expect(try world.home.read("out") == body)
        }
    }

    @Test func `403 for what writes with cookies alone may be for want of a CSRF token`() throws {
        let world = try shop(), refused = HTTPResponse.answer(403, "no")
        let verified = answer(200, "{\"name\":\"Anna\"}", cookie: "three")
        let post = world.run("request", "POST", "/orders", "-d", "x", server: [refused, verified])
        #expect(post.code == 10 && post.talk.contains("may need a CSRF token: see 'csrf'"), "\(post.talk)")
        let get = world.run("request", "GET", "/orders", server: [refused, verified])
        #expect(get.code == 10 && get.talk.contains("ask the service's administrator"), "\(get.talk)")
    }

    @Test func `403 with a cookie that is good once is forbidden, and the next cookie is kept`() throws {
        let world = try shop()
        let refused = answer(403, "no", cookie: "three")
        let run = world.run(
            "request", "POST", "/orders", "-d", "x",
            server: [refused, answer(200, "{\"name\":\"Anna\"}", cookie: "three")])
        #expect(run.code == 10)
        #expect(world.requests.last?.contains("cookie sid=three") == true)
        _ = world.run("request", "GET", "/orders", server: [.answer(200)])
        #expect(world.requests.first?.contains("cookie sid=three") == true)
    }

    @Test func `403 with a cookie of nobody leaves the session that is good`() throws {
        let world = try shop()
        let server = [
            answer(403, "no", cookie: "nobody"), anonymous, answer(200, "{\"name\":\"Anna\"}", cookie: "two"),
        ]
        #expect(world.run("request", "POST", "/orders", "-d", "x", server: server).code == 10)
        _ = world.run("request", "GET", "/orders", server: [.answer(200)])
        #expect(world.requests.first?.contains("cookie sid=two") == true)
    }

    @Test(
        arguments: [("pw\n", 0), ("pw\r\n", 0), ("pw", 0), ("pw\n\n", 2), ("pw\nmore", 2), ("\npw", 2)]
            as [(String, Int32)])
    func `the password in the environment is one line, as in a file`(text: String, code: Int32) throws {
        let world = try chat()
        world.password = Secret(text)
        let run = world.run("request", "GET", "/a", server: [anonymous, .answer(200, token), me, .answer(200)])
        #expect(run.code == code, "\(run.talk)")
        if code == 0 { #expect(world.requests.contains { $0.contains("\"password\":\"pw\"") }) }
    }

    @Test func `403 that verify refuses too is a login, which nobody is there for: 4, and sent once`() throws {
        let world = try shop()
        let run = world.run(
            "request", "POST", "/orders", "-d", "x", server: [answer(403, "who?", cookie: "two"), anonymous])
        #expect(run.code == 4 && run.output == "who?")
        #expect(world.requests.count == 2)
    }

    @Test func `a refused request with a given password is no second login, and is sent once`() throws {
        let world = try chat()
        let server = [anonymous, .answer(200, token), me, .answer(403, "no"), me]
        let run = world.run("request", "POST", "/rooms", "-d", "x", server: server)
        #expect(run.code == 10 && run.output == "no", "\(run.talk)")
        #expect(world.requests.filter { $0.contains("/rooms") }.count == 1)
        #expect(world.requests.filter { $0.contains("/login") }.count == 1)
    }

    @Test func `a given password needs no store that works`() throws {
        let world = try chat()
        #expect(
            world.run("request", "GET", "/a", server: [anonymous, .answer(200, token), me, .answer(200)]).code == 0)
        let file = world.home.path + "/state/authctl/plaintext.json"
        #expect(chmod(file, 0o644) == 0)
        let run = world.run("request", "GET", "/a", server: [.answer(200, token), me, .answer(200, "a")])
        #expect(run.code == 0 && run.output == "a" && run.talk.contains("the login was not stored"), "\(run.talk)")
        let token = world.run("token", server: [.answer(200, token), me])
        #expect(token.code == 0 && token.output == "tok\n" && token.talk.contains("the login was not stored"))
    }

    @Test func `a given password whose token is too short for --min-ttl is 1`() throws {
        let world = try chat()
        let server = [anonymous, .answer(200, token), me]
        let run = world.run("token", "--min-ttl", "3600", server: server)
        #expect(run.code == 1 && run.output.isEmpty, "\(run.talk)")
    }

    @Test func `a store that fails after the answer is a warning, not a code that asks for it twice`() throws {
        let world = try shop()
        let file = world.home.path + "/state/authctl/plaintext.json"
        world.meanwhile = { _ in chmod(file, 0o644) }
        let run = world.run(
            "request", "POST", "/orders", "-d", "x",
            server: [answer(201, "made", cookie: "three"), answer(200, "{\"name\":\"Anna\"}", cookie: "three")])
        #expect(run.code == 0 && run.output == "made")
        #expect(run.talk.contains("warning: shop: the refreshed session was not stored"), "\(run.talk)")
    }

    @Test func `a session that has ended and cannot be refreshed leads to the person before the request is sent`()
        throws
    {
        let world = try TestWorld(config: Examples.screencast)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw"), ScriptedPerson.types("anna", "pw")])
        func earned() -> HTTPResponse { .answer(200, "{\"auth_token\":\"tok\",\"expires_at\":\(world.now + 50)}") }
        let me = HTTPResponse.answer(200, "{\"user\":{\"username\":\"anna\"}}")
        #expect(world.run("login", "screencast", server: [.answer(401), earned(), me]).code == 0)
        world.now += 60
        let run = world.run(
            "request", "POST", "/page", "-d", "x",
            server: [.answer(401), .answer(401), earned(), me, .answer(200, "page")])
        #expect(run.code == 0 && run.output == "page", "\(run.talk)")
        #expect(world.requests.map { $0.prefix(4) } == ["GET ", "GET ", "POST", "GET ", "POST"])
    }

    @Test func `a path may hold a URL`() throws {
        let world = try shop()
        let run = world.run("request", "GET", "/go?to=https://elsewhere.example/", server: [.answer(200)])
        #expect(run.code == 0)
        #expect(world.requests.first?.hasPrefix("GET https://shop.example/go?to=https://elsewhere.example/") == true)
    }

    @Test func `a file that cannot be written to is found before anything is sent`() throws {
        let world = try shop()
        let run = world.run("request", "POST", "/orders", "-d", "x", "-o", world.home.path + "/none/file")
        #expect(run.code == 2 && world.requests.isEmpty)
    }

    @Test func `a file is made by an answer alone, and emptied by one alone`() throws {
        let world = try shop()
        let path = world.home.path + "/file"
        let lost = [Result<HTTPResponse, LoginFault>.failure(.network(.connectionLost))]
        #expect(world.run(["request", "GET", "/a", "-o", path], server: lost).code == 6)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(world.run("request", "GET", "/a", "-o", path, server: [.answer(200, "long answer")]).code == 0)
        #expect(world.run(["request", "GET", "/a", "-o", path], server: lost).code == 6)
        #expect(try world.home.read("file") == "long answer")
        #expect(world.run("request", "GET", "/a", "-o", path, server: [.answer(200, "short")]).code == 0)
        #expect(try world.home.read("file") == "short")
        #expect(world.run("request", "GET", "/a", "-o", path, server: [.answer(204)]).code == 0)
        #expect(try world.home.read("file").isEmpty)
    }

    @Test func `an answer that means logged out after a login is forbidden, and not another login`() throws {
        let world = try TestWorld(config: Examples.blog)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let session = answer(200, cookie: "one")
        let me = HTTPResponse.answer(200, "{\"name\":\"Anna\"}", cookies: session.cookies)
        #expect(world.run("login", server: [anonymous, session, me]).code == 0)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let server = [
            .answer(403, "no", cookies: session.cookies), anonymous, anonymous, session, me,
            .answer(403, "still no", cookies: session.cookies),
        ]
        let run = world.run("request", "POST", "/posts", "-d", "x", server: server)
        #expect(run.code == 10 && run.output == "still no", "\(run.talk)")
        #expect(world.run("whoami", server: [me]).code == 0)
    }

    @Test func `a session that verify answers with 403 is 4 for a request, with both readings, and nothing is erased`()
        throws
    {
        let world = try shop()
        let run = world.run("request", "GET", "/x", server: [.answer(403), .answer(403), .answer(403)])
        #expect(run.code == 4 && world.requests.count == 3, "\(run.talk)")
        #expect(run.talk.contains("it has ended, or the account has lost its permission"), "\(run.talk)")
        #expect(world.run("request", "GET", "/x", server: [.answer(200)]).code == 0)
    }

    @Test func `a redirect is said to be one, without its query`() throws {
        let world = try shop()
        let target = Redirect(
            url: "https://shop.example/new?key=secret",
            origin: Origin(scheme: "https", host: "shop.example", port: 443),
            target: "/new?key=secret")
        let run = world.run("request", "GET", "/old", server: [.answer(302, redirect: target)])
        #expect(run.code == 0 && run.output.isEmpty)
        #expect(run.talk.contains("a redirect to \"https://shop.example/new\", which was not followed"), "\(run.talk)")
    }

    @Test func `a request takes, of several profiles at one origin, the one with the longest path`() throws {
        let forge = Examples.forge.replacing("forge.example", with: "shop.example")
        let world = try TestWorld(config: "default = \"shop\"\n" + Self.shop + forge)
        #expect(world.run("request", "POST", "https://shop.example/api/v4/user").talk.hasPrefix("authctl: forge ("))
        #expect(world.run("request", "POST", "https://shop.example/api/v40/user").talk.hasPrefix("authctl: shop ("))
    }

    @Test func `an account that the environment names is meant, as within an exec`() throws {
        let world = try shop()
        world.person = ScriptedPerson([ScriptedPerson.types("bert", "pw")])
        let server = [anonymous, answer(200, cookie: "b"), .answer(200, "{\"name\":\"Bert\"}")]
        #expect(world.run("login", "shop", "-u", "bert", server: server).code == 0)
        world.person = ScriptedPerson()
        let named = ["AUTHCTL_PROFILE": "shop", "AUTHCTL_USERNAME": "anna"]
        world.variables.merge(named) { $1 }
        #expect(world.run("whoami", server: [.answer(200, "{\"name\":\"Anna\"}")]).output == "Anna\n")
        #expect(world.requests.first?.contains("cookie sid=two") == true)
        let logout = world.run("logout")
        #expect(logout.code == 0 && logout.talk.contains("Anna"), "\(logout.talk)")
        world.variables.removeValue(forKey: "AUTHCTL_USERNAME")
        #expect(world.run("whoami", server: [.answer(200, "{\"name\":\"Bert\"}")]).output == "Bert\n")
    }

    @Test func `a logout of the active one of two names the other`() throws {
        let world = try shop()
        world.person = ScriptedPerson([ScriptedPerson.types("bert", "pw")])
        let server = [anonymous, answer(200, cookie: "b"), .answer(200, "{\"name\":\"Bert\"}")]
        #expect(world.run("login", "shop", "-u", "bert", server: server).code == 0)
        world.person = ScriptedPerson()
        let talk = world.run("logout", "shop").talk
        #expect(talk.contains("Still logged in: \"anna\". To use one of them: authctl switch shop anna\n"), "\(talk)")
    }

    @Test func `a password variable without a profile says what is missing`() throws {
        let world = try TestWorld(config: Examples.config)
        world.password = Secret("pw")
        let talk = world.run("request", "GET", "/a", "-P", "chat").talk
        #expect(talk.contains("the password in the environment needs AUTHCTL_PROFILE=chat, and is not used"), "\(talk)")
    }

    @Test func `only a transfer may take long, and --timeout bounds that too`() throws {
        let world = try shop()
        _ = world.run("request", "GET", "/a", server: [.answer(200)])
        #expect(world.settings.last?.timeout == 60 && world.settings.last?.transferTimeout == 604_800)
        _ = world.run("request", "GET", "/a", "--timeout", "5", server: [.answer(200)])
        #expect(world.settings.last?.timeout == 5 && world.settings.last?.transferTimeout == 5)
    }
}
