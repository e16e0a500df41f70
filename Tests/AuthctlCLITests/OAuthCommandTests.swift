import ArgumentParser
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Logins in which a person consents at an authorization server, from the login to the logout.
struct OAuthCommandTests {
    private static let config = """
        [profiles.notes]
        url    = "https://notes.example/api"
        method = "oauth"
        oauth  = { issuer = "https://id.example", client-id = "authctl", scope = "openid notes:read" }
        verify = { get = "/me", username = "/name" }
        """

    private static let metadata = """
        {"issuer":"https://id.example","authorization_endpoint":"https://id.example/authorize",
         "token_endpoint":"https://id.example/token","revocation_endpoint":"https://id.example/revoke",
         "device_authorization_endpoint":"https://id.example/device"}
        """

    /// The same of a server that registers clients, and the one that it registers.
    private static let registering = metadata.replacing(
        "{\"issuer\"", with: "{\"registration_endpoint\":\"https://id.example/reg\",\"issuer\"")

    private static let client = """
        {"client_id":"r1","token_endpoint_auth_method":"none","registration_client_uri":"https://id.example/reg/r1",
         "registration_access_token":"rat"}
        """

    private static func tokens(_ value: String, refresh: String? = nil, more: String = "") -> HTTPResponse {
        let refresh = refresh.map { ",\"refresh_token\":\"\($0)\"" } ?? ""
        return .answer(
            200, "{\"access_token\":\"\(value)\",\"token_type\":\"Bearer\",\"expires_in\":600\(refresh)\(more)}")
    }

    private static let ann = HTTPResponse.answer(200, "{\"name\":\"ann\"}")

    private func loggedIn(_ config: String = config) throws -> TestWorld {
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([])
        let run = world.run(
            "login", "notes",
            server: [.answer(401), .answer(200, Self.metadata), Self.tokens("at1", refresh: "rt1"), Self.ann])
        #expect(run.code == 0, "\(run.talk)")
        return world
    }

