@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What a person is told to do next: the command that was typed, in words that fit what happened.
struct HintTests {
    private static let config = """
        [profiles.wire]
        url = "https://wire.example"
        verify = { get = "/me" }

        [profiles.blog]
        url = "https://blog.example"
        verify = { get = "/me" }

        [profiles.forge]
        url = "https://forge.example"
        method = "token"
        verify = { get = "/me" }
        """
    private let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])

    private func loggedIn() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "hunter22")])
        #expect(world.run("login", "wire", server: [anonymous, .answer(200)]).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    @Test func `a refused login is told to be tried with its own options`() throws {
        let world = try loggedIn()
        let file = try world.home.write("wrong\n", to: "pw")
        let run = world.run(
            "login", "wire", "-u", "bob", "--password-file", file, "--method", "basic",
            server: [anonymous, anonymous])
        #expect(run.code == 3)
        #expect(run.talk.contains("then: authctl login wire -u bob --method basic\n"), "\(run.talk)")
    }

    @Test func `a URL comes back without its password, and with --name`() throws {
        let run = try TestWorld().run(
            "login", "https://bob:s3cret@api.example/me", "--name", "mine",
            server: [anonymous, anonymous, anonymous])
        #expect(run.code == 3 && !run.talk.contains("s3cret"))
        #expect(run.talk.contains("authctl login https://api.example/me -u bob --name mine\n"), "\(run.talk)")
    }

    @Test func `whoami, profile test and request name what they were given`() throws {
        let world = try loggedIn()
        #expect(world.run("whoami", "-P", "wire", "-u", "bob").talk.contains("authctl login wire -u bob\n"))
        let request = world.run("request", "POST", "/x", "-P", "blog", "-u", "bob", "--ttl", "5", server: [anonymous])
        #expect(request.talk.contains("authctl login blog -u bob --ttl 5\n"), "\(request.talk)")
        let test = world.run("profile", "test", "blog", "-u", "bob", server: [anonymous])
        #expect(test.talk.contains("authctl profile test blog -u bob\n"), "\(test.talk)")
    }

    @Test func `who is logged in already is told the two ways to a new login`() throws {
        let run = try loggedIn().run("login", "wire", server: [.answer(200)])
        #expect(run.code == 0)
        #expect(run.talk.contains("To log in as somebody else: authctl login wire -u NAME."), "\(run.talk)")
        #expect(run.talk.contains("To log in again: authctl login wire --force"))
    }

    @Test func `a logout of nobody names the profile, and who is logged in elsewhere`() throws {
        let run = try loggedIn().run("logout", "blog")
        #expect(run.code == 0)
        #expect(run.talk.contains("You are not logged in to blog."))
        #expect(
            run.talk.contains("Still logged in: wire (as ann). Log out of everything: authctl logout --all"),
            "\(run.talk)")
    }

    @Test func `what stops a logout is told once`() throws {
        let world = try loggedIn()
        try world.home.write("no JSON", to: "state/authctl/plaintext.json")
        let run = world.run("logout", "wire", "--local")
        #expect(run.code == 8)
        #expect(run.talk.split(separator: "\n").count { $0.contains("is damaged") } == 1, "\(run.talk)")
    }

    @Test func `what stands before the command of exec is said to be a profile`() throws {
        let run = try TestWorld(config: Self.config).run("exec", "s3cret", "--", "ls")
        #expect(run.code == 102 && run.talk.contains("authctl exec -P PROFILE -- COMMAND"))
        #expect(!run.talk.contains("s3cret"))
    }

    @Test func `a missing password file and an unknown store are told what helps`() throws {
        let world = try TestWorld(config: Self.config)
        let file = world.run("login", "wire", "-u", "a", "--password-file", "/no/file")
        #expect(file.talk.contains("--password-stdin") && !file.talk.contains("authctl help"))
        #expect(world.run("store", "test", "attic").talk.contains("authctl store list"))
    }

    @Test(arguments: [
        ["whoami", "wrie"], ["login", "wrie"], ["logout", "wrie"], ["status", "wrie"], ["token", "-P", "wrie"],
        ["request", "-P", "wrie", "/x"], ["switch", "wrie", "ann"], ["profile", "show", "wrie"],
        ["profile", "default", "wrie"], ["profile", "remove", "wrie"], ["profile", "test", "wrie"],
        ["store", "move", "keyring", "file", "-P", "wrie"], ["exec", "-P", "wrie", "--", "ls"],
    ])
    func `a mistyped profile is told the nearest, wherever it stands`(arguments: [String]) throws {
        let run = try TestWorld(config: Self.config).run(arguments, server: [])
        #expect(
            run.code == (arguments[0] == "exec" ? 102 : 2) && run.talk.contains("did you mean wire?"), "\(run.talk)")
    }

    @Test(arguments: [
        (["lgoin"], "'login'"), (["profile", "lst"], "'profile list'"), (["help", "stauts"], "'help status'"),
        (["login", "--pasword-stdin"], "'--password-stdin'"), (["status", "--jsn"], "'--json'"),
        (["status", "--colour"], "'--color'"), (["store", "test", "keyrnig"], "'keyring'"),
        (["store", "move", "keyring", "fiel"], "'file'"),
    ])
    func `a mistyped command, topic, option or store is repeated, with the nearest one`(
        arguments: [String], near: String
    ) throws {
        let run = try TestWorld(config: Self.config).run(arguments, server: [])
        #expect(run.code == 2 && run.talk.lowercased().contains("did you mean \(near)?"), "\(run.talk)")
    }

    @Test(arguments: ["profile", "store", "trust"]) func `ls is list`(group: String) throws {
        let world = try TestWorld(config: Self.config)
        #expect(world.run(group, "ls") == world.run(group, "list"))
        #expect(world.run("help", group, "ls").output == world.run("help", group, "list").output)
        #expect(world.run("complete", "--", group, "ls", "--js").output.contains("--json"))
        #expect(!world.run("complete", "--", group, "").output.contains("\nls"))
    }

    @Test func `the values of --color are completed`() throws {
        let run = try TestWorld().run("complete", "--", "status", "--color", "")
        #expect(run.output == "words\nauto\nalways\nnever\n")
    }

    @Test func `the authorities are told with -v alone`() throws {
        let world = try loggedIn()
        #expect(!world.run("status", "wire", "--offline").talk.contains("authorities"))
        #expect(world.run("status", "wire", "--offline", "-v").talk.contains("Certificate authorities"))
    }

    @Test(arguments: [["help", "foo"], ["help", "exit_codes"], ["help", "profile", "foo"]])
    func `a topic that is not there is 2`(words: [String]) throws {
        let run = try TestWorld().run(words, server: [])
        #expect(run.code == 2 && run.output.isEmpty)
    }

    @Test func `near topics are named, and config is one`() throws {
        let world = try TestWorld()
        #expect(world.run("help", "exit_codes").talk.contains("did you mean 'help exit-codes'?"))
        #expect(world.run("help", "profile", "ad").talk.contains("did you mean 'help profile add'?"))
        let config = world.run("help", "config")
        #expect(config.code == 0 && config.output.contains("man authctl-config"))
        #expect(config.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `a URL with a password is sent to login`() throws {
        let run = try loggedIn().run("request", "GET", "https://u:p4ss@wire.example/x")
        #expect(run.code == 2 && run.talk.contains("authctl login") && !run.talk.contains("p4ss"), "\(run.talk)")
    }

    @Test(arguments: [
        ["login", "--method", "a\u{1B}[2Jb"], ["login", "--store", "a\u{1B}\nb"], ["login", "--x\u{9B}y"],
    ])
    func `an argument controls no terminal`(arguments: [String]) throws {
        let run = try TestWorld().run(arguments, server: [])
        #expect(run.code == 2 && run.talk.unicodeScalars.allSatisfy { $0 == "\n" || SafeText.escape(for: $0) == nil })
        #expect(!run.talk.contains("\nb"))
    }

    @Test func `a folder controls no terminal`() throws {
        let world = try TestWorld(config: Self.config)
        world.variables["XDG_STATE_HOME"] = world.home.path + "/st\u{1B}[2J\nate"
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "hunter22")])
        let run = world.run("login", "wire", server: [anonymous, .answer(200)])
        #expect(run.talk.contains("\\u{1B}") && !run.talk.contains("\u{1B}") && !run.talk.contains("\nate"))
    }

    @Test(arguments: [["--store", "none"], ["--persist", "none"]])
    func `a command that keeps nothing proposes a login that is kept`(options: [String]) throws {
        let world = try TestWorld(config: Self.config)
        let run = world.run(
            ["exec", "-P", "wire", "-u", "ann"] + options + ["--", "/bin/true"], server: [.success(anonymous)])
        #expect(
            run.code == 104 && run.talk.contains("authctl login wire -u ann") && !run.talk.contains("none"),
            "\(run.talk)")
    }

    @Test func `a relative HOME is 2`() throws {
        let world = try TestWorld()
        world.variables["HOME"] = "here"
        (world.variables["XDG_CONFIG_HOME"], world.variables["XDG_STATE_HOME"]) = (nil, nil)
        let run = world.run("profile", "list")
        #expect(run.code == 2 && run.talk.contains("HOME"))
    }

    @Test func `a host in other letters stands beside the one that is asked for`() throws {
        let config = "[profiles.b]\nurl = \"https://bücher.example\"\nverify = { get = \"/\" }\n"
        let list = try TestWorld(config: config).run("profile", "list").output
        #expect(list.contains("https://bücher.example (https://xn--bcher-kva.example)"), "\(list)")
    }

    @Test func `a plain-text store is warned of when something is written, and not before`() throws {
        let world = try TestWorld(config: Self.config)
        let file = try world.home.write("wrong\n", to: "pw")
        let refused = world.run("login", "wire", "-u", "a", "--password-file", file, server: [anonymous, anonymous])
        #expect(refused.code == 3 && !refused.talk.contains("plain text"), "\(refused.talk)")
        let kept = world.run("login", "wire", "-u", "a", "--password-file", file, server: [anonymous, .answer(200)])
        #expect(kept.code == 0 && kept.talk.contains("plain text"))
    }

    @Test func `a login by URL that keeps nothing leaves no profile`() throws {
        let world = try TestWorld()
        let file = try world.home.write("hunter22\n", to: "pw")
        let run = world.run(
            "login", "https://api.example/me", "-u", "a", "--persist", "none", "--password-file", file,
            server: [anonymous, anonymous, .answer(200)])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.home.files.filter { $0.contains("profiles/") } == [])
    }

    @Test func `another length than was asked for is told`() throws {
        let config = """
            [profiles.cast]
            url = "https://cast.example"
            method = "token"
            verify = { get = "/me" }
            login = { post = "/in", form = { u = "{username}", p = "{password}" }, query = { ttl = "{ttl}" }, token = "/t", expires-in = "/e" }
            """
        let world = try TestWorld(config: config)
        let file = try world.home.write("hunter22\n", to: "pw")
        let logIn = { (ttl: String, granted: String) in
            world.run(
                "login", "cast", "--force", "-u", "a", "--password-file", file, "--ttl", ttl,
                server: [.answer(401), .answer(200, "{\"t\": \"tok\", \"e\": \(granted)}"), .answer(200)])
        }
        #expect(logIn("2", "3600").talk.contains("The service granted 60 minutes instead of the requested 2 seconds"))
        #expect(!logIn("60", "60").talk.contains("granted"))
    }
}
