@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Sessions that are kept and not used as they are: refreshed for somebody else, or with an end that the clock cannot tell.
struct DoubtedSessionTests {
    private static let url = "https://chat.example/_matrix/client/v3"

    /// `named` stands in `refresh`.
    private static func config(_ named: String = "", _ more: String = "") -> String {
        """
        [profiles.chat]
        url     = "\(url)"
        method  = "token"
        verify  = { get = "/me", username = "/user_id" }
        refresh = { post = "/refresh", json = { refresh_token = "{refresh-token}" }\(named) }
        logout  = { post = "/logout" }
        \(more)
        [profiles.chat.login]
        post          = "/login"
        json          = { user = "{username}", password = "{password}" }
        token         = "/token"
        refresh-token = "/refresh"
        expires-in    = "/expires"
        """
    }

    private func tokens(_ value: String, refresh: String = "r2", more: String = "") -> HTTPResponse {
        .answer(200, "{\"token\":\"\(value)\",\"refresh\":\"\(refresh)\",\"expires\":100\(more)}")
    }

    private func named(_ name: String) -> HTTPResponse { .answer(200, "{\"user_id\":\"\(name)\"}") }

    /// A JSON Web Token about somebody, with a signature that nobody looks at.
    private func webToken(_ subject: String, _ number: Int = 1) -> String {
        "eyJhbGciOiJub25lIn0." + Self.base64("{\"sub\":\"\(subject)\",\"n\":\(number)}") + ".c2ln"
    }

