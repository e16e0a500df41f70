import LoginCore
import LoginHTTP
import LoginTestSupport
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
    func `OA11 one that does not fit is 7 where the name comes from it, and is revoked`(kind: String) throws {
        let world = try TestWorld(config: Self.config(username: "id-token:preferred_username"))
        let run = try logIn(world, kind, .answer(200))
        #expect(run.code == 7, "\(run.talk)")
        #expect(world.requests.last?.contains("token=at1&token_type_hint=access_token") == true)
        #expect(world.requests.count == 4)
        #expect(world.run("status", "notes", "--offline").code == 4)
    }

    @Test(arguments: unfit.keys.sorted())
    func `OA11 nobody looks at it where the service says the name`(kind: String) throws {
        let world = try TestWorld(config: Self.config(username: "/name"))
        let run = try logIn(world, kind, .answer(200, "{\"name\":\"ann\"}"))
        #expect(run.code == 0 && run.talk.contains("as ann."), "\(run.talk)")
    }
}
