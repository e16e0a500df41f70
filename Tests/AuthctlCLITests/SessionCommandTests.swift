import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What is done with a login that is there: whoami, status, token, switch, logout.
struct SessionCommandTests {
    private let anonymous = HTTPResponse.answer(401)

    /// Logged in to `chat` with a token of 100 seconds and a refresh token.
    /// - Parameter named: what the server calls the person, as in JSON.
    private func chat(
        _ name: String = "anna", as named: String? = nil, in supplied: TestWorld? = nil
    ) throws -> TestWorld {
        let world = try supplied ?? TestWorld(config: Examples.config)
        world.person = ScriptedPerson([ScriptedPerson.types(name, "pw")])
        let token = "{\"access_token\":\"tok-\(name)\",\"refresh_token\":\"ref\",\"expires_in_ms\":100000}"
        let run = world.run(
            "login", "chat", "--force",
            server: [anonymous, .answer(200, token), .answer(200, "{\"user_id\":\"\(named ?? "@\(name)")\"}")])
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        return world
    }

    @Test func `logging in again with a given password sends login and verify, and then ends the former session`()
        throws
    {
        let world = try chat()
        world.variables.merge(["AUTHCTL_USERNAME": "anna"]) { $1 }
        world.password = Secret("pw")
        let answers: [HTTPResponse] = [
            .answer(200, "{\"access_token\":\"tok-2\"}"), .answer(200, "{\"user_id\":\"@anna\"}"),
        ]
        let ending = [HTTPResponse.answer(200), .answer(200, "{\"user_id\":\"@anna\"}")]
        let again = world.run("login", "chat", "--force", server: answers + ending)
        #expect(again.code == 0 && world.requests.count == 4, "\(again.talk) \(world.requests)")
        // Nothing is known yet of what verify tells somebody else without a login.
        world.variables["AUTHCTL_USERNAME"] = "bert"
        let other = world.run("login", "chat", "--force", server: [anonymous] + answers)
        #expect(world.requests.count == 3, "\(other.talk)")
    }

