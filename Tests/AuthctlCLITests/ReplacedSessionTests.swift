@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What becomes, at the service, of sessions that a login has replaced or given up.
struct ReplacedSessionTests {
    private static let wiki = """
        [profiles.wiki]
        url    = "https://wiki.example"
        method = "cookie"
        login  = { post = "/login", json = { name = "{username}", password = "{password}" } }
        verify = { get = "/me", username = "/name" }
        logout = { post = "/logout" }

        """
    private static let notes = """
        [profiles.notes]
        url    = "https://notes.example"
        method = "oauth"
        oauth  = { issuer = "https://id.example", client-id = "authctl" }
        verify = { get = "/me", username = "/name" }
        """

    /// With a password that is given, or a person who consents.
    private func world(_ config: String) throws -> TestWorld {
        let world = try TestWorld(config: "store = \"plaintext\"\n" + config)
        guard config != Self.notes else {
            world.variables["AUTHCTL_PROFILE"] = "notes"
            world.person = ScriptedPerson([])
            return world
        }
        world.variables.merge(["AUTHCTL_PROFILE": "wiki", "AUTHCTL_USERNAME": "ann"]) { $1 }
        world.password = Secret("pw")
        return world
    }

    private func logIn(_ world: TestWorld, at service: SessionService, _ more: String...) -> Run {
        world.run(["login", "--force"] + more, at: service.transport)
    }

    @Test(arguments: [wiki, notes])
    func `after three more logins one session lives, and after a logout none`(config: String) throws {
        let world = try world(config), service = SessionService()
        for number in 1...4 {
            let run = logIn(world, at: service)
            #expect(run.code == 0 && !run.talk.contains("warning"), "\(run.talk)")
            #expect(service.living == [number])
        }
        #expect(world.run(["logout"], at: service.transport).code == 0)
        #expect(service.living.isEmpty)
    }

    @Test func `the former session is ended once the new one is saved, which verify is then asked about`() throws {
        let world = try world(Self.wiki), service = SessionService()
        _ = logIn(world, at: service)
        let run = logIn(world, at: service, "-v")
        #expect(run.talk.contains("* the session that this login replaces was ended at the service"), "\(run.talk)")
        #expect(
            service.asked == [
                "GET /me", "POST /login", "GET /me s2", "POST /logout s1", "GET /me s2",
            ])
    }

    @Test(arguments: [wiki, notes], [500, 403, 404])
    func `a session that verify does not accept is ended, and the stored one stays`(config: String, status: Int) throws
    {
        let world = try world(config), service = SessionService()
        _ = logIn(world, at: service)
        service.verify = [status]
        let run = logIn(world, at: service)
        #expect(run.code != 0 && !run.talk.contains("warning"), "\(run.talk)")
        #expect(service.living == [1])
        #expect(world.run(["whoami"], at: service.transport).output == "ann\n")
    }

    @Test func `a session that verify refuses is none, and nothing is sent to end it`() throws {
        let world = try world(Self.wiki), service = SessionService()
        _ = logIn(world, at: service)
        service.verify = [401]
        #expect(logIn(world, at: service).code == 3)
        #expect(!service.asked.contains { $0.hasPrefix("POST /logout") }, "\(service.asked)")
    }

    @Test func `a session that was given up before another try is ended after the one that is kept`() throws {
        let world = try world(Self.wiki), service = SessionService()
        world.password = nil
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")], retry: [true])
        service.verify = [503]
        let run = logIn(world, at: service)
        #expect(run.code == 0, "\(run.talk)")
        #expect(service.living == [2])
        #expect(service.asked.suffix(3) == ["GET /me s2", "POST /logout s1", "GET /me s2"], "\(service.asked)")
    }

    @Test func `a login of somebody else that is not kept leaves no session`() throws {
        let world = try world(Self.wiki), service = SessionService()
        service.name = "ann"
        _ = logIn(world, at: service)
        // Without a person, nobody else's login takes the place of this one.
        service.name = "bob"
        let run = logIn(world, at: service)
        #expect(run.code == 4, "\(run.talk)")
        #expect(service.living == [1])
    }

    @Test(arguments: [wiki, notes])
    func `where the service hands out the same session again, it is not ended`(config: String) throws {
        let world = try world(config), service = SessionService()
        service.isOne = true
        for _ in 1...3 { #expect(logIn(world, at: service).code == 0) }
        #expect(service.living == [1] && !service.asked.contains { $0.contains("logout") || $0.contains("revoke") })
        // Nor where that is what a failed login was given; a person would be asked about it.
        guard config == Self.wiki else { return }
        service.verify = [500]
        let failed = logIn(world, at: service)
        #expect(failed.code == 12, "\(failed.talk) \(service.asked)")
        #expect(service.living == [1])
    }

    @Test(arguments: [true, false])
    func `grants of the same single sign-on are not revoked for one another`(isSame: Bool) throws {
        let world = try world(Self.notes), service = SessionService()
        for number in 1...3 {
            service.signOn = isSame ? "s" : "s\(number)"
            #expect(logIn(world, at: service).code == 0)
        }
        #expect(service.living == (isSame ? [1, 2, 3] : [3]))
    }

    @Test(arguments: [wiki, notes])
    func `where an ending takes the new login with it, that is made once more, and none is ended from then on`(
        config: String
    ) throws {
        let world = try world(config), service = SessionService()
        service.endsAll = true
        #expect(logIn(world, at: service).code == 0)
        let run = logIn(world, at: service)
        #expect(run.code == 0 && run.talk.contains("the service ended the new one, too"), "\(run.talk)")
        #expect(service.living == [3])
        #expect(world.run(["whoami"], at: service.transport).output == "ann\n")
        let next = logIn(world, at: service)
        #expect(next.code == 0 && !next.talk.contains("warning"), "\(next.talk)")
        #expect(service.living.isSuperset(of: [3, 4]), "\(service.asked)")
        #expect(try world.home.read("state/authctl/state.json").contains("leavesReplaced"))
    }

    @Test(arguments: [wiki, notes], [200, 204, 404, 503])
    func `an answer after the endings that judges nothing costs no second login`(config: String, status: Int) throws {
        let world = try world(config), service = SessionService()
        _ = logIn(world, at: service)
        service.verifyAfterEnding = [status]
        let run = logIn(world, at: service)
        #expect(run.code == 0 && !run.talk.contains("ended the new one"), "\(run.talk)")
        #expect(service.living == [2], "\(service.asked)")
        #expect(try !world.home.read("state/authctl/state.json").contains("leavesReplaced"))
    }

    @Test(arguments: [wiki, notes])
    func `an ending that fails is warned of, and the login is good`(config: String) throws {
        let world = try world(config), service = SessionService()
        _ = logIn(world, at: service)
        service.logout = 500
        let run = logIn(world, at: service)
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.talk.contains("the session that this login replaces was not ended at the service"), "\(run.talk)")
        #expect(world.run(["whoami"], at: service.transport).output == "ann\n")
    }

    @Test func `a token that a person has brought is not ended by the next one`() throws {
        let world = try TestWorld(
            config: """
                [profiles.forge]
                url    = "https://forge.example"
                method = "token"
                verify = { get = "/me", username = "/name" }
                logout = { post = "/logout" }
                """)
        for token in ["one", "two"] {
            world.person = ScriptedPerson([ScriptedPerson.pastes(token)])
            let server = ScriptedTransport { request in
                request.headers.contains { $0.name == "Authorization" }
                    ? .answer(200, #"{"name": "ann"}"#) : .answer(401)
            }
            #expect(world.run(["login", "forge", "--force"], at: server).code == 0)
            #expect(!server.requests.contains { $0.method == "POST" })
        }
    }

    @Test func `the session of a window is ended when another one takes its place`() throws {
        let world = try world(Self.wiki.replacing(/login .*\n/, with: "").replacing("\"cookie\"", with: "\"browser\""))
        world.password = nil
        world.variables["AUTHCTL_USERNAME"] = nil
        world.person = ScriptedPerson([])
        let service = SessionService()
        for number in 1...2 {
            service.living.insert(number)
            world.window.sights = [.page("https://wiki.example/", [.named("sid", "s\(number)")])]
            let run = logIn(world, at: service)
            #expect(run.code == 0, "\(run.talk)")
        }
        #expect(service.living == [2])
    }
}

