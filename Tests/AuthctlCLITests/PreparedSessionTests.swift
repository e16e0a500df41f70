@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Whose session a request goes out with, after a response before it has changed the session cookie.
struct PreparedSessionTests {
    /// What comes before the request.
    enum Way: CaseIterable {
        case csrf, page, stale

        func config(named: Bool = true) -> String {
            let header = "session = { cookies = true, write-header = \"X-Id: {csrf}\", csrf ="
            let session =
                switch self {
                case .csrf: "\(header) { get = \"/token\", value = \"/csrf\" } }"
                case .page: ""
                case .stale: "\(header) { value = \"header:X-Id\", stale = [409] } }"
                }
            return """
                [profiles.wiki]
                url    = "https://wiki.example"
                method = "cookie"
                \(session)
                login  = { post = "/login", json = { name = "{username}", password = "{password}" } }
                verify = { get = "/me"\(named ? ", username = \"/name\"" : "") }
                logout = { post = "/logout"\(self == .page ? ", page = \"/bye\"" : "") }

                """
        }

        var command: [String] {
            ["request"] + (self == .page ? ["--page", "/edit"] : []) + ["POST", "/edit", "-d", "a=b"]
        }

        /// The response that sets this value.
        func sets(_ sid: String) -> HTTPResponse {
            let cookies = [Cookie.named("sid", sid)]
            return switch self {
            case .csrf: .answer(200, #"{"csrf": "c1"}"#, cookies: cookies)
            case .page:
                .answer(
                    200, "<form action=/edit method=post><input name=a></form>", headers: ["Content-Type: text/html"],
                    cookies: cookies)
            case .stale: .answer(409, headers: ["X-Id: i1"], cookies: cookies)
            }
        }
    }

    private func me(_ name: String, _ sid: String) -> HTTPResponse {
        .answer(200, "{\"name\": \"\(name)\"}", cookies: [.named("sid", sid)])
    }

    private func done(_ sid: String) -> HTTPResponse { .answer(200, "done", cookies: [.named("sid", sid)]) }

    private func loggedIn(_ way: Way, named: Bool = true) throws -> TestWorld {
        let world = try TestWorld(config: way.config(named: named))
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let first = HTTPResponse.answer(200, cookies: [.named("sid", "one")])
        let run = world.run("login", server: [.answer(401), first, me("ann", "one")] + (named ? [] : [.answer(401)]))
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        return world
    }

    private func run(_ world: TestWorld, _ command: [String], _ server: HTTPResponse...) -> Run {
        world.run(command, server: server.map { .success($0) })
    }

    @Test(arguments: [true, false])
    func `a verify that takes the session's cookie away, and says logged in, ends no stored login`(isNamed: Bool) throws
    {
        let world = try loggedIn(.page, named: isNamed), before = try stored(world)
        let bare = HTTPResponse.answer(200, "{\"name\": \"ann\"}")
        let run = run(world, ["whoami"], bare, isNamed ? .answer(401) : me("ann", "one"))
        #expect(run.code == 0, "\(run)")
        #expect(try stored(world) == before)
    }

    private func stored(_ world: TestWorld) throws -> String { try world.home.read("state/authctl/plaintext.json") }

    @Test(arguments: Way.allCases)
    func `a session of another account is not sent, and what is stored stays as it was`(way: Way) throws {
        let world = try loggedIn(way), before = try stored(world)
        let run = run(world, way.command, way.sets("hers"), me("mallory", "hers"))
        #expect(run.code == 2 && run.output.isEmpty, "\(run)")
        #expect(
            run.talk.contains(
                "a response before the request set a session of \"mallory\" in the place of that of \"ann\"; the request was not sent with it"
            ), "\(run.talk)")
        #expect(run.talk.contains("authctl login wiki --force"), "\(run.talk)")
        #expect(world.requests.count == 2 && world.requests.last?.hasPrefix("GET https://wiki.example/me\n") == true)
        #expect(!world.requests.contains { $0.hasPrefix("POST") && $0.contains("hers") })
        #expect(try stored(world) == before)
    }

