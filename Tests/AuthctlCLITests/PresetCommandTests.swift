import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Presets, and profiles that others publish.
struct PresetCommandTests {
    private static let shared = "[profiles.blog]\nurl = \"https://blog.example\"\nverify = { get = \"/me\" }\n"

    /// In a world of its own, so that no installed preset is seen first.
    private func world(_ presets: [String: String] = [:]) throws -> TestWorld {
        let world = try TestWorld()
        world.variables["XDG_DATA_DIRS"] = world.home.path + "/data"
        for (name, text) in presets { try world.home.write(text, to: "data/authctl/presets/\(name).toml") }
        return world
    }

    @Test func `the presets fit into 80 columns, and each says on what it was tried`() throws {
        let list = try world().run("profile", "presets")
        #expect(list.code == 0)
        let lines = list.output.split(separator: "\n")
        #expect(lines.count > 35 && lines.allSatisfy { $0.count <= 80 }, "\(list.output)")
        #expect(list.output.contains("rabbitmq           RabbitMQ 3.10.8 (Debian 12)"), "\(list.output)")
        #expect(list.output.contains("gitlab             not tried, from public documentation"))
    }

    @Test(arguments: Presets(Environment([:])).names)
    func `every preset can be read, and can run nothing`(name: String) throws {
        let world = try world()
        let added = world.run("profile", "add", "--preset", name, "--url", "https://app.example/x")
        #expect(added.code == 0 && !added.talk.contains("can run"), "\(added.talk)")
        let shown = world.run("profile", "show", name)
        #expect(shown.code == 0 && shown.output.contains("https://app.example/x"))
        let preset = try #require(try Presets(Environment([:])).preset(named: name))
        #expect(!preset.about.isEmpty && preset.about.count <= 240)
        #expect(world.run("profile", "presets", name).output.contains(preset.about))
    }

    @Test(arguments: Presets(Environment([:])).names.filter { $0.hasSuffix("-mcp") })
    func `a preset for an MCP server proves a login at the endpoint that MCP clients use`(name: String) throws {
        let preset = try #require(try Presets(Environment([:])).preset(named: name))
        let offered = try OfferedProfiles(preset, url: "https://mcp.example", name: nil)
        let table = try #require(offered.profiles.first?.table)
        let profile = try ProfileDecoder(folder: "", home: nil).profile(named: name, table)
        #expect(profile.mcp != nil && profile.mcp == profile.verify?.path.source)
        // The URL that everybody has is that of the endpoint.
        let whole = try OfferedProfiles(preset, url: "https://mcp.example\(profile.mcp ?? "")", name: nil)
        #expect(whole.profiles.first?.table.members["url"] == .string("https://mcp.example"))
    }

    @Test func `a preset of the person's own is found by XDG_DATA_DIRS, and one that is not there is 2`() throws {
        let world = try world(["own": "# tried: Own 1\n# About.\n[profiles.own]\nverify = { get = \"/me\" }\n"])
        #expect(world.run("profile", "presets", "own").output.hasPrefix("own: Own 1\nAbout.\n"))
        #expect(world.run("profile", "add", "--preset", "own", "--url", "https://own.example").code == 0)
        let missing = world.run("profile", "add", "--preset", "radicail", "--url", "https://own.example")
        #expect(missing.code == 2 && missing.talk.contains("did you mean 'radicale'?"), "\(missing.talk)")
        let homeless = world.run("profile", "add", "--preset", "own")
        #expect(homeless.code == 2 && homeless.talk.contains("needs the URL of your service: About."), "\(homeless)")
        #expect(homeless.talk.contains("authctl profile add --preset own --url URL"), "\(homeless.talk)")
        #expect(world.run("profile", "add").code == 2)
    }

    @Test(arguments: Presets(Environment([:])).names)
    func `a preset has a URL only where its service has one place in the world, and says so`(name: String) throws {
        let preset = try #require(try Presets(Environment([:])).preset(named: name))
        let offered = try OfferedProfiles(preset, url: nil, name: nil)
        guard case .string(let url)? = offered.profiles.first?.table.members["url"] else {
            #expect(preset.about.contains("HOST") || preset.about.contains("https://"), "\(preset.about)")
            return
        }
        #expect(url.hasPrefix("https://") && preset.about.contains(url), "\(preset.about)")
        let added = try world().run("profile", "add", "--preset", name)
        #expect(added.code == 0 && added.talk.contains("Added the profile \(name)"), "\(added.talk)")
    }

