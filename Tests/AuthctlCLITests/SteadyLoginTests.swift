@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Commands after a login: what changed around it, and what did not.
struct SteadyLoginTests {
    private let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])

    private static let config = """
        [profiles.wire]
        url = "https://wire.example"
        method = "basic"
        verify = { get = "/me" }
        logout = { post = "/bye" }
        """

    private func wire() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        #expect(world.run("login", "wire", server: [anonymous, .answer(200)]).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    @Test(arguments: ["https://wire.example/", "https://WIRE.example", "https://wire.example:443"])
    func `another spelling of the same origin is the same login, for every command`(url: String) throws {
        let world = try wire()
        try world.home.write(
            Self.config.replacing("https://wire.example", with: url), to: "config/authctl/config.toml")
        #expect(world.run("status", "wire", "--offline").code == 0)
        #expect(world.run("whoami", "wire", "--offline").output == "anna\n")
        #expect(world.run("token", "wire", "--header").code == 0)
        let logout = world.run("logout", "wire", server: [.answer(204)])
        #expect(logout.code == 0 && logout.talk.contains("the server accepted the logout."), "\(logout.talk)")
    }

    @Test func `another origin finds nothing of what was stored`() throws {
        let world = try wire()
        try world.home.write(
            Self.config.replacing("wire.example", with: "wire.example.evil"), to: "config/authctl/config.toml")
        for command in [["whoami", "wire"], ["token", "wire"], ["status", "wire", "--offline"]] {
            #expect(world.run(command, server: []).code == 4)
            #expect(world.requests.isEmpty)
        }
    }

    @Test func `a name that nobody logged in with is 4 everywhere, with the names that are there`() throws {
        let world = try wire()
        for command in [["whoami"], ["whoami", "--offline"], ["token", "--header"]] {
            let run = world.run(command + ["wire", "-u", "nobody"], server: [])
            #expect(run.code == 4 && run.talk.contains("\"nobody\"") && run.talk.contains("\"anna\""), "\(run.talk)")
            #expect(world.requests.isEmpty)
        }
        #expect(world.run("status", "wire", "-u", "nobody", "--offline").code == 4)
        #expect(world.run("status", "wire", "-u", "anna", "--offline").code == 0)
        // A second logout is no error.
        #expect(world.run("logout", "wire", "-u", "nobody").code == 0)
    }

    @Test func `a given password without a name is that of the active account, for every command`() throws {
        let world = try wire()
        world.variables["AUTHCTL_PROFILE"] = "wire"
        world.password = Secret("hunter23")
        let token = world.run("token", "--header", server: [anonymous, .answer(200)])
        #expect(token.output == "Authorization: Basic YW5uYTpodW50ZXIyMw==\n", "\(token.talk)")
        let whoami = world.run("whoami", server: [anonymous, .answer(200)])
        #expect(whoami.output == "anna\n", "\(whoami.talk)")
        #expect(world.run("request", "GET", "/x", server: [anonymous, .answer(200), .answer(200)]).code == 0)
        let nobody = try TestWorld(config: Self.config)
        nobody.variables["AUTHCTL_PROFILE"] = "wire"
        nobody.password = Secret("hunter23")
        for command in ["token", "whoami"] { #expect(nobody.run(command).code == 4) }
    }

    @Test func `what the server says is not shown where it repeats the password`() throws {
        let config = """
            [profiles.blog]
            url = "https://blog.example"
            method = "cookie"
            verify = { get = "/me" }
            login = { post = "/in", json = { p = "{password}", n = "{username}" }, message = "/error" }
            """
        let world = try TestWorld(config: config)
        world.password = Secret("hunter22")
        world.variables["AUTHCTL_USERNAME"] = "anna"
        for status in [401, 418, 503] {
            let said = HTTPResponse.answer(status, "{\"error\": \"no anna with 'hunter22'\"}")
            let run = world.run("login", "blog", "-v", server: [.answer(401), said])
            #expect(run.code != 0 && !run.talk.contains("hunter22"), "\(run.talk)")
            let fair = HTTPResponse.answer(status, "{\"error\": \"no such person\"}")
            #expect(world.run("login", "blog", server: [.answer(401), fair]).talk.contains("no such person"))
        }
    }

    @Test func `a header for requests that write alone leaves the session as it is`() throws {
        let config = """
            [profiles.forge]
            url = "https://forge.example"
            method = "token"
            verify = { get = "/user", username = "/name" }
            session = { write-header = "X: {token}" }
            """
        let world = try TestWorld(config: config)
        world.password = Secret("pat")
        let login = world.run("login", "forge", server: [.answer(401), .answer(200, "{\"name\": \"anna\"}")])
        #expect(login.code == 0, "\(login.talk)")
        #expect(world.requests.last == "GET https://forge.example/user\nAuthorization: Bearer pat")
        _ = world.run("request", "POST", "/posts", server: [.answer(200)])
        #expect(world.requests.last == "POST https://forge.example/posts\nAuthorization: Bearer pat\nX: pat")
    }

    @Test func `what has no token says so before the network is asked`() throws {
        let basic = try wire()
        // Before the network is asked: nothing is scripted.
        #expect(basic.run("token", "wire", "--verify").code == 2)
    }

    @Test func `after a logout the session counts as ended where the body says so`() throws {
        let config = """
            [profiles.index]
            url = "https://index.example"
            method = "token"
            verify = { get = "/api", logged-out = [{ "/status" = "noauth" }] }
            logout = { post = "/bye", logged-out = [{ "/status" = "noauth" }] }
            """
        let world = try TestWorld(config: config)
        world.password = Secret("pat")
        let noauth = HTTPResponse.answer(200, "{\"status\": \"noauth\"}")
        #expect(world.run("login", "index", server: [noauth, .answer(200, "{}")]).code == 0)
        let run = world.run("logout", "index", server: [noauth, noauth])
        #expect(run.code == 0 && run.talk.contains("the session had already ended"), "\(run.talk)")
    }

    @Test func `store list shows what was chosen by name, and by what`() throws {
        let world = try TestWorld(config: "store = \"none\"\n")
        let chosen = { (run: Run) in run.output.split(separator: "\n").filter { $0.contains("chosen by") } }
        let byVariable = chosen(world.run("store", "list"))
        #expect(byVariable.count == 1 && byVariable[0].hasPrefix("plaintext"))
        #expect(byVariable.first?.contains("AUTHCTL_STORE") == true)
        world.variables["AUTHCTL_STORE"] = nil
        let byFile = chosen(world.run("store", "list"))
        #expect(byFile.count == 1 && byFile[0].hasPrefix("none") && byFile[0].contains("config.toml"))
    }

    @Test func `nothing waits aloud with -q, nor between the lines of -v`() throws {
        for option in ["-q", "-v"] {
            let world = try TestWorld(config: Self.config)
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
            #expect(world.run("login", "wire", option, server: [anonymous, .answer(200)]).code == 0)
            // The end is told all the same: a terminal is without echo until then.
            #expect(world.person.prompt.notices.allSatisfy { $0 == nil })
        }
    }
}
