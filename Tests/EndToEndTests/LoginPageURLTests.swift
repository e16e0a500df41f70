import Foundation
@testable import LoginTestSupport
import Testing

/// `login URL` where the URL is a login page that looks the same to whoever is logged in: it cannot tell a right password from a
/// wrong one, and the response to the password can.
@Suite(.onOwnThreads) struct `A login by the URL of a login page` {
    let authctl: Installation

    init() throws {
        authctl = try Installation()
    }

    /// Types a password once, and has to be asked no more than that.
    /// - Parameters:
    ///   - user: empty where the service knows no names.
    ///   - fields: what else the form asks for.
    ///   - asksFirst: whether the profile is shown for a yes; a challenge is answered without.
    private func logIn(
        _ url: String, _ user: String, _ password: String, attempts: Int = 3, asksFirst: Bool = true,
        fields: [(label: String, text: String)] = []
    ) throws -> TerminalRun {
        let named = user.isEmpty ? [] : ["-u", user]
        let run = try authctl.onTerminal(["login", url, "--max-attempts", "\(attempts)"] + named)
        for field in fields { try run.answer("\(field.label): ", field.text + "\r") }
        if asksFirst { try run.answer("Log in with it? [yes/no/details] ", "yes\r") }
        try run.answer(user.isEmpty ? "Password: " : "Password for \(user): ", password + "\r")
        try run.pty.waitForEnd()
        return run
    }

    /// What is said of a right password that verify cannot tell from none.
    private func expectTaken(_ run: TerminalRun) throws {
        #expect(try run.end() == .exited(2), "\(run.said)")
        #expect(run.said.contains("the service took the password, but"), "\(run.said)")
        #expect(run.said.contains("nothing was saved"), "\(run.said)")
        #expect(!run.said.contains("Attempt") && !run.said.contains("refused the credential"))
        #expect(try authctl.keptSecrets().isEmpty)
    }

