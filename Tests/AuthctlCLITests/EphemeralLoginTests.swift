import ArgumentParser
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `exec --ephemeral`, as far as it needs no process.
struct EphemeralLoginTests {
    private static let forge = """
        [profiles.forge]
        url = "https://forge.example"
        method = "token"
        verify = { get = "/user", username = "/name" }
        logout = { post = "/bye" }
        """

    @Test func `a session that cannot be handed over is ended at the server all the same`() throws {
        let world = try TestWorld(config: Self.forge)
        world.variables["AUTHCTL_PROFILE"] = "forge"
        world.password = Secret("pat")
        let named = HTTPResponse.answer(200, "{\"name\":\"a\\u0001b\"}")
        let run = world.run(
            "exec", "--ephemeral", "--", "true", server: [.answer(401), named, .answer(204), .answer(401)])
        #expect(run.code == 102 && run.talk.contains("control character"), "\(run.talk)")
        #expect(world.requests[2].hasPrefix("POST https://forge.example/bye"), "\(world.requests)")
        #expect(run.talk.contains("the login was never stored; session ended at the server."), "\(run.talk)")
    }

    @Test func `a session that nothing ends is said to stay valid, as logout says it`() throws {
        let world = try TestWorld(config: Self.forge.replacing("logout = { post = \"/bye\" }", with: ""))
        world.variables["AUTHCTL_PROFILE"] = "forge"
        world.password = Secret("pat")
        let named = HTTPResponse.answer(200, "{\"name\":\"a\\u0001b\"}")
        let run = world.run("exec", "--ephemeral", "--", "true", server: [.answer(401), named])
        let rest = "the profile has no logout. The session stays valid at the server; when it expires is not known."
        #expect(run.talk.contains("the login was never stored; \(rest)"), "\(run.talk)")
    }

    private static let kept = """
        [profiles.chat]
        url = "https://chat.example"
        method = "token"
        keep-password = true
        verify = { get = "/me", username = "/name" }
        login = { post = "/in", json = { u = "{username}", p = "{password}", k = "{secret:Key}" }, token = "/token" }
        """

    @Test(arguments: [true, false])
    func `a login of its own is made, also where the same password is kept beside a session`(isStored: Bool) throws {
        let world = try TestWorld(config: Self.kept)
        func answers(_ token: String) -> [HTTPResponse] {
            [.answer(401), .answer(200, "{\"token\":\"\(token)\"}"), .answer(200, "{\"name\":\"anna\"}")]
        }
        let typed = Credential(
            username: "anna", .password(Secret("pw")), extraSecrets: [.secret("Key"): Secret("k")])
        world.person = ScriptedPerson([.credential(typed)])
        #expect(world.run("login", "chat", server: answers("old")).code == 0)
        world.person = ScriptedPerson()
        if !isStored {
            // The session is refused, and the password stays.
            #expect(world.run("whoami", server: [.answer(401), .answer(503)]).code == 12)
        }
        world.password = Secret("pw")
        world.variables["AUTHCTL_PROFILE"] = "chat"
        // What verify answers without a login is known by now.
        let session = try world.withWorld(server: Array(answers("new").dropFirst())) { world in
            let invocation = try Invocation(world, try GlobalOptions.parse([]))
            let gate = try invocation.provider(
                try invocation.context.selection.profile(nil), try LoginOptions.parse([]))
            let account = try gate.enterOnce()
            // Nobody else has to wait for the command: the right to refresh is free.
            _ = try invocation.context.accounts.keeper(gate.profile, account.run.endpoint.origin).beginRefresh(
                of: nil)
            return account.session
        }
        guard case .token(let token) = session else { throw Unscripted() }
        #expect(token.value.unprotectedText == "new")
        #expect(world.requests.count == 2)
    }

    private struct Unscripted: Error {}
}
