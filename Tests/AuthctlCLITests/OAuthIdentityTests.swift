@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// The id_token of a login, where the name comes from it and where it does not.
struct OAuthIdentityTests {
    private static func config(username: String) -> String {
        """
        [profiles.notes]
        url    = "https://notes.example/api"
        method = "oauth"
        oauth  = { issuer = "https://id.example", client-id = "authctl", scope = "openid notes:read" }
        verify = { get = "/me", username = "\(username)" }
        """
    }

    private static let metadata = """
        {"issuer":"https://id.example","authorization_endpoint":"https://id.example/authorize",
         "token_endpoint":"https://id.example/token","revocation_endpoint":"https://id.example/revoke"}
        """

    /// Claims that fit but for what each of these has in their place; the nonce of a login is never this one.
    private static let unfit = [
        "none": nil,
        "no audience": "\"aud\":[]",
        "another audience": "\"aud\":\"other\"",
        "a second audience": "\"aud\":[\"authctl\",\"other\"]",
        "asked for by another client": "\"aud\":[\"authctl\",\"other\"],\"azp\":\"other\"",
        "another login": "\"aud\":\"authctl\"",
        "expired": "\"aud\":\"authctl\",\"exp\":900000",
        "another issuer": "\"aud\":\"authctl\",\"iss\":\"https://evil.example\"",
    ]

    private static func tokens(_ kind: String) throws -> HTTPResponse {
        var member = ""
        if let special = try #require(unfit[kind]) {
            let usual = ["\"iss\":\"https://id.example\"", "\"exp\":2000000"]
                .filter { !special.contains($0.prefix(5)) }
            let claims = (usual + [special, "\"nonce\":\"n\"", "\"preferred_username\":\"ann\""])
                .joined(separator: ",")
            let text = Secret("{\(claims)}").base64.unprotectedText.replacing("=", with: "")
            member = ",\"id_token\":\"e30.\(text.replacing("+", with: "-").replacing("/", with: "_")).x\""
        }
        return .answer(200, "{\"access_token\":\"at1\",\"token_type\":\"Bearer\",\"expires_in\":600\(member)}")
    }

    private func logIn(_ world: TestWorld, _ kind: String, _ more: HTTPResponse) throws -> Run {
        world.person = ScriptedPerson([])
        return world.run(
            "login", "notes", server: [.answer(401), .answer(200, Self.metadata), try Self.tokens(kind), more])
    }

    @Test(arguments: unfit.keys.sorted())
    func `one that does not fit is 7 where the name comes from it, and is revoked`(kind: String) throws {
        let world = try TestWorld(config: Self.config(username: "id-token:preferred_username"))
        let run = try logIn(world, kind, .answer(200))
        #expect(run.code == 7, "\(run.talk)")
        #expect(world.requests.last?.contains("token=at1&token_type_hint=access_token") == true)
        #expect(world.requests.count == 4)
        #expect(world.run("status", "notes", "--offline").code == 4)
    }

    @Test(arguments: unfit.keys.sorted())
    func `nobody looks at it where the service says the name`(kind: String) throws {
        let world = try TestWorld(config: Self.config(username: "/name"))
        let run = try logIn(world, kind, .answer(200, "{\"name\":\"ann\"}"))
        #expect(run.code == 0 && run.talk.contains("as ann."), "\(run.talk)")
    }

    /// Tokens with an id_token about this person; without one, where that is nothing.
    private static func tokens(_ number: Int, about subject: String?) -> HTTPResponse {
        let claims = Secret("{\"sub\":\"\(subject ?? "")\"}").base64.unprotectedText.replacing("=", with: "")
        let member = subject == nil ? "" : ",\"id_token\":\"e30.\(claims).x\""
        return .answer(
            200,
            """
            {"access_token":"at\(number)","token_type":"Bearer","expires_in":600,"refresh_token":"rt\(number)"\(member)}
            """)
    }

    private static let ann = HTTPResponse.answer(200, "{\"name\":\"ann\"}")

    private func loggedIn(about subject: String?, _ metadata: String = metadata) throws -> TestWorld {
        let world = try TestWorld(config: Self.config(username: "/name"))
        world.person = ScriptedPerson([])
        let run = world.run(
            "login", "notes",
            server: [.answer(401), .answer(200, metadata), Self.tokens(1, about: subject), Self.ann])
        #expect(run.code == 0, "\(run.talk)")
        world.now += 601
        return world
    }

    @Test func `a refresh for another person ends the login, and revokes what it brought`() throws {
        let world = try loggedIn(about: "s-1")
        let run = world.run(
            "token", "notes",
            server: [Self.tokens(2, about: "s-2")] + [HTTPResponse].init(repeating: .answer(200), count: 4))
        #expect(run.code == 7 && run.output.isEmpty, "\(run.talk)")
        #expect(
            run.talk.contains("\"s-1\"") && run.talk.contains("\"s-2\"") && run.talk.contains("authctl login notes"))
        #expect(run.talk.contains("were revoked"))
        let revoked = world.requests.dropFirst().compactMap { $0.firstMatch(of: /token=([a-z0-9]+)&/)?.1 }
        #expect(revoked == ["rt2", "at2", "rt1", "at1"])
        #expect(world.run("token", "notes", server: []).code == 4)
        #expect(world.run("status", "notes", "--offline").code == 4)
    }

    @Test func `what a refresh for another person brought is told where it could not be revoked`() throws {
        let world = try loggedIn(about: "s-1", Self.metadata.replacing("revocation_endpoint", with: "x"))
        let run = world.run("token", "notes", server: [Self.tokens(2, about: "s-2")])
        #expect(run.code == 7 && run.talk.contains("could not be revoked"), "\(run.talk)")
        #expect(world.run("token", "notes", server: []).code == 4)
    }

    @Test(arguments: [("s-1", "s-1"), ("s-1", nil), (nil, "s-2"), (nil, nil)] as [(String?, String?)])
    func `a refresh for the same person, or one that does not say, goes on`(first: String?, second: String?) throws {
        let world = try loggedIn(about: first)
        let run = world.run("token", "notes", server: [Self.tokens(2, about: second)])
        #expect(run.code == 0 && run.output == "at2\n", "\(run.talk)")
        // Who it was is not forgotten by that.
        world.now += 601
        let next = world.run(
            "token", "notes",
            server: [Self.tokens(3, about: "s-3")] + [HTTPResponse].init(repeating: .answer(200), count: 4))
        #expect(next.code == (first == nil ? 0 : 7), "\(next.talk)")
    }
}
