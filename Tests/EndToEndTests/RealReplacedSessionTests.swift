import Foundation
@testable import LoginTestSupport
import Testing

/// How many sessions and refresh tokens live at real servers, by their own databases, after logins that were replaced, failed or
/// interrupted.
@Suite(.onOwnThreads, PresetServer.required, RealServer.requirePython("oauth2_provider"))
struct `A session at a real server that no login has any more` {
    enum Service: CaseIterable { case django, toolkit, synapse }

    /// A server behind a relay that holds what is asked of `/held` with a session, and three profiles of it, each with another verify.
    private final class Stand {
        let authctl: Installation
        let relay: RecordingRelay
        private let service: Service
        private let server: AnyObject
        private let person: ScriptedPerson
        private let database: String
        private let query: String

        init(_ service: Service) throws {
            self.service = service
            person = try ScriptedPerson()
            let port: Int?, lines: String, verify: String
            switch service {
            case .django:
                let django = try DjangoServer(users: [.init("ada", PresetServer.password)], isSecure: false)
                (server, port, database) = (django, URL(string: django.origin)?.port, django.database)
                query = "django_session"
                verify = #"get = "/admin/", logged-out = [{ status = 302, "header:Location" = "/admin/login/*" }]"#
                lines = """
                    method  = "cookie"
                    session = { cookies = true, write-header = "X-CSRFToken: {cookie:csrftoken}" }
                    logout  = { post = "/admin/logout/" }
                    login   = { page = "/admin/login/", post = "/admin/login/", form = { username = "{username}", password = "{password}" } }
                    """
            case .toolkit:
                let desk = OAuthClient("desk", secret: "desk-4711", redirects: ["http://127.0.0.1/callback"])
                let django = try DjangoOAuthServer(clients: [desk])
                (server, port, database) = (django, URL(string: django.origin)?.port, django.database)
                query = "oauth2_provider_refreshtoken where revoked is null"
                verify = #"get = "/me", username = "/name""#
                lines = """
                    method = "oauth"
                    [profiles.NAME.oauth]
                    authorization-endpoint = "/o/authorize/"
                    token-endpoint         = "/o/token/"
                    revocation-endpoint    = "/o/revoke_token/"
                    client-id     = "desk"
                    client-secret = "desk-4711"
                    scope         = "notes"
                    """
            case .synapse:
                let synapse = try PresetServer("matrix", ready: "/_matrix/client/versions")
                (server, port, database) = (synapse, Int(synapse.port), synapse.file("homeserver.db"))
                query = "access_tokens"
                verify = #"get = "/_matrix/client/v3/account/whoami", username = "/user_id""#
                lines = """
                    method = "token"
                    logout = { post = "/_matrix/client/v3/logout" }
                    [profiles.NAME.login]
                    post   = "/_matrix/client/v3/login"
                    token  = "/access_token"
                    json   = { type = "m.login.password", identifier = { type = "m.id.user", user = "{username}" }, password = "{password}" }
                    """
            }
            let relay = try RecordingRelay(to: try #require(port), holding: "GET /held .*(sessionid=|Bearer )")
            self.relay = relay
            let verifies = ["good": verify, "missing": #"get = "/missing""#, "held": #"get = "/held""#]
            authctl = try Installation(
                config: verifies.map { name, verify in
                    """
                    [profiles.\(name)]
                    url = "http://127.0.0.1:\(relay.port)"
                    verify = { \(verify) }
                    \(lines.replacing("NAME", with: name))

                    """
                }.joined())
            authctl.givesSecretInConfig()
        }

        func living() throws -> Int {
            let script = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
            let counted = try Command.tool("python3", ["-c", script, database, "select count(*) from \(query)"])
            return try #require(Int(counted.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(counted.error)")
        }

        func logIn(_ profile: String) throws -> CommandResult {
            guard service == .toolkit else {
                let words = ["login", profile, "--force", "-u", "ada", "--password-stdin"]
                return try authctl.run(words, input: PresetServer.password + "\n")
            }
            return try authctl.login(["login", profile, "--force", "--no-browser"], opening: "/authorize/?") {
                _ = try person.consent(at: $0)
            }
        }

        /// One that waits for verify, with a session.
        func logInHeld() throws -> TerminalRun {
            let run = try authctl.onTerminal(
                ["login", "held"] + (service == .toolkit ? ["--browser", person.browser] : ["-u", "ada"]))
            if service != .toolkit { try run.answer("Password for ada: ", PresetServer.password + "\r") }
            try #require(eventually { relay.talk.contains("(held)") }, "\(run.pty.text)")
            return run
        }
    }

    @Test(arguments: Service.allCases)
    func `one session lives at a real server after login --force, and none after logout`(service: Service) throws {
        let stand = try Stand(service)
        for _ in 1...4 {
            let login = try stand.logIn("good")
            #expect(login.code == 0 && !login.error.contains("was not ended"), "\(login.error)")
            #expect(try stand.living() == 1)
        }
        #expect(try stand.authctl.run("whoami", "good").code == 0)
        #expect(try stand.authctl.run("logout", "good").code == 0)
        #expect(try stand.living() == 0)
    }

    @Test(arguments: Service.allCases)
    func `no session lives at a real server after a login that verify does not accept, or Ctrl-C during verify`(
        service: Service
    ) throws {
        let stand = try Stand(service)
        let failed = try stand.logIn("missing")
        #expect(failed.code != 0, "\(failed.error)")
        // With a session, and not only to see how nobody is answered.
        #expect(stand.relay.talk.contains(/GET \/missing (?:[^\r\n]+\r\n)*?[^\r\n]*(sessionid=|Bearer )/))
        #expect(try stand.living() == 0, "\(failed.error)")
        let run = try stand.logInHeld()
        #expect(try stand.living() == 1)
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(try stand.living() == 0, "\(run.pty.text)")
        #expect(try stand.authctl.keptSecrets().isEmpty)
    }
}
