import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Logs in as ann, whatever is asked.
private struct Ann: LoginDelegate {
    func answer(_ question: Question) async -> Answer {
        guard case .credential = question else { return question.decline }
        return .credential(Credential(username: "ann", .password(Secret("correct horse"))))
    }
}

/// Responses that change the session: for a new value of the same account, or for another account's.
@Suite(.onOwnThreads) struct `A session that a response changes` {
    let server: ChangingServer
    let authctl: Installation

    init() throws {
        server = try ChangingServer()
        authctl = try Installation(config: server.profiles)
        try authctl.logIn("shop")
    }

    /// What `whoami`, `status` and the service say in the end.
    private func expectAnn(_ comment: Comment? = nil) throws {
        #expect(try authctl.run("whoami", "shop", "-u", "ann").output == "ann\n", comment)
        let rows = try authctl.run("status", "shop", "--json").json as? [[String: Any]]
        #expect(rows?.first?["username"] as? String == "ann", comment)
        #expect(try authctl.run("request", "-P", "shop", "/last").output.contains("ann"), comment)
        #expect(!server.seen.contains { $0.hasSuffix(" mallory") && !$0.contains("/me ") }, comment)
    }

    private func serve(_ options: [String], _ script: String) throws -> CommandResult {
        try authctl.run(
            ["exec", "-P", "shop", "--serve"] + options + ["--", "bash", "-c", script], within: 120)
    }

