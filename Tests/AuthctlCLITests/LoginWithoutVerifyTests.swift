@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Every command with a profile that has no `verify`.
struct LoginWithoutVerifyTests {
    private static let config = """
        [profiles.posts]
        url       = "https://posts.example"
        method    = "cookie"
        signup    = "/register"
        forbidden = [{ status = 403, "/error" = "*rights*" }]
        login     = { post = "/login", json = { name = "{username}", password = "{password}" } }
        logout    = { post = "/logout" }

        """

    private let greeting = HTTPResponse.answer(404)

    private func cookie(_ status: Int = 204, expires: Int64? = nil) -> HTTPResponse {
        .answer(status, cookies: [.named("sid", "one", expires: expires)])
    }

    /// Logged in as ann, until the end that the cookie has.
    private func world(expires: Int64? = nil) throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let run = world.run("login", server: [greeting, cookie(expires: expires)])
        #expect(run.code == 0 && run.talk.contains("Logged in to posts (https://posts.example) as ann."), "\(run.talk)")
        #expect(world.requests.map { $0.prefix(4) } == ["HEAD", "POST"])
        world.person = ScriptedPerson()
        return world
    }

    @Test func `the profile is read`() throws {
        let world = try TestWorld(config: Self.config)
        let shown = world.run("profile", "show")
        #expect(shown.code == 0 && shown.output.contains("/register"))
    }

    @Test func `a profile needs a verify or a login`() throws {
        let run = try TestWorld(config: "[profiles.p]\nurl = \"https://p.example\"\n").run("profile", "show")
        #expect(run.code == 2 && run.talk.contains("profiles.p.verify: is missing; it is optional only with a 'login'"))
    }

    @Test func `whoami prints the name and says that nobody could be asked`() throws {
        let world = try world()
        let run = world.run("whoami")
        #expect(run.code == 0 && run.output == "ann\n")
        #expect(run.talk.contains("this service has no way to check a login"))
        #expect(world.run("whoami", "--json").output.contains("\"verified\" : false"))
        #expect(world.requests.isEmpty)
    }

    @Test func `status is 0 and says unverified`() throws {
        let world = try world()
        let run = world.run("status")
        #expect(run.code == 0 && run.output.contains("unverified"))
        #expect(world.run("status", "--offline").output.contains("stored"))
        #expect(world.requests.isEmpty)
    }

    @Test func `a session past its end is no login`() throws {
        let world = try world(expires: 1_000_100)
        world.now += 200
        #expect(world.run("whoami").code == 4)
        #expect(world.run("status").code == 4)
    }

    @Test func `token --verify prints the header and says that nobody could be asked`() throws {
        let run = try world().run("token", "--header", "--verify")
        #expect(run.code == 0 && run.output == "Cookie: sid=one\n" && run.talk.contains("no way to check"))
    }

    @Test func `a second login is no question`() throws {
        let run = try world().run("login")
        #expect(run.code == 0 && run.talk.contains("Already logged in") && run.talk.contains("no way to check"))
    }

    @Test func `a request that gets 401 logs in and goes out once more`() throws {
        let world = try world()
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let again = HTTPResponse.answer(204, cookies: [.named("sid", "two")])
        let run = world.run(
            "request", "POST", "/posts", "-d", "x", server: [.answer(401), greeting, again, .answer(201, "made")])
        #expect(run.code == 0 && run.output == "made", "\(run.talk)")
        #expect(world.requests.last?.contains("sid=two") == true)
    }

    @Test func `a request that gets 403 is forbidden, and the session stays`() throws {
        let world = try world()
        #expect(world.run("request", "POST", "/posts", "-d", "x", server: [.answer(403, "no")]).code == 10)
        #expect(world.run("whoami").code == 0)
    }

    @Test func `exec hands the session over without a request`() throws {
        let world = try world()
        // The command is not there: 127 is the gate's leave to run it.
        #expect(world.run("exec", "--", "authctl-no-such-command").code == 127)
        #expect(world.requests.isEmpty)
    }

    @Test func `logout tells the server, and claims nothing that it cannot check`() throws {
        let world = try world()
        let run = world.run("logout", server: [.answer(204)])
        #expect(run.code == 0 && run.talk.contains("the profile has no verify request to check that."), "\(run.talk)")
        #expect(world.run("whoami").code == 4)
    }

    @Test func `profile test walks the login and its end`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let run = world.run("profile", "test", server: [greeting, cookie(), .answer(204)])
        #expect(run.code == 0 && run.output.contains("1. login") && run.output.contains("2. logout"), "\(run.output)")
    }

    @Test func `the page to register at stands at the first question, and beside a refusal`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "no"), ScriptedPerson.types("ann", "no")])
        let run = world.run(
            "login", "--max-attempts", "2", server: [greeting, .answer(401), .answer(401)])
        let page = "https://posts.example/register"
        #expect(world.person.prompt.challenges.map(\.signup) == [page, nil])
        #expect(run.code == 3 && run.talk.contains("no account yet? sign up at \(page)"), "\(run.talk)")
        // What has nothing to do with the person does not name it.
        let busy = world.run("login", "--max-attempts", "1", server: [.answer(503), .answer(503)])
        #expect(!busy.talk.contains(page))
    }

    @Test func `a page with a cookie saves nothing, and says what would decide`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let page = HTTPResponse.answer(
            200, "<form><input type=password name=p></form>", headers: ["Content-Type: text/html"],
            cookies: [.named("lang", "de")])
        let run = world.run("login", server: [greeting, page])
        #expect(
            run.code == 2 && run.talk.contains("is a page (status 200), which does not prove a login"), "\(run.talk)")
        #expect(run.talk.contains("add a 'verify' to the profile, or a 'refused' rule to 'login'"), "\(run.talk)")
        #expect(world.run("whoami").code == 4)
    }

    @Test func `a login that nobody checked warns of that`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let run = world.run("login", server: [greeting, cookie()])
        #expect(run.code == 0 && run.talk.contains("a 'verify' in the profile would have it checked"), "\(run.talk)")
    }

    @Test func `a wrong password is 3, and asked for again`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw"), ScriptedPerson.types("ann", "right")])
        #expect(world.run("login", server: [greeting, .answer(401), cookie()]).code == 0)
    }
}