    private static let forge = """
        # tried: Forge 1
        # About.
        [profiles.forge]
        url    = "https://forge.example"
        method = "token"
        verify = { get = "/me", username = "/name" }

        """
    private static let out = HTTPResponse.answer(401), welcome = HTTPResponse.answer(200, "{\"name\":\"ann\"}")

    @Test func `a preset's name goes as a profile's, and a login that works makes the profile`() throws {
        let world = try world(["forge": Self.forge])
        let early = world.run("whoami", "forge")
        #expect(early.code == 2 && early.talk.contains("to use it: authctl login forge"), "\(early.talk)")
        world.person = ScriptedPerson([ScriptedPerson.pastes("wrong")])
        let refused = world.run("login", "forge", "--max-attempts", "1", server: [Self.out, Self.out])
        #expect(refused.code == 3, "\(refused.talk)")
        #expect(world.run("profile", "list").output.contains("forge") == false)
        world.person = ScriptedPerson([ScriptedPerson.pastes("t0k")])
        let run = world.run("login", "forge", server: [Self.out, Self.welcome])
        #expect(run.code == 0 && run.talk.contains("Logged in to forge (https://forge.example) as ann."), "\(run.talk)")
        let next = "Saved as the profile forge. Next: authctl request https://forge.example/me\n"
        #expect(run.talk.hasSuffix(next), "\(run.talk)")
        let made = try world.home.read("config/authctl/profiles/forge.toml")
        #expect(made.contains("method = \"token\"") || made.contains("method = 'token'"), "\(made)")
        let again = world.run("login", "forge", server: [Self.welcome])
        #expect(again.code == 0 && again.talk.hasPrefix("Already logged in to forge"), "\(again.talk)")
        #expect(world.run("whoami", "forge", server: [Self.welcome]).output == "ann\n")
    }

    @Test func `a preset without a URL asks for one in a sentence, and takes it by --url under any free name`() throws {
        let text = Self.forge.replacing("url    = \"https://forge.example\"\n", with: "")
        let world = try world(["forge": text])
        let missing = world.run("login", "forge")
        #expect(missing.code == 2 && missing.talk.contains("the preset forge needs the URL of your service: About."))
        #expect(missing.talk.contains("authctl login forge --url URL"), "\(missing.talk)")
        world.person = ScriptedPerson([ScriptedPerson.pastes("t0k")])
        let run = world.run(
            "login", "forge", "--url", "https://a.example", server: [Self.out, Self.welcome])
        #expect(run.code == 0 && run.talk.contains("Logged in to forge (https://a.example)"), "\(run.talk)")
        let again = world.run("login", "forge", "--url", "https://a.example", server: [Self.welcome])
        #expect(again.code == 0 && again.talk.hasPrefix("Already logged in to forge"), "\(again.talk)")
        let taken = world.run("login", "forge", "--url", "https://b.example")
        #expect(taken.code == 2 && taken.talk.contains("choose another name with --name"), "\(taken.talk)")
        world.person = ScriptedPerson([ScriptedPerson.pastes("t1k")])
        let second = world.run(
            "login", "forge", "--url", "https://b.example", "--name", "work", server: [Self.out, Self.welcome])
        #expect(second.code == 0 && second.talk.contains("Logged in to work (https://b.example)"), "\(second.talk)")
        let unknown = world.run("login", "frge", "--url", "https://b.example")
        #expect(unknown.code == 2 && unknown.talk.contains("did you mean 'forge'?"), "\(unknown.talk)")
    }

    @Test func `a preset that can run a program is not used by its name alone`() throws {
        let world = try world(["forge": Self.forge + "password-command = \"pass forge\"\n"])
        let run = world.run("login", "forge")
        #expect(run.code == 2 && run.talk.contains("authctl profile add --preset forge"), "\(run.talk)")
        #expect(world.requests.isEmpty)
    }

    @Test func `a preset that cannot be read hides no other`() throws {
        let world = try world(["bad": "[profiles.bad\n", "crlf": "# tried: Own 1\r\n# About.\r\n[profiles.crlf]\r\n"])
        chmod(world.home.path + "/data/authctl/presets/bad.toml", 0o666)
        let list = world.run("profile", "presets")
        #expect(list.code == 0 && list.output.contains("radicale") && list.talk.contains("writable"), "\(list)")
        #expect(list.output.contains("crlf               Own 1\n"), "\(list.output)")
        #expect(world.run("profile", "presets", "bad").code == 2)
    }

