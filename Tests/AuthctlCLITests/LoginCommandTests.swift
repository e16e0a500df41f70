import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `authctl login`, from the options to what is sent, said and kept.
struct LoginCommandTests {
    private static let me = "GET https://blog.example/users/me"
    private static let canary = "canary p:w%&"
    private let anonymous = HTTPResponse.answer(401)
    private let cookie = Cookie.named("sid", "canary-cookie", expires: 1_086_400)

    private func world(_ answers: Answer..., config: String = Examples.config) throws -> TestWorld {
        let world = try TestWorld(config: config)
        if !answers.isEmpty { world.person = ScriptedPerson(answers) }
        return world
    }

    private var welcome: HTTPResponse { .answer(200, "{\"name\":\"Anna\"}", cookies: [cookie]) }

    @Test func `the warning of plain text is spared with -q, and hangs below its mark on a terminal`() throws {
        let quiet = try world(ScriptedPerson.types("anna", "pw"))
        #expect(quiet.run("login", "-q", server: [anonymous, .answer(200, cookies: [cookie]), welcome]).talk.isEmpty)
        let seen = try world(ScriptedPerson.types("anna", "pw"))
        seen.terminals = [STDERR_FILENO]
        seen.columns = 40
        seen.variables["NO_COLOR"] = "1"
        let lines = seen.run("login", server: [anonymous, .answer(200, cookies: [cookie]), welcome]).talk
            .split(separator: "\n")
        #expect(lines[0].hasPrefix("! the login is stored as plain text"), "\(lines)")
        #expect(lines[1].hasPrefix("  ") && !lines[1].hasPrefix("   "), "\(lines)")
        #expect(!lines.contains { $0.contains("authctl: warning") })
    }

