@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// How many requests a login and its refresh cost. A request too many is not in the script, and fails the command.
struct OAuthCountTests {
    private static let config = """
        [profiles.notes]
        url    = "https://notes.example/api"
        method = "oauth"
        oauth  = { issuer = "https://id.example", client-id = "authctl" }
        verify = { get = "/me", username = "/name" }
        """

    private static let metadata = """
        {"issuer":"https://id.example","authorization_endpoint":"https://id.example/authorize",
         "token_endpoint":"https://id.example/token"}
        """

    private static let ann = HTTPResponse.answer(200, "{\"name\":\"ann\"}")

    private static func tokens(_ number: Int) -> HTTPResponse {
        .answer(
            200,
            """
            {"access_token":"at\(number)","token_type":"Bearer","expires_in":600,"refresh_token":"rt\(number)"}
            """)
    }

    /// The first lines of what was sent.
    private func sent(_ world: TestWorld) -> [String] {
        world.requests.map { String($0.prefix { !$0.isNewline }) }
    }

    private func loggedIn() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([])
        let run = world.run(
            "login", "notes", server: [.answer(401), .answer(200, Self.metadata), Self.tokens(1), Self.ann])
        #expect(run.code == 0, "\(run.talk)")
        return world
    }

    @Test func `a login with a client is metadata, token, and verify twice`() throws {
        #expect(
            sent(try loggedIn()) == [
                "GET https://notes.example/api/me", "GET https://id.example/.well-known/oauth-authorization-server",
                "POST https://id.example/token", "GET https://notes.example/api/me",
            ])
    }

    @Test func `an OAuth login with its endpoints in the profile needs no metadata`() throws {
        let endpoints = ["authorize", "token"].map { name in
            "\(name == "token" ? name : "authorization")-endpoint = \"https://id.example/\(name)\""
        }
        let config = Self.config.replacing("issuer = \"https://id.example\"", with: endpoints.joined(separator: ", "))
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([])
        let run = world.run("login", "notes", server: [.answer(401), Self.tokens(1), Self.ann])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.count == 3)
    }

    @Test func `a refresh is one request, for a token and for the helpers of git and docker`() throws {
        let world = try loggedIn()
        for (number, command) in [["token", "notes"], ["token", "notes", "--header"]].enumerated() {
            world.now += 601
            let run = world.run(command, server: [.success(Self.tokens(number + 2))])
            #expect(run.code == 0 && run.output.contains("at\(number + 2)"), "\(run.talk)")
            #expect(sent(world) == ["POST https://id.example/token"])
        }
        // The next command knows what it brought.
        let next = world.run("token", "notes", server: [])
        #expect(next.output == "at3\n" && world.requests.isEmpty, "\(next.talk)")
    }

    @Test func `a token that has ended is refreshed before any command shows it to the service`() throws {
        let world = try loggedIn()
        let commands = [
            ["whoami", "notes"], ["status"], ["login", "notes"], ["request", "/"], ["token", "notes", "--verify"],
        ]
        for (number, command) in commands.enumerated() {
            // In its last second, too: a service that sees an ended token may take the refresh token for stolen.
            world.now += number % 2 == 0 ? 601 : 599
            let end = command[0] == "request" ? [Self.ann, Self.ann] : [Self.ann]
            let run = world.run(command, server: ([Self.tokens(number + 2)] + end).map { .success($0) })
            #expect(run.code == 0, "\(command): \(run.talk)")
            #expect(world.requests.first?.hasPrefix("POST https://id.example/token") == true, "\(command)")
            #expect(world.requests.dropFirst().allSatisfy { $0.contains("Bearer at\(number + 2)") }, "\(command)")
        }
    }

    @Test func `a refreshed token that says itself that it is somebody else's is not used`() throws {
        func token(_ subject: String, _ number: Int) -> HTTPResponse {
            let claims = ["ann": "eyJzdWIiOiJhbm4ifQ", "bob": "eyJzdWIiOiJib2IifQ"][subject] ?? ""
            return .answer(
                200,
                """
                {"access_token":"e30.\(claims).x\(number)","token_type":"Bearer","expires_in":600,"refresh_token":"rt"}
                """)
        }
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([])
        let login = world.run(
            "login", "notes", server: [.answer(401), .answer(200, Self.metadata), token("ann", 1), Self.ann])
        #expect(login.code == 0, "\(login.talk)")
        world.now += 601
        #expect(world.run("token", "notes", server: [token("ann", 2)]).code == 0)
        world.now += 601
        let other = world.run("token", "notes", server: [token("bob", 3)])
        #expect(other.code == 4 && other.output.isEmpty, "\(other.talk)")
        #expect(world.run("token", "notes", server: []).code == 4)
    }
}