    @Test(arguments: Way.allCases)
    func `a session that has lost its cookie is not sent, be there another beside it`(way: Way) throws {
        let world = try loggedIn(way), before = try stored(world), usual = way.sets("one")
        let answer = HTTPResponse(
            status: usual.status, headers: usual.headers, body: usual.body, cookies: [.named("sid2", "hers")])
        let mallory = HTTPResponse.answer(200, "{\"name\": \"mallory\"}", cookies: [.named("sid2", "hers")])
        let run = run(world, way.command, answer, mallory)
        #expect(run.code == 2 && run.talk.contains("set a session of \"mallory\""), "\(run)")
        #expect(!world.requests.contains { $0.hasPrefix("POST") && $0.contains("hers") }, "\(world.requests)")
        #expect(try stored(world) == before)
    }

    @Test(arguments: Way.allCases)
    func `a new value of the same person is used once verify has named them, and kept`(way: Way) throws {
        let world = try loggedIn(way)
        let run = run(world, way.command, way.sets("two"), me("ann", "two"), done("two"))
        #expect(run.code == 0 && run.output == "done", "\(run)")
        #expect(world.requests.count == 3, "\(world.requests)")
        #expect(world.requests.last?.contains("cookie sid=two") == true, "\(world.requests)")
        _ = self.run(world, ["request", "/x"], done("two"))
        #expect(world.requests.first?.contains("cookie sid=two") == true)
    }

    @Test(arguments: Way.allCases)
    func `a response that keeps the value, or sets a cookie of another name, has nobody asked`(way: Way) throws {
        let world = try loggedIn(way), language = Cookie.named("lang", "de"), sid = Cookie.named("sid", "one")
        let both = way.sets("one")
        let first = HTTPResponse(
            status: both.status, headers: both.headers, body: both.body, cookies: [language, sid])
        _ = run(world, way.command, first, .answer(200, "done", cookies: [language, sid]))
        let sent = try #require(world.requests.count > 1 ? world.requests[1] : nil)
        #expect(sent.hasPrefix("POST") && sent.contains("cookie lang=de") && sent.contains("cookie sid=one"))
    }

    @Test(arguments: Way.allCases)
    func `where verify shows no name, logged in is enough`(way: Way) throws {
        let world = try loggedIn(way, named: false)
        let good = run(world, way.command, way.sets("two"), me("", "two"), done("two"))
        #expect(good.code == 0 && world.requests.last?.contains("cookie sid=two") == true, "\(good)")
        // The stored session is still good: nothing is logged in for.
        let bad = run(world, way.command, way.sets("of-nobody"), .answer(401), me("", "one"))
        #expect(bad.code == 2 && bad.talk.contains("which verify does not confirm"), "\(bad)")
        #expect(!world.requests.contains { $0.hasPrefix("POST") && $0.contains("of-nobody") })
    }

    @Test func `a value that verify accepts without the name that it has shown before is not sent`() throws {
        let world = try loggedIn(.csrf)
        let run = run(
            world, Way.csrf.command, Way.csrf.sets("guest"), .answer(200, "{}", cookies: [.named("sid", "guest")]),
            me("ann", "one"))
        #expect(run.code == 2 && !world.requests.contains { $0.hasPrefix("POST") }, "\(run)")
    }

    @Test func `where the session has ended and an anonymous one has begun, the request is sent after a login`() throws
    {
        let world = try loggedIn(.csrf)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let run = run(
            world, Way.csrf.command, Way.csrf.sets("of-nobody"), .answer(401), .answer(401), .answer(401),
            .answer(200, cookies: [.named("sid", "three")]), me("ann", "three"), Way.csrf.sets("three"), done("three"))
        #expect(run.code == 0 && run.output == "done", "\(run)")
        let posts = world.requests.filter { $0.hasPrefix("POST https://wiki.example/edit") }
        #expect(posts.count == 1 && posts[0].contains("cookie sid=three"), "\(world.requests)")
    }

