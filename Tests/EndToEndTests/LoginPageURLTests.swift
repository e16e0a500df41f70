import Foundation
import LoginTestSupport
import Testing

/// `login URL` where the URL is a login page that looks the same to whoever is logged in: it cannot tell a right password from a
/// wrong one, and the response to the password can.
@Suite(.onOwnThreads) struct `A login by the URL of a login page` {
    let authctl: Installation

    init() throws {
        authctl = try Installation()
    }

    /// Types a password once, and has to be asked no more than that.
    private func logIn(_ url: String, _ user: String, _ password: String, attempts: Int = 3) throws -> TerminalRun {
        let run = try authctl.onTerminal(["login", url, "-u", user, "--max-attempts", "\(attempts)"])
        try run.answer("Type yes to continue: ", "yes\r").answer("Password for \(user): ", password + "\r")
        try run.pty.waitForEnd(within: 20)
        return run
    }

    /// What is said of a right password that verify cannot tell from none.
    private func expectTaken(_ run: TerminalRun) throws {
        #expect(try run.end() == .exited(2), "\(run.said)")
        #expect(run.said.contains("the service took the password, but"), "\(run.said)")
        #expect(run.said.contains("looks the same when logged in"), "\(run.said)")
        #expect(!run.said.contains("Attempt") && !run.said.contains("refused the credential"))
        #expect(try authctl.keptSecrets().isEmpty)
    }

    private func expectRefused(_ run: TerminalRun) throws {
        #expect(try run.end() == .exited(3), "\(run.said)")
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test
    func
        `a login by the URL of a login page at the demo server sends a right password once and says that it was taken`()
        throws
    {
        let demo = try DemoBackendProcess()
        defer { demo.stop() }
        let url = demo.origin + "/login/"
        try expectTaken(logIn(url, "ann", "correct horse"))
        try expectRefused(logIn(url, "ann", "wrong horse", attempts: 1))
        let posts = try demo.requests().filter { $0.method == "POST" }
        #expect(posts.map(\.status) == [302, 200])
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
}
