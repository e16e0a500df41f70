import Foundation
@testable import LoginTestSupport
import Testing

/// Logins without a person, at a server that others wrote (Authlib) and with their judgement of our signatures.
@Suite(.onOwnThreads, RealServer.requirePackage("authlib")) struct `A machine` {
    private static let algorithms = ["ES256", "ES384", "EdDSA", "RS256"]
    private static let byKey = "grant = 'client-credentials', client-auth = 'private-key-jwt', key-file = 'nightly.pem'"

    /// An installation with a key in `config/authctl/nightly.pem`, and the public key.
    private func installation(_ algorithm: String = "ES256") throws -> (authctl: Installation, key: String) {
        let authctl = try Installation()
        let made = try authctl.run("key", "new", authctl.folder + "/config/authctl/nightly.pem", "--alg", algorithm)
        #expect(made.code == 0, "\(made.error)")
        return (authctl, made.output)
    }

    private func configure(_ authctl: Installation, _ profiles: String...) throws {
        try authctl.home.write("store = \"plaintext\"\n" + profiles.joined(), to: "config/authctl/config.toml")
    }

    @Test(arguments: ["basic", "post"])
    func `logs in with its client's secret, which is kept and earns the next token without a person`(way: String) throws
    {
        let method = "client_secret_\(way)"
        let issuer = try MachineIssuer([.secret("nightly", "horse-battery-9", method: method)], lifetime: 2)
        let authctl = try Installation(
            config: issuer.profile(
                "billing", "grant = 'client-credentials', client-id = 'nightly', client-auth = '\(way)'"))
        #expect(try authctl.run("token", "billing").code == 4)
        let wrong = try authctl.run("login", "billing", "--password-stdin", input: "staple\n")
        #expect(wrong.code == 3 && wrong.error.contains("invalid_client"), "\(wrong.error)")
        let login = try authctl.run("login", "billing", "--password-stdin", input: "horse-battery-9\n")
        #expect(login.code == 0 && login.error.contains("as nightly"), "\(login.error)")
        #expect(try authctl.run("whoami", "billing").output == "nightly\n")
        let first = try authctl.run("token", "billing").output
        // The token ends; the secret that is kept earns another one.
        sleep(3)
        let second = try authctl.run("token", "billing").output
        #expect(!first.isEmpty && !second.isEmpty && first != second)
    }

    @Test(arguments: algorithms) func `proves itself with its key, and nothing but the token is kept`(algorithm: String)
        throws
    {
        let (authctl, key) = try installation(algorithm)
        let issuer = try MachineIssuer([.key("nightly", key)])
        try configure(
            authctl, issuer.profile("billing", "\(Self.byKey), client-id = 'nightly', scope = 'read'"),
            issuer.profile(
                "person", "grant = 'jwt-bearer', key-file = 'nightly.pem', claims = { iss = 'nightly', sub = 'ann' }"))
        let request = try authctl.run("request", "-P", "billing", "/me")
        #expect(
            request.code == 0 && request.output.contains("\"name\": \"nightly\", \"scope\": \"read\""),
            "\(request.error)")
        #expect(try authctl.run("token", "person").code == 0)
        #expect(try authctl.run("whoami", "person").output == "ann\n")
        #expect(try !authctl.home.read("state/authctl/plaintext.json").contains("PRIVATE KEY"))
        // An assertion is good once, and for a minute.
        #expect(issuer.requests.count == 2 && Set(issuer.requests).count == 2)
    }

    @Test func `that the server does not know is refused with 3, and a scope that it does not have with 2`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)])
        let other = try authctl.run("key", "new", authctl.folder + "/config/authctl/other.pem", "--alg", "ES256")
        #expect(other.code == 0)
        try configure(
            authctl,
            issuer.profile("stranger", "\(Self.byKey), client-id = 'stranger'"),
            issuer.profile(
                "wrong",
                "grant = 'client-credentials', client-id = 'nightly', client-auth = 'private-key-jwt', key-file = 'other.pem'"
            ),
            issuer.profile("scope", "\(Self.byKey), client-id = 'nightly', scope = 'everything'"),
            issuer.profile(
                "target", "grant = 'token-exchange', identity = { env = 'ID_TOKEN' }, audience = 'elsewhere'"))
        for (profile, code, words) in [
            ("stranger", Int32(3), "invalid_client"), ("wrong", 3, "invalid_client"), ("scope", 2, "invalid_scope"),
        ] {
            let run = try authctl.run("token", profile)
            #expect(run.code == code && run.error.contains(words), "\(profile): \(run.code) \(run.error)")
        }
        let token = try String(contentsOfFile: issuer.identityFile, encoding: .utf8)
        let target = try authctl.run("token", "target", environment: ["ID_TOKEN": token])
        #expect(target.code == 2 && target.error.contains("invalid_target"), "\(target.error)")
        // Until the end it keeps its port from others.
        defer { withExtendedLifetime(issuer) {} }
        issuer.stop()
        #expect(try authctl.run("token", "scope").code == 6)
    }

    @Test(RealServer.require("faketime")) func `whose clock is wrong is told so`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)])
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), client-id = 'nightly'"))
        let faketime = try #require(RealServer.path(of: "faketime"))
        let run = try Command.run(
            ChildSpec(
                faketime, ["-f", "-10m", authctl.program, "token", "billing"], environment: authctl.environment))
        #expect(run.ending == .exited(3) && run.error.contains("the clock here is 10 minutes behind"), "\(run.error)")
    }

    @Test func `in a job of GitHub Actions logs in with nothing stored and no secret but GitHub's own`() throws {
        let issuer = try MachineIssuer([])
        let authctl = try Installation(
            config: issuer.profile(
                "deploy", "grant = 'token-exchange', audience = 'deploy', identity = { github-actions = 'deploys' }",
                "persist = \"none\""))
        let missing = try authctl.run("exec", "-P", "deploy", "--", "true")
        #expect(missing.code == 104 && missing.error.contains("id-token: write"), "\(missing.code) \(missing.error)")
        let served = try authctl.run(
            [
                "exec", "-P", "deploy", "--serve", "--", "sh", "-c",
                "curl -sS \"$AUTHCTL_SERVE_URL\"me; env | grep -c ACTIONS_ID_TOKEN",
            ], environment: issuer.jobEnvironment)
        #expect(served.output.contains("repo:corp/app:ref:refs/heads/main"), "\(served.error)")
        #expect(served.output.hasSuffix("0\n"))
        #expect((try? authctl.home.read("state/authctl/plaintext.json")) == nil)
    }

    @Test func `in a pod reads its token anew each time, while a long exec goes on`() throws {
        let issuer = try MachineIssuer([], lifetime: 2)
        let file = try Installation().folder + "/token"
        let projected = FileManager.default.temporaryDirectory.appending(path: "authctl-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: projected) }
        try FileManager.default.copyItem(atPath: issuer.identityFile, toPath: projected)
        let authctl = try Installation(
            config: issuer.profile("pod", "grant = 'token-exchange', identity = { file = '\(projected)' }")
                + issuer.profile("job", "grant = 'token-exchange', identity = { env = 'GITLAB_OIDC_TOKEN' }")
                + issuer.profile(
                    "tool", "grant = 'token-exchange', identity = { command = ['cat', '\(issuer.identityFile)'] }")
                + issuer.profile("gone", "grant = 'token-exchange', identity = { file = '\(file)' }"))
        let served = try authctl.run(
            [
                "exec", "-P", "pod", "--serve", "--", "sh", "-c",
                "for n in 1 2 3; do curl -sS \"$AUTHCTL_SERVE_URL\"me; cp '\(issuer.rotatedIdentityFile)' '\(projected)'; "
                    + "sleep 3; done",
            ])
        let names = served.output.matches(of: /default:(\w+)/).map { String($0.1) }
        #expect(
            names.count == 3 && names.first == "deploy" && names.last == "rotated", "\(served.output)\(served.error)")
        let explained = try authctl.run("whoami", "pod", "--explain")
        let facts = ["iss \"\(issuer.issuer)/actions\"", "default:rotated", "aud \"deploys\""]
        #expect(facts.allSatisfy { (explained.output + explained.error).contains($0) }, "\(explained.output)")
        let rotated = try String(contentsOfFile: projected, encoding: .utf8)
        #expect(!(explained.output + explained.error).contains(rotated.suffix(40)))
        let token = try String(contentsOfFile: issuer.identityFile, encoding: .utf8)
        #expect(try authctl.run("token", "job", environment: ["GITLAB_OIDC_TOKEN": token]).code == 0)
        #expect(try authctl.run("token", "tool").code == 0)
        let gone = try authctl.run("token", "gone")
        #expect(gone.code == 4 && gone.error.contains(file), "\(gone.error)")
    }

    @Test func `lends its token to another profile only where it says so, and never in a circle`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key), .key("signer", key)])
        let lend = "lend-to = [\"\(issuer.issuer)\"]"
        try configure(
            authctl,
            issuer.profile("kept", "\(Self.byKey), client-id = 'nightly'"),
            issuer.profile("borrower", "grant = 'token-exchange', identity = { profile = 'kept', opaque = true }"),
            issuer.profile("lent", "\(Self.byKey), client-id = 'nightly'", lend),
            issuer.profile("second", "grant = 'token-exchange', identity = { profile = 'lent', opaque = true }"),
            issuer.profile("signer", "\(Self.byKey), client-id = 'signer', scope = 'identity'", lend),
            issuer.profile("third", "grant = 'token-exchange', identity = { profile = 'signer' }"),
            issuer.profile("stranger", "\(Self.byKey), client-id = 'stranger'", lend),
            issuer.profile("fourth", "grant = 'token-exchange', identity = { profile = 'stranger', opaque = true }"),
            issuer.profile("scopeless", "\(Self.byKey), client-id = 'nightly', scope = 'everything'", lend),
            issuer.profile("fifth", "grant = 'token-exchange', identity = { profile = 'scopeless', opaque = true }"),
            issuer.profile("a", "grant = 'token-exchange', identity = { profile = 'b', opaque = true }", lend),
            issuer.profile("b", "grant = 'token-exchange', identity = { profile = 'a', opaque = true }", lend))
        let refused = try authctl.run("token", "borrower")
        #expect(refused.code == 2 && refused.error.contains("lend-to"), "\(refused.error)")
        #expect(issuer.requests.isEmpty)
        // The issuer was sent the lent token, and takes signed ones alone.
        #expect(try authctl.run("token", "second").code == 3)
        #expect(issuer.requests.count == 2)
        let third = try authctl.run("whoami", "third")
        #expect(third.output == "signer\n", "\(third.error)")
        // It is the lender that is refused; nothing of the borrower's is wrong.
        let fourth = try authctl.run("token", "fourth")
        #expect(
            fourth.code == 4 && fourth.error.contains("profile \"stranger\"")
                && fourth.error.contains("authctl token stranger"),
            "\(fourth.code) \(fourth.error)")
        let fifth = try authctl.run("token", "fifth")
        #expect(
            fifth.error.contains("profile \"scopeless\" is the identity") && fifth.error.contains("invalid_scope"),
            "\(fifth.code) \(fifth.error)")
        let circle = try authctl.run("token", "a")
        #expect(circle.code == 2 && circle.error.contains("from one another"), "\(circle.error)")
    }

    @Test func `a token is lent through eight profiles, and through no more`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("signer", key)])
        let lend = "lend-to = [\"\(issuer.issuer)\"]"
        let borrowers = (1...80).map { number in
            let lender = number == 1 ? "signer" : "p\(number - 1)"
            return issuer.profile(
                "p\(number)", "grant = 'token-exchange', identity = { profile = '\(lender)', opaque = true }", lend)
        }
        let last = issuer.profile("signer", "\(Self.byKey), client-id = 'signer', scope = 'identity'", lend)
        try authctl.home.write(
            "store = \"plaintext\"\n" + ([last] + borrowers).joined(separator: "\n"), to: "config/authctl/config.toml")
        for name in ["p80", "p9"] {
            let chain = try authctl.run("token", name)
            #expect(
                chain.code == 2 && chain.error.contains("more than 8 other profiles"), "\(chain.ending) \(chain.error)")
        }
        #expect(issuer.requests.isEmpty)
        // Whatever the issuer makes of the last one, it was asked.
        #expect(try authctl.run("token", "p8").code == 4)
        #expect(!issuer.requests.isEmpty)
    }

    @Test(arguments: [["--ephemeral"], ["--persist", "none"]])
    func `serves an address beyond the end of a token that is kept nowhere`(options: [String]) throws {
        let issuer = try MachineIssuer([.secret("nightly", "horse-battery-9")], lifetime: 2)
        let authctl = try Installation(
            config: issuer.profile("billing", "grant = 'client-credentials', client-id = 'nightly'"))
        let script = "for n in 1 2 3; do curl -sS \"$AUTHCTL_SERVE_URL\"me; sleep 2; done"
        let run = try authctl.run(
            ["exec", "-P", "billing", "--serve", "--password-stdin"] + options + ["--", "sh", "-c", script],
            input: "horse-battery-9\n")
        #expect(run.output.components(separatedBy: "\"name\": \"nightly\"").count == 4, "\(run.output)\(run.error)")
        #expect((try? authctl.home.read("state/authctl/plaintext.json")) == nil)
    }

    @Test func `gives git and docker a token that nobody has asked for before`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)], lifetime: 2)
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), client-id = 'nightly'"))
        let host = issuer.service.replacing("http://", with: "")
        let question = "capability[]=authtype\nprotocol=http\nhost=\(host)\n\n"
        let git = try authctl.run("git-credential", "get", input: question)
        #expect(git.code == 0 && git.output.contains("credential="), "\(git.error)")
        #expect(issuer.requests.count == 1)
        sleep(3)
        let later = try authctl.run("git-credential", "get", input: question)
        #expect(later.output.contains("credential=") && later.output != git.output, "\(later.error)")
        // A keyring forgets at the end of a session what the registry still knows.
        try FileManager.default.removeItem(atPath: authctl.folder + "/state/authctl/plaintext.json")
        #expect(try authctl.run("git-credential", "get", input: question).output.contains("credential="))
        #expect(try authctl.run("logout", "billing").code == 0)
        let pair = "session = { basic = '{username}:{token}' }"
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), client-id = 'nightly'", pair))
        let docker = try authctl.run("docker-credential", "get", input: issuer.service)
        #expect(docker.code == 0 && docker.member("Username") == "nightly", "\(docker.output)\(docker.error)")
        let typed = "{\"ServerURL\": \"\(issuer.service)\", \"Username\": \"ada\", \"Secret\": \"anything\"}"
        let stored = try authctl.run("docker-credential", "store", input: typed)
        #expect(
            stored.code == 2 && stored.output.contains("does not use a password"),
            "\(stored.code) \(stored.error)\(stored.output)")
        try configure(authctl, issuer.profile("gone", "grant = 'token-exchange', identity = { env = 'NO_SUCH' }"))
        let gone = try authctl.run("git-credential", "get", input: question)
        #expect(gone.code == 0 && gone.output.isEmpty, "\(gone.output)\(gone.error)")
    }

    @Test(Thoroughness.isNeeded) func `asks for one token where fifty processes need one at once`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)])
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), client-id = 'nightly'"))
        let script = "for n in $(seq 50); do '\(authctl.program)' token billing & done; wait"
        let run = try Command.run(
            ChildSpec("/bin/sh", ["-c", script], environment: authctl.environment, directory: authctl.folder),
            within: 120)
        let tokens = run.output.split(separator: "\n")
        #expect(tokens.count == 50 && Set(tokens).count == 1, "\(run.error)")
        #expect(issuer.requests.count == 1)
    }

    @Test(RealServer.requirePython("oauth2_provider"), arguments: ["basic", "post"])
    func `logs in at Django OAuth Toolkit, which knows no scope that it does not have`(way: String) throws {
        let django = try DjangoOAuthServer(clients: [OAuthClient("nightly", secret: "horse-battery-9", redirects: [])])
        // Its metadata has a place of its own; a profile with the endpoint needs none.
        let oauth =
            "grant = 'client-credentials', client-id = 'nightly', client-auth = '\(way)', "
            + "token-endpoint = '\(django.issuer)/token/', revocation-endpoint = '\(django.revocation)'"
        func profile(_ name: String, _ more: String) -> String {
            """
            [profiles.\(name)]
            url = "\(django.origin)"
            method = "oauth"
            oauth = { \(oauth)\(more) }
            verify = { get = "/me", username = "/name", logged-out = [403] }

            """
        }
        let authctl = try Installation(
            config: profile("own", "") + profile("scope", ", scope = 'everything'")
                + profile("exchange", ", identity = { env = 'ID_TOKEN', opaque = true }")
                .replacing("'client-credentials'", with: "'token-exchange'"))
        let login = try authctl.run("login", "own", "--password-stdin", input: "horse-battery-9\n")
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("whoami", "own").output == "a machine\n")
        #expect(try authctl.run("login", "own", "--force", "--password-stdin", input: "staple\n").code == 3)
        let scope = try authctl.run("login", "scope", "--password-stdin", input: "horse-battery-9\n")
        #expect(scope.code == 2 && scope.error.contains("invalid_scope"), "\(scope.error)")
        #expect(try authctl.run("logout", "own").code == 0)
        let exchange = try authctl.run(
            "login", "exchange", "--password-stdin", input: "horse-battery-9\n", environment: ["ID_TOKEN": "x"])
        #expect(exchange.code == 2 && exchange.error.contains("unsupported_grant_type"), "\(exchange.error)")
    }

    @Test func `is a plugin of kubectl, in the version that this asks for`() throws {
        let (authctl, key) = try installation()
        let issuer = try MachineIssuer([.key("nightly", key)])
        try configure(authctl, issuer.profile("billing", "\(Self.byKey), client-id = 'nightly'"))
        let info =
            "{\"apiVersion\": \"client.authentication.k8s.io/v1beta1\", \"kind\": \"ExecCredential\", \"spec\": {}}"
        for (environment, version) in [([:], "v1"), (["KUBERNETES_EXEC_INFO": info], "v1beta1")]
            as [([String: String], String)]
        {
            let run = try authctl.run("token", "billing", "--as", "exec-credential", environment: environment)
            let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            #expect(json?["apiVersion"] as? String == "client.authentication.k8s.io/\(version)", "\(run.error)")
            let status = json?["status"] as? [String: String]
            #expect(status?["token"]?.isEmpty == false && status?["expirationTimestamp"]?.hasSuffix("Z") == true)
        }
    }
}
