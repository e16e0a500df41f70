@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// What `complete` answers, which the scripts of the shells put in.
struct CompletionTests {
    private static let config = """
        [profiles.wire]
        url = "https://wire.example"
        verify = { get = "/me" }

        [profiles."127.0.0.1:8765"]
        url = "http://127.0.0.1:8765"
        verify = { get = "/me" }
        """

    private func loggedIn() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
        for name in ["ann", "bert"] {
            world.person = ScriptedPerson([ScriptedPerson.types(name, "hunter22")])
            #expect(world.run("login", "wire", "-u", name, server: [anonymous, .answer(200)]).code == 0)
        }
        world.person = ScriptedPerson()
        return world
    }

    /// The choices, without what they are.
    private func choices(_ world: TestWorld, _ words: String...) -> [String] {
        let run = world.run(["complete", "--"] + words, server: [])
        #expect(run.code == 0 && run.talk.isEmpty)
        return run.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    @Test func `profiles, accounts, stores and topics stand where they belong`() throws {
        let world = try loggedIn()
        #expect(choices(world, "whoami", "") == ["words", "127.0.0.1:8765", "wire"])
        #expect(choices(world, "whoami", "-P", "") == ["words", "127.0.0.1:8765", "wire"])
        #expect(choices(world, "switch", "wire", "") == ["words", "ann", "bert"])
        #expect(choices(world, "switch", "-P", "wire", "") == ["words", "ann", "bert"])
        #expect(choices(world, "switch", "wire", "ann", "") == ["words"])
        #expect(choices(world, "token", "wire", "-u", "") == ["words", "ann", "bert"])
        #expect(choices(world, "token", "--username=") == ["words", "--username=ann", "--username=bert"])
        #expect(choices(world, "mcp", "127.0.0.1:8765", "-u", "") == ["words"], "nobody is logged in there")
        let forms = ["words", "headers", "header", "exec-credential", "curl", "cookies", "playwright"]
        #expect(choices(world, "token", "wire", "--as", "") == forms)
        #expect(choices(world, "login", "--store", "").contains("secret-service"))
        #expect(!choices(world, "store", "test", "").contains("none"))
        #expect(choices(world, "profile", "remove", "") == ["words"], "those of config.toml belong to the person")
        let topics = choices(world, "help", "")
        #expect(topics.contains("exit-codes") && topics.contains("config") && topics.contains("login"))
        #expect(choices(world, "help", "profile", "").contains("remove"))
    }

    @Test func `commands and options come with what they are`() throws {
        let world = try TestWorld()
        let commands = world.run("complete", "--", "").output
        #expect(commands.contains("\nlogin\tLog in and store the login.\n") && !commands.contains("read-back"))
        #expect(choices(world, "login", "--force", "--f") == choices(world, "login", "--force", "-"))
        #expect(!choices(world, "login", "--force", "-").contains("--force"))
        #expect(choices(world, "exec", "--", "") == ["command"])
        #expect(choices(world, "exec", "--", "cat", "") == ["command"])
        #expect(choices(world, "login", "--ca-file", "") == ["files"])
        #expect(choices(world, "nonsense", "") == ["words"])
    }

    @Test func `where nothing can be read nothing is offered, and nobody is disturbed`() throws {
        let world = try TestWorld(config: "[profiles")
        #expect(choices(world, "whoami", "") == ["words"])
        #expect(choices(world, "logi").contains("login"))
    }

    @Test(arguments: [
        "$(touch PWN)", "a;b", "a b", "it's", "a`b`", "a\"b", "a/b", "..", "-x", "a\u{1B}b", "", "a\u{202E}b",
    ])
    func `a profile's name is nothing that a shell or a terminal obeys`(name: String) throws {
        #expect(ProfileName.problem(name) != nil)
        let world = try TestWorld()
        let table = "url = \"https://x.example\"\nverify = { get = \"/\" }\n"
        let file = try world.home.write(table, to: "one.toml")
        let run = world.run("profile", "add", file, "--name=\(name)")
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(world.home.files.filter { $0.contains("profiles/") } == [])
    }

    @Test(arguments: [
        "127.0.0.1:8765", "[::1]:8765", "ann@blog.example", "my_blog-2", "münchen.example", "例え.jp", "हिन्दी",
    ])
    func `what hosts are made of is a name`(name: String) {
        #expect(ProfileName.problem(name) == nil)
    }

    @Test func `a name has one spelling`() {
        #expect(ProfileName.problem("mu\u{308}nchen")?.contains("NFC") == true)
    }

    @Test func `a name that was left behind is not offered`() throws {
        let world = try TestWorld(config: Self.config)
        try world.home.write(
            "url = \"https://x.example\"\nverify = { get = \"/\" }\n", to: "config/authctl/profiles/$(touch PWN).toml")
        #expect(choices(world, "whoami", "") == ["words", "127.0.0.1:8765", "wire"])
    }
}
