@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `request` where the service guards against forged requests.
struct CSRFCommandTests {
    private static let wiki = """
        [profiles.wiki]
        url     = "https://wiki.example"
        method  = "cookie"
        session = { cookies = true, write-header = "X-CSRF: {csrf}", csrf = { get = "/token", value = "/csrf" } }
        login   = { post = "/login", json = { name = "{username}", password = "{password}" } }
        verify  = { get = "/me", username = "/name", logged-out = [401, { "/anon" = "true" }] }

        """
    private static let torrents = """
        [profiles.torrents]
        url     = "https://torrents.example"
        method  = "basic"
        session = { write-header = "X-Id: {csrf}", csrf = { value = "header:X-Id", stale = [409] } }
        verify  = { get = "/web/" }

        """

    private let me = HTTPResponse.answer(200, #"{"name": "ann"}"#, cookies: [.named("sid", "one")])
    private let token = HTTPResponse.answer(200, #"{"csrf": "c1"}"#, cookies: [.named("sid", "one")])
    private let anonymousToken = HTTPResponse.answer(200, #"{"csrf": "n1", "anon": true}"#)

    private func loggedIn() throws -> TestWorld {
        let world = try TestWorld(config: Self.wiki)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let server = [HTTPResponse.answer(401), .answer(200, cookies: [.named("sid", "one")]), me]
        #expect(world.run("login", server: server).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    @Test func `a post has the value of the page`() throws {
        let world = try loggedIn()
        let done = HTTPResponse.answer(200, "done", cookies: [.named("sid", "one")])
        let run = world.run("request", "POST", "/edit", "-d", "a=b", server: [token, done])
        #expect(run.code == 0 && run.output == "done", "\(run.talk)")
        #expect(world.requests.last?.contains("X-CSRF: c1") == true)
    }

    @Test func `a value for anonymous clients is not used: verify is asked, and after a login the request is sent`()
        throws
    {
        let world = try loggedIn()
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let server = [
            anonymousToken, HTTPResponse.answer(401), .answer(401), .answer(200, cookies: [.named("sid", "one")]), me,
            token, .answer(200, "done"),
        ]
        let run = world.run("request", "POST", "/edit", "-d", "a=b", server: server)
        #expect(run.code == 0 && run.output == "done", "\(run.talk)")
        #expect(world.requests.filter { $0.contains("/edit") }.count == 1)
        #expect(run.talk.contains("sending the request with the new session"))
    }

    @Test func `where verify knows the session, a page without the value is a failure, and nothing was sent`() throws {
        let world = try loggedIn()
        let file = world.home.path + "/out"
        let run = world.run(
            "request", "POST", "/edit", "-d", "a=b", "-o", file, server: [.answer(200, "{}"), me])
        #expect(run.code == 1 && run.talk.contains("the response to csrf has no value at \"/csrf\""), "\(run.talk)")
        #expect(!world.requests.contains { $0.contains("/edit") } && (try? world.home.read("out")) == nil)
    }

    @Test func `token --header leaves out what is fetched for each request, and says so`() throws {
        let world = try loggedIn()
        let run = world.run("token", "--header")
        #expect(run.code == 0 && run.output == "Cookie: sid=one\n", "\(run)")
        #expect(run.talk.contains("without X-CSRF, whose value is fetched for each request"), "\(run.talk)")
        #expect(run.talk.contains("authctl exec -P wiki --serve -- COMMAND"), "\(run.talk)")
    }

    @Test func `an answer tells the value, and the same request is sent once more`() throws {
        let world = try TestWorld(config: Self.torrents)
        world.variables.merge(["AUTHCTL_PROFILE": "torrents", "AUTHCTL_USERNAME": "ann"]) { $1 }
        world.password = Secret("pw")
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"t\""])
        let told = HTTPResponse.answer(409, "409: Conflict", headers: ["X-Id: i1"])
        let server = [challenge, HTTPResponse.answer(200), told, .answer(200, "done")]
        let run = world.run("request", "POST", "/web/rpc", "-d", "x", server: server)
        #expect(run.code == 0 && run.output == "done", "\(run.talk)")
        let sent = try #require(world.requests.last)
        #expect(sent.contains("X-Id: i1") && sent.hasSuffix("\nx"))
        let twice = world.run("request", "POST", "/web/rpc", "-d", "x", server: Array(server.prefix(3)) + [told])
        #expect(twice.code == 11 && twice.output == "409: Conflict", "\(twice.code) \(twice.talk)")
    }

    @Test(arguments: [
        ("session = { write-header = \"X: {csrf}\" }", "profiles.p.session.csrf: is missing"),
        ("session = { csrf = { get = \"/t\" } }", "profiles.p.session.csrf.value: is missing"),
        ("session = { csrf = { value = \"/t\" } }", "must have exactly one of 'get' and 'stale'"),
        ("session = { csrf = { value = \"/t\", get = \"/\", stale = [409] } }", "exactly one of 'get' and 'stale'"),
        ("session = { basic = \"a:{csrf}\", csrf = { value = \"/t\", get = \"/\" } }", "cannot use {csrf}"),
        ("session = { csrf = { value = \"/t\", get = \"/{username}\" } }", "must be a path without templates"),
        ("login = { post = \"/\", json = \"{csrf}\" }", "{csrf} is allowed only in requests"),
        ("logout = { post = \"/{csrf}\" }", "{csrf} is not allowed in a path"),
        ("logout = { follow = \"/x\" }", "profiles.p.logout.follow: needs 'page'"),
        ("logout = { page = \"/p\", follow = \"/x?y\" }", "must be a path without a query"),
        (
            "refresh = { page = \"/p\", follow = \"/x\" }",
            "profiles.p.refresh.follow: is only for 'login' and 'logout'"
        ),
        ("login = { post = \"/p\", follow = \"/x\" }", "profiles.p.login.follow: must be true or false"),
    ])
    func `a profile that could not work says why`(line: String, problem: String) throws {
        let world = try TestWorld(
            config: "[profiles.p]\nurl = \"https://p.example\"\nverify = { get = \"/\" }\n\(line)\n")
        let run = world.run("profile", "show", "p")
        #expect(run.code == 2 && run.talk.contains(problem), "\(run.talk)")
    }
}