    @Test func `whoami prints the name alone, and its JSON`() throws {
        let world = try chat()
        let welcome = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
        #expect(world.run("whoami", "chat", server: [welcome]) == Run(code: 0, output: "@anna\n", talk: ""))
        #expect(
            world.requests
                == ["GET https://chat.example/_matrix/client/v3/account/whoami\nAuthorization: Bearer tok-anna"])
        try Snapshot.expect(world.run("whoami", "chat", "--json", server: [welcome]).output, "json-whoami")
    }

    @Test func `whoami prints a name whole, however long, with every mark`() throws {
        let name = "\u{301}" + String(repeating: "n", count: 5000) + String(repeating: "\u{301}", count: 6)
        let run = try chat(as: name).run("whoami", "chat", server: [.answer(200, "{\"user_id\":\"\(name)\"}")])
        let shown = "\\u{301}" + String(repeating: "n", count: 5000) + String(repeating: "\u{301}", count: 4)
        #expect(run.output == shown + "\\u{301}\\u{301}\n")
    }

    @Test func `whoami prints an empty line where no name is known, and says how the service could tell it`() throws {
        let config = """
            [profiles.feed]
            url = "https://feed.example"
            method = "token"
            verify = { get = "/me" }
            """
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        #expect(world.run("login", "feed", server: [anonymous, .answer(200)]).code == 0)
        let run = world.run("whoami", server: [.answer(200)])
        #expect(run.code == 0 && run.output == "\n")
        #expect(run.talk.hasPrefix("authctl: feed: no user name is known; add 'username' to 'verify' in the profile"))
        #expect(run.talk.split(separator: "\n").count == 1, "\(run.talk)")
        #expect(world.run("whoami", "--offline").talk.contains("no user name is known"))
        #expect(world.run("whoami", "-q", server: [.answer(200)]) == Run(code: 0, output: "\n", talk: ""))
    }

    @Test func `whoami --offline asks nobody and says so`() throws {
        let world = try chat()
        let run = world.run("whoami", "chat", "--offline")
        #expect(run.code == 0 && run.output == "@anna\n" && run.talk.contains("not asked"))
        #expect(world.reached.count == 1)
    }

    private static let refusedRefresh = HTTPResponse.answer(401, #"{"error": "invalid_grant"}"#)

    @Test func `a session that was refused is 4, and gone`() throws {
        let world = try chat()
        #expect(world.run("whoami", "chat", server: [anonymous, Self.refusedRefresh]).code == 4)
        #expect(world.requests.last?.contains("/refresh") == true)
        #expect(world.run("token", "chat").code == 4)
    }

    @Test func `whoami with no login is 4, and with no profile too`() throws {
        #expect(try TestWorld(config: Examples.config).run("whoami").code == 4)
        #expect(try TestWorld().run("whoami").code == 4)
    }

    @Test func `a name from the server cannot control the terminal`() throws {
        let name = "a\\u001b[2J\\u202e", evil = HTTPResponse.answer(200, "{\"user_id\":\"\(name)\"}")
        #expect(try chat(as: name).run("whoami", "chat", server: [evil]).output == "a\\u{1B}[2J\\u{202E}\n")
        let other = try chat().run("whoami", "chat", server: [evil])
        #expect(other.code == 4 && other.talk.contains("belongs to \"a\\u{1B}[2J\\u{202E}\""), "\(other.talk)")
    }

    @Test func `token prints the token alone, and --header the whole line, without asking anybody`() throws {
        let world = try chat()
        #expect(world.run("token", "chat") == Run(code: 0, output: "tok-anna\n", talk: ""))
        #expect(
            world.run("token", "chat", "--header")
                == Run(code: 0, output: "Authorization: Bearer tok-anna\n", talk: ""))
        #expect(world.requests.isEmpty)
        try Snapshot.expect(world.run("token", "chat", "--json").output, "json-token")
    }

    @Test func `a token is escaped on a terminal, and exact in a pipe`() throws {
        let world = try chat()
        let hostile = "tok\u{9B}31m\u{202E}x\u{200D}ä"
        let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
        #expect(world.run("token", "chat", "--min-ttl", "101", server: [fresh(hostile), me]).output == "\(hostile)\n")
        world.terminals = [1]
        #expect(world.run("token", "chat").output == "tok\\u{9B}31m\\u{202E}x\\u{200D}ä\n")
        #expect(world.run("token", "chat", "--header").output.hasPrefix("Authorization: Bearer tok\\u{9B}31m"))
        world.terminals = [2]
        #expect(world.run("token", "chat").output == "\(hostile)\n")
    }

    private func fresh(_ token: String) -> HTTPResponse {
        .answer(200, "{\"access_token\":\"\(token)\",\"expires_in_ms\":200000}")
    }

    @Test func `a token past its end is refreshed, never printed`() throws {
        let world = try chat()
        world.now += 100
        let fresh = HTTPResponse.answer(200, "{\"access_token\":\"tok2\",\"expires_in_ms\":100000}")
        let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
        #expect(world.run("token", "chat", server: [fresh, me]) == Run(code: 0, output: "tok2\n", talk: ""))
        #expect(world.requests.count == 2)
        #expect(world.run("token", "chat").output == "tok2\n")
    }

    @Test func `a token goes with cookies where the profile has both, and both are refreshed and kept`() throws {
        let world = try TestWorld(
            config: """
                [profiles.both]
                url     = "https://both.example"
                method  = "token"
                session = { cookies = true, header = "Authorization: Bearer {token}" }
                verify  = { get = "/me", username = "/name" }
                login   = { post = "/login", json = { u = "{username}", p = "{password}" }, token = "/t", refresh-token = "/r", expires-in = "/e" }
                refresh = { post = "/refresh", json = { r = "{refresh-token}" } }

                """)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let me = HTTPResponse.answer(200, "{\"name\":\"ann\"}", cookies: [.named("sid", "c2")])
        let earned = HTTPResponse.answer(200, "{\"t\":\"t1\",\"r\":\"r1\",\"e\":100}", cookies: [.named("sid", "c1")])
        #expect(world.run("login", server: [.answer(401), earned, me, me]).code == 0)
        #expect(world.requests[2].contains("Bearer t1") && world.requests[2].contains("sid=c1"))
        #expect(world.run("request", "/a", server: [me]).code == 0)
        #expect(world.requests.last?.contains("Bearer t1") == true && world.requests.last?.contains("sid=c2") == true)
        world.now += 200
        let renewed = HTTPResponse.answer(200, "{\"t\":\"t2\",\"e\":100}", cookies: [.named("sid", "c3")])
        let again = HTTPResponse.answer(200, "{\"name\":\"ann\"}", cookies: [.named("sid", "c3")])
        #expect(world.run("whoami", server: [renewed, again]).output == "ann\n")
        #expect(world.requests.first?.contains("sid=c2") == true, "\(world.requests)")
        let last = try #require(world.requests.last)
        #expect(last.contains("Bearer t2") && last.contains("sid=c3"), "\(world.requests)")
    }

    @Test func `--min-ttl refreshes, and a new token that is too short is 1`() throws {
        let world = try chat()
        let fresh = HTTPResponse.answer(200, "{\"access_token\":\"tok2\",\"expires_in_ms\":100000}")
        #expect(world.run("token", "chat", "--min-ttl", "100").output == "tok-anna\n")
        let run = world.run("token", "chat", "--min-ttl", "101", server: [fresh])
        #expect(run.code == 1 && run.output.isEmpty)
    }

    @Test func `a session that ends too soon for --min-ttl, and cannot be refreshed, has not expired`() throws {
        let world = try TestWorld(config: Examples.screencast)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let body = "{\"auth_token\":\"tok-anna\",\"expires_at\":\(world.now + 50)}"
        let me = HTTPResponse.answer(200, "{\"user\":{\"username\":\"anna\"}}")
        #expect(world.run("login", "screencast", server: [anonymous, .answer(200, body), me]).code == 0)
        let run = world.run("token", "screencast", "--min-ttl", "60")
        #expect(run.code == 4 && run.output.isEmpty)
        #expect(run.talk.contains("the session expires in 50 seconds, too soon for --min-ttl"), "\(run.talk)")
        #expect(world.run("token", "screencast", "--min-ttl", "40").output == "tok-anna\n")
        world.now += 50
        #expect(world.run("token", "screencast").talk.contains("the session has expired and cannot be refreshed"))
    }

    @Test func `a refused refresh is no token; a busy server leaves everything as it is`() throws {
        let world = try chat()
        world.now += 100
        #expect(world.run("token", "chat", server: [.answer(503)]).code == 12)
        let refused = world.run("token", "chat", server: [.answer(401)])
        #expect(refused.code == 4 && refused.output.isEmpty)
    }

    @Test(arguments: [
        HTTPResponse.answer(401, "<p>", headers: ["WWW-Authenticate: Bearer error=\"insufficient_scope\""]),
        .answer(401, "{\"error\":\"invalid_client\"}"), .answer(400, "{\"error\":\"invalid_client\"}"),
    ])
    func `a refresh that is refused for want of scope, or to an unknown client, ends no login`(response: HTTPResponse)
        throws
    {
        let world = try chat()
        world.now += 100
        #expect(world.run("token", "chat", server: [response]).code == 4)
        let fresh = HTTPResponse.answer(200, "{\"access_token\":\"tok2\",\"expires_in_ms\":100000}")
        _ = world.run("token", "chat", server: [fresh])
        #expect(world.requests.first?.contains("\"refresh_token\":\"ref\"") == true, "\(world.requests)")
    }

    @Test func `a logout of a session that the server has refused says nothing of its life there`() throws {
        let world = try chat()
        #expect(world.run("whoami", "chat", server: [.answer(401), Self.refusedRefresh]).code == 4)
        let run = world.run("logout", "chat")
        #expect(run.code == 0 && run.talk.contains("there was no login here"), "\(run.talk)")
        #expect(!run.talk.contains("stays valid"), "\(run.talk)")
    }

    @Test func `token --as prints a token in every form, without asking anybody`() throws {
        let world = try chat()
        #expect(world.run("token", "chat", "--as", "header").output == "Authorization: Bearer tok-anna\n")
        let headers = world.run("token", "chat", "--as", "headers")
        #expect(headers == Run(code: 0, output: "{\"Authorization\": \"Bearer tok-anna\"}\n", talk: ""))
        let plugin = world.run("token", "chat", "--as", "exec-credential")
        #expect(plugin.code == 0 && plugin.output.contains("\"token\" : \"tok-anna\""), "\(plugin)")
        let curl = world.run("token", "chat", "--as", "curl")
        #expect(curl.code == 0 && curl.output.contains("\nheader = \"Authorization: Bearer tok-anna\"\n"), "\(curl)")
        #expect(world.requests.isEmpty)
        let report = world.run("token", "chat", "--as", "header", "--json").output
        #expect(report == world.run("token", "chat", "--header", "--json").output && report.contains("\"header\""))
    }

    @Test func `token --as headers prints one JSON object, whatever is in the token`() throws {
        let world = try chat()
        let me = HTTPResponse.answer(200, "{\"user_id\":\"@anna\"}")
        let run = world.run(
            "token", "chat", "--as", "headers", "--min-ttl", "101", server: [fresh(#"t\"\\ä"#), me])
        #expect(run.code == 0 && run.output.split(separator: "\n").count == 1, "\(run)")
        let headers = try JSONDecoder().decode([String: String].self, from: Data(run.output.utf8))
        #expect(headers == ["Authorization": #"Bearer t"\ä"#])
    }

    @Test func `token --as headers refuses two headers with one name`() throws {
        let world = try TestWorld(
            config: Examples.forge.replacing(
                "\"PRIVATE-TOKEN: {token}\"", with: "[\"X-Key: {token}\", \"x-key: 2\"]"))
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        #expect(world.run("login", server: [anonymous, .answer(200, "{\"username\":\"anna\"}")]).code == 0)
        let run = world.run("token", "--as", "headers")
        #expect(run.code == 2 && run.output.isEmpty && run.talk.contains("use --as header"), "\(run)")
        #expect(world.run("token", "--as", "header").output == "X-Key: tok\nx-key: 2\n")
    }

    @Test func `cookies are a header in the forms that they have`() throws {
        let world = try TestWorld(config: Examples.blog)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let cookies = [Cookie.named("sid", "c1")]
        let answers = [
            .answer(200, cookies: cookies), HTTPResponse.answer(200, "{\"name\":\"anna\"}", cookies: cookies),
        ]
        #expect(world.run("login", server: [anonymous] + answers).code == 0)
        #expect(world.run("token", "--as", "headers").output == "{\"Cookie\": \"sid=c1\"}\n")
        let curl = world.run("token", "--as", "curl")
        #expect(curl.code == 0 && curl.output.contains("\nheader = \"Cookie: sid=c1\"\n"), "\(curl)")
        #expect(!curl.output.contains("cookie = "), "curl would send it to another host, too")
        let plugin = world.run("token", "--as", "exec-credential")
        #expect(plugin.code == 2 && plugin.talk.contains("--as header; other forms: headers, curl"), "\(plugin)")
    }

    @Test func `Basic has headers and a curl configuration, but no token`() throws {
        let world = try TestWorld(config: Examples.wire)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic"])
        #expect(world.run("login", server: [challenge, .answer(200, "{\"screen_name\":\"Anna\"}")]).code == 0)
        for arguments in [["token"], ["token", "--as", "exec-credential"]] {
            let run = world.run(arguments, server: [])
            #expect(run.code == 2 && run.talk.contains("--as header; other forms: headers, curl"), "\(run)")
        }
        #expect(world.run("token", "--header").output == "Authorization: Basic YW5uYTpwdw==\n")
        #expect(world.run("token", "--as", "headers").output == "{\"Authorization\": \"Basic YW5uYTpwdw==\"}\n")
        let curl = world.run("token", "--as", "curl")
        #expect(curl.code == 0 && curl.output.contains("\nbasic\nuser = \"anna:pw\"\n"), "\(curl)")
    }

    @Test func `switch makes another account the active one, by either name`() throws {
        let world = try chat("bert", in: try chat())
        #expect(world.run("token", "chat").output == "tok-bert\n")
        #expect(world.run("switch", "chat", "@anna").code == 0)
        #expect(world.run("token", "chat").output == "tok-anna\n")
        #expect(world.run("token", "chat", "-u", "bert").output == "tok-bert\n")
        #expect(world.run("switch", "chat", "carl").code == 2)
        try Snapshot.expect(world.run("switch", "chat", "bert", "--json").output, "json-switch")
    }

    @Test func `switch without a user name offers the accounts at a terminal`() throws {
        let world = try chat("bert", in: try chat())
        world.variables["AUTHCTL_PROFILE"] = "chat"
        world.person = ScriptedPerson(chooses: 0)
        let chosen = world.run("switch")
        #expect(chosen.code == 0 && chosen.talk.contains("@anna"), "\(chosen)")
        #expect(world.run("token").output == "tok-anna\n")
        world.person = ScriptedPerson(chooses: 1)
        #expect(world.run("switch", "chat").code == 0)
        #expect(world.run("token").output == "tok-bert\n")
        world.person = ScriptedPerson(chooses: nil)
        #expect(world.run("switch", "chat").code == 5)
        #expect(world.run("token").output == "tok-bert\n")
    }

    @Test func `switch without a user name or a terminal lists the accounts`() throws {
        let world = try chat("bert", in: try chat())
        world.person = ScriptedPerson()
        let run = world.run("switch", "chat")
        #expect(run.code == 2 && run.talk.contains("@anna, @bert"), "\(run.talk)")
        #expect(run.talk.contains("authctl switch chat USER"))
        #expect(world.run("switch", "wire").code == 4)
    }

    @Test func `status hides profiles without a login, and --all shows them`() throws {
        let none = try TestWorld(config: Self.withoutDefault), world = try chat("bert", in: try chat(in: none))
        let some = world.run("status", "--offline"), all = world.run("status", "--offline", "--all")
        #expect(some.code == 0 && all.code == 4)
        #expect(some.output.split(separator: "\n").count == 3 && !some.output.contains("login-required"))
        #expect(some.talk.contains("authctl status --all"))
        #expect(all.output.contains("login-required") && all.talk.isEmpty)
        #expect(world.run("status", "wire", "--offline").output.contains("login-required"))
    }

    @Test
    func
        `status counts and shows a profile without a login if it is the default one or a variable names it, and nothing stored is 4`()
        throws
    {
        let world = try chat(in: try TestWorld(config: Self.withoutDefault))
        #expect(world.run("profile", "default", "wire").code == 0)
        let lacking = world.run("status", "--offline")
        #expect(lacking.code == 4 && lacking.output.contains("login-required"), "\(lacking)")
        #expect(world.run("profile", "default", "chat").code == 0)
        let whole = world.run("status", "--offline")
        #expect(whole.code == 0 && !whole.output.contains("login-required"), "\(whole)")
        #expect(try TestWorld(config: Self.withoutDefault).run("status").code == 4)
        world.variables["AUTHCTL_PROFILE"] = "wire"
        let named = world.run("status", "--offline")
        #expect(named.code == 4 && named.output.contains("login-required"), "\(named)")
        world.variables["AUTHCTL_PROFILE"] = "chat"
        #expect(world.run("status", "--offline").code == 0)
    }

    private static let withoutDefault = Examples.config.replacing("default = \"blog\"\n", with: "")

    @Test func `status shows every profile and account, and its code is the first that is not 0`() throws {
        let world = try chat("bert", in: try chat())
        let run = world.run("status", "--offline", "--all")
        #expect(run.code == 4)
        try Snapshot.expect(run.output, "status-offline")
        try Snapshot.expect(world.run("status", "--offline", "--json").output, "json-status")
        #expect(world.run("status", "chat", "--offline").code == 0)
        #expect(world.run("status", "chat", "--offline", "-q") == Run(code: 0, output: "", talk: ""))
    }

    @Test func `status asks the server about each account`() throws {
        let world = try chat("bert", in: try chat())
        let names = ["anna", "bert"].map { HTTPResponse.answer(200, "{\"user_id\":\"@\($0)\"}") }
        #expect(world.run("status", "chat", server: names).code == 0)
        #expect(world.requests.count == 2)
        #expect(world.run("status", "chat", server: [names[0], .answer(403)]).code == 4)
    }

    @Test func `a token past its end is not usable in status`() throws {
        let world = try chat()
        world.now += 100
        #expect(world.run("status", "chat", "--offline").code == 4)
    }

    @Test func `logout ends the session there and here, and a second one is 0`() throws {
        let world = try chat()
        let run = world.run("logout", "chat", server: [.answer(200, "{}"), .answer(401)])
        #expect(run.code == 0 && run.output.isEmpty)
        #expect(run.talk.contains("login deleted here; session ended at the server."))
        #expect(
            world.requests == [
                "POST https://chat.example/_matrix/client/v3/logout\nAuthorization: Bearer tok-anna",
                "GET https://chat.example/_matrix/client/v3/account/whoami\nAuthorization: Bearer tok-anna",
            ])
        #expect(!(try world.home.read("state/authctl/plaintext.json").contains("anna")))
        #expect(world.run("logout", "chat").code == 0 && world.requests.isEmpty)
    }

    @Test func `a logout that fails at the server erases here all the same, and is 15`() throws {
        let world = try chat()
        let run = world.run("logout", "chat", "--json", server: [.answer(500)])
        #expect(run.code == 15)
        try Snapshot.expect(run.output, "json-logout-incomplete")
        #expect(world.run("token", "chat").code == 4)
    }

    @Test func `logout --local sends nothing, and tells how long the session lives on`() throws {
        let world = try chat()
        let run = world.run("logout", "chat", "--local")
        #expect(run.code == 0 && world.requests.isEmpty)
        #expect(run.talk.contains("the server was not asked. The session stays valid at the server for 100 seconds."))
    }

    @Test func `a session that nothing ended and whose end is not known is said to live on`() throws {
        let world = try TestWorld(config: Examples.forge)
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        #expect(world.run("login", server: [anonymous, .answer(200, "{\"username\":\"anna\"}")]).code == 0)
        let run = world.run("logout")
        let rest = "the profile has no logout. The session stays valid at the server; when it expires is not known."
        #expect(run.code == 0 && run.talk.contains(rest), "\(run.talk)")
    }

    @Test func `a password that is sent each time has no session that could live on`() throws {
        let world = try TestWorld(config: Examples.wire)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
        let me = HTTPResponse.answer(200, "{\"screen_name\":\"anna\"}")
        #expect(world.run("login", server: [challenge, me]).code == 0)
        let run = world.run("logout")
        #expect(run.code == 0 && !run.talk.contains("stays valid"), "\(run.talk)")
    }

    @Test func `logout --all takes every account of every profile`() throws {
        let world = try chat("bert", in: try chat())
        let run = world.run(
            "logout", "--all", "--json", server: [.answer(200), .answer(401), .answer(401), .answer(401)])
        #expect(run.code == 0 && world.requests.count == 4)
        try Snapshot.expect(run.output, "json-logout")
        #expect(world.run("status", "chat", "--offline").code == 4)
    }
}