    private func expectRefused(_ run: TerminalRun) throws {
        #expect(try run.end() == .exited(3), "\(run.said)")
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test
    func
        `a login by the URL of a login page at the demo server is proved by where it leads, and a wrong password is refused`()
        throws
    {
        let demo = try DemoBackendProcess()
        defer { demo.stop() }
        let url = demo.origin + "/login/"
        try expectRefused(logIn(url, "ann", "wrong horse", attempts: 1))
        let run = try logIn(url, "ann", "correct horse")
        #expect(try run.end() == .exited(0), "\(run.said)")
        let posts = try demo.requests().filter { $0.method == "POST" }
        #expect(posts.map(\.status) == [200, 302])
    }

    @Test(RealServer.requirePython("django"))
    func
        `at Django's LoginView a right password costs no attempt of three, and a wrong one costs one each time`()
        throws
    {
        let django = try DjangoServer(users: [.init("ann", "correct horse")], isSecure: false)
        defer { django.stop() }
        let url = django.origin + DjangoServer.loginPage
        for _ in 0..<4 { try expectTaken(logIn(url, "ann", "correct horse")) }
        for _ in 0..<2 { try expectRefused(logIn(url, "ann", "wrong horse", attempts: 1)) }
        try expectTaken(logIn(url, "ann", "correct horse"))
        let posts = django.requests.filter { $0.hasPrefix("POST ") }.compactMap { $0.split(separator: " ").last }
        #expect(posts == ["302", "302", "302", "302", "200", "200", "302"])
    }

    @Test(
        PresetServer.required,
        arguments: [
            ("wordpress", "/wp-login.php"), ("jupyterhub", "/"), ("dokuwiki", "/"), ("zabbix", "/"), ("trac", "/"),
            ("django-admin", "/admin/"),
        ])
    func `a login by the URL of a login page finds afterwards what proves it, and a wrong password is refused`(
        name: String, page: String
    ) throws {
        let server = try PresetServer(name, ready: page)
        let url = "http://127.0.0.1:\(server.port)" + page
        try expectRefused(logIn(url, "ada", "Wrong-Horse-7", attempts: 1))
        let run = try logIn(url, "ada", PresetServer.password)
        #expect(try run.end() == .exited(0), "\(run.said)")
        let whoami = try authctl.run(["whoami"])
        #expect(whoami.code == 0 && whoami.output.contains("ada"), "\(whoami.output) \(whoami.error)")
        let again = try authctl.run(["login", "--no-prompt", url])
        #expect(again.code == 0, "\(again.error)")
        let logout = try authctl.run(["logout"])
        // DokuWiki's cookie has the password in it, and is good after its logout, too.
        #expect(logout.code == (name == "dokuwiki" ? 15 : 0), "\(logout.error)")
        // A form, and a link with a nonce.
        if ["django-admin", "wordpress"].contains(name) {
            #expect(logout.error.contains("ended at the server"), "\(logout.error)")
        }
    }

    /// A program that has no preset, as a team may run it.
    struct Program: CustomTestStringConvertible, Sendable {
        let name: String
        /// Empty where it knows no names.
        var user = "ada"
        /// From the address line: its front page, its login page, a page inside.
        let pages: [String]
        /// Whether its login is a form.
        var hasForm = true
        /// 15 where its cookie stays good.
        var logout: Int32 = 0
        /// What its form asks for beside name and password.
        var fields: [(label: String, text: String)] = []
        /// Where the name of whoever is logged in stands, and nobody else's.
        var inside: String?

        var testDescription: String { name }
    }

    @Test(
        PresetServer.required,
        arguments: [
            Program(
                name: "adminer", pages: ["/", "/?username=ada"], fields: [("Server", "localhost"), ("Database", "")]),
            Program(name: "datasette", pages: ["/", "/-/login", "/_memory"], logout: 15, inside: "/-/actor.json"),
            Program(name: "marimo", user: "", pages: ["/", "/auth/login"]),
            Program(name: "phpldapadmin", pages: ["/cmd.php?cmd=login_form&server_id=1"], inside: "/"),
            Program(
                name: "phpmyadmin", pages: ["/", "/index.php", "/index.php?route=/server/databases"], logout: 15,
                inside: "/"),
            Program(name: "orthanc", pages: ["/", "/app/explorer.html", "/system"], hasForm: false),
            Program(
                name: "postfixadmin", user: "ada@example.org", pages: ["/", "/login.php", "/list.php?table=admin"],
                inside: "/list.php?table=admin"),
            Program(
                name: "request-tracker", pages: ["/", "/NoAuth/Login.html", "/Prefs/AboutMe.html"], inside: "/"),
            Program(name: "supysonic", pages: ["/", "/user/login", "/folder"], logout: 15, inside: "/"),
            Program(name: "tomcat", pages: ["/manager/html", "/host-manager/html"], hasForm: false),
            Program(name: "wagtail", pages: ["/admin/", "/admin/login/", "/admin/pages/"], inside: "/admin/"),
        ])
    func
        `a URL from the address line is enough to log in to a program that has no preset, and its logout says what curl sees then`(
            program: Program
        ) throws
    {
        let server = try PresetServer(program.name, ready: program.pages[0])
        let origin = "http://127.0.0.1:\(server.port)"
        for page in program.pages {
            let url = origin + page
            let wrong = try logIn(
                url, program.user, "Wrong-Horse-7", attempts: 1, asksFirst: program.hasForm,
                fields: program.fields)
            try expectRefused(wrong)
            let run = try logIn(
                url, program.user, PresetServer.password, asksFirst: program.hasForm, fields: program.fields)
            #expect(try run.end() == .exited(0), "\(page): \(run.said)")
            let whoami = try authctl.run(["whoami"])
            #expect(whoami.code == 0 && whoami.output == program.user + "\n", "\(page): \(whoami)")
            let session = try authctl.file("session", authctl.run(["token", "--header"]).output)
            func isKnown() throws -> Bool? {
                // As a word: a page may hold a hash, in which `ada` is three digits.
                let name = try Regex(#"\b\#(program.user)\b"#).wordBoundaryKind(.simple)
                return try program.inside.map { try Curl("-H", "@" + session, origin + $0).text.contains(name) }
            }
            #expect(try isKnown() != false, "\(page)")
            let logout = try authctl.run(["logout"])
            #expect(logout.code == program.logout, "\(page): \(logout.error)")
            let hasEnded = logout.error.contains("session ended at the server")
            #expect(try isKnown() != hasEnded, "\(page): \(logout.error)")
            #expect(try authctl.run(["profile", "remove", "127.0.0.1:\(server.port)"]).code == 0)
        }
    }

    @Test(PresetServer.required)
    func `phpLDAPadmin's pages, which open to its login page's cookie, prove no password, and none is sent`() throws {
        let server = try PresetServer("phpldapadmin", ready: "/")
        let origin = "http://127.0.0.1:\(server.port)"
        let front = try authctl.onTerminal(["login", origin + "/", "-u", "ada"])
        try front.answer("Log in with it? [yes/no/details] ", "yes\r")
        try front.pty.waitForEnd()
        #expect(try front.end() == .exited(2), "\(front.said)")
        #expect(front.said.contains("does not prove a login"), "\(front.said)")
        let config = """
            [profiles.schema]
            url    = "\(origin)"
            method = "cookie"
            login  = { page = "/cmd.php?cmd=login_form&server_id=1", post = "/cmd.php", form = { login = "{username}", login_pass = "{password}" } }
            verify = { get = "/cmd.php?cmd=schema&server_id=1", logged-out = [{ status = 302 }] }

            """
        let byHand = try Installation(config: config)
        for password in ["Wrong-Horse-7", PresetServer.password] {
            let login = try byHand.run(
                "login", "schema", "-u", "ada", "--password-stdin", input: password + "\n")
            #expect(login.code == 2, "\(login.error)")
            #expect(login.error.contains("does not prove a login"), "\(login.error)")
        }
        #expect(server.log.contains("GET /cmd.php") && !server.log.contains("POST /"), "\(server.log)")
    }
}
