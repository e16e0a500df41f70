@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Profiles of machines, and what they are told without a server.
struct MachineProfileTests {
    private func world(_ oauth: String, _ more: String = "") throws -> TestWorld {
        try TestWorld(
            config: """
                [profiles.p]
                url = "https://api.example"
                method = "oauth"
                oauth = { \(oauth) }
                verify = { get = "/me" }
                \(more)
                """)
    }

    @Test(arguments: [
        ("grant = 'password'", "is not one of code, device, client-credentials, jwt-bearer, token-exchange"),
        ("grant = 'client-credentials'", "oauth.client-id: is missing"),
        ("grant = 'client-credentials', client-id = 'a', flow = 'device'", "oauth.flow: cannot be used with grant"),
        (
            "grant = 'client-credentials', client-id = 'a', client-auth = 'private-key-jwt'",
            "oauth.key-file: is missing"
        ),
        ("grant = 'client-credentials', client-id = 'a', key-file = 'k'", "oauth.key-file: signs nothing here"),
        (
            "grant = 'client-credentials', client-id = 'a', audience = 'x'",
            "oauth.audience: belongs to grant 'token-exchange'"
        ),
        ("grant = 'token-exchange'", "oauth.identity: is missing"),
        (
            "grant = 'token-exchange', identity = {}",
            "must have exactly one of github-actions, env, file, command, profile"
        ),
        ("grant = 'token-exchange', identity = { command = 'a b' }", "identity.command: must be a list of words"),
        ("grant = 'jwt-bearer', key-file = 'k'", "claims.iss: is missing"),
        ("grant = 'jwt-bearer', key-file = 'k', claims = { exp = '1' }", "claims.exp: is set by authctl itself"),
        ("grant = 'jwt-bearer', identity = { env = 'A' }, claims = { iss = 'x' }", "oauth.claims: belongs to grant"),
        ("client-id = 'a', client-auth = 'tls'", "oauth.client-auth: 'tls' needs one of the grants"),
        (
            "grant = 'client-credentials', client-id = 'a', issuer = 'https://id.example', token-endpoint = '/token'",
            "oauth.token-endpoint: cannot be used beside 'issuer'"
        ),
        (
            "grant = 'client-credentials', client-id = 'a', issuer = 'https://id.example', revocation-endpoint = '/r'",
            "oauth.revocation-endpoint: cannot be used beside 'issuer'"
        ),
        ("grant = 'client-credentials', client-id = 'a'", "oauth.issuer: is missing"),
        (
            "grant = 'token-exchange', identity = { profile = 'x' }, token-endpoint = '/token'",
            "oauth.issuer: is missing; 'lend-to'"
        ),
        ("identity = { env = 'A' }", "oauth.identity: needs one of the grants"),
        ("grant = 'code', flow = 'browser'", "oauth.flow: says the same as 'grant'"),
    ])
    func `a profile of a machine that could not work says why`(oauth: String, problem: String) throws {
        let run = try world(oauth).run("profile", "show", "p")
        #expect(run.code == 2 && run.talk.contains(problem), "\(run.talk)")
    }

    @Test func `a client's secret is asked for by its name, and nothing is asked of a machine that proves itself`()
        throws
    {
        let need = try world("issuer = 'https://id.example', grant = 'client-credentials', client-id = 'a'").run(
            "login", "p", "--no-prompt")
        #expect(need.code == 4 && need.talk.contains("--password-stdin"), "\(need.talk)")
        let identity = "issuer = 'https://id.example', grant = 'token-exchange', identity = { env = 'NO_SUCH_TOKEN' }"
        let given = try world(identity).run("login", "p", "--password-command", "echo x")
        #expect(given.code == 2 && given.talk.contains("takes no password"), "\(given.talk)")
    }

    @Test(arguments: [
        ("['/bin/sh', '-c', 'exit 3']", "the identity command \"/bin/sh\" failed with status 3"),
        ("['no-such-program']", "the identity command \"no-such-program\" was not found"),
    ])
    func `an identity command that fails is called one`(command: String, words: String) throws {
        let world = try world(
            "token-endpoint = '/token', grant = 'token-exchange', identity = { command = \(command) }")
        let run = world.run("login", "p", server: [.answer(401, headers: ["WWW-Authenticate: Bearer"])])
        #expect(run.code == 4 && run.talk.contains(words) && run.talk.contains("see 'identity'"), "\(run.talk)")
        #expect(!run.talk.contains("password"), "\(run.talk)")
    }

    @Test(arguments: ["hunter22", "aHVudGVyMjI=", "%68unter22"])
    func `a server that refuses a machine is not quoted where it repeats a secret`(echo: String) throws {
        let world = try world(
            "token-endpoint = '/token', grant = 'client-credentials', client-id = 'a', client-auth = 'post'")
        world.person = ScriptedPerson(Array(repeating: ScriptedPerson.types(nil, "hunter22"), count: 3))
        let refusal = HTTPResponse.answer(
            401, "{\"error\": \"invalid_client\", \"error_description\": \"not \(echo)\"}")
        let run = world.run(
            "login", "p", server: [.answer(401, headers: ["WWW-Authenticate: Bearer"]), refusal, refusal, refusal])
        #expect(run.code == 3 && !run.talk.contains(echo), "\(run.code) \(run.talk)")
    }

    @Test func `a text that is no JSON Web Token is none, and one is one by its header alone`() {
        for text in ["", "a", "a.b", "a.b.c", "e30.e30.c", "eyJhbGciOjF9.e30.c"] {
            #expect(!JSONWebToken.isSigned(Secret(text)))
        }
        #expect(JSONWebToken.isSigned(Secret("eyJhbGciOiJFUzI1NiJ9.e30.c")))
    }
}
