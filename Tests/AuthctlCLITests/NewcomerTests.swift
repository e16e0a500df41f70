@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What people do at their first tries, and what they should be told then.
struct NewcomerTests {
    private let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])

    private static let config = """
        [profiles.wire]
        url = "https://wire.example"
        verify = { get = "/me" }

        [profiles.blog]
        url = "https://blog.example"
        verify = { get = "/me" }
        logout = { post = "/bye" }
        """

    private func loggedIn(_ profiles: String...) throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        for profile in profiles {
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
            #expect(world.run("login", profile, server: [anonymous, .answer(200)]).code == 0)
        }
        world.person = ScriptedPerson()
        return world
    }

    @Test func `a word that is no command is 2, and is repeated with the nearest`() throws {
        let world = try TestWorld(config: Self.config)
        let near = world.run("lgoin", "wire")
        #expect(near.code == 2 && near.talk.contains("did you mean 'login'?"))
        #expect(world.run("profile", "rmove", "x").talk.contains("did you mean 'profile remove'?"))
        let far = world.run("frobnicate", "--json")
        #expect(far.code == 2 && far.talk.contains("whoami") && far.output.contains("frobnicate"))
        #expect(far.output.contains("\"usage\""))
        for fine in [["help"], ["--help"], ["help", "exit-codes"], ["login", "--help"], ["profile"]] {
            #expect(world.run(fine, server: []).code == 0)
        }
    }

    @Test func `a logout of a name that is not there says who still is`() throws {
        let run = try loggedIn("wire").run("logout", "wire", "-u", "anm")
        #expect(run.code == 0 && run.talk.contains("Still logged in: \"anna\"."), "\(run.talk)")
    }

    @Test func `a logout of all names the profile that failed, and keeps the receipts`() throws {
        let world = try loggedIn("blog", "wire")
        let run = world.run(["logout", "--all", "--json"], server: [.success(.answer(500))])
        #expect(run.code == 15)
        #expect(run.output.contains("\"profile\" : \"blog\"") && run.output.contains("\"receipts\""))
        #expect(run.talk.contains("authctl: blog (https://blog.example): every local copy is erased"))
    }

    @Test func `a hint names the URL where no profile is there yet`() throws {
        let run = try TestWorld().run("login", "https://u@api.example/me", server: [anonymous, anonymous])
        #expect(run.code == 4 && run.talk.contains("at a terminal: authctl login https://api.example/me -u u\n"))
    }

    @Test func `only login tells how a password can be given, and lists no name that is known`() throws {
        let world = try loggedIn("blog")
        let whoami = world.run("whoami", "wire")
        #expect(whoami.code == 4 && !whoami.talk.contains("--password-stdin"))
        #expect(whoami.talk.contains("log in: authctl login wire"))
        #expect(world.run("logout", "blog", "--local").code == 0)
        let login = world.run("login", "wire", "-u", "anna", server: [])
        #expect(login.talk.contains("missing: password") && !login.talk.contains("missing: user name"))
    }

    @Test func `blank answers to the end are told as such`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson(Array(repeating: .leftBlank(.password, username: "anna"), count: 10))
        let run = world.run("login", "wire", "--max-attempts", "1", server: [anonymous])
        #expect(run.code == 4 && run.talk.contains("the password was left blank every time"))
    }

    @Test func `a URL with nothing behind it is 2, before anybody is asked`() throws {
        let run = try TestWorld().run("login", "https://api.example/mee", server: [.answer(404)])
        #expect(run.code == 2 && run.talk.contains("https://api.example/mee") && run.talk.contains("404"))
    }

    @Test func `options that would do nothing are refused or told`() throws {
        let world = try loggedIn("wire")
        #expect(world.run("login", "wire", "--name", "other").code == 2)
        world.password = Secret("hunter22")
        let ttl = world.run("login", "wire", "-u", "anna", "--ttl", "5", server: [anonymous, .answer(200)])
        #expect(ttl.code == 0 && ttl.talk.contains("--ttl has no effect"))
        world.variables["AUTHCTL_PROFILE"] = "blog"
        let other = world.run("login", "wire", "--force", "-u", "anna")
        #expect(other.code == 4 && other.talk.contains("the password in the environment is for \"blog\""))
    }

    @Test func `a user name in the environment is proposed by login, and told where it is not used`() throws {
        let world = try TestWorld(config: Self.config)
        world.variables["AUTHCTL_USERNAME"] = "anna"
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        let login = world.run("login", "wire", "--persist", "none", server: [anonymous, .answer(200)])
        #expect(login.code == 0 && !login.talk.contains("AUTHCTL_USERNAME"), "\(login.talk)")
        #expect(world.person.prompt.challenges.map(\.proposedUsername) == ["anna"])
        world.person = ScriptedPerson()
        let post = { world.run(["request", "POST", "/x", "-P", "wire"] + $0, server: [.success(anonymous)]) }
        let without = post([])
        #expect(without.code == 4, "\(without.talk)")
        let note = "authctl: AUTHCTL_USERNAME needs AUTHCTL_PROFILE=wire, and is not used here\n"
        #expect(without.talk.hasPrefix(note), "\(without.talk)")
        #expect(!post(["-u", "bob"]).talk.contains(note))
        world.variables["AUTHCTL_PROFILE"] = "blog"
        #expect(post([]).talk.contains("AUTHCTL_USERNAME is for \"blog\", and is not used here"))
        world.variables["AUTHCTL_PROFILE"] = "wire"
        #expect(!post([]).talk.contains("not used"))
    }

    @Test func `switch takes the name with -u as well`() throws {
        let world = try loggedIn("wire")
        #expect(world.run("switch", "wire", "-u", "anna").code == 0)
        #expect(world.run("switch", "wire", "anna").code == 0)
        #expect(world.run("switch").code == 2)
    }

    @Test func `token says that a given password was kept`() throws {
        let world = try TestWorld(config: Self.config)
        world.password = Secret("hunter22")
        world.variables["AUTHCTL_PROFILE"] = "wire"
        world.variables["AUTHCTL_USERNAME"] = "anna"
        let run = world.run("token", "--header", server: [anonymous, .answer(200)])
        #expect(run.code == 0 && run.talk.contains("the login is stored in 'plaintext'"))
    }

    @Test func `a file that holds no password is named with the option or variable that named it`() throws {
        let world = try TestWorld(config: Self.config)
        let option = world.run("login", "wire", "-u", "a", "--password-file", "/no/file")
        #expect(option.code == 2 && option.talk.contains("--password-file \"/no/file\""))
        world.variables["AUTHCTL_PASSWORD_FILE"] = "/no/file"
        world.variables["AUTHCTL_USERNAME"] = "a"
        #expect(world.run("login", "wire").talk.contains("AUTHCTL_PASSWORD_FILE \"/no/file\""))
    }

    @Test func `a profile that keeps no login says so, and what uses it`() throws {
        let world = try TestWorld(config: Self.config + "\npersist = \"none\"\n")
        let run = world.run("token", "blog", "--header", server: [])
        #expect(run.code == 4 && run.talk.contains("this profile keeps no login; 'authctl request'"), "\(run.talk)")
    }

    @Test func `an ended session is told as ended`() throws {
        let config = """
            [profiles.cast]
            url = "https://cast.example"
            method = "token"
            verify = { get = "/me", username = "/name" }
            login = { post = "/in", form = { u = "{username}", p = "{password}" }, token = "/t", expires-in = "/e" }
            """
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        let answers: [HTTPResponse] = [
            .answer(401), .answer(200, "{\"t\": \"tok\", \"e\": 2}"), .answer(200, "{\"name\": \"anna\"}"),
        ]
        #expect(world.run("login", "cast", server: answers).code == 0)
        world.person = ScriptedPerson()
        world.now += 5
        for command in [["token", "cast"], ["whoami", "cast", "--offline"]] {
            let run = world.run(command, server: [])
            #expect(run.code == 4 && run.talk.contains("the session has expired"), "\(run.talk)")
        }
        // What the server refused lives on nowhere.
        #expect(world.run("whoami", "cast", server: [.answer(401)]).code == 4)
        #expect(world.run("token", "cast").talk.contains("the session has expired"))
        let logout = world.run("logout", "cast")
        #expect(logout.code == 0 && !logout.talk.contains("lives on"))
    }

    @Test func `a default that does not exist is a fault of the file that says it`() throws {
        let run = try TestWorld(config: "default = \"y\"\n" + Self.config).run("whoami")
        #expect(run.code == 2 && run.talk.contains("config.toml: default: there is no profile 'y'"))
    }

    @Test func `{secret:LABEL} is asked for once, and goes along with every login and request that names it`() throws {
        let config = """
            [profiles.app]
            url = "https://app.example"
            method = "token"
            verify = { get = "/me", username = "/name" }
            session = { header = ["Authorization: Bearer {token}", "X-Gate: {secret:gate key}"] }
            refresh = { post = "/renew", form = { key = "{secret:client key}", r = "{refresh-token}" } }
            logout = { post = "/bye", json = { key = "{secret:client key}" } }
            [profiles.app.login]
            post = "/in"
            form = { u = "{username}", p = "{password}", key = "{secret:client key}" }
            token = "/t"
            refresh-token = "/r"
            expires-in = "/e"
            """
        let world = try TestWorld(config: config)
        let extraSecrets: [CredentialField: Secret] = [
            .secret("client key"): Secret("k3y&"), .secret("gate key"): Secret("g4te"),
        ]
        world.person = ScriptedPerson([
            .credential(Credential(username: "anna", .password(Secret("hunter22")), extraSecrets: extraSecrets))
        ])
        let answer = HTTPResponse.answer(200, "{\"t\": \"tok\", \"r\": \"ref\", \"e\": 100}")
        let welcome = HTTPResponse.answer(200, "{\"name\": \"anna\"}")
        #expect(world.run("login", "app", server: [.answer(401), answer, welcome]).code == 0)
        #expect(
            world.person.prompt.challenges.map(\.fields) == [
                [.username, .password, .secret("client key"), .secret("gate key")]
            ])
        #expect(world.requests.map { $0.contains("X-Gate: g4te") } == [false, false, true])
        #expect(world.requests[1].hasSuffix("key=k3y%26&p=hunter22&u=anna"))
        #expect(!(try world.home.read("state/authctl/state.json")).contains("k3y"))
        world.person = ScriptedPerson()
        // Renewed by another request that names it.
        world.now += 200
        #expect(world.run("token", "app", server: [answer, welcome]).output == "tok\n")
        #expect(world.requests[0].hasSuffix("key=k3y%26&r=ref"))
        // The session ends; the secret is still there for a password that is given, and for one that is typed.
        let file = try world.home.write("hunter22\n", to: "pw")
        let supplied = world.run(
            "login", "app", "-u", "anna", "--password-file", file, server: [answer, welcome])
        #expect(supplied.code == 0 && world.requests[0].contains("key=k3y%26"))
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        let again = world.run(
            "login", "app", server: [.answer(401), .answer(400), .answer(401), answer, welcome])
        #expect(again.code == 0, "\(again.talk)")
        #expect(world.person.prompt.challenges.map(\.fields) == [[.username, .password]])
        world.person = ScriptedPerson()
        let logout = world.run("logout", "app", server: [.answer(200)])
        #expect(logout.code == 0 && world.requests[0].hasSuffix("{\"key\":\"k3y&\"}"), "\(world.requests)")
        // Gone with the logout; nobody can be asked now.
        let missing = world.run("login", "app", "-u", "anna", "--password-file", file, server: [.answer(401)])
        #expect(missing.code == 4 && missing.talk.contains("missing: \"client key\" (--secret-file"))
    }

    @Test func `secrets that a profile names come from files and commands, so that a machine needs no terminal`() throws
    {
        let config = """
            [profiles.hook]
            url = "https://hook.example"
            method = "token"
            verify = { get = "/me" }
            session = { header = ["X-Token: {token}", "X-Gate: {secret:gate key}"] }
            login = { post = "/in", json = { key = "{secret:client}" }, token = "/t" }
            """
        let world = try TestWorld(config: config)
        let gate = "gate key=\(try world.home.write("g4te\n", to: "gate"))"
        let server = [
            HTTPResponse.answer(401), .answer(200, "{\"t\": \"tok\"}"), .answer(200),
        ]
        let words = ["login", "hook", "--secret-file", gate, "--secret-command"]
        let run = world.run(words + ["client=printf k3y"], server: server.map { .success($0) })
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests[1].hasSuffix("{\"key\":\"k3y\"}") && world.requests[2].contains("X-Gate: g4te"))
        #expect(!run.talk.contains("k3y") && !run.talk.contains("g4te"))
        #expect(world.run("token", "hook", server: []).output == "tok\n")
        let failed = world.run(words + ["client=false"], server: [])
        #expect(failed.code == 4 && failed.talk.contains("the command for \"client\" failed with status 1"))
        let unknown = world.run("login", "hook", "--secret-command", "other=printf x")
        #expect(unknown.code == 2 && unknown.talk.contains("hook needs no secret \"other\""))
        #expect(world.run("login", "hook", "--secret-file", "nothing").code == 2)
        let missing = world.run("login", "hook", "--force", "--secret-file", gate)
        #expect(missing.code == 4 && missing.talk.contains("missing: \"client\" (--secret-file"))
        #expect(!missing.talk.contains("missing: \"gate key\""), "\(missing.talk)")
    }

    @Test func `a shell can complete profiles`() throws {
        let script = try TestWorld().run("completion", "bash").output
        #expect(script.contains("command authctl complete -- "))
    }
}