    @Test func `a service that does not answer whose the value is keeps the request from being sent`() throws {
        let world = try loggedIn(.csrf)
        let run = run(world, Way.csrf.command, Way.csrf.sets("two"), .answer(503))
        #expect(run.code == 12 && world.requests.count == 2, "\(run)")
    }

    @Test(arguments: [Way.page, .csrf])
    func `a logout ends the session that is stored, and no other`(way: Way) throws {
        let world = try loggedIn(way)
        let run = run(
            world, ["logout"], way.sets("hers"), me("mallory", "hers"), .answer(204), .answer(401),
            me("mallory", "hers"))
        #expect(run.code == 0 && run.talk.contains("session ended at the server"), "\(run.talk)")
        let post = try #require(world.requests.first { $0.hasPrefix("POST") })
        #expect(post.contains("cookie sid=one") && !post.contains("hers"), "\(post)")
    }

    @Test func `a logout that is answered with stale ends the session that is stored`() throws {
        let world = try loggedIn(.stale)
        let run = run(
            world, ["logout"], Way.stale.sets("hers"), me("mallory", "hers"), .answer(204), .answer(401),
            me("mallory", "hers"))
        #expect(run.code == 0, "\(run.talk)")
        let posts = world.requests.filter { $0.hasPrefix("POST") }
        #expect(posts.count == 2 && posts.allSatisfy { $0.contains("sid=one") && !$0.contains("hers") }, "\(posts)")
    }

    @Test func `a logout ends a value that a page has set for the same person`() throws {
        let world = try loggedIn(.page)
        let run = run(
            world, ["logout"], Way.page.sets("two"), me("ann", "two"), .answer(204), .answer(401), .answer(401))
        #expect(run.code == 0 && run.talk.contains("session ended at the server"), "\(run.talk)")
        #expect(world.requests.first { $0.hasPrefix("POST") }?.contains("cookie sid=two") == true)
    }

    @Test func `another program is not handed a session of another account`() throws {
        let world = try loggedIn(.csrf)
        let run = run(world, ["token", "--as", "curl"], Way.csrf.sets("hers"), me("mallory", "hers"))
        #expect(run.code == 2 && run.output.isEmpty && run.talk.contains("\"mallory\""), "\(run)")
    }

    private static let login = [
        HTTPResponse.answer(401), .answer(200, cookies: [.named("sid", "one")]),
        .answer(200, #"{"name": "ann"}"#, cookies: [.named("sid", "one")]),
    ]

    @Test func `no write of exec --serve goes out with a session of another account`() throws {
        let round = [Way.csrf.sets("hers"), me("mallory", "hers")]
        try ServedScene.play("notes", login: Self.login, round + round) { (scene, world) throws in
            for _ in 0..<2 {
                let got = try scene.send("POST", "/edit", body: "a=b")
                #expect(got.status == 502 && got.body.contains("a session of \"mallory\""), "\(got)")
            }
            let round = ["token; cookie sid=one", "me; cookie sid=hers"].map { "GET https://notes.example/\($0)" }
            #expect(ServedScene.trips(world) == round + round)
            #expect(scene.end() == .cookies([.named("sid", "one")]))
        }
    }

    @Test func `what verify has proved before one write of exec --serve is used for the next`() throws {
        let server = [Way.csrf.sets("two"), me("ann", "two"), done("two"), Way.csrf.sets("two"), done("two")]
        try ServedScene.play("notes", login: Self.login, server) { (scene, world) throws in
            for _ in 0..<2 { #expect(try scene.send("POST", "/edit", body: "a=b").body == "done") }
            let trips = [
                "GET https://notes.example/token; cookie sid=one", "GET https://notes.example/me; cookie sid=two",
                "POST https://notes.example/edit; cookie sid=two", "GET https://notes.example/token; cookie sid=two",
                "POST https://notes.example/edit; cookie sid=two",
            ]
            #expect(ServedScene.trips(world) == trips)
            #expect(scene.end() == .cookies([.named("sid", "two")]))
        }
    }
}
