import Foundation
@testable import LoginTestSupport
import Testing

/// The binary against the login page of a real Django, over https and over http.
@Suite(.onOwnThreads, RealServer.requirePython("django"), RealServer.require("openssl"))
struct `At the login page of a real Django` {
    static let users: [DjangoServer.User] = [
        .init("ann", "correct horse"), .init("bob", "  pä:ss%wörd&+\"\\<ünïcode>  "),
        .init("zoë.müller@wire", "a b=c&d;e"),
        .init("guest", "only a guest", isStaff: false),
    ]

    private func installation(_ django: DjangoServer) throws -> Installation {
        let trust = django.certificate.map { "ca-file = \"\($0)\"" } ?? ""
        return try Installation(
            config: """
                [profiles.site]
                url     = "\(django.origin)"
                method  = "cookie"
                \(trust)
                session = { cookies = true, write-header = "X-CSRFToken: {cookie:csrftoken}" }
                verify  = { get = "/admin/", logged-out = [{ status = 302, "header:Location" = "/admin/login/*" }] }
                logout  = { post = "/admin/logout/" }

                [profiles.site.login]
                page    = "/admin/login/"
                post    = "/admin/login/"
                form    = { username = "{username}", password = "{password}" }

                """)
    }

    private func logIn(_ authctl: Installation, _ user: String, _ password: String) throws -> CommandResult {
        try authctl.run("login", "site", "-u", user, "--password-stdin", input: password + "\n")
    }

    @Test(arguments: [true, false])
    func `right passwords are let in, wrong ones are told from right ones, and a logout ends it`(isSecure: Bool)
        throws
    {
        let django = try DjangoServer(users: Self.users, isSecure: isSecure)
        defer { django.stop() }
        let authctl = try installation(django)
        for user in Self.users.prefix(3) {
            let login = try logIn(authctl, user.name, user.password)
            #expect(login.code == 0, "\(login.error)")
            #expect(try authctl.run("whoami", "site").output == user.name + "\n")
            #expect(try authctl.run("status", "site").code == 0)
            let kept = try authctl.keptSecrets().reduce(Data(), +)
            let hits = try LeakSweep(secrets: [user.password.trimmingCharacters(in: .whitespaces)]).hits(
                in: kept, place: "store")
            #expect(hits.isEmpty)
            let logout = try authctl.run("logout", "site")
            #expect(logout.code == 0, "\(logout.error)")
            #expect(logout.error.contains("session ended at the server"))
            #expect(try authctl.run("whoami", "site").code == 4)
        }
        #expect(django.requests.filter { $0 == "POST /admin/logout/ 200" }.count == 3, "\(django.requests)")
    }

    @Test func `login --force ends the session that it replaces`() throws {
        let django = try DjangoServer(users: Self.users, isSecure: true)
        defer { django.stop() }
        let authctl = try installation(django)
        for number in 0...3 {
            let login = try authctl.run(
                "login", "site", "--force", "-u", "ann", "--password-stdin", input: "correct horse\n")
            #expect(login.code == 0 && !login.error.contains("was not ended"), "\(login.error)")
            #expect(django.requests.count { $0 == "POST /admin/logout/ 200" } == number, "\(django.requests)")
        }
        #expect(try authctl.run("whoami", "site").output == "ann\n")
    }

    @Test func `a wrong password answers 200, and is refused, with nothing kept`() throws {
        let django = try DjangoServer(users: Self.users, isSecure: true)
        defer { django.stop() }
        let authctl = try installation(django)
        for (user, password) in [
            ("ann", "Correct horse"), ("nobody", "correct horse"), ("bob", "pä:ss%wörd&+\"\\<ünïcode>"),
        ] {
            let login = try logIn(authctl, user, password)
            #expect(login.code == 3, "\(login.error)")
        }
        let posts = django.requests.filter { $0.hasPrefix("POST ") }
        #expect(posts == Array(repeating: "POST /admin/login/ 200", count: 3))
        #expect(try authctl.keptSecrets().isEmpty)
        // A good password without the right to go in brings the same form again.
        let guest = try logIn(authctl, "guest", "only a guest")
        #expect(guest.code == 3)
        #expect(guest.error.contains("login refused (200)"))
    }

    @Test func `a session that the server ended is found out, and the password is in no URL and no log`() throws {
        let django = try DjangoServer(users: Self.users, isSecure: true)
        defer { django.stop() }
        let authctl = try installation(django)
        #expect(try logIn(authctl, "ann", "correct horse").code == 0)
        let session = try #require(try authctl.run("token", "--header", "site").output.split(separator: "\n").first)
        let certificate = try #require(django.certificate)
        let csrf = try #require(session.firstMatch(of: /csrftoken=([A-Za-z0-9]+)/)?.1)
        let ended = try Curl(
            "--cacert", certificate, "-H", String(session), "-H", "X-CSRFToken: \(csrf)", "-H",
            "Referer: \(django.origin)/",
            "-X", "POST", django.origin + "/admin/logout/")
        #expect(ended.status == 200)
        let who = try authctl.run("whoami", "site")
        #expect(who.code == 4, "\(who.error)")
        try LeakSweep(secrets: ["correct horse"]).expectClean(["log": django.log])
    }

    @Test func `a login without the page is refused by it, and not called a wrong password`() throws {
        let django = try DjangoServer(users: Self.users, isSecure: true)
        defer { django.stop() }
        let authctl = try installation(django)
        let path = authctl.folder + "/config/authctl/config.toml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing("page    = \"/admin/login/\"\n", with: "").write(
            toFile: path, atomically: false, encoding: .utf8)
        let login = try logIn(authctl, "ann", "correct horse")
        #expect(login.code == 1, "\(login.error)")
        #expect(login.error.contains("status 403"))
    }
}
