import Foundation
@testable import LoginTestSupport
import Testing

/// The binary against a real httpd with Negotiate (mod_auth_gssapi) in a Kerberos realm of its own.
@Suite(
    .onOwnThreads, RealServer.require("apache2"), RealServer.require("krb5kdc"), RealServer.require("kinit"),
    RealServer.require("kadmin.local"))
struct `In a Kerberos realm` {
    let realm: KerberosRealm
    let httpd: HttpdSite
    let authctl: Installation

    init() throws {
        let realm = try KerberosRealm()
        self.realm = realm
        httpd = try HttpdSite(
            host: "localhost", modules: ["auth_gssapi", "auth_basic", "session", "session_cookie", "session_crypto"],
            environment: realm.environment, pages: ["private", "bob", "both", "session", "deleg"],
            prepare: { folder in
                let delegated = folder.appendingPathComponent("delegated").path
                try FileManager.default.createDirectory(
                    atPath: delegated, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
                try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: delegated)
            },
            configuration: { folder in
                [
                    ("private", "valid-user", ""), ("bob", "user bob@AUTHCTL.TEST", ""),
                    ("both", "valid-user", "GssapiBasicAuth On\n"),
                    (
                        "session", "valid-user",
                        "GssapiUseSessions On\nSession On\nSessionCookieName intranet path=/session\n"
                    ), ("deleg", "valid-user", "GssapiDelegCcacheDir \(folder)/delegated\n"),
                ].map {
                    """
                    <Location "/\($0)">
                        AuthType GSSAPI
                        AuthName "Intranet"
                        GssapiCredStore keytab:\(realm.keytab)
                        \($2)
                        Require \($1)
                    </Location>

                    """
                }.joined()
            })
        authctl = try Installation(
            config: """
                [profiles.intranet]
                url = "\(httpd.origin)"
                method = "negotiate"
                session = { cookies = true }
                login = { get = "/session/whoami.json" }
                verify = { get = "/session/whoami.json", username = "/user" }
                [profiles.plain]
                url = "\(httpd.origin)"
                method = "negotiate"
                verify = { get = "/private/whoami.json" }
                [profiles.named]
                url = "\(httpd.origin)"
                method = ["negotiate", "basic"]
                verify = { get = "/both/whoami.json", username = "/user" }

                """)
    }

    private func carried(_ scheme: String) -> [String] { httpd.requests().filter { $0.contains(" \(scheme) ") } }

    @Test func `the ticket logs in without a question, and nothing secret is kept`() throws {
        let ann = try realm.ticket(for: "ann")
        let login = try authctl.run("login", httpd.whoami("private"), "--name", "me", environment: ann)
        #expect(login.code == 0, "\(login.error)")
        #expect(login.error.contains("as ann@AUTHCTL.TEST."))
        #expect(try authctl.run("whoami", "me", environment: ann).output == "ann@AUTHCTL.TEST\n")
        #expect(try authctl.run("status", "-P", "me", environment: ann).output.contains(" negotiate "))
        #expect(try authctl.run("profile", "show", "me").output.contains("negotiate"))
        let again = try authctl.run("login", "me", environment: ann)
        #expect(again.code == 0 && again.error.hasPrefix("Already logged in"))
        #expect(try authctl.run("token", "--header", "me", environment: ann).code == 2)
        #expect(try authctl.run("token", "--as", "curl", "me", environment: ann).output.contains("\nnegotiate\n"))
        let logout = try authctl.run("logout", "me")
        #expect(logout.code == 0 && logout.error.contains("kdestroy"))
        #expect(try authctl.run("whoami", "me", environment: ann).code == 4)
    }

    @Test func `a Kerberos login asks nobody on a terminal either`() throws {
        let ann = try realm.ticket(for: "ann")
        let run = try authctl.onTerminal("login", "plain", environment: ann)
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(!run.pty.text.contains("Password") && !run.pty.text.contains("User name"))
    }

    @Test func `a Kerberos login without a ticket, or with one that has expired, is 4, names kinit and sends nothing`()
        throws
    {
        let missing = realm.withoutTicket(), short = try realm.ticket(for: "ann", seconds: 1)
        usleep(1_500_000)
        for (environment, words) in [(missing, "there is no Kerberos ticket"), (short, "has expired")] {
            for command in ["login", "whoami"] {
                if command == "whoami" {
                    #expect(try authctl.run("login", "plain", environment: realm.ticket(for: "ann")).code == 0)
                }
                let before = httpd.requests().count
                let run = try authctl.run(command, "plain", environment: environment)
                #expect(run.code == 4, "\(run.error)")
                #expect(run.error.contains(words) && run.error.contains("kinit"))
                #expect(httpd.requests().count == before)
            }
            #expect(try authctl.run("whoami", "plain", environment: realm.ticket(for: "ann")).code == 0)
            #expect(try authctl.run("logout", "plain").code == 0)
        }
    }

    @Test func `a host that the realm does not know is 3 with the reason, and no credential goes there`() throws {
        let ann = try realm.ticket(for: "ann")
        let url = httpd.whoami("both").replacing("localhost", with: "127.0.0.1")
        let login = try authctl.run("login", url, environment: ann)
        #expect(login.code == 3, "\(login.error)")
        #expect(login.error.contains("HTTP/127.0.0.1@AUTHCTL.TEST not found in Kerberos database"))
        #expect(httpd.requests(expecting: 2).allSatisfy { $0.hasPrefix("- - ") })
    }

    @Test func `a Kerberos server that is gone is 6: nothing was judged`() throws {
        let ann = try realm.ticket(for: "ann")
        realm.stop()
        let login = try authctl.run("login", "plain", environment: ann)
        #expect(login.code == 6, "\(login.error)")
        #expect(login.error.contains("AUTHCTL.TEST"))
        #expect(carried("Negotiate").isEmpty)
    }

