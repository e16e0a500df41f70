import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `authctl login URL`: a verify endpoint without a profile.
struct LoginURLTests {
    private static let url = "https://api.example/me"
    private let origin = Origin(scheme: "https", host: "api.example", port: 443)
    private let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])

    private func world() throws -> TestWorld {
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        return world
    }

    private func redirect(_ target: String, to origin: Origin? = nil) -> HTTPResponse {
        let origin = origin ?? self.origin
        return .answer(302, redirect: Redirect(url: "\(origin)\(target)", origin: origin, target: target))
    }

    // Without the URL, what is advised would send the service's password to the default profile.
    @Test(arguments: [
        (["login", url], "authctl login \(url)"), (["login", url, "-u", "ann"], "authctl login \(url) -u ann"),
        (["login", url, "--name", "box"], "authctl login \(url) --name box"),
        (["discover", url], "authctl discover \(url)"),
        (["discover", "--save", url, "--name", "box"], "authctl discover \(url) --name box --save"),
    ]) func `what is advised about a certificate that is not trusted names the URL`(words: [String], command: String)
        throws
    {
        let trust = ServerTrust(
            origin: origin, reasons: [.selfSigned], subject: "CN = api", issuer: "CN = api", notBefore: 0,
            notAfter: .max, fingerprint: try #require(Fingerprint(bytes: Array(repeating: 7, count: 32))), key: "k")
        let run = try TestWorld().run(words, server: [.failure(.untrusted(.certificate(trust)))])
        #expect(run.code == 7 && run.talk.contains("\(command) --trust-fingerprint sha256:0707"), "\(run.talk)")
        #expect(run.talk.contains("\(command) --ca-file FILE"), "\(run.talk)")
    }

    @Test func `who asks for another login is not told that there is none`() throws {
        let world = try world()
        #expect(world.run("login", Self.url, server: [anonymous, anonymous, .answer(200)]).code == 0)
        world.person = ScriptedPerson()
        let run = world.run("login", "api.example", "--force", "--no-prompt", server: [anonymous])
        #expect(run.code == 4 && run.talk.contains("a new login needs what is missing"), "\(run.talk)")
        #expect(!run.talk.contains("not logged in") && run.talk.contains("missing: password"), "\(run.talk)")
    }

    @Test func `a login that works is remembered as a profile, with the method pinned`() throws {
        let world = try world()
        let run = world.run("login", Self.url, server: [anonymous, anonymous, .answer(200)])
        #expect(run.code == 0 && run.output.isEmpty)
        #expect(run.talk.contains("\nLogged in to api.example (https://api.example) as anna.\n"))
        let next = "\nSaved as the profile api.example. Next: authctl request \(Self.url)"
        #expect(run.talk.hasSuffix("\(next)\n"), "\(run.talk)")
        #expect(world.requests == ["GET \(Self.url)", "GET \(Self.url)", "GET \(Self.url)\nbasic anna:pw"])
        let file = try world.home.read("config/authctl/profiles/api.example.toml")
        #expect(file.contains("method = 'basic'") || file.contains("method = \"basic\""))
        #expect(world.run("whoami", server: [.answer(200)]).output == "anna\n")
        #expect(world.requests == ["GET \(Self.url)\nbasic anna:pw"])
    }

    @Test(arguments: [400, 404, 406, 407, 410, 418, 422, 451])
    func `A status that only a password gets proves no login, and the message says how a profile names it`(
        status: Int
    ) throws {
        let run = try world().run("login", Self.url, server: [anonymous, anonymous, .answer(status)])
        #expect(run.code == 2 && run.talk.contains("logged-in = [\(status)]"), "\(run.talk)")
    }

    @Test func `A URL that takes no GET proves a password by a safe method, asked without it first`() throws {
        let world = try world()
        let refused = HTTPResponse.answer(405, headers: ["Allow: POST, PROPFIND"])
        let run = world.run("login", Self.url, server: [anonymous, anonymous, refused, anonymous, .answer(207)])
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            world.requests.suffix(2) == [
                "PROPFIND \(Self.url)\nDepth: 0", "PROPFIND \(Self.url)\nbasic anna:pw\nDepth: 0",
            ])
        #expect(world.run("whoami", server: [.answer(207)]).output == "anna\n")
        // Another server's 401 has not judged the password of this one.
        let gate = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"gate\""])
        for (answers, code) in [
            ([anonymous, .answer(405), anonymous, .answer(405), anonymous, .answer(405)], Int32(2)),
            ([.answer(200), .answer(200), .answer(200)], 2), ([anonymous, anonymous], 3), ([gate, gate], 2),
            ([.answer(401), .answer(401)], 2),
        ] as [([HTTPResponse], Int32)] {
            let run = try self.world().run(
                "login", Self.url, "--max-attempts", "1", server: [anonymous, anonymous, .answer(405)] + answers)
            #expect(run.code == code, "\(run.talk)")
        }
    }

    /// An MCP server that takes one token, and answers a GET with it by this status.
    private static func mcpServer(get status: Int, isClosedToGET: Bool = true) -> ScriptedTransport {
        ScriptedTransport { request in
            guard request.url == "https://api.example/mcp" else { return .answer(404) }
            let token = request.headers.first { $0.hasName("Authorization") }?.value.unprotectedText
            if request.method == "GET", token == "Bearer tok-1" || !isClosedToGET { return .answer(status) }
            if token != "Bearer tok-1" { return .answer(401, headers: ["WWW-Authenticate: Bearer"]) }
            return .answer(200, headers: ["Content-Type: text/event-stream"])
        }
    }

    @Test(arguments: [400, 405, 406], [true, false])
    func `A given token proves itself by initialize at an MCP endpoint`(status: Int, isClosedToGET: Bool) throws {
        let world = try TestWorld(), url = "https://api.example/mcp"
        func server() -> ScriptedTransport { Self.mcpServer(get: status, isClosedToGET: isClosedToGET) }
        let run = world.run(["login", url, "--password-command", "echo tok-1"], at: server())
        #expect(run.code == 0, "\(run.talk) \(world.requests)")
        let file = try world.home.read("config/authctl/profiles/api.example.toml")
        #expect(file.contains("/mcp\"") && file.contains("token") && !file.contains("verify"), "\(file)")
        #expect(world.run(["whoami"], at: server()).code == 0)
        #expect(world.requests.last?.hasPrefix("POST \(url)\n") == true, "\(world.requests)")
        let wrong = try TestWorld().run(["login", url, "--password-command", "echo tok-2"], at: server())
        #expect(wrong.code == 3, "\(wrong.talk)")
    }

    /// As the older libraries of MCP, which serve `/mcp/`.
    @Test func `A given token proves itself where the URL of an MCP endpoint leads`() throws {
        let world = try TestWorld(), api = Origin(scheme: "https", host: "api.example", port: 443)
        let server = ScriptedTransport { [self] request in
            guard request.url.hasSuffix("/mcp") || request.url.hasSuffix("/mcp/") else { return .answer(404) }
            if !request.headers.contains(where: { $0.hasName("Authorization") }) {
                return .answer(401, headers: ["WWW-Authenticate: Bearer"])
            }
            if request.url.hasSuffix("/mcp") { return redirect("/mcp/", to: api) }
            return .answer(request.method == "GET" ? 406 : 200, headers: ["Content-Type: text/event-stream"])
        }
        let run = world.run(["login", "https://api.example/mcp", "--password-command", "echo tok-1"], at: server)
        #expect(run.code == 0, "\(run.talk) \(world.requests)")
        #expect(try world.home.read("config/authctl/profiles/api.example.toml").contains("\"/mcp/\""))
    }

    /// The ways in which a script gives a token.
    enum Given: CaseIterable { case command, file, variable, fileVariable, methodAndVariable }

    /// A service that takes one token, and names no authorization server.
    private static func bearer(_ challenge: [String] = ["WWW-Authenticate: Bearer"]) -> ScriptedTransport {
        ScriptedTransport { request in
            guard request.url == url else { return .answer(404) }
            let token = request.headers.first { $0.hasName("Authorization") }?.value.unprotectedText
            return token == "Bearer tok-1" ? .answer(200, "{\"login\":\"ann\"}") : .answer(401, headers: challenge)
        }
    }

    @Test(arguments: Given.allCases)
    func `A token that is given in any way goes to a URL whose service names no authorization server`(
        given: Given
    ) throws {
        for (token, code) in [("tok-1", Int32(0)), ("tok-2", 3)] {
            let world = try TestWorld()
            var options: [String] = []
            try world.home.write(token + "\n", to: "token")
            chmod(world.home.path + "/token", 0o600)
            switch given {
            case .command: options = ["--password-command", "echo \(token)"]
            case .file: options = ["--password-file", world.home.path + "/token"]
            case .variable: world.password = Secret(token)
            case .fileVariable: world.variables["AUTHCTL_PASSWORD_FILE"] = world.home.path + "/token"
            case .methodAndVariable:
                (world.password, world.variables["AUTHCTL_METHOD"]) = (Secret(token), "token")
            }
            let run = world.run(["login", Self.url] + options, at: Self.bearer())
            #expect(run.code == code, "\(run.talk) \(world.requests)")
            #expect(world.requests.last?.contains("Authorization: Bearer \(token)") == true, "\(world.requests)")
            guard code == 0 else { continue }
            #expect(world.run(["whoami"], at: Self.bearer()).code == 0)
        }
    }

    @Test func `where nobody can be asked, a URL that wants a token says how to give one`() throws {
        let run = try TestWorld().run(["login", Self.url], at: Self.bearer())
        #expect(run.code == 4 && run.talk.contains("missing: token (--password-stdin"), "\(run.talk)")
        #expect(!run.talk.contains("--device"), "\(run.talk)")
    }

    @Test(arguments: [["WWW-Authenticate: Bearer"], []])
    func `--method token pastes one, also where the service answers without a challenge`(challenge: [String]) throws {
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok-1")])
        let run = world.run(["login", Self.url, "--method", "token"], at: Self.bearer(challenge))
        #expect(run.code == 0, "\(run.talk) \(world.requests)")
        let silent = try TestWorld().run(["login", Self.url, "--method", "token"], at: Self.bearer(challenge))
        #expect(silent.code == 4 && silent.talk.contains("missing: token (--password-stdin"), "\(silent.talk)")
    }

    @Test func `A given token is not sent where an authorization server issues them`() throws {
        let challenge = HTTPResponse.answer(
            401, headers: ["WWW-Authenticate: Bearer resource_metadata=\"https://api.example/r\""])
        let resource = #"{"resource":"https://api.example/mcp","authorization_servers":["https://api.example"]}"#
        let metadata =
            #"{"issuer":"https://api.example","authorization_endpoint":"https://api.example/a","token_endpoint":"https://api.example/t","registration_endpoint":"https://api.example/reg"}"#
        let server = ScriptedTransport { request in
            if request.url.hasSuffix("/mcp") { return challenge }
            return .answer(200, request.url.hasSuffix("/r") ? resource : metadata)
        }
        let world = try TestWorld()
        let run = world.run(["login", "https://api.example/mcp", "--password-command", "echo tok-1"], at: server)
        #expect(run.code == 2 && run.talk.contains("method oauth does not use a password"), "\(run.talk)")
        #expect(!world.requests.contains { $0.contains("tok-1") })
    }

    @Test func `A page to which a password alone leads proves it only if that is closed to anybody else`() throws {
        let origin = Origin(scheme: "https", host: "api.example", port: 443)
        func sent(to target: String) -> HTTPResponse {
            .answer(302, redirect: Redirect(url: "\(origin)\(target)", origin: origin, target: target))
        }
        let world = try world(), home = sent(to: "/app/explorer.html")
        let run = world.run("login", Self.url, server: [anonymous, anonymous, home, anonymous, .answer(200)])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.run("whoami", server: [.answer(200)]).output == "anna\n")
        #expect(world.requests.last == "GET https://api.example/app/explorer.html\nbasic anna:pw")
        for after in [[HTTPResponse.answer(200)], [anonymous, sent(to: "/denied")], [anonymous, .answer(404)]] {
            let run = try self.world().run(
                "login", Self.url, server: [anonymous, anonymous, sent(to: "/denied")] + after)
            #expect(run.code == 2 && run.talk.contains("/denied"), "\(run.talk)")
        }
    }

    @Test func `a user agent of the profile goes with every request`() throws {
        let world = try TestWorld(
            config:
                "[profiles.a]\nurl = \"https://a.example\"\nuser-agent = \"Old Browser\"\nverify = { get = \"/\" }\n")
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        #expect(world.run("login", "a", server: [anonymous, .answer(200)]).code == 0)
        #expect(world.settings.last?.userAgent == "Old Browser")
    }

    @Test func `a made profile that cannot be read stops no other login`() throws {
        let world = try world()
        try world.home.write("url = 7", to: "config/authctl/profiles/broken.toml")
        #expect(world.run("login", Self.url, server: [anonymous, anonymous, .answer(200)]).code == 0)
        #expect(world.run("whoami", "broken").code == 2)
    }

    @Test func `variables hold for the login and are not written down, options are, a proxy's password never`() throws {
        let world = try world()
        world.variables["AUTHCTL_PROXY"] = "http://proxy.example:1"
        world.variables["AUTHCTL_CA_FILE"] = "/etc/hostname"
        let answers = [anonymous, anonymous, HTTPResponse.answer(200)]
        #expect(world.run("login", Self.url, server: answers).code == 0)
        #expect(world.settings.last?.proxy == .url("http://proxy.example:1", from: .variable("AUTHCTL_PROXY")))
        #expect(world.settings.last?.caFile == "/etc/hostname")
        let file = try world.home.read("config/authctl/profiles/api.example.toml")
        #expect(!file.contains("proxy") && !file.contains("ca-file"), "\(file)")
        for (proxy, isWritten) in [("http://p.example:1", true), ("http://u:pw77@p.example:1", false)] {
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
            let name = isWritten ? "plain" : "secret"
            let run = world.run(
                "login", "https://\(name).example/me", "--proxy", proxy, "--name", name, server: answers)
            #expect(run.code == 0 && !run.talk.contains("pw77"))
            #expect(try world.home.read("config/authctl/profiles/\(name).toml").contains("proxy") == isWritten)
        }
    }

    @Test func `the folder of made profiles may be read by others, not written`() throws {
        let world = try world()
        try world.home.write("", to: "config/authctl/profiles/.keep")
        let folder = world.home.path + "/config/authctl/profiles"
        chmod(folder, 0o755)
        #expect(world.run("login", Self.url, server: [anonymous, anonymous, .answer(200)]).code == 0)
        chmod(folder, 0o777)
        #expect(world.run("whoami").code == 2)
    }

    @Test func `a password from the environment is for the profile that AUTHCTL_VERIFY_URL made`() throws {
        let world = try world()
        #expect(world.run("login", Self.url, server: [anonymous, anonymous, .answer(200)]).code == 0)
        #expect(world.run("logout").code == 0)
        world.password = Secret("variable")
        world.variables["AUTHCTL_USERNAME"] = "vera"
        world.variables["AUTHCTL_VERIFY_URL"] = Self.url
        #expect(world.run("whoami", server: [anonymous, .answer(200)]).output == "vera\n")
        world.variables["AUTHCTL_VERIFY_URL"] = "https://api.example/you"
        #expect(world.run("whoami").code == 4)
    }

    @Test func `the same URL is the same profile, another one there gets -2`() throws {
        let world = try world()
        _ = world.run("login", Self.url, server: [anonymous, anonymous, .answer(200)])
        #expect(
            world.run("login", Self.url, server: [.answer(200)]).talk.hasPrefix("Already logged in to api.example "))
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let other = world.run("login", "https://api.example/you", server: [anonymous, anonymous, .answer(200)])
        #expect(other.talk.contains("\nLogged in to api.example-2 "))
        #expect(other.talk.hasSuffix(" -P api.example-2\n"), "\(other.talk)")
    }

    @Test func `a URL below the base path of an added profile is that profile`() throws {
        let world = try world()
        let profile = """
            url = "https://api.example/base"
            method = "basic"
            verify = { get = "/me" }
            """
        try world.home.write(profile, to: "config/authctl/profiles/added.toml")
        let run = world.run("login", "https://api.example/base/me", server: [anonymous, .answer(200)])
        #expect(run.code == 0 && run.talk.contains("Logged in to added (https://api.example) as anna."), "\(run.talk)")
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let other = world.run("login", Self.url, server: [anonymous, anonymous, .answer(200)])
        #expect(other.code == 0 && other.talk.contains("Logged in to api.example "), "\(other.talk)")
    }

    @Test func `a password in the URL is used, with a warning; an option goes before it, and it before a variable`()
        throws
    {
        let world = try world()
        world.password = Secret("variable")
        let url = "https://anna:urlpw@api.example/me"
        let answers = [anonymous, anonymous, HTTPResponse.answer(200)]
        let byURL = world.run("login", url, server: answers)
        #expect(byURL.code == 0 && world.requests.last?.hasSuffix("basic anna:urlpw") == true)
        #expect(byURL.talk.contains("can read a password in a URL") && !byURL.talk.contains("urlpw"))
        let file = try world.home.write("filepw\n", to: "pw")
        let byOption = world.run("login", url, "--password-file", file, "--force", server: Array(answers.dropFirst()))
        #expect(byOption.code == 0 && world.requests.last?.hasSuffix("basic anna:filepw") == true)
    }

    @Test func `a password in AUTHCTL_VERIFY_URL is nobody else's to read`() throws {
        let world = try world()
        world.variables["AUTHCTL_VERIFY_URL"] = "https://anna:urlpw@api.example/me"
        let run = world.run("login", server: [anonymous, anonymous, .answer(200)])
        #expect(run.code == 0 && !run.talk.contains("warning: other users of this machine"))
    }

    @Test(arguments: ["a%0ab:canary", "anna:canary%0d", "anna:canary%7f", "a%ff:canary", "anna:canary%ff"])
    func `a user name or password in the URL that cannot be sent is 2 before any connection`(pair: String) throws {
        let world = try world()
        let run = world.run("login", "https://\(pair)@api.example/me")
        #expect(run.code == 2 && world.requests.isEmpty && !run.talk.contains("canary"))
    }

    @Test(arguments: [
        ["login", "a:canary@127.0.0.1"], ["login", "https:/a:canary@h"], ["login", "http//a:canary@h"],
        ["whoami", "https://a:canary@h/"], ["login", "wire", "--password-stdin=canary"], ["login", "wire", "canary"],
        ["login", "wire", "a", "canary"], ["whoami", "wire", "can'ary"],
        ["profile", "show", "a:canary@h"],
    ])
    func `no message repeats what may be a password`(words: [String]) throws {
        for more in [[], ["--json"]] {
            let run = try TestWorld(config: Examples.wire).run(words + more, server: [])
            #expect(run.code == 2)
            #expect(!(run.talk + run.output).contains("canary") && !run.talk.contains("can'ary"), "\(run)")
        }
    }

    @Test func `redirects are followed on the origin, before anything secret is sent`() throws {
        let world = try world()
        let answers = [redirect("/v2/me"), anonymous, anonymous, .answer(200)]
        #expect(world.run("login", Self.url, server: answers).code == 0)
        #expect(world.requests.last == "GET https://api.example/v2/me\nbasic anna:pw")
    }

    @Test func `a redirect to another origin is not followed`() throws {
        let world = try world()
        let elsewhere = Origin(scheme: "https", host: "evil.example", port: 443)
        let run = world.run("login", Self.url, server: [redirect("/me", to: elsewhere)])
        #expect(run.code == 7 && run.talk.contains("https://evil.example"))
        #expect(world.requests.count == 1 && world.person.prompt.challenges.isEmpty)
    }

    @Test func `redirects without end are given up`() throws {
        let world = try world()
        let circle = Array(repeating: [redirect("/me"), redirect("/v2/me")], count: 9).flatMap(\.self)
        #expect(world.run("login", Self.url, server: circle).code == 6)
    }

    @Test func `five redirects are followed, and not a sixth`() throws {
        let five = try world()
        let answers = (1...5).map { redirect("/\($0)") } + [anonymous, anonymous, .answer(200)]
        #expect(five.run("login", Self.url, server: answers).code == 0)
        #expect(five.requests.last?.hasPrefix("GET https://api.example/5\n") == true)
        let six = try world()
        #expect(six.run("login", Self.url, server: (1...6).map { redirect("/\($0)") }).code == 6)
        #expect(six.requests.count == 6)
    }

    @Test(arguments: ["\\\\evil.example", "/\\evil.example", "#frag"])
    func `a redirect that programs read in different ways is not followed`(location: String) throws {
        let world = try world()
        let unclear = Redirect(url: "", origin: nil, target: location)
        let run = world.run("login", Self.url, server: [.answer(302, redirect: unclear)])
        #expect(run.code == 7 && world.requests.count == 1, "\(run.talk)")
    }

    @Test func `an endpoint that is open proves nothing: 2, nobody asked, nothing kept`() throws {
        let world = try world()
        let run = world.run("login", Self.url, server: [.answer(200), .answer(200)])
        #expect(
            run.code == 2 && run.talk.contains("a profile by hand, such as one with method = \"browser\""),
            "\(run.talk)")
        #expect(world.person.prompt.challenges.isEmpty)
        #expect(world.made.isEmpty)
    }

    @Test(arguments: [[], ["--password-command", "echo pw"], ["-u", "anna", "--password-command", "echo pw"]])
    func `a challenge that no password answers is said before a name is missing`(options: [String]) throws {
        let world = try TestWorld()
        let hawk = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Hawk"])
        let run = world.run(["login", Self.url] + options, server: Array(repeating: .success(hawk), count: 20))
        #expect(run.code == 7, "\(run.talk)")
        #expect(run.talk.contains("the server wants hawk, and the URL alone does not say how that login works"))
        #expect(run.talk.contains("authctl discover \(Self.url)") && !run.talk.contains("profile accepts"))
    }

    @Test func `a challenge for a token is a profile by the URL, too, and the pasted token goes out under its scheme`()
        throws
    {
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.pastes("t0k")], confirms: true)
        let token = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Token"])
        let run = world.run("login", Self.url, server: [token, token, .answer(200)])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.last?.contains("Authorization: Token t0k") == true, "\(world.requests)")
        #expect(try world.home.read("config/authctl/profiles/api.example.toml").contains("Token {token}"))
    }

    @Test(arguments: [(405, "takes no GET (status 405)"), (400, "answers a GET with status 400")])
    func `a URL that is no place to prove a login at is not a profile's fault`(status: Int, words: String) throws {
        let world = try world()
        let run = world.run(["login", Self.url], server: Array(repeating: .success(.answer(status)), count: 20))
        #expect(run.code == 1 && run.talk.contains(words), "\(run.talk)")
        #expect(run.talk.contains("authctl discover https://api.example/)") && !run.talk.contains("in the profile"))
        #expect(world.person.prompt.challenges.isEmpty)
    }

    @Test func `a refusal leaves no profile behind`() throws {
        let world = try world()
        let run = world.run("login", Self.url, "--max-attempts", "1", server: [anonymous, anonymous, anonymous])
        #expect(run.code == 3)
        #expect(world.made.isEmpty)
    }

    @Test(arguments: [("api.example", "https"), ("localhost", "http"), ("api.example:8443/me", "https")])
    func `a host without a scheme is 2, and the URL is proposed`(host: String, scheme: String) throws {
        let run = try world().run("login", host)
        #expect(run.code == 2 && run.talk.contains("\(scheme)://\(host)"))
    }

    @Test func `a password in a URL is used, and never shown or kept in the profile`() throws {
        let world = try world()
        let run = world.run(
            "login", "https://anna:canary@api.example/me", server: [anonymous, anonymous, .answer(200)])
        #expect(run.code == 0 && !run.talk.contains("canary"))
        #expect(world.requests.last == "GET \(Self.url)\nbasic anna:canary")
        #expect(!(try world.home.read("config/authctl/profiles/api.example.toml").contains("canary")))
        #expect(!(try world.home.read("state/authctl/state.json").contains("canary")))
    }

    @Test func `--name chooses the name, and does not take one that is there`() throws {
        let world = try world()
        #expect(world.run("login", Self.url, "--name", "mine", server: [anonymous, anonymous, .answer(200)]).code == 0)
        #expect(world.home.files.contains("config/authctl/profiles/mine.toml"))
        #expect(world.run("login", "https://b.example/", "--name", "mine").code == 2)
        #expect(world.run("login", "https://b.example/", "--name", "../x").code == 2)
        let renamed = world.run("login", Self.url, "--name", "other")
        #expect(renamed.code == 2, "\(renamed.talk)")
        let way = "use that name, or remove it first: authctl logout mine --all && authctl profile remove mine"
        #expect(renamed.talk.contains(way), "\(renamed.talk)")
        #expect(world.run("logout", "mine", "--all").code == 0 && world.run("profile", "remove", "mine").code == 0)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        #expect(
            world.run("login", Self.url, "--name", "other", server: [anonymous, anonymous, .answer(200)]).code == 0)
    }

    @Test func `AUTHCTL_VERIFY_URL stands for the argument`() throws {
        let world = try world()
        world.variables["AUTHCTL_VERIFY_URL"] = Self.url
        #expect(world.run("login", server: [anonymous, anonymous, .answer(200)]).code == 0)
    }

    @Test func `AUTHCTL_PASSWORD goes to the URL that the environment names, and to no other`() throws {
        let world = try world()
        world.person = ScriptedPerson()
        world.variables["AUTHCTL_VERIFY_URL"] = Self.url
        world.variables["AUTHCTL_USERNAME"] = "anna"
        world.password = Secret("canary")
        let other = world.run("login", "https://other.example/", server: [anonymous, anonymous, .answer(200)])
        #expect(other.code == 4 && !world.requests.joined().contains("canary"))
        #expect(world.run("login", server: [anonymous, anonymous, .answer(200)]).code == 0)
        #expect(world.requests.last == "GET \(Self.url)\nbasic anna:canary")
    }
}

extension TestWorld {
    /// The profiles and the accounts that were written down.
    fileprivate var made: [String] { home.files.filter { $0.contains("profiles/") || $0.hasSuffix("state.json") } }
}
