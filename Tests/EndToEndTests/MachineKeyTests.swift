import Foundation
@testable import LoginTestSupport
import Testing

/// Keys and certificates by which machines prove themselves: encrypted ones, and what others verify of them.
@Suite(.onOwnThreads, RealServer.requirePackage("authlib")) struct `A machine with a key` {
    private static let byKey = "grant = 'client-credentials', client-id = 'nightly', client-auth = 'private-key-jwt'"
    private static let passphrase = "horse-battery-9"

    /// An installation with the keys `nightly.pem` and `locked.pem`, the same encrypted, and the public key.
    private func installation(_ algorithm: String = "ES256") throws -> (authctl: Installation, key: String) {
        let authctl = try Installation(), folder = authctl.folder + "/config/authctl"
        let made = try authctl.run("key", "new", folder + "/nightly.pem", "--alg", algorithm)
        #expect(made.code == 0, "\(made.error)")
        try lock(authctl, Self.passphrase)
        return (authctl, made.output)
    }

    /// Writes `locked.pem`.
    private func lock(_ authctl: Installation, _ passphrase: String) throws {
        let folder = authctl.folder + "/config/authctl", file = try authctl.file("passphrase", passphrase + "\n")
        let locked = try Command.tool(
            "openssl",
            [
                "pkcs8", "-topk8", "-in", folder + "/nightly.pem", "-out", folder + "/locked.pem", "-passout",
                "file:" + file,
            ])
        #expect(locked.ending == .exited(0), "\(locked.error)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/locked.pem")
    }

    private func configure(_ authctl: Installation, _ profiles: String...) throws {
        try authctl.home.write("store = \"plaintext\"\n" + profiles.joined(), to: "config/authctl/config.toml")
    }

    @Test
    func `that is encrypted is asked for its passphrase once, which is kept until the logout, and revokes with it`()
        throws
    {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)], lifetime: 2)
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), key-file = 'locked.pem'"))
        let missing = try authctl.run("token", "billing")
        #expect(missing.code == 4 && missing.error.contains("locked.pem"), "\(missing.error)")
        let wrong = try authctl.run("login", "billing", "--password-stdin", input: "staple\n")
        #expect(wrong.code == 2 && wrong.error.contains("does not open the key"), "\(wrong.error)")
        #expect(issuer.requests.isEmpty)
        let login = try authctl.run("login", "billing", "--password-stdin", input: Self.passphrase + "\n")
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("whoami", "billing").output == "nightly\n")
        let first = try authctl.run("token", "billing").output
        sleep(3)
        let second = try authctl.run("token", "billing")
        #expect(second.code == 0 && second.output != first, "\(second.error)")
        // Those that wait for another one's token keep the passphrase, too.
        sleep(3)
        let script = "for n in $(seq 8); do '\(authctl.program)' token billing & done; wait"
        let crowd = try Command.run(
            ChildSpec("/bin/sh", ["-c", script], environment: authctl.environment, directory: authctl.folder))
        #expect(Set(crowd.output.split(separator: "\n")).count == 1, "\(crowd.error)")
        sleep(3)
        #expect(try authctl.run("whoami", "billing").output == "nightly\n")
        let logout = try authctl.run("logout", "billing")
        #expect(logout.code == 0 && logout.error.contains("session ended at the server"), "\(logout.error)")
        #expect(issuer.requests.last?.contains("client_assertion=") == true)
        #expect(try authctl.run("token", "billing").code == 4)
        let variables = ["AUTHCTL_PROFILE": "billing", "AUTHCTL_PASSWORD": Self.passphrase]
        let given = try authctl.run("token", "billing", environment: variables)
        #expect(given.code == 0, "\(given.error)")
    }

    @Test
    func `that is encrypted anew is opened by the passphrase of the next login, and kept closed by whoami and logout`()
        throws
    {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)], lifetime: 2)
        let bare = """
            [profiles.bare]
            url = "\(issuer.service)"
            method = "oauth"
            oauth = { token-endpoint = "\(issuer.issuer)/token", \(Self.byKey), key-file = 'locked.pem', audience-of-assertion = 'token-endpoint' }
            verify = { get = "/me", username = "/name" }

            """
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), key-file = 'locked.pem'"), bare)
        for profile in ["billing", "bare"] {
            let login = try authctl.run("login", profile, "--password-stdin", input: Self.passphrase + "\n")
            #expect(login.code == 0, "\(login.error)")
        }
        let again = "staple-8"
        try lock(authctl, again)
        // The session is still good; the passphrase is for the ones after it.
        #expect(try authctl.run("login", "billing", "--password-stdin", input: again + "\n").code == 0)
        sleep(3)
        #expect(try authctl.run("token", "billing").code == 0)
        // Without a revocation endpoint nothing is signed.
        let logout = try authctl.run("logout", "bare")
        #expect(logout.code == 0 && !logout.error.contains("locked.pem"), "\(logout.code) \(logout.error)")
        #expect(try authctl.run("logout", "billing").code == 0)
        let variables = ["AUTHCTL_PROFILE": "billing", "AUTHCTL_PASSWORD": again]
        #expect(try authctl.run("whoami", "billing", environment: variables).output == "nightly\n")
        #expect(try authctl.run("token", "billing").code == 4)
    }

    @Test func `that is encrypted is opened at a terminal, after a wrong passphrase too`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)])
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), key-file = 'locked.pem'"))
        let run = try authctl.onTerminal("login", "billing")
        try run.answer("Passphrase of ", "staple\r").answer("Wrong passphrase. ", Self.passphrase + "\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(issuer.requests.count == 1)
        #expect(try authctl.run("token", "billing").code == 0)
    }

    @Test(arguments: ["ES256", "ES384", "EdDSA", "RS256"])
    func `signs what PyJWT verifies, too, with the key and for the audience that its profile names`(algorithm: String)
        throws
    {
        let (authctl, key) = try installation(algorithm)
        let issuer = try MachineIssuer([.key("nightly", key)])
        let name = try #require(key.firstMatch(of: /"kid" *: *"([^"]+)"/).map { String($0.1) })
        try configure(
            authctl, issuer.profile("usual", "\(Self.byKey), key-file = 'nightly.pem'"),
            issuer.profile(
                "named",
                "\(Self.byKey), key-file = 'nightly.pem', kid = '\(name)', audience-of-assertion = 'token-endpoint'"))
        var known: Set<String> = []
        for (profile, audience, kid) in [("usual", issuer.issuer, "None"), ("named", issuer.issuer + "/token", name)] {
            let token = try authctl.run("token", profile)
            #expect(token.code == 0, "\(token.error)")
            let assertion = try #require(
                issuer.requests.last?.firstMatch(of: /client_assertion=([^&]+)/).map { String($0.1) })
            let script = """
                import json, jwt, sys, time
                jwk, text, audience = sys.argv[1:]
                claims = jwt.decode(text, jwt.PyJWK(json.loads(jwk)).key, algorithms=["\(algorithm)"], audience=audience,
                    options={"require": ["iss", "sub", "aud", "exp", "iat", "jti"]})
                assert claims["iss"] == claims["sub"] == "nightly" and claims["exp"] - time.time() <= 60, claims
                print(claims["jti"], jwt.get_unverified_header(text).get("kid"))
                """
            let python = try #require(RealServer.packagesPython)
            let judged = try Command.run(ChildSpec(python, ["-c", script, key, assertion, audience], environment: [:]))
            #expect(judged.ending == .exited(0), "\(judged.error)")
            let words = judged.output.split(separator: " ").map { $0.trimmingCharacters(in: .newlines) }
            #expect(words.last == kid && known.insert(words[0]).inserted, "\(judged.output)")
        }
    }

    @Test func `proves itself with the profile's certificate, at an issuer on another origin`() throws {
        let made = try TestCertificates(), authority = try made.selfSigned()
        func pair(_ name: String) throws -> CertificatePair {
            var wish = TestCertificates.Wish()
            (wish.subject, wish.names, wish.authority) = ("/CN=\(name)", nil, authority)
            wish.extensions = "basicConstraints = CA:FALSE"
            return try made.make(wish)
        }
        let issuer = try MachineIssuer([.certificate("nightly")], certificate: authority)
        func profile(_ name: String, _ pair: CertificatePair) -> String {
            issuer.profile(
                name, "grant = 'client-credentials', client-id = 'nightly', client-auth = 'tls'",
                "ca-file = '\(authority.certificate)'\ncertificate = '\(pair.certificate)'\nkey = '\(pair.key)'")
        }
        let authctl = try Installation(
            config: profile("own", pair("nightly")) + profile("other", pair("stranger")))
        let run = try authctl.run("request", "/me", "-P", "own")
        #expect(run.code == 0 && run.output.contains("\"name\": \"nightly\""), "\(run.error)")
        let logout = try authctl.run("logout", "own")
        #expect(logout.code == 0 && logout.error.contains("session ended at the server"), "\(logout.error)")
        let other = try authctl.run("token", "other")
        #expect(other.code == 3 && other.error.contains("certificate"), "\(other.error)")
    }
}