    @Test func `a login sends code and verifier once, and keeps what came`() throws {
        let world = try loggedIn()
        #expect(world.requests.count == 4)
        #expect(world.requests[1].hasPrefix("GET https://id.example/.well-known/oauth-authorization-server"))
        let exchange = world.requests[2]
        #expect(exchange.contains("POST https://id.example/token"))
        #expect(
            exchange.contains("grant_type=authorization_code&code=c0de&redirect_uri=http%3A%2F%2F127.0.0.1%3A41873"))
        #expect(exchange.contains("&code_verifier=") && exchange.contains("&client_id=authctl"))
        #expect(world.requests[3].contains("Authorization: Bearer at1"))
        #expect(world.consent.hasEnded)
        let visit = try #require(world.consent.visits.first)
        #expect(visit.starts && visit.server.name == "https://id.example" && visit.server.scope == "openid notes:read")
        #expect(world.run("whoami", "notes", server: [Self.ann]).output == "ann\n")
        #expect(world.run("token", "notes").output == "at1\n")
        #expect(world.run("status", "notes", server: [Self.ann]).output.contains("renews"))
        #expect(world.run("login", "notes", server: [Self.ann]).talk.hasPrefix("Already logged in"))
        #expect(world.consent.visits.count == 1)
    }

    @Test func `what has expired is refreshed at the token endpoint of the login, with rotation`() throws {
        let world = try loggedIn()
        world.now += 601
        let token = world.run("token", "notes", server: [Self.tokens("at2", refresh: "rt2")])
        #expect(token.output == "at2\n", "\(token.talk)")
        #expect(world.requests[0].contains("POST https://id.example/token"))
        #expect(world.requests[0].contains("grant_type=refresh_token&refresh_token=rt1&client_id=authctl"))
        world.now += 601
        #expect(world.run("token", "notes", server: [Self.tokens("at3")]).output == "at3\n")
        #expect(world.requests[0].contains("refresh_token=rt2"))
        world.now += 601
        let kept = world.run("token", "notes", server: [.answer(503)])
        #expect(kept.code == 12)
        #expect(world.run("token", "notes", server: [Self.tokens("at4")]).output == "at4\n")
        #expect(world.requests[0].contains("refresh_token=rt2"))
    }

    @Test func `whoami --explain says who has granted what, and shows the refresh`() throws {
        let world = try loggedIn()
        let good = world.run("whoami", "notes", "--explain", server: [Self.ann])
        #expect(good.code == 0)
        #expect(
            good.output.contains(
                """
                a token; expires in 10 minutes; a refresh token, by which it is refreshed when it expires.
                Granted: by https://id.example, for the scope "openid notes:read".
                Asked: GET https://notes.example/api/me with Authorization: Bearer ….
                """), "\(good.output)")
        world.now += 601
        let refreshed = world.run(
            "whoami", "notes", "--explain", server: [Self.tokens("at2", refresh: "rt2"), Self.ann])
        #expect(refreshed.code == 0)
        #expect(
            refreshed.output.contains("Asked: POST https://id.example/token with Content-Type"), "\(refreshed.output)")
        for secret in ["at1", "at2", "rt1", "rt2"] { #expect(!refreshed.output.contains(secret)) }
    }

    @Test(arguments: [(400, "{\"error\":\"invalid_grant\"}"), (401, "{\"error\":\"invalid_grant\"}")])
    func `a refresh token that is refused is erased`(status: Int, body: String) throws {
        let world = try loggedIn()
        world.now += 601
        world.person = ScriptedPerson()
        #expect(world.run("token", "notes", server: [.answer(status, body)]).code == 4)
        let next = world.run("token", "notes")
        #expect(next.code == 4 && world.requests.isEmpty, "\(next.talk)")
    }

    @Test func `a client that is not known any more says nothing of the refresh token`() throws {
        let world = try loggedIn()
        world.now += 601
        world.person = ScriptedPerson()
        #expect(world.run("token", "notes", server: [.answer(401, "{\"error\":\"invalid_client\"}")]).code == 2)
        #expect(world.run("token", "notes", server: [Self.tokens("at2")]).output == "at2\n")
    }

    @Test func `a logout revokes the refresh token, then the access token`() throws {
        let world = try loggedIn()
        let run = world.run("logout", "notes", server: [.answer(200), .answer(200), .answer(401)])
        #expect(run.code == 0 && run.talk.contains("session ended at the server"), "\(run.talk)")
        #expect(world.requests.map { $0.contains("POST https://id.example/revoke") } == [true, true, false])
        #expect(world.requests[2].contains("Bearer at1"))
        #expect(world.requests[0].contains("token=rt1&token_type_hint=refresh_token"))
        #expect(world.requests[1].contains("token=at1&token_type_hint=access_token"))
        #expect(world.run("whoami", "notes").code == 4)
    }

    @Test func `a revocation of one token of two says which one lives on, and until when`() throws {
        let unsupported = HTTPResponse.answer(400, "{\"error\":\"unsupported_token_type\"}")
        let access = try loggedIn().run(
            "logout", "notes", "--json", server: [.answer(200), unsupported, Self.ann, Self.ann])
        #expect(access.code == 0 && access.output.contains("\"livesOn\" : ["), "\(access.talk) \(access.output)")
        let words = try loggedIn().run("logout", "notes", server: [.answer(200), unsupported, Self.ann, Self.ann]).talk
        #expect(
            words.contains(
                """
                the refresh token was revoked; the server still accepts the access token. The access token stays valid at \
                the server for 10 minutes.
                """), "\(words)")
        let refresh = try loggedIn().run("logout", "notes", server: [unsupported, .answer(200), .answer(401)])
        #expect(refresh.code == 15, "\(refresh.talk)")
        #expect(
            refresh.talk.contains("the access token was revoked; the server does not revoke refresh tokens."),
            "\(refresh.talk)")
    }

    @Test func `a revocation that fails is 15, and the local copy is gone`() throws {
        let world = try loggedIn()
        let run = world.run("logout", "notes", server: [.answer(500)])
        #expect(run.code == 15, "\(run.talk)")
        #expect(world.run("whoami", "notes").code == 4)
        let both = try loggedIn().run(
            "logout", "notes", server: [.answer(500), .answer(500), Self.ann, Self.ann])
        #expect(
            both.talk.contains("the server still accepts the access token; the refresh token may live on."),
            "\(both.talk)")
    }

    @Test(arguments: [404, 429, 302])
    func `a verify that gives no clear answer after a logout is not called one that could not be asked`(status: Int)
        throws
    {
        let run = try loggedIn().run("logout", "notes", server: [.answer(200), .answer(200), .answer(status)])
        #expect(run.code == 0 && run.talk.contains("verify gave no clear answer whether it did"), "\(run.talk)")
    }

    @Test func `denied in the browser is 5, and nothing is kept`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([])
        world.consent.answer = "error=access_denied"
        let run = world.run("login", "notes", server: [.answer(401), .answer(200, Self.metadata)])
        #expect(run.code == 5, "\(run.talk)")
        #expect(world.run("whoami", "notes").code == 4)
    }

    @Test func `the device flow polls until the code is approved`() throws {
        let world = try TestWorld(config: Self.config)
        let code = """
            {"device_code":"dc","user_code":"FZX5-ASHU","verification_uri":"https://id.example/device","interval":1}
            """
        let run = world.run(
            "login", "notes", "--device",
            server: [
                .answer(401), .answer(200, Self.metadata), .answer(200, code),
                .answer(400, "{\"error\":\"authorization_pending\"}"), Self.tokens("at1"), Self.ann,
            ])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.consent.codes == ["FZX5-ASHU"] && world.consent.visits.isEmpty)
        #expect(world.requests[3].contains("device_code=dc"))
    }

    @Test func `an OAuth login without a terminal is 4, and names the two ways`() throws {
        let world = try TestWorld(config: Self.config)
        let plain = world.run("login", "notes", server: [.answer(401)])
        #expect(
            plain.code == 4 && plain.talk.contains("--device") && plain.talk.contains("--no-browser"), "\(plain.talk)")
        #expect(world.run("login", "notes", "--device", "--no-prompt", server: [.answer(401)]).code == 4)
    }

    @Test(arguments: [(true, Int32(0)), (false, 5), (nil, 7)])
    func `a server on another origin is agreed to first`(agrees: Bool?, code: Int32) throws {
        let world = try TestWorld(config: Self.config.replacing("issuer = \"https://id.example\", ", with: ""))
        if agrees != nil { world.person = ScriptedPerson([]) }
        world.consent.agrees = agrees
        let resource = "{\"resource\":\"https://notes.example/api\",\"authorization_servers\":[\"https://id.example\"]}"
        let run = world.run(
            ["login", "notes"] + (agrees == nil ? ["--no-browser"] : []),
            server: [.answer(401), .answer(200, resource), .answer(200, Self.metadata), Self.tokens("at1"), Self.ann]
                .map { .success($0) })
        #expect(run.code == code, "\(run.talk)")
        #expect(world.consent.foreign.map(\.issuer.description) == (agrees == nil ? [] : ["https://id.example"]))
        // Until somebody agrees, only metadata is asked for.
        if code != 0 { #expect(world.requests.allSatisfy { $0.hasPrefix("GET ") }) }
    }

    @Test(arguments: [
        ("localhost", nil, Int32(7)), ("id.invalid", nil, 7), ("id.invalid", false, 5), ("id.invalid", true, 0),
    ])
    func
        `behind a proxy a server that another one names must not be a local one, and one that is unknown here is asked about`(
            host: String, agrees: Bool?, code: Int32
        ) throws
    {
        let world = try TestWorld(config: Self.config.replacing("issuer = \"https://id.example\", ", with: ""))
        // The proxy of the environment, or one that is named.
        if host == "localhost" { world.variables["AUTHCTL_PROXY"] = "http://proxy.example:1" }
        world.variables["https_proxy"] = "http://proxy.example:1"
        world.consent.agrees = true
        if let agrees { world.person = ScriptedPerson([], confirms: agrees) }
        let metadata = Self.metadata.replacing("https://id.example", with: "https://\(host)")
        let resource = "{\"resource\":\"https://notes.example/api\",\"authorization_servers\":[\"https://\(host)\"]}"
        let run = world.run(
            ["login", "notes"] + (agrees == nil ? ["--no-browser"] : []),
            server: [.answer(401), .answer(200, resource), .answer(200, metadata), Self.tokens("at1"), Self.ann]
                .map { .success($0) })
        #expect(run.code == code, "\(run.talk)")
        #expect(world.requests.contains { $0.contains(host) } == (code == 0))
        if host == "id.invalid", code == 7 { #expect(run.talk.contains("does not resolve here"), "\(run.talk)") }
    }

    /// The issuer is the person's choice, and what it names is not.
    @Test(arguments: [
        ("localhost", "", Int32(7)), ("localhost", "token-endpoint = \"https://localhost/token\", ", 0),
        ("id.invalid", "", 0),
    ])
    func `behind a proxy the issuer that a profile names leads to no local server that the profile does not name`(
        host: String, more: String, code: Int32
    ) throws {
        let world = try TestWorld(config: Self.config.replacing("issuer =", with: more + "issuer ="))
        world.variables["AUTHCTL_PROXY"] = "http://proxy.example:1"
        world.person = ScriptedPerson([])
        let metadata = Self.metadata.replacing("https://id.example/token", with: "https://\(host)/token")
        let run = world.run(
            "login", "notes", server: [.answer(401), .answer(200, metadata), Self.tokens("at1"), Self.ann])
        #expect(run.code == code, "\(run.talk)")
        #expect(world.requests.contains { $0.contains("https://\(host)/token") } == (code == 0))
    }

    @Test func `a machine's identity and the engine of a shared store take no proxy of the environment`() throws {
        let world = try TestWorld(config: Self.config)
        world.variables["https_proxy"] = "http://proxy.example:1"
        for named in [nil, "http://named.example:1"] {
            world.variables["AUTHCTL_PROXY"] = named
            try world.withWorld { dependencies in
                let context = try Invocation(dependencies, try GlobalOptions.parse([])).context
                let profile = try context.selection.profile(nil)
                let origin = Origin(scheme: "https", host: "id.example", port: 443)
                let usual = try context.connections.transportSettings(profile, for: origin)
                _ = try context.connections.otherTransports(of: profile, like: usual)
                    .transport(to: origin, mayBeLocal: true, takesNamedProxyAlone: true)
                context.takesNamedProxyAlone = true
                let engine = try context.connections.transportSettings(profile, for: origin)
                let setting = named.map { ProxySetting.url($0, from: .variable("AUTHCTL_PROXY")) }
                #expect(usual.proxy == setting ?? .environment)
                #expect(world.settings.last?.proxy == setting ?? ProxySetting.none)
                #expect(engine.proxy == setting ?? ProxySetting.none)
            }
        }
    }

    @Test func `nobody is asked where the server says itself that it makes these logins`() throws {
        let world = try TestWorld(config: Self.config.replacing("issuer = \"https://id.example\", ", with: ""))
        world.person = ScriptedPerson([])
        let resource = "{\"resource\":\"https://notes.example/api\",\"authorization_servers\":[\"https://id.example\"]}"
        let metadata = Self.metadata.replacing(
            "{\"issuer\"", with: "{\"protected_resources\":[\"https://notes.example/api\"],\"issuer\"")
        let run = world.run(
            "login", "notes", "--json",
            server: [.answer(401), .answer(200, resource), .answer(200, metadata), Self.tokens("at1"), Self.ann])
        #expect(run.code == 0 && world.consent.foreign.isEmpty, "\(run.talk)")
        #expect(run.output.contains("https://id.example") && run.output.contains("openid notes:read"), "\(run.output)")
    }

    @Test(arguments: [(true, Int32(0)), (false, 5), (nil, 7)])
    func `a code that is typed on another origin than the issuer's is agreed to first`(agrees: Bool?, code: Int32)
        throws
    {
        let config = Self.config.replacing("issuer = \"https://id.example\", ", with: "")
        let own = Self.metadata.replacing("https://id.example", with: "https://notes.example")
        let page =
            #"{"device_code":"dc","user_code":"FZX5-ASHU","verification_uri":"https://page.example/d","interval":1}"#
        let world = try TestWorld(config: config)
        if agrees != nil { world.person = ScriptedPerson([]) }
        world.consent.agrees = agrees
        let run = world.run(
            "login", "notes", "--device",
            server: [
                .answer(401), .answer(404), .answer(404), .answer(200, own), .answer(200, page), Self.tokens("at1"),
                Self.ann,
            ])
        #expect(run.code == code, "\(run.talk)")
        #expect(world.consent.foreign.map { $0.elsewhere.map(\.host) } == (agrees == nil ? [] : [["page.example"]]))
        #expect(world.consent.codes == (code == 0 ? ["FZX5-ASHU"] : []))
        #expect(code == 0 || !world.requests.contains { $0.contains("device_code=dc") })
    }

    @Test(arguments: ["authorization_endpoint", "token_endpoint", "device_authorization_endpoint"])
    func `metadata of the service's own origin that leads elsewhere is agreed to first`(member: String) throws {
        let config = Self.config.replacing("issuer = \"https://id.example\", ", with: "")
        let own = Self.metadata.replacing("https://id.example", with: "https://notes.example")
        let metadata = own.replacing(
            "\"\(member)\":\"https://notes.example", with: "\"\(member)\":\"https://other.example")
        #expect(metadata != own)
        let world = try TestWorld(config: config)
        let answers: [HTTPResponse] = [.answer(401), .answer(404), .answer(404), .answer(200, metadata)]
        #expect(world.run("login", "notes", "--no-browser", server: answers).code == 7)
        world.person = ScriptedPerson([])
        world.consent.agrees = false
        #expect(world.run("login", "notes", server: answers).code == 5)
        #expect(world.consent.foreign.map { $0.elsewhere.map(\.host) } == [["other.example"]])
    }

    @Test(arguments: ["a\\nb", "a\\tb", "\\u001b[2J", "\\u0085", "a\\\"b", String(repeating: "x", count: 5000)])
    func `a granted scope that no profile could hold ends the login`(scope: String) throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([])
        let tokens = Self.tokens("at1", more: ",\"scope\":\"\(scope)\"")
        let run = world.run("login", "notes", server: [.answer(401), .answer(200, Self.metadata), tokens])
        #expect(run.code == 1, "\(run.talk)")
        #expect(world.run("status", "notes", "--offline").code == 4)
    }

    @Test func `one revocation that fails keeps nothing else from being tried`() throws {
        let world = try TestWorld(config: Self.config.replacing("client-id = \"authctl\", ", with: ""))
        world.person = ScriptedPerson([])
        let run = world.run(
            "login", "notes",
            server: [
                .answer(401), .answer(200, Self.registering), .answer(201, Self.client),
                Self.tokens("at1", refresh: "rt1"),
                Self.ann,
            ])
        #expect(run.code == 0, "\(run.talk)")
        let logout = world.run("logout", "notes", server: [.answer(500), .answer(200), .answer(500), .answer(401)])
        #expect(
            logout.code == 15 && logout.talk.contains("could not be deleted at the authorization server"),
            "\(logout.talk)")
        #expect(world.requests.count == 4)
    }

    @Test func `a client that was registered for a login that fails is deleted`() throws {
        let world = try TestWorld(config: Self.config.replacing("client-id = \"authctl\", ", with: ""))
        world.person = ScriptedPerson([])
        world.consent.answer = "error=access_denied"
        let run = world.run(
            "login", "notes",
            server: [.answer(401), .answer(200, Self.registering), .answer(201, Self.client), .answer(204)])
        #expect(run.code == 5, "\(run.talk)")
        #expect(world.requests.last?.hasPrefix("DELETE https://id.example/reg/r1") == true)
    }

    @Test func `a scope that is asked for is another login, and advice is what works`() throws {
        let world = try loggedIn()
        let run = world.run(
            "login", "notes", "--scope", "openid notes:write",
            server: [
                .answer(401), .answer(200, Self.metadata), Self.tokens("at2"), Self.ann, .answer(200), .answer(200),
                Self.ann,
            ])
        #expect(run.code == 0 && world.consent.visits.count == 2, "\(run.talk)")
        let revoked = world.requests.compactMap { $0.firstMatch(of: /&?token=([a-z0-9]+)&/)?.1 }
        #expect(revoked == ["rt1", "at1"])
        world.person = ScriptedPerson()
        _ = world.run("logout", "notes", server: [.answer(200), .answer(200)])
        let refused = world.run("login", "notes", "--browser", "firefox -P work", server: [.answer(401)])
        #expect(refused.talk.contains("without one: authctl login notes --no-browser, or"), "\(refused.talk)")
        let forced = world.run("login", "notes", "--force", "--browser", "firefox", server: [.answer(401)])
        #expect(
            forced.talk.contains(
                "authctl login notes --force --no-browser, or, where the server has device codes: authctl login notes --force --device"
            ), "\(forced.talk)")
        #expect(world.run("login", "notes", "--otp-stdin", server: []).code == 2)
    }

    @Test func `the top of the configuration holds for a URL, too`() throws {
        let world = try TestWorld(config: "persist = \"none\"\nproxy = \"http://proxy.example:3128\"\n")
        world.variables["AUTHCTL_STORE"] = nil
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"x\""])
        let run = world.run("login", "https://wire.example/me", server: [basic, basic, .answer(200, "{}")])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.settings.allSatisfy { $0.proxy == .url("http://proxy.example:3128", from: .file) })
        #expect(world.home.files.allSatisfy { !$0.contains("profiles/") })
    }

    @Test(arguments: [
        (#"{"sub":"248289","preferred_username":"ann","email":"ann@example.org"}"#, "ann", "/preferred_username"),
        (#"{"sub":"248289","email":"ann@example.org","preferred_username":""}"#, "ann@example.org", "/email"),
        (#"{"sub":"248289"}"#, "248289", "/sub"), (#"{"email":"ann@example.org"}"#, "", nil),
    ])
    func `a login by the URL of userinfo takes the name from there`(body: String, name: String, place: String?) throws {
        let world = try TestWorld()
        world.person = ScriptedPerson([])
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Bearer"])
        let registering = Self.registering.replacing("https://id.example", with: "https://notes.example")
        let client = Self.client.replacing("https://id.example", with: "https://notes.example")
        let run = world.run(
            "login", "https://notes.example/userinfo",
            server: [
                challenge, challenge, .answer(404), .answer(404), .answer(200, registering), .answer(201, client),
                Self.tokens("at1"), .answer(200, body),
            ])
        #expect(run.code == 0, "\(run.talk) \(world.requests)")
        let file = try world.home.read("config/authctl/profiles/notes.example.toml")
        #expect(place.map { file.contains($0) } ?? !file.contains("username"), "\(file)")
        #expect(world.run("whoami", server: [.answer(200, body)]).output == "\(name)\n")
        #expect(run.talk.contains("by 'sub' alone") == (place == "/sub"))
    }

    @Test func `a login by the URL of an MCP server names the command for MCP clients`() throws {
        let world = try TestWorld()
        world.person = ScriptedPerson([])
        let challenge = HTTPResponse.answer(
            401, headers: ["WWW-Authenticate: Bearer resource_metadata=\"https://notes.example/r\""])
        let resource = #"{"resource":"https://notes.example/mcp","authorization_servers":["https://notes.example"]}"#
        let registering = Self.registering.replacing("https://id.example", with: "https://notes.example")
        let client = Self.client.replacing("https://id.example", with: "https://notes.example")
        let run = world.run(
            "login", "https://notes.example/mcp",
            server: [
                challenge, challenge, .answer(200, resource), .answer(200, registering), .answer(201, client),
                Self.tokens("at1"), .answer(400),
            ])
        #expect(run.code == 0, "\(run.talk) \(world.requests)")
        #expect(run.talk.contains("For an MCP client: authctl mcp notes.example\n"), "\(run.talk)")
        let file = try world.home.read("config/authctl/profiles/notes.example.toml")
        #expect(file.split(separator: "\n").contains { $0.hasPrefix("mcp ") && $0.hasSuffix("\"/mcp\"") }, "\(file)")
        let again = world.run("login", "https://notes.example/mcp", server: [.answer(400)])
        #expect(again.talk.hasPrefix("Already logged in") && !again.talk.contains("MCP"), "\(again.talk)")
    }

    @Test func `a redirect that is none is told with both of its forms`() throws {
        let world = try TestWorld(
            config: Self.config.replacing("scope =", with: "redirect = \"http://notes.example/callback\", scope ="))
        let run = world.run("login", "notes")
        #expect(run.code == 2 && run.talk.contains("http://HOST/PATH or http://HOST:PORT/PATH"), "\(run.talk)")
    }

    @Test func `another account than the wanted one is kept beside it, or ended`() throws {
        let world = try TestWorld(config: Self.config)
        let bob = HTTPResponse.answer(200, "{\"name\":\"bob\"}")
        func logIn(_ more: [HTTPResponse] = []) -> Run {
            world.run(
                ["login", "notes", "-u", "ann"],
                server: ([.answer(401), .answer(200, Self.metadata), Self.tokens("at1"), bob] + more)
                    .map { .success($0) })
        }
        world.person = ScriptedPerson([], replace: [false])
        #expect(logIn([.answer(200)]).code == 5)
        #expect(world.requests.last?.contains("token=at1&token_type_hint=access_token") == true)
        world.person = ScriptedPerson([], replace: [true])
        let kept = logIn()
        #expect(kept.code == 0 && kept.talk.contains("as bob."), "\(kept.talk)")
        #expect(!kept.talk.contains("not stored"), "\(kept.talk)")
        #expect(world.run("whoami", "notes", server: [bob]).output == "bob\n")
        #expect(world.consent.visits.first?.url.contains("login_hint=ann") == true)
    }

    @Test(arguments: [["--password-stdin"], ["--password-file", "/dev/null"], ["--blank-password"], ["--ttl", "60"]])
    func `what gives a password is 2`(options: [String]) throws {
        let world = try TestWorld(config: Self.config)
        let run = world.run(["login", "notes"] + options, server: [])
        #expect(run.code == 2 && world.requests.isEmpty, "\(run.talk)")
    }

    @Test func `the name of an id_token is a name, once all of it fits`() throws {
        let config = Self.config.replacing("username = \"/name\"", with: "username = \"id-token:preferred_username\"")
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([])
        func idToken(_ audience: String) -> String {
            let claims = """
                {"iss":"https://id.example","aud":"\(audience)","exp":2000000,"preferred_username":"ann"}
                """
            return "e30." + Secret(claims).base64.unprotectedText.replacing("=", with: "") + ".x"
        }
        func logIn(_ audience: String) -> Run {
            let more = ",\"id_token\":\"\(idToken(audience))\""
            return world.run(
                "login", "notes", "--device",
                server: [
                    .answer(401), .answer(200, Self.metadata),
                    .answer(
                        200,
                        "{\"device_code\":\"dc\",\"user_code\":\"A\",\"verification_uri\":\"https://id.example/d\"}"),
                    Self.tokens("at1", more: more), .answer(200, "{}"),
                ])
        }
        #expect(logIn("other").code == 7)
        #expect(logIn("authctl").talk.contains("as ann."))
        #expect(world.run("whoami", "notes", server: [.answer(200, "{}")]).output == "ann\n")
    }

    @Test func `where no client is configured, one is registered for each login and dies with it`() throws {
        let config = Self.config.replacing("client-id = \"authctl\", ", with: "")
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([])
        let run = world.run(
            "login", "notes",
            server: [
                .answer(401), .answer(200, Self.registering), .answer(201, Self.client),
                Self.tokens("at1", refresh: "rt1"),
                Self.ann,
            ])
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            world.requests[2].contains("\"redirect_uris\":[\"http:\\/\\/127.0.0.1:41873\\/callback\"]")
                || world.requests[2].contains("\"redirect_uris\":[\"http://127.0.0.1:41873/callback\"]"),
            "\(world.requests[2])")
        #expect(
            world.run("logout", "notes", server: [.answer(200), .answer(200), .answer(204), .answer(401)]).code == 0)
        #expect(world.requests[2].hasPrefix("DELETE https://id.example/reg/r1"))
        #expect(world.requests[2].contains("Bearer rat"))
    }
}