    @Test func `a final 401 with a token is forbidden, and not answered again`() throws {
        let ann = try realm.ticket(for: "ann")
        let login = try authctl.run("login", httpd.whoami("bob"), environment: ann)
        #expect(login.code == 10, "\(login.error)")
        let seen = httpd.requests(expecting: 3)
        #expect(seen.filter { $0.contains(" Negotiate ") } == ["ann@AUTHCTL.TEST Negotiate GET /bob/whoami.json 401"])
        #expect(try authctl.run("login", httpd.whoami("bob"), environment: realm.ticket(for: "bob")).code == 0)
    }

    @Test(arguments: [
        "Negotiate", "Negotiate oQcwBaADCgEB", "Negotiate AAAA", "Negotiate, NTLM", "NTLM TlRMTVNTUAACAAAA",
    ])
    func `a server that asks for tokens without end is given up`(again: String) throws {
        let ann = try realm.ticket(for: "ann")
        let first = RecordingServer.Reply.answer(401, ["WWW-Authenticate: Negotiate"])
        let server = try RecordingServer(
            [first, first] + Array(repeating: .answer(401, ["WWW-Authenticate: \(again)"]), count: 50))
        defer { server.stop() }
        let login = try authctl.run("login", "http://localhost:\(server.port)/me", environment: ann)
        // NTLM alone is the challenge of another server.
        #expect([2, 3, 6].contains(login.code), "\(login.error)")
        let carried = server.texts.filter { $0.contains("\nAuthorization: ") }
        #expect((1...4).contains(carried.count))
        #expect(carried.allSatisfy { $0.contains("\nAuthorization: Negotiate YI") })
    }

    @Test func `two caches are two accounts, each with its own ticket`() throws {
        let ann = try realm.ticket(for: "ann"), bob = try realm.ticket(for: "bob")
        #expect(try authctl.run("login", "plain", environment: ann).code == 0)
        #expect(try authctl.run("login", "plain", "--force", environment: bob).code == 0)
        #expect(try authctl.run("whoami", "plain", environment: bob).output == "bob@AUTHCTL.TEST\n")
        let mixed = try authctl.run("whoami", "plain", environment: ann)
        #expect(mixed.code == 4)
        #expect(mixed.error.contains("kinit bob@AUTHCTL.TEST"))
        #expect(try authctl.run("switch", "plain", "ann@AUTHCTL.TEST").code == 0)
        #expect(try authctl.run("whoami", "plain", environment: ann).output == "ann@AUTHCTL.TEST\n")
        #expect(try authctl.run("whoami", "plain", "-u", "bob@AUTHCTL.TEST", environment: bob).code == 0)
        let users = carried("Negotiate").map { $0.prefix { $0 != "@" } }
        #expect(users == ["ann", "bob", "bob", "ann", "bob"])
    }

    @Test func `the profile intranet takes the ticket once, and then its cookie`() throws {
        let ann = try realm.ticket(for: "ann")
        let login = try authctl.run("login", "intranet", environment: ann)
        #expect(login.code == 0, "\(login.error)")
        #expect(carried("Negotiate").count == 1)
        let later = try authctl.run("whoami", "intranet", environment: realm.withoutTicket())
        #expect(later.output == "ann@AUTHCTL.TEST\n", "\(later.error)")
        #expect(carried("Negotiate").count == 1)
        #expect(try authctl.run("token", "--header", "intranet").output.hasPrefix("Cookie: intranet="))
    }

    @Test func `a password that was given is never overruled by somebody's ticket`() throws {
        let ann = try realm.ticket(for: "ann")
        let supplied = try authctl.run(
            "login", "named", "-u", "bob", "--password-stdin", input: KerberosRealm.password("bob"), environment: ann)
        #expect(supplied.code == 0, "\(supplied.error)")
        #expect(supplied.error.contains("as bob"))
        #expect(carried("Negotiate").isEmpty && carried("Basic").count == 1)
        let wrong = try authctl.run(
            "login", "named", "-u", "bob", "--password-stdin", input: "wrong", environment: ann)
        #expect(wrong.code == 3)
        #expect(carried("Negotiate").isEmpty)
        #expect(try authctl.run("login", "named", "--method", "negotiate", "--force", environment: ann).code == 0)
        #expect(try authctl.run("whoami", "named", environment: ann).output.hasPrefix("ann@"))
        let none = try authctl.run(
            "login", "plain", "-u", "bob", "--password-stdin", input: KerberosRealm.password("bob"), environment: ann)
        #expect(none.code == 2 && none.error.contains("does not use a password"))
    }

    @Test func `a Kerberos login without a ticket asks for Basic where that is accepted`() throws {
        let run = try authctl.onTerminal("login", "named", environment: realm.withoutTicket())
        try run.answer("User name: ", "bob\r").answer("Password: ", "\(KerberosRealm.password("bob"))\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(carried("Negotiate").isEmpty)
    }

    @Test func `the ticket is not delegated, although it could be`() throws {
        let ann = try realm.ticket(for: "ann")
        let delegated = httpd.folder.appendingPathComponent("delegated").path
        #expect(try authctl.run("login", httpd.whoami("deleg"), environment: ann).code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: delegated).isEmpty)
        // That the server would have kept it:
        let curl = ["-q", "-s", "--negotiate", "-u", ":", "--delegation", "always", httpd.whoami("deleg")]
        let path = try #require(RealServer.path(of: "curl"))
        let control = try Command.run(ChildSpec(path, curl, environment: ann))
        #expect(control.output.contains("ann@"))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: delegated).isEmpty)
    }
}