    private static func base64(_ text: String) -> String {
        Secret(text).base64.unprotectedText.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Logged in as ann, for a hundred seconds.
    private func ann(_ config: String = config(), token: String = "t1") throws -> TestWorld {
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let run = world.run("login", "chat", server: [.answer(401), tokens(token, refresh: "r1"), named("ann")])
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        return world
    }

    /// Whatever is asked for, mallory's token goes nowhere from here on, and nothing of hers is lent.
    private func expectUnused(_ world: TestWorld, now: String = "mallory") {
        for command in [
            ["token"], ["token", "--header"], ["whoami", "--offline"], ["status", "--offline"], ["whoami"],
        ] {
            let run = world.run(command + ["chat"], server: [])
            #expect(run.code == 4 && !run.output.contains("t2"), "\(command): \(run.output)\(run.talk)")
            #expect(world.requests.isEmpty)
            #expect(run.talk.contains(now), "\(command): \(run.talk)")
        }
        #expect(world.run(["request", "POST", "/x", "-P", "chat"], server: []).code == 4)
        #expect(world.requests.isEmpty)
    }

    @Test func `a refresh whose answer names somebody else is 4 naming both, and nothing of it is used`() throws {
        let world = try ann(Self.config(", username = \"/user\""))
        world.now += 100
        let run = world.run("token", "chat", server: [tokens("t2", more: ",\"user\":\"mallory\"")])
        #expect(run.code == 4 && run.output.isEmpty, "\(run.output)\(run.talk)")
        #expect(run.talk.contains("\"ann\"") && run.talk.contains("\"mallory\""), "\(run.talk)")
        #expect(world.requests.count == 1)
        expectUnused(world)
        // It is kept, since what was there is used up; a login of one's own takes its place.
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        #expect(world.run("login", "chat", server: [.answer(401), tokens("t3"), named("ann")]).code == 0)
        world.person = ScriptedPerson()
        #expect(world.run("token", "chat").output == "t3\n")
    }

    @Test func `a refreshed session whose token is about somebody else is not used`() throws {
        let world = try ann(token: webToken("ann"))
        world.now += 100
        let run = world.run("token", "chat", server: [tokens(webToken("mallory"))])
        #expect(run.code == 4 && run.output.isEmpty)
        #expect(run.talk.contains("\"ann\"") && run.talk.contains("\"mallory\""), "\(run.talk)")
        #expect(world.requests.count == 1)
        expectUnused(world)
    }

    @Test(arguments: [["token"], ["request", "POST", "/x", "-P"]])
    func `a refreshed session for which verify names somebody else is not used`(command: [String]) throws {
        let world = try ann()
        world.now += 100
        let run = world.run(command + ["chat"], server: [tokens("t2"), named("mallory")].map { .success($0) })
        #expect(run.code == 4 && run.output.isEmpty, "\(run.output)\(run.talk)")
        #expect(run.talk.contains("\"ann\"") && run.talk.contains("\"mallory\""), "\(run.talk)")
        #expect(!world.requests.contains { $0.contains("/x") })
        expectUnused(world)
    }

    @Test(arguments: [["whoami"], ["status"]])
    func `a session of somebody else's that whoami or status has refreshed is not used`(command: [String]) throws {
        let world = try ann()
        let answers = [.answer(401), tokens("t2"), named("mallory")]
        let run = world.run(command + ["chat"], server: answers.map { .success($0) })
        #expect(run.code == 4 && !run.output.contains("mallory"), "\(run.output)\(run.talk)")
        #expect(run.talk.contains("\"ann\"") && run.talk.contains("\"mallory\""), "\(run.talk)")
        expectUnused(world)
    }

    @Test func `the same person's is used, by whatever the answer names it`() throws {
        let world = try ann(Self.config(", username = \"/user\""), token: webToken("ann"))
        world.now += 100
        let refreshed = tokens(webToken("ann", 2), more: ",\"user\":\"ann\"")
        let run = world.run("token", "chat", server: [refreshed, named("ann")])
        #expect(run.code == 0 && run.output == webToken("ann", 2) + "\n", "\(run.talk)")
        // Confirmed once, it is not asked about again.
        #expect(world.run("token", "chat").output == webToken("ann", 2) + "\n")
    }

    @Test func `what nobody could confirm yet is kept, and verified before it is used`() throws {
        let world = try ann()
        world.now += 100
        #expect(world.run("token", "chat", server: [tokens("t2"), .answer(503)]).code == 12)
        #expect(world.requests.count == 2)
        #expect(world.run("token", "chat", server: [.answer(503)]).code == 12)
        #expect(world.run("request", "POST", "/x", "-P", "chat", server: [.answer(503)]).code == 12)
        #expect(world.requests == ["GET \(Self.url)/me\nAuthorization: Bearer t2"])
        #expect(world.run("token", "chat", server: [named("ann")]) == Run(code: 0, output: "t2\n", talk: ""))
        #expect(world.run("token", "chat") == Run(code: 0, output: "t2\n", talk: ""))
    }

    @Test func `a password that is kept earns a session of the right person`() throws {
        let world = try ann(Self.config(", username = \"/user\"", "keep-password = true"))
        world.now += 100
        #expect(world.run("token", "chat", server: [tokens("t2", more: ",\"user\":\"mallory\"")]).code == 4)
        let run = world.run("token", "chat", server: [.answer(401), tokens("t3"), named("ann")])
        #expect(run.code == 0 && run.output == "t3\n", "\(run.talk)")
    }

    @Test func `with the clock set back the service is asked before a token is printed, and it is said`() throws {
        let world = try ann()
        world.now -= 7200
        let run = world.run("token", "chat", server: [named("ann")])
        #expect(run.code == 0 && run.output == "t1\n")
        #expect(run.talk.contains("2 hours behind the time when this login was saved"), "\(run.talk)")
        #expect(world.requests == ["GET \(Self.url)/me\nAuthorization: Bearer t1"])
        // It may be over by now, whatever the clock says.
        let over = world.run("token", "chat", server: [.answer(401), .answer(400)])
        #expect(over.code == 4 && over.output.isEmpty)
    }

    @Test(arguments: [["status", "--offline"], ["whoami", "--offline"]])
    func `without asking, whether it has ended is not known`(command: [String]) throws {
        let world = try ann()
        world.now -= 7200
        let run = world.run(command + ["chat"], server: [])
        #expect(run.code == 4 && run.talk.contains("the session may have expired"), "\(run.talk)")
        #expect(world.requests.isEmpty)
        world.now += 7200 - 60
        #expect(world.run(command + ["chat"], server: []).code == 0)
    }

    @Test func `a request asks first as well, and what has no end is not concerned`() throws {
        let world = try ann()
        world.now -= 7200
        let run = world.run("request", "POST", "/x", "-P", "chat", server: [named("ann"), .answer(200, "done")])
        #expect(run.code == 0 && run.output == "done", "\(run.talk)")
        let forge = try TestWorld(config: Examples.forge)
        forge.person = ScriptedPerson([ScriptedPerson.pastes("pat")])
        #expect(forge.run("login", "forge", server: [.answer(401), .answer(200, "{\"username\":\"ann\"}")]).code == 0)
        forge.now -= 7200
        #expect(forge.run("token", "forge") == Run(code: 0, output: "pat\n", talk: ""))
    }
}