/// A service, and its authorization server, that numbers the sessions it hands out, and knows which of them live.
private final class SessionService {
    var living: Set<Int> = []
    /// What verify answers to sessions, before it answers as usual.
    var verify: [Int] = []
    /// The same from the first end of a session on.
    var verifyAfterEnding: [Int] = []
    var name = "ann"
    /// Whether every login gets the same session.
    var isOne = false
    /// Whether the end of one is the end of all.
    var endsAll = false
    var logout = 204
    var signOn: String?
    private var count = 0
    /// What the last command has asked: method, path, and the session.
    private(set) var asked: [String] = []

    var transport: ScriptedTransport {
        asked = []
        return ScriptedTransport { [self] in answer($0) }
    }

    private static let metadata = """
        {"issuer":"https://id.example","authorization_endpoint":"https://id.example/authorize",
         "token_endpoint":"https://id.example/token","revocation_endpoint":"https://id.example/revoke"}
        """

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let session = request.dump.firstMatch(of: /(?:sid=s|Bearer at|token=[ar]t)(\d+)/).flatMap { Int($0.1) }
        let path = "/" + (request.url.split(separator: "/").last ?? "")
        asked.append("\(request.method) \(path)" + (session.map { " s\($0)" } ?? ""))
        switch path {
        case "/login": return .answer(200, cookies: [.named("sid", "s\(begin())")])
        case "/token": return tokens(begin())
        case "/oauth-authorization-server": return .answer(200, Self.metadata)
        case "/logout", "/revoke":
            guard logout < 300 else { return .answer(logout) }
            if endsAll { living = [] } else if let session { living.remove(session) }
            verify += verifyAfterEnding
            verifyAfterEnding = []
            return .answer(path == "/revoke" ? 200 : logout)
        default:
            guard let session, living.contains(session) else { return .answer(401) }
            if !verify.isEmpty { return .answer(verify.removeFirst()) }
            return .answer(200, "{\"name\": \"\(name)\"}", cookies: [.named("sid", "s\(session)")])
        }
    }

    private func begin() -> Int {
        count = isOne ? 1 : count + 1
        living.insert(count)
        return count
    }

    private func tokens(_ number: Int) -> HTTPResponse {
        let claims = Secret("{\"sub\":\"ann\",\"sid\":\"\(signOn ?? "")\"}").base64.unprotectedText
        let identity = signOn == nil ? "" : ",\"id_token\":\"e30.\(claims.replacing("=", with: "")).x\""
        return .answer(
            200,
            """
            {"access_token":"at\(number)","token_type":"Bearer","expires_in":600,"refresh_token":"rt\(number)"\(identity)}
            """)
    }
}