    @Test func `another account's session that a request is answered with is neither used nor stored`() throws {
        let result = try authctl.run("request", "-P", "shop", "/as-mallory")
        #expect(
            result.code == 0 && result.error.contains("set a session of \"mallory\" in the place of that of \"ann\""))
        try expectAnn()
    }

    @Test(arguments: [[], ["--read-only"]])
    func `a command that is served stays with its account, whatever responses set`(options: [String]) throws {
        let result = try serve(
            options,
            """
            for path in as-mallory one as-mallory two; do curl -q -sS "$AUTHCTL_SERVE_URL$path"; done
            """)
        #expect(result.code == 0 && !result.output.contains("}{\"name\": \"mallory\"}"), "\(result.output)")
        #expect(result.error.components(separatedBy: "set a session of \"mallory\"").count == 2, "\(result.error)")
        try expectAnn()
    }

    @Test func `the log says that another account's session was turned away, and shows the one that was lent`() throws {
        let log = authctl.folder + "/log"
        _ = try serve(["--log", log], "curl -q -sS \"$AUTHCTL_SERVE_URL\"as-mallory \"$AUTHCTL_SERVE_URL\"one")
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        let warned = lines.filter { $0.contains("\"warning\":") }
        #expect(warned.count == 1 && warned[0].contains("a session of \\\"mallory\\\""), "\(lines)")
        #expect(lines.filter { $0.contains("\"account\":\"ann\"") }.count == 3)
        let own = authctl.state + "/serve"
        try FileManager.default.createDirectory(
            atPath: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.moveItem(atPath: log, toPath: own + "/shop.jsonl")
        let shown = try authctl.run("log", "shop")
        #expect(shown.output.contains("/one") && shown.error.contains("a session of \"mallory\""), "\(shown.error)")
    }

    @Test func `a login through the address that is served does not make the session another account's`() throws {
        let result = try serve(
            [],
            """
            curl -q -sS -d user=mallory -d password=x "$AUTHCTL_SERVE_URL"login
            curl -q -sS "$AUTHCTL_SERVE_URL"one
            """)
        #expect(result.output.hasSuffix("{\"name\": \"ann\"}"), "\(result.output)\(result.error)")
        try expectAnn()
    }

    @Test func `where the service puts another account behind the same cookie, nothing more goes out with it`() throws {
        let result = try serve(
            [],
            """
            curl -q -sS -d user=mallory -d keep=1 "$AUTHCTL_SERVE_URL"login
            curl -q -sS "$AUTHCTL_SERVE_URL"one
            """)
        #expect(result.error.contains("the session of \"ann\" now belongs to \"mallory\""), "\(result.error)")
        #expect(!server.seen.contains { $0.hasPrefix("GET /one") }, "\(server.seen)")
        for command in [["whoami", "shop"], ["status", "shop"], ["request", "-P", "shop", "/posts"]] {
            let run = try authctl.run(command)
            #expect(run.code == 4 && run.error.contains("\"mallory\""), "\(command): \(run.error)")
        }
        #expect(!server.seen.contains { $0.hasPrefix("GET /posts") })
        #expect(try authctl.keptSecrets().count == 1)
        try authctl.logIn("shop", "ann", "correct horse", "--force")
        #expect(try authctl.run("whoami", "shop").output == "ann\n")
    }

    @Test func `a cookie that comes anew with each response costs one question to verify, and the newest is stored`()
        throws
    {
        let before = server.verified.count
        let result = try serve([], "for i in 1 2 3 4 5 6; do curl -q -sS \"$AUTHCTL_SERVE_URL\"anew; done")
        #expect(result.code == 0 && !result.error.contains("warning"), "\(result.error)")
        // Before the command starts, after the first response, and at the end.
        #expect(server.verified.count - before == 3, "\(server.seen)")
        try expectAnn()
    }

    @Test func `a cookie that ends the one before is taken at once, and no request is lost`() throws {
        let result = try serve([], "for i in 1 2 3 4; do curl -q -sS -d a=b \"$AUTHCTL_SERVE_URL\"rotate; done")
        #expect(result.output.components(separatedBy: "ann").count == 5, "\(result.output)\(result.error)")
        #expect(server.seen.filter { $0 == "POST /rotate ann" }.count == 4)
        try expectAnn()
        for _ in 1...3 { #expect(try authctl.run("request", "-P", "shop", "/rotate").code == 0) }
        try expectAnn()
    }

    @Test(arguments: ["path=/api", "path=/me", "path=/me/", "name=SID", "path=/api&name=SID"])
    func `a cookie that verify cannot prove takes the place of none of the account's`(query: String) throws {
        let result = try serve(
            [],
            """
            for i in 1 2; do curl -q -sS "${AUTHCTL_SERVE_URL}as-mallory?\(query)" "${AUTHCTL_SERVE_URL}api/one"; done
            """)
        #expect(result.output.components(separatedBy: "ann").count == 5, "\(result.output)\(result.error)")
        #expect(try authctl.run("request", "-P", "shop", "/api/two").output.contains("ann"))
        try expectAnn()
    }

    @Test func `a cookie of a new name for another path than verify's is used for the command and not stored`() throws {
        let result = try serve(
            [], "for path in '?set=anew&lang=de' api/one; do curl -q -sS \"$AUTHCTL_SERVE_URL$path\"; done")
        #expect(result.output.contains("\"lang\": \"de\"}"), "\(result.output)\(result.error)")
        #expect(try !authctl.run("request", "-P", "shop", "/api/one").output.contains("lang"))
        try expectAnn()
    }

    @Test(arguments: ["as-mallory", "anew", "rotate"])
    func `what verify's own response sets is never another user's, and no login is lost by it`(profile: String) throws {
        try authctl.logIn(profile)
        for _ in 1...2 {
            let asked = server.seen.count
            #expect(try authctl.run("whoami", profile).output == "ann\n")
            #expect(server.seen.count - asked == 2, "\(server.seen)")
            #expect(try authctl.run("status", profile).code == 0)
            for path in ["/one", "/anew"] {
                #expect(try authctl.run("request", "-P", profile, path).output.contains("ann"), "\(server.seen)")
            }
            let script = "for i in 1 2 3; do curl -q -sS \"$AUTHCTL_SERVE_URL\"anew; done"
            let result = try authctl.run("exec", "-P", profile, "--serve", "--", "bash", "-c", script)
            #expect(result.output.components(separatedBy: "ann").count == 4, "\(result.output)\(result.error)")
        }
        #expect(!server.seen.contains { $0.hasSuffix(" mallory") && !$0.contains("/me?") }, "\(server.seen)")
    }

    @Test(arguments: ["//login", "/%2flogin", "/login%20", "/login.", "/login;x", "/LOGIN/"])
    func `a login by another spelling of its path is found out before the next request`(path: String) throws {
        let result = try serve(
            [],
            """
            curl -q -sS -d user=mallory -d keep=1 "${AUTHCTL_SERVE_URL%/}\(path)"
            curl -q -sS "$AUTHCTL_SERVE_URL"one
            """)
        #expect(result.error.contains("the session of \"ann\" now belongs to \"mallory\""), "\(result.error)")
        #expect(!server.seen.contains { $0.hasPrefix("GET /one") }, "\(server.seen)")
    }

    @Test func `a new cookie is used and not stored where the service names nobody`() throws {
        try authctl.logIn("nameless")
        let kept = try authctl.keptSecrets()
        #expect(try authctl.run("request", "-P", "nameless", "/as-mallory").code == 0)
        #expect(try authctl.keptSecrets() == kept)
        #expect(try authctl.run("request", "-P", "nameless", "/last").output.contains("ann"))
    }

    @Test func `what verify sets while the old session is good is not taken where it names nobody`() throws {
        try authctl.logIn("unnamed")
        for _ in 1...2 {
            #expect(try authctl.run("whoami", "unnamed").code == 0)
            #expect(try authctl.run("request", "-P", "unnamed", "/last").output.contains("ann"), "\(server.seen)")
        }
    }

    @Test func `a program with logins stays with its account`() async throws {
        let home = try TemporaryHome()
        try home.write("store = \"plaintext\"\n" + server.profiles + "\n", to: "logins/config.toml")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path + "/logins")
        let logins = try Logins(folder: home.path + "/logins", delegate: Ann())
        let texts = try await logins.withSession(for: "shop") { session in
            var texts: [String] = []
            for path in ["/as-mallory", "/one", "/anew", "/two"] {
                texts.append(try await session.send(.get(path)).text)
            }
            return texts
        }
        #expect(texts.allSatisfy { $0.contains("ann") }, "\(texts)")
        #expect(try await logins.withSession(for: "shop") { $0.identity.displayName } == "ann")
    }
}