    @Test func `a first login asks, verifies, keeps, and says where`() throws {
        let world = try world(ScriptedPerson.types("anna", Self.canary))
        let run = world.run("login", server: [anonymous, .answer(200, cookies: [cookie]), welcome])
        #expect(run.code == 0 && run.output.isEmpty)
        #expect(run.talk.contains("\nLogged in to blog (https://blog.example) as Anna.\n"))
        #expect(run.talk.hasPrefix("authctl: warning: the login is stored as plain text in"))
        #expect(!run.talk.contains("canary"))
        #expect(
            world.requests == [
                Self.me,
                "POST https://blog.example/users/login\nContent-Type: application/json\n\n{\"name\":\"anna\",\"password\":\"canary p:w%&\"}",
                Self.me + "\ncookie sid=canary-cookie",
            ])
        let challenge = try #require(world.person.prompt.challenges.first)
        #expect(challenge.profile == "blog" && challenge.fields == [.username, .password])
        #expect(world.home.files.contains("state/authctl/state.json"))
        #expect(!(try world.home.read("state/authctl/state.json").contains("canary")))
        #expect(!(try world.home.read("state/authctl/plaintext.json").contains("canary p:w")))
    }

    @Test func `a second login asks the server, and nobody else`() throws {
        let world = try loggedIn()
        let run = world.run("login", server: [welcome])
        #expect(
            run
                == Run(
                    code: 0, output: "",
                    talk: """
                        Already logged in to blog (https://blog.example) as Anna.
                        To log in as somebody else: authctl login blog -u NAME. To log in again: authctl login blog --force

                        """))
        #expect(world.requests == [Self.me + "\ncookie sid=canary-cookie"])
    }

    @Test func `--force asks although there is a login, with the name in place`() throws {
        let world = try loggedIn()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "x")])
        let run = world.run("login", "--force", server: [anonymous, .answer(200, cookies: [cookie]), welcome])
        #expect(run.code == 0)
        #expect(world.person.prompt.challenges.map(\.proposedUsername) == ["anna"])
    }

    @Test func `with -u only the password is asked for`() throws {
        let world = try world(ScriptedPerson.types(nil, "pw"))
        let run = world.run("login", "-u", "bert", server: [anonymous, .answer(200, cookies: [cookie]), welcome])
        #expect(run.code == 0)
        #expect(world.person.prompt.challenges.map(\.fields) == [[.password]])
        #expect(world.requests[1].hasSuffix("{\"name\":\"bert\",\"password\":\"pw\"}"))
    }

    @Test func `a refused session is erased at the next login, and the person asked`() throws {
        let world = try loggedIn()
        world.person = ScriptedPerson([.cancelled])
        let run = world.run("login", server: [anonymous, anonymous])
        #expect(run.code == 5 && run.output.isEmpty)
        #expect(world.requests.count == 2)
        #expect(world.run("whoami", "--offline").code == 4)
    }

    @Test(arguments: [(503, 12), (429, 12), (500, 12), (404, 1)])
    func `a server that cannot judge leaves what is stored alone`(status: Int, code: Int32) throws {
        let world = try loggedIn()
        #expect(world.run("login", server: [.answer(status)]).code == code)
        #expect(world.run("whoami", "--offline").output == "Anna\n")
    }

    @Test func `a fault of the network leaves what is stored alone, too`() throws {
        let world = try loggedIn()
        #expect(world.run(["login"], server: [.failure(.network(.connectionLost))]).code == 6)
        #expect(world.run("whoami", "--offline").output == "Anna\n")
    }

    @Test func `three wrong passwords are 3, and each is counted aloud`() throws {
        let wrong = ScriptedPerson.types("anna", "x")
        let world = try world(wrong, wrong, wrong, wrong)
        let run = world.run("login", server: [anonymous, anonymous, anonymous, anonymous])
        #expect(run.code == 3)
        #expect(world.person.prompt.challenges.map(\.previousFailureCount) == [0, 1, 2])
        #expect(!world.home.files.contains("state/authctl/state.json"))
        #expect(world.run("whoami", "--offline").code == 4)
    }

    @Test(arguments: [["--no-prompt"], []]) func `nobody to ask is 4, with every way to give what is missing`(
        options: [String]
    ) throws {
        let world = try world()
        if !options.isEmpty { world.person = ScriptedPerson() }
        let run = world.run(["login"] + options, server: [.success(anonymous)])
        #expect(run.code == 4 && run.output.isEmpty && world.requests.isEmpty)
        for way in ["-u NAME", "AUTHCTL_USERNAME", "--password-stdin", "--password-file", "AUTHCTL_PASSWORD"] {
            #expect(run.talk.contains(way))
        }
    }

    @Test func `AUTHCTL_NO_PROMPT=1 is --no-prompt`() throws {
        let world = try world(ScriptedPerson.types("anna", "x"))
        world.variables["AUTHCTL_NO_PROMPT"] = "1"
        #expect(world.run("login").code == 4)
    }

    @Test func `a given password is tried once, with no question after it`() throws {
        let world = try world(ScriptedPerson.types("anna", "typed"))
        world.variables["AUTHCTL_USERNAME"] = "anna"
        world.password = Secret("given")
        let run = world.run("login", server: [anonymous, anonymous])
        #expect(run.code == 3 && world.person.prompt.challenges.isEmpty)
        #expect(world.requests.count == 2)
    }

    @Test func `a password from a file: its first line, blanks and all`() throws {
        let world = try world()
        let file = try world.home.write(" p w \r\n", to: "pw")
        let run = world.run(
            "login", "-u", "anna", "--password-file", file,
            server: [anonymous, .answer(200, cookies: [cookie]), welcome])
        #expect(run.code == 0)
        #expect(world.requests[1].hasSuffix("\"password\":\" p w \"}"))
    }

    @Test func `a given password belongs to the profile that the environment names`() throws {
        let world = try world()
        world.variables["AUTHCTL_USERNAME"] = "anna"
        world.variables["AUTHCTL_PROFILE"] = "wire"
        world.password = Secret("canary")
        let run = world.run("login", "blog")
        #expect(run.code == 4 && world.requests.isEmpty)
    }

    @Test func `--json holds one value, of a login and of a failure`() throws {
        let world = try world(ScriptedPerson.types("anna", "x"))
        let run = world.run("login", "--json", "-q", server: [anonymous, .answer(200, cookies: [cookie]), welcome])
        try Snapshot.expect(run.output, "json-login")
        world.person = ScriptedPerson()
        let failed = world.run("login", "--json", "--force", "chat")
        #expect(failed.code == 4)
        try Snapshot.expect(failed.output, "json-login-failed")
    }

    @Test func `an unknown method, store or persistence in the environment is 2`() throws {
        for name in ["AUTHCTL_METHOD", "AUTHCTL_STORE", "AUTHCTL_PERSIST"] {
            let world = try world()
            world.variables[name] = "frobnicate"
            let run = world.run("login", "wire")
            #expect(run.code == 2 && run.talk.contains(name))
        }
    }

    @Test func `a profile that later goes elsewhere finds nothing, and sends nothing there`() throws {
        let world = try loggedIn()
        try world.home.write(
            Examples.config.replacing("https://blog.example", with: "https://evil.example"),
            to: "config/authctl/config.toml")
        #expect(world.run("whoami").code == 4)
        #expect(world.requests.isEmpty)
    }

    @Test(arguments: [["-p", "canary"], ["-pcanary"], ["--password", "canary"], ["--password=canary"]])
    func `no option takes a password, and none is repeated`(words: [String]) throws {
        let run = try world().run(["login"] + words, server: [])
        #expect(run.code == 2 && run.talk.contains("--password-stdin") && !run.talk.contains("canary"))
    }

    @Test func `a colon in -u is refused for Basic without being repeated, and sent for others`() throws {
        let world = try world(ScriptedPerson.types(nil, "x"))
        let run = world.run("login", "wire", "-u", "anna:canary")
        #expect(run.code == 2 && world.requests.isEmpty)
        #expect(!run.talk.contains("canary") && run.talk.contains("--password-stdin"))
        #expect(
            world.run("login", "blog", "-u", "a:b", server: [anonymous, .answer(200, cookies: [cookie]), welcome]).code
                == 0)
    }

    @Test func `an empty user name for Basic needs no terminal`() throws {
        let world = try world()
        let file = try world.home.write("key", to: "pw")
        let server = [
            HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""]),
            .answer(200, "{\"screen_name\":\"ann\"}"),
        ]
        let run = world.run("login", "wire", "-u", "", "--password-file", file, server: server)
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.last?.contains("basic :key") == true)
        let form = world.run("login", "blog", "-u", "", "--password-file", file)
        #expect(form.code == 4 && form.talk.contains("missing: user name") && world.requests.isEmpty)
    }

    @Test(arguments: ["pw\u{7}", "p\tw", "\u{7F}"])
    func `a control character in a given Basic password is refused before any connection`(password: String) throws {
        let world = try world()
        let file = try world.home.write(password, to: "pw")
        let run = world.run("login", "wire", "-u", "anna", "--password-file", file)
        #expect(run.code == 2 && world.requests.isEmpty && run.talk.contains("control character"))
        #expect(run.talk.contains("it came from --password-file"), "\(run.talk)")
        #expect(world.run("login", "wire", "-u", "an\u{7}na").code == 2 && world.requests.isEmpty)
        // What is left of bytes that are not UTF-8.
        let broken = world.run("login", "wire", "-u", "an\u{FFFD}na")
        #expect(broken.code == 2 && broken.talk.contains("not UTF-8"))
    }

    private func loggedIn() throws -> TestWorld {
        let world = try world(ScriptedPerson.types("anna", "pw"))
        #expect(world.run("login", server: [anonymous, .answer(200, cookies: [cookie]), welcome]).code == 0)
        world.person = ScriptedPerson()
        return world
    }
}
