import ArgumentParser
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Which login is lent to git and docker, and when none is.
struct HelperLoginTests {
    private static func basic(_ name: String, _ url: String) -> String {
        "[profiles.\(name)]\nurl = \"\(url)\"\nverify = { get = \"/me\", username = \"/name\" }\n"
    }

    private let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])

    private func logIn(_ world: TestWorld, _ profile: String, _ user: String = "anna", _ more: String...) {
        world.person = ScriptedPerson([ScriptedPerson.types(user, "pw-\(user)")])
        let name = HTTPResponse.answer(200, "{\"name\":\"\(user)\"}")
        let run = world.run(["login", profile, "--force"] + more, server: [challenge, name].map { .success($0) })
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
    }

    /// The answer to git, or to whoever asks at all.
    private func lent(
        _ world: TestWorld, _ url: String, username: String? = nil, server: [HTTPResponse] = [], options: [String] = []
    ) throws -> String? {
        try world.withWorld(server: server) { world in
            let invocation = try Invocation(world, try GlobalOptions.parse(options))
            guard let (origin, _, _) = try invocation.helperOrigin(url) else { return nil }
            return try invocation.helperLogin(at: origin, username: username)?.lent()?.gitAnswer().unprotectedText
        }
    }

    @Test(arguments: [
        "https://good.example", "https://good.example:443", "https://GOOD.example", "https://good.example/a/b.git",
    ])
    func `the exact origin has the login, however it is written`(url: String) throws {
        let world = try TestWorld(config: Self.basic("good", "https://good.example/base"))
        logIn(world, "good")
        #expect(try lent(world, url) == "username=anna\npassword=pw-anna")
        #expect(world.requests.isEmpty)
    }

    @Test(arguments: [
        "http://good.example", "https://good.example:444", "http://good.example:443", "https://good.example.",
        "https://good.example.evil.example", "https://evilgood.example", "https://xgood.example",
        "https://www.good.example", "https://example", "https://good-example", "https://good.exampIe",
        "https://g\u{43e}\u{43e}d.example", "https://good.example@evil.example", "https://evil.example/good.example",
        "ftp://good.example", "good.example", "https://", "",
    ])
    func `what only looks like it has nothing`(url: String) throws {
        let world = try TestWorld(config: Self.basic("good", "https://good.example"))
        logIn(world, "good")
        #expect(try lent(world, url) == nil)
        #expect(world.requests.isEmpty)
    }

    @Test func `a name in other letters is its A-label`() throws {
        let world = try TestWorld(config: Self.basic("good", "https://xn--bcher-kva.example"))
        logIn(world, "good")
        #expect(try lent(world, "https://b\u{fc}cher.example") == "username=anna\npassword=pw-anna")
        #expect(try lent(world, "https://bucher.example") == nil)
    }

    @Test func `what was stored for another origin of the profile is not lent`() throws {
        let world = try TestWorld(config: Self.basic("good", "https://good.example"))
        logIn(world, "good")
        try world.home.write(Self.basic("good", "https://evil.example"), to: "config/authctl/config.toml")
        #expect(try lent(world, "https://good.example") == nil)
        #expect(try lent(world, "https://evil.example") == nil)
    }

    @Test func `plain http to another machine is 7 unless the profile allows it`() throws {
        let config = Self.basic("good", "http://good.example") + "allow-http = true\n"
        let world = try TestWorld(config: config)
        logIn(world, "good")
        #expect(try lent(world, "http://good.example") != nil)
        try world.home.write(Self.basic("good", "http://good.example"), to: "config/authctl/config.toml")
        #expect(throws: LoginFault.untrusted(.plainHTTP)) { try lent(world, "http://good.example") }
        for (host, isLent) in [
            ("127.0.0.1", true), ("[::1]", true), ("[::ffff:127.0.0.1]", true), ("localhost", true),
            ("127.0.0.1.evil.example", false),
            ("127.evil", false), ("localhost.evil", false),
        ] {
            try world.home.write(Self.basic("x", "http://\(host)"), to: "config/authctl/config.toml")
            logIn(world, "x")
            if isLent {
                #expect(try lent(world, "http://\(host)") != nil)
            } else {
                #expect(throws: LoginFault.untrusted(.plainHTTP)) { try lent(world, "http://\(host)") }
            }
        }
    }

    @Test func `the user name selects the account, and without one it is the active one`() throws {
        let world = try TestWorld(config: Self.basic("good", "https://good.example"))
        logIn(world, "good", "anna")
        logIn(world, "good", "bert", "-u", "bert")
        let url = "https://good.example"
        #expect(try lent(world, url) == "username=bert\npassword=pw-bert")
        #expect(try lent(world, url, username: "anna") == "username=anna\npassword=pw-anna")
        #expect(try lent(world, url, options: ["-u", "anna"]) == "username=anna\npassword=pw-anna")
        #expect(try lent(world, url, username: "carl") == nil)
        #expect(try lent(world, url, username: "ann") == nil)
        #expect(try lent(world, url, username: "bert", options: ["-u", "anna"]) == nil)
        #expect(try lent(world, url, username: "anna", options: ["-u", "anna"]) != nil)
    }

    @Test func `of several profiles the named one, the default one, or the only one logged in; else 2 with the list`()
        throws
    {
        let two = Self.basic("a", "https://good.example/a") + Self.basic("b", "https://good.example/b")
        let world = try TestWorld(config: two)
        let url = "https://good.example"
        #expect(try lent(world, url) == nil)
        logIn(world, "b", "bert")
        #expect(try lent(world, url) == "username=bert\npassword=pw-bert")
        logIn(world, "a", "anna")
        #expect(throws: LoginFault.usage(.profileNotNamed(known: ["a", "b"]))) { try lent(world, url) }
        #expect(try lent(world, url, username: "anna") == "username=anna\npassword=pw-anna")
        #expect(try lent(world, url, options: ["-P", "a"]) == "username=anna\npassword=pw-anna")
        world.variables["AUTHCTL_PROFILE"] = "b"
        #expect(try lent(world, url) == "username=bert\npassword=pw-bert")
        #expect(try lent(world, "https://other.example") == nil)
        world.variables["AUTHCTL_PROFILE"] = nil
        try world.home.write("default = \"a\"\n" + two, to: "config/authctl/config.toml")
        #expect(try lent(world, url) == "username=anna\npassword=pw-anna")
        #expect(throws: LoginFault.self) { try lent(world, url, options: ["-P", "nope"]) }
    }

    @Test func `a variable that names a profile of another origin says nothing of this one, as within an exec`() throws
    {
        let world = try TestWorld(
            config: Self.basic("good", "https://good.example") + Self.basic("blog", "https://blog.example"))
        logIn(world, "good")
        world.variables["AUTHCTL_PROFILE"] = "blog"
        let url = "https://good.example"
        #expect(try lent(world, url) == "username=anna\npassword=pw-anna")
        #expect(try lent(world, "https://blog.example") == nil)
        // What a person types for this very call holds for every origin.
        #expect(try lent(world, url, options: ["-P", "blog"]) == nil)
        world.variables["AUTHCTL_PROFILE"] = "nope"
        #expect(throws: LoginFault.self) { try lent(world, url) }
    }

    @Test func `what is wrong before docker's request is read is said where docker reads it`() throws {
        let run = try TestWorld(config: "nonsense").run("docker-credential", "get")
        #expect(run.code == 2 && run.talk.isEmpty && run.output.contains("config.toml"), "\(run)")
        let git = try TestWorld(config: "nonsense").run("git-credential", "get")
        #expect(git.code == 2 && git.output.isEmpty && git.talk.contains("config.toml"))
    }

    /// Nobody can tell which origin it is for, so "nothing found" may be untrue.
    @Test(arguments: [
        ("url = \"https://blog.example\"\nverify = {", "line 2"), ("url = 1\n", "url"),
        ("url = \"blog.example\"\nverify = { get = \"/\" }\n", "url"),
    ])
    func `a profile that cannot be read is an error for git, docker and request where no other is found`(
        text: String, words: String
    ) throws {
        let world = try TestWorld(config: Self.basic("good", "https://good.example"))
        try world.home.write(text, to: "config/authctl/profiles/broken.toml")
        logIn(world, "good")
        #expect(try lent(world, "https://good.example") != nil)
        let request = world.run("request", "https://blog.example/me")
        #expect(request.code == 2 && request.talk.contains("broken.toml"), "\(request)")
        do {
            Issue.record("lent \(try lent(world, "https://blog.example") ?? "nothing")")
        } catch let fault as LoginFault {
            let message = fault.message().what
            #expect(
                fault.exitCode == .usage && message.contains("broken.toml") && message.contains(words), "\(message)")
        }
    }

    private func chat() throws -> TestWorld {
        let world = try TestWorld(config: Examples.config)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let token = "{\"access_token\":\"old\",\"refresh_token\":\"ref\",\"expires_in_ms\":100000}"
        let run = world.run(
            "login", "chat", "--force",
            server: [.answer(401), .answer(200, token), .answer(200, "{\"user_id\":\"@anna\"}")])
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        return world
    }

    @Test func `a token past its end is refreshed, and the answer tells the new end`() throws {
        let world = try chat()
        let bearer = "capability[]=authtype\nauthtype=Bearer\ncredential="
        #expect(try lent(world, "https://chat.example") == bearer + "old\npassword_expiry_utc=1000100")
        #expect(world.requests.isEmpty)
        world.now += 100
        let refreshed = "{\"access_token\":\"new\",\"refresh_token\":\"ref2\",\"expires_in_ms\":50000}"
        let answers = [HTTPResponse.answer(200, refreshed), .answer(200, "{\"user_id\":\"@anna\"}")]
        #expect(
            try lent(world, "https://chat.example", server: answers) == bearer + "new\npassword_expiry_utc=1000150")
        #expect(try lent(world, "https://chat.example") == bearer + "new\npassword_expiry_utc=1000150")
    }

    @Test func `a token past its end that cannot be refreshed is not lent, and nobody is asked`() throws {
        let world = try chat()
        world.now += 100
        #expect(throws: LoginFault.self) { try lent(world, "https://chat.example", server: [.answer(503)]) }
        #expect(try lent(world, "https://chat.example", server: [.answer(401, #"{"error": "invalid_grant"}"#)]) == nil)
        #expect(try lent(world, "https://chat.example") == nil)
        #expect(world.requests.isEmpty)
    }

    @Test func `a pair made of a token tells its end, and is not lent after it`() throws {
        let world = try TestWorld(config: Examples.index)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let noauth = HTTPResponse.answer(200, "{\"result\":{\"authstatus\":[\"noauth\",\"\"]}}")
        let run = world.run(
            "login", "index",
            server: [
                noauth, .answer(200, "{\"result\":{\"password\":\"t0k\",\"expiration\":30}}"),
                .answer(200, "{\"result\":{\"authstatus\":[\"ok\",\"anna\"]}}"),
            ])
        #expect(run.code == 0, "\(run.talk)")
        let answer = "username=anna\npassword=t0k\npassword_expiry_utc=1000030"
        #expect(try lent(world, "https://index.example") == answer)
        world.now += 30
        #expect(try lent(world, "https://index.example") == nil)
    }

    @Test func `cookies and pasted tokens in headers of their own are not lent`() throws {
        let world = try TestWorld(config: Examples.forge)
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        #expect(world.run("login", "forge", server: [.answer(401), .answer(200, "{\"username\":\"a\"}")]).code == 0)
        #expect(try lent(world, "https://forge.example") == nil)
    }

    @Test(arguments: ["forgejo", "gitea", "github", "gitlab"])
    func `the preset of a forge lends a pasted token as a password, and by the user name that git got`(
        preset: String
    ) throws {
        let world = try TestWorld(), url = "https://forge.example"
        #expect(world.run("profile", "add", "--preset", preset, "--url", url).code == 0)
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        let name = HTTPResponse.answer(200, "{\"login\":\"ann\",\"username\":\"ann\"}")
        let run = world.run("login", preset, server: [.answer(401), name])
        #expect(run.code == 0 && run.talk.contains(" as ann."), "\(run.talk)")
        let sent = preset == "github" ? "x-access-token" : "oauth2"
        #expect(world.requests.last?.contains("basic \(sent):tok") == true, "\(world.requests)")
        for username in [nil, "ann", sent] {
            #expect(try lent(world, url, username: username) == "username=\(sent)\npassword=tok", "\(username ?? "-")")
        }
        #expect(try lent(world, url, username: "bob") == nil)
    }

    /// Seconds of this thread, whatever else the machine does.
    private func timeOfListing(_ count: Int) throws -> Double {
        let world = try TestWorld(
            config: (0..<count).map { Self.basic("p\($0)", "https://h\($0).example") }.joined())
        return try world.withWorld { world in
            let invocation = try Invocation(world, try GlobalOptions.parse([]))
            try invocation.context.registry.update { document in
                for number in 0..<count {
                    let origin = Origin(scheme: "https", host: "h\(number).example", port: 443)
                    document.updateProfile("p\(number)", url: "https://h\(number).example", origin: origin) {
                        $0.accounts.append(
                            AccountRecord(
                                username: "anna", serverName: nil, origin: origin, store: .plaintext, kind: .basic,
                                expires: nil, savedAt: 0))
                        $0.activeUsername = "anna"
                    }
                }
            }
            let (names, seconds) = try withProcessorTime { try DockerHelper(invocation: invocation).list() }
            #expect(names.count == count && names["https://h0.example"] == "anna")
            return seconds
        }
    }

    @Test func `four times the logins are listed in four times the time`() throws {
        // The least of three: another process may take the processor's caches away in the middle of one.
        let few = try (1...3).map { _ in try timeOfListing(100) }.min() ?? 0
        let many = try (1...3).map { _ in try timeOfListing(400) }.min() ?? .infinity
        #expect(many < 10 * few, "100 in \(few) s, 400 in \(many) s")
    }

    @Test func `what the service still accepts stays; what it refuses is not lent again`() throws {
        let world = try TestWorld(config: Self.basic("good", "https://good.example"))
        logIn(world, "good")
        func holds(_ answer: HTTPResponse) throws -> Bool? {
            try world.withWorld(server: [answer]) { world in
                let invocation = try Invocation(world, try GlobalOptions.parse([]))
                let origin = Origin(scheme: "https", host: "good.example", port: 443)
                return try invocation.helperLogin(at: origin, username: nil)?.holds()
            }
        }
        #expect(try holds(.answer(200, "{\"name\":\"anna\"}")) == true)
        #expect(throws: LoginFault.self) { try holds(.answer(403)) }
        #expect(throws: LoginFault.self) { try holds(.answer(500)) }
        #expect(try lent(world, "https://good.example") != nil)
        #expect(try holds(challenge) == false)
        #expect(try lent(world, "https://good.example") == nil)
        #expect(world.requests.isEmpty)
    }

    @Test func `a faulty profile of just that origin is 2, and one of another origin says nothing`() throws {
        let faulty = "[profiles.bad]\nurl = \"https://bad.example/base\"\nverfy = { get = \"/me\" }\n"
        let world = try TestWorld(config: Self.basic("good", "https://good.example") + faulty)
        logIn(world, "good")
        #expect(try lent(world, "https://good.example") == "username=anna\npassword=pw-anna")
        #expect(try lent(world, "https://other.example") == nil)
        let found = #expect(throws: LoginFault.self) { try lent(world, "https://bad.example/a.git") }
        guard case .usage(.badConfig(let file, let path, _, _))? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(file.hasSuffix("config.toml") && path?.contains("verfy") == true)
    }

    @Test func `docker is told of a profile for the same host over plain http`() throws {
        let world = try TestWorld(config: Self.basic("reg", "http://reg.example:5000"))
        try world.withWorld { world in
            let helper = DockerHelper(invocation: try Invocation(world, try GlobalOptions.parse([])))
            let words = try helper.plainProfile(DockerServer(Secret("reg.example:5000")))
            #expect(words?.contains("http://reg.example:5000") == true && words?.contains("\"reg\"") == true)
            for other in ["reg.example", "https://reg.example:5000", "other.example:5000", "", "a b"] {
                #expect(try helper.plainProfile(DockerServer(Secret(other))) == nil)
            }
        }
    }
}
