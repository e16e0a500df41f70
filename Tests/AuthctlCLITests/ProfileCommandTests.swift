@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// `authctl profile …` and `authctl store …`.
struct ProfileCommandTests {
    private static let withSecrets = """
        [profiles.p]
        url = "https://p.example"
        verify = { get = "/me?access_token=canary1&v=2", query = { api_key = "canary2", page = "1" } }
        """

    @Test(arguments: [[], ["--json"]]) func `show masks secrets in URLs, and says so`(options: [String]) throws {
        let world = try TestWorld(config: Self.withSecrets + "\nproxy = \"http://u:canary3@proxy.example:3128\"\n")
        let run = world.run(["profile", "show", "p"] + options, server: [])
        #expect(run.code == 0 && !run.output.contains("canary"), "\(run.output)")
        for text in ["access_token=***&v=2", "***@proxy.example:3128"] { #expect(run.output.contains(text)) }
        #expect(run.talk.contains("is shown as ***"), "\(run.talk)")
        #expect(!(try TestWorld(config: Examples.wire).run("profile", "show", "wire").talk.contains("***")))
    }

    @Test func `the password of a proxy without a scheme is masked`() throws {
        let config = Examples.wire + "\nproxy = \"ann:canary@proxy:3128\"\n"
        let run = try TestWorld(config: config).run("profile", "show", "wire")
        #expect(run.code == 0 && run.output.contains("\"***@proxy:3128\""), "\(run.output)")
    }

    @Test func `a profile that is saved with a secret in a URL is warned of`() throws {
        let world = try TestWorld()
        let file = try world.home.write(Self.withSecrets, to: "p.toml")
        let run = world.run("profile", "add", file)
        #expect(run.code == 0 && run.talk.contains("warning: p: a password or a token in a URL"), "\(run.talk)")
        #expect(!run.talk.contains("canary"))
    }

    private static let risky = """
        [profiles.gift]
        url = "https://gift.example"
        verify = { get = "/" }
        password-command = "rm -rf /"
        allow-http = true
        store = "helper:evil"
        """

    @Test func `a shared store is asked about, since a program may be behind it`() throws {
        let world = try TestWorld()
        let file = try world.home.write(
            Self.risky.replacing("helper:evil", with: "shared:evil"), to: "gift.toml")
        let run = world.run("profile", "add", file)
        #expect(run.code == 0 && run.talk.contains("store = \"shared:evil\""), "\(run.talk)")
        #expect(!world.run("profile", "show", "gift").output.contains("shared:evil"))
    }

    @Test func `the list of the profiles`() throws {
        let world = try TestWorld(config: Examples.config)
        try Snapshot.expect(world.run("profile", "list").output, "profile-list")
        try Snapshot.expect(world.run("profile", "list", "--json").output, "json-profile-list")
    }

    @Test(arguments: ["wire", "blog", "screencast", "forge", "chat", "index"])
    func `what show prints can be given to others, and means the same`(name: String) throws {
        let world = try TestWorld(config: Examples.config)
        let file = try world.home.write(world.run("profile", "show", name).output, to: "shown.toml")
        let other = try TestWorld()
        #expect(other.run("profile", "add", file).code == 0)
        #expect(other.run("profile", "show", name).output == world.run("profile", "show", name).output)
    }

    @Test func `what can run programs or weaken trust is listed and left out`() throws {
        let world = try TestWorld()
        let file = try world.home.write(Self.risky, to: "gift.toml")
        let run = world.run("profile", "add", file)
        #expect(run.code == 0)
        for key in ["password-command = \"rm -rf /\"", "allow-http = true", "store = \"helper:evil\""] {
            #expect(run.talk.contains(key))
        }
        #expect(!world.run("profile", "show", "gift").output.contains("rm -rf"))
    }

    @Test(arguments: [true, false]) func `a typed yes takes it, and no says what was left out`(says: Bool) throws {
        let world = try TestWorld()
        world.person = ScriptedPerson([], confirms: says)
        let file = try world.home.write(Self.risky, to: "gift.toml")
        let run = world.run("profile", "add", file)
        #expect(run.code == 0 && run.talk.contains("were left out") != says, "\(run.talk)")
        #expect(world.run("profile", "show", "gift").output.contains("rm -rf") == says)
    }

    @Test func `a profile that is none without its risks is not added, and oauth goes as a whole and is said`() throws {
        let world = try TestWorld()
        let certificate = try world.home.write(
            "[profiles.c]\nurl = \"https://c.example\"\nmethod = \"certificate\"\ncertificate = \"c.pem\"\n"
                + "verify = { get = \"/\" }\n", to: "c.toml")
        let refused = world.run("profile", "add", certificate)
        #expect(refused.code == 2 && refused.talk.contains("nothing was added"), "\(refused.talk)")
        #expect(refused.talk.contains("certificate = \"c.pem\"") && refused.talk.contains("--accept-commands"))
        #expect(world.run("profile", "show", "c").talk.contains("there is no profile"))
        #expect(world.run("profile", "add", certificate, "--accept-commands").code == 0)
        let oauth = try world.home.write(
            "[profiles.o]\nurl = \"https://o.example\"\nmethod = \"oauth\"\nverify = { get = \"/\" }\n"
                + "oauth = { issuer = \"https://id.example\", client-id = \"x\" }\n", to: "o.toml")
        let run = world.run("profile", "add", oauth)
        #expect(run.code == 0 && run.talk.contains("o: the other keys of oauth"), "\(run.talk)")
        #expect(!world.run("profile", "show", "o").output.contains("client-id"))
    }

    @Test func `--accept-commands takes it without a question`() throws {
        let world = try TestWorld()
        let file = try world.home.write(Self.risky, to: "gift.toml")
        #expect(world.run("profile", "add", file, "--accept-commands").code == 0)
        #expect(world.run("profile", "show", "gift").output.contains("rm -rf"))
    }

    @Test func `what was left out is taken when the same file comes with --accept-commands`() throws {
        let world = try TestWorld()
        let file = try world.home.write(Self.risky, to: "gift.toml")
        let first = world.run("profile", "add", file)
        #expect(first.code == 0 && first.talk.contains("repeat the command with --accept-commands"))
        #expect(world.run("profile", "add", file, "--accept-commands").code == 0)
        #expect(world.run("profile", "show", "gift").output.contains("rm -rf"))
        #expect(world.run("profile", "add", file, "--accept-commands").code == 2, "now it is taken")
        let other = try world.home.write(
            Self.risky.replacing("gift.example", with: "other.example"), to: "other.toml")
        #expect(world.run("profile", "remove", "gift").code == 0 && world.run("profile", "add", file).code == 0)
        #expect(world.run("profile", "add", other, "--accept-commands").code == 2, "another profile of that name")
    }

    @Test func `a command behind blanks is shown whole, with the blanks, or refused`() throws {
        let world = try TestWorld()
        let offer = { (command: String) in
            try world.home.write(
                "url = \"https://x.example\"\nverify = { get = \"/\" }\npassword-command = \"\(command)\"\n",
                to: "x.toml")
        }
        let hidden = try offer("true" + String(repeating: " ", count: 300) + "rm -rf /")
        let run = world.run("profile", "add", hidden, "--name", "x")
        #expect(run.talk.contains("\\u{20}rm -rf /\"") && !run.talk.contains("    rm"), "\(run.talk)")
        let long = try offer("true" + String(repeating: " ", count: 600) + "rm -rf /")
        #expect(world.run("profile", "add", long, "--name", "y", "--accept-commands").code == 2)
    }

    @Test func `plain text is a risk that is asked about`() throws {
        let world = try TestWorld()
        let file = try world.home.write(
            "url = \"https://x.example\"\nverify = { get = \"/\" }\nstore = \"plaintext\"\n", to: "x.toml")
        #expect(world.run("profile", "add", file, "--name", "x").talk.contains("store = \"plaintext\""))
        #expect(!world.run("profile", "show", "x").output.contains("plaintext"))
    }

    @Test func `a name that is taken, a bad profile and no file at all are 2`() throws {
        let world = try TestWorld(config: Examples.config)
        let taken = try world.home.write(Examples.blog, to: "taken.toml")
        #expect(world.run("profile", "add", taken).code == 2)
        #expect(world.run("profile", "add", taken, "--name", "mine").code == 0)
        let bad = try world.home.write("[profiles.x]\nurl = 1\n", to: "bad.toml")
        #expect(world.run("profile", "add", bad).code == 2)
        #expect(world.run("profile", "add", "/nonexistent.toml").code == 2)
        let empty = try world.home.write("[profiles]\n", to: "empty.toml")
        #expect(world.run("profile", "add", empty).code == 2)
    }

    @Test func `remove deletes only what authctl made`() throws {
        let world = try TestWorld(config: Examples.wire)
        let file = try world.home.write(
            "[profiles.made]\nurl = \"https://m.example\"\nverify = { get = \"/\" }\n", to: "made.toml")
        #expect(world.run("profile", "add", file).code == 0)
        #expect(world.run("profile", "remove", "wire").code == 2)
        #expect(world.run("profile", "remove", "nope").code == 2)
        #expect(world.run("profile", "remove", "made") == Run(code: 0, output: "", talk: "Removed the profile made.\n"))
        #expect(world.run("profile", "show", "made").code == 2)
    }

    @Test func `the encrypted file is set up once, and then used`() throws {
        let world = try TestWorld(config: Examples.forge)
        world.variables["AUTHCTL_STORE"] = "file"
        world.variables["AUTHCTL_STORE_PASSPHRASE_FILE"] = try world.home.write("horse battery\n", to: "pass")
        #expect(world.run("store", "init").code == 0)
        #expect(world.run("store", "init").code == 8)
        #expect(
            world.run("store", "test", "file", "--json").output
                == "{\n  \"result\" : \"ok\",\n  \"store\" : \"file\"\n}\n")
        world.person = ScriptedPerson([ScriptedPerson.pastes("canary")])
        #expect(world.run("login", server: [.answer(401), .answer(200, "{\"username\":\"a\"}")]).code == 0)
        #expect(world.run("token").output == "canary\n")
        world.variables["AUTHCTL_STORE_PASSPHRASE_FILE"] = nil
        world.person = ScriptedPerson()
        #expect(world.run("token").code == 8)
        world.variables["AUTHCTL_STORE_PASSPHRASE_FILE"] = try world.home.write("wrong\n", to: "wrong")
        #expect(world.run("token").code == 8)
    }

    @Test(arguments: ["secret-service", "helper:pass"])
    func `a store that is not there is 8 and names itself, and nothing else is taken`(
        name: String
    ) throws {
        let world = try TestWorld(config: Examples.forge)
        world.person = ScriptedPerson([ScriptedPerson.pastes("canary")])
        let run = world.run("login", "--store", name, server: [.answer(401)])
        #expect(run.code == 8 && run.talk.contains("'\(name)'"))
        #expect(world.person.prompt.challenges.isEmpty)
        #expect(world.run("store", "test", "nonsense").code == 2)
    }

    @Test func `--persist none keeps nothing, and says so`() throws {
        let world = try TestWorld(config: Examples.forge)
        world.person = ScriptedPerson([ScriptedPerson.pastes("canary")])
        let run = world.run("login", "--persist", "none", server: [.answer(401), .answer(200, "{\"username\":\"a\"}")])
        #expect(run.code == 0 && run.talk.contains("The login was not stored"))
        #expect(!world.home.files.contains { $0.hasPrefix("state/") })
    }
}