    private func fetch(
        _ answer: HTTPResponse, url: String = "https://share.example/p.toml", says: Bool? = nil, _ more: String...
    ) throws -> (Run, TestWorld) {
        let world = try world()
        if let says { world.person = ScriptedPerson([], confirms: says) }
        return (world.run(["profile", "add", "--from", url] + more, server: [.success(answer)]), world)
    }

    /// What the message names for `--sha256`.
    private static func checksum(in run: Run) throws -> String {
        String(try #require(run.talk.split(separator: " ").last { $0.count >= 64 }).prefix(64) as Substring)
    }

    @Test func `what is fetched is taken with its checksum, or after a yes`() throws {
        let (unseen, _) = try fetch(.answer(200, Self.shared))
        #expect(unseen.code == 7, "\(unseen.talk)")
        let sum = try Self.checksum(in: unseen)
        let (right, world) = try fetch(.answer(200, Self.shared), "--sha256", sum)
        #expect(right.code == 0, "\(right.talk)")
        let file = try world.home.read("config/authctl/profiles/blog.toml")
        #expect(file.hasPrefix("# from https://share.example/p.toml, sha256 \(sum)\n"))
        #expect(world.requests == ["GET https://share.example/p.toml"])
        #expect(try fetch(.answer(200, Self.shared), says: true).0.code == 0)
        #expect(try fetch(.answer(200, Self.shared), says: false).0.code == 5)
    }

    @Test func `another checksum, a redirect, plain http and too much are 7`() throws {
        let wrong = String(repeating: "0", count: 64)
        let (sum, world) = try fetch(.answer(200, Self.shared), "--sha256", wrong)
        #expect(sum.code == 7 && sum.talk.contains("checksum"), "\(sum.talk)")
        #expect((try? world.home.read("config/authctl/profiles/blog.toml")) == nil)
        let there = Redirect(url: "https://share.example/q", origin: nil, target: "/q")
        #expect(try fetch(.answer(302, redirect: there), says: true).0.code == 7)
        #expect(try fetch(.answer(200, Self.shared), url: "http://share.example/p.toml", says: true).0.code == 7)
        let large = Self.shared + String(repeating: "#", count: 64 << 10)
        #expect(try fetch(.answer(200, large), says: true).0.code == 7)
        #expect(try fetch(.answer(404), says: true).0.code == 1)
        #expect(try fetch(.answer(200, Self.shared), "--sha256", "12").0.code == 2)
    }

    @Test func `what cannot be fetched without a login is told so, and nothing of a profile that there is not`() throws
    {
        for status in [401, 403] {
            let (closed, _) = try fetch(.answer(status), says: true)
            #expect(
                closed.code == 1 && closed.talk.contains("the URL answered with status \(status)"))
            #expect(closed.talk.contains("without a login") && closed.talk.contains("authctl profile add FILE"))
        }
        let (gone, _) = try fetch(.answer(404), says: true)
        #expect(
            gone.code == 1 && gone.talk.contains("status 404") && gone.talk.contains("check the URL"), "\(gone.talk)")
        #expect(!gone.talk.contains("in the profile"), "\(gone.talk)")
    }

    @Test(arguments: [
        "browser = \"sh -c x\"", "otp-command = \"x\"",
        "method = \"oauth\"\noauth = { issuer = \"https://id.example\", client-id = \"c\" }",
    ])
    func `what can run code, or has tokens handed out elsewhere, is asked about`(risk: String) throws {
        let url = "https://share.example/p.toml"
        let text = "[profiles.blog]\nurl = \"https://blog.example\"\nverify = { get = \"/me\" }\n\(risk)\n"
        let first = try world().run(["profile", "add", "--from", url], server: [.success(.answer(200, text))])
        let sum = try Self.checksum(in: first)
        let (run, world) = try fetch(.answer(200, text), "--sha256", sum)
        #expect(run.code == 0 || run.code == 2, "\(run.talk)")
        #expect(run.talk.contains("These keys can run programs or weaken trust"), "\(run.talk)")
        let kept = try world.home.read("config/authctl/profiles/blog.toml")
        #expect(!kept.contains("sh -c x") && !kept.contains("otp-command") && !kept.contains("id.example"), "\(kept)")
    }
}
