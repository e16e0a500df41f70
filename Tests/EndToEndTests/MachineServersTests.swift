import Foundation
@testable import LoginTestSupport
import Testing

/// Client credentials at authorization servers that others run, each with the client authentications that it has.
@Suite(.onOwnThreads, PresetServer.required) struct `A machine at a real server` {
    /// Logs in, is refused with a wrong secret, and logs out.
    private func tryLogin(_ authctl: Installation, secret: String, name: String, wrong: String) throws {
        let login = try authctl.run("login", "p", "--password-stdin", input: secret + "\n")
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("whoami", "p").output == name + "\n")
        let refused = try authctl.run("login", "p", "--force", "--password-stdin", input: "staple\n")
        #expect(refused.code == 3 && refused.error.contains(wrong), "\(refused.code ?? -1) \(refused.error)")
        #expect(try authctl.run("logout", "p").code == 0)
    }

    private func profile(_ origin: String, _ oauth: String, _ verify: String) -> String {
        """
        [profiles.p]
        url = "\(origin)"
        method = "oauth"
        oauth = { grant = 'client-credentials', \(oauth) }
        verify = { \(verify) }

        """
    }

    @Test(arguments: ["basic", "post"])
    func `logs in at LemonLDAP NG, which grants every scope and revokes nothing`(way: String) throws {
        let server = try PresetServer("lemonldap-ng-oidc", ready: "/.well-known/openid-configuration")
        let origin = "http://127.0.0.1:\(server.port)"
        let authctl = try Installation(
            config: profile(
                origin, "issuer = '\(origin)/', client-id = 'nightly', client-auth = '\(way)', scope = 'read'",
                "get = '/oauth2/userinfo', username = '/sub'"))
        try tryLogin(authctl, secret: PresetServer.password, name: "nightly", wrong: "invalid_client")
        let stranger = try authctl.home.read("config/authctl/config.toml").replacing("'nightly'", with: "'stranger'")
        try authctl.home.write(stranger, to: "config/authctl/config.toml")
        let run = try authctl.run("login", "p", "--password-stdin", input: PresetServer.password + "\n")
        #expect(run.code == 3, "\(run.code ?? -1) \(run.error)")
    }

    /// Its metadata lists `client_secret_post` and `private_key_jwt`, which it takes for other grants alone.
    @Test func `logs in at Canaille by Basic, and says what the server says of other authentications`() throws {
        let server = try PresetServer("canaille", ready: "/.well-known/openid-configuration")
        let origin = "http://127.0.0.1:\(server.port)"
        func registered(_ way: String) throws -> (id: String, secret: String) {
            let body = """
                {"client_name": "nightly", "redirect_uris": ["\(origin)/none"], "grant_types": ["client_credentials"],
                "token_endpoint_auth_method": "\(way)", "scope": "profile"}
                """
            let made = try Curl("-H", "Content-Type: application/json", "-d", body, origin + "/oauth/register")
            return (try #require(made.json("client_id")), try #require(made.json("client_secret"), "\(made.text)"))
        }
        func installation(_ way: String, _ client: String) throws -> Installation {
            try Installation(
                config: profile(
                    origin, "issuer = '\(origin)', client-id = '\(client)', client-auth = '\(way)', scope = 'profile'",
                    "get = '/me', username = '/name'"))
        }
        let (id, secret) = try registered("client_secret_basic")
        try tryLogin(try installation("basic", id), secret: secret, name: "nightly", wrong: "invalid_client")
        let other = try registered("client_secret_post")
        let post = try installation("post", other.id).run("login", "p", "--password-stdin", input: other.secret + "\n")
        #expect(post.code == 3 && post.error.contains("['client_secret_basic']"), "\(post.error)")
    }

    /// Its response names the client only where that authenticates by Basic.
    private static func introspection(_ way: String) -> String {
        "post = '/api/oidc/introspect', form = { token = '{token}' }, logged-out = [401]"
            + (way == "basic" ? ", username = '/client_id'" : "")
    }

    @Test(RealServer.require("glewlwyd"), arguments: ["basic", "post"])
    func `logs in at Glewlwyd with a secret`(way: String) throws {
        let nightly = OAuthClient("nightly", secret: "horse-battery-9", redirects: ["http://127.0.0.1:1/none"])
        let glewlwyd = try GlewlwydServer(clients: [nightly])
        let authctl = try Installation(
            config: profile(
                glewlwyd.origin,
                "issuer = '\(glewlwyd.issuer)', client-id = 'nightly', client-auth = '\(way)', scope = 'notes'",
                Self.introspection(way)))
        try tryLogin(authctl, secret: "horse-battery-9", name: "nightly", wrong: "client secret")
    }

    @Test(RealServer.require("glewlwyd"), arguments: ["ES256", "ES384", "EdDSA", "RS256"])
    func `logs in at Glewlwyd with a key that it knows by its name, for the token endpoint`(algorithm: String) throws {
        let authctl = try Installation()
        let made = try authctl.run(
            "key", "new", authctl.folder + "/config/authctl/nightly.pem", "--alg", algorithm)
        let key = try #require(made.json as? [String: String], "\(made.error)")
        let nightly = OAuthClient("nightly", key: made.output, redirects: ["http://127.0.0.1:1/none"])
        let glewlwyd = try GlewlwydServer(clients: [nightly])
        func configure(_ more: String) throws {
            let oauth =
                "issuer = '\(glewlwyd.issuer)', client-id = 'nightly', client-auth = 'private-key-jwt', scope = 'notes', "
                + "key-file = 'nightly.pem', kid = '\(key["kid"] ?? "")'\(more)"
            try authctl.home.write(
                "store = \"plaintext\"\n" + profile(glewlwyd.origin, oauth, Self.introspection("private-key-jwt")),
                to: "config/authctl/config.toml")
        }
        try configure("")
        let issuer = try authctl.run("whoami", "p")
        #expect(issuer.code == 3 && issuer.error.contains("audience-of-assertion"), "\(issuer.error)")
        try configure(", audience-of-assertion = 'token-endpoint'")
        let run = try authctl.run("whoami", "p")
        #expect(run.output == "nightly\n", "\(run.error)")
        #expect(try authctl.run("logout", "p").code == 0)
    }
}
