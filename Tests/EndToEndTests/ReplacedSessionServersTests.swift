import Foundation
@testable import LoginTestSupport
import Testing

/// What is promised at the demo server, counted in the databases of servers that know nothing of authctl.
@Suite(.onOwnThreads, PresetServer.required) struct `A session that no login has any more, at real servers` {
    struct Site: CustomTestStringConvertible, Sendable {
        let preset: String
        var base = ""
        let ready: String
        /// A program, run in the server's folder, whose first number is that of the sessions.
        let counter: [String]
        /// What verify asks, and a page that proves nothing.
        let verify: (right: String, wrong: String)

        var testDescription: String { preset }

        static func inSQLite(_ file: String, _ query: String) -> [String] {
            let program = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1], 9).execute(sys.argv[2]).fetchone())"
            return ["python3", "-c", program, file, query]
        }
    }

    static let sites = [
        Site(
            preset: "django-admin", ready: "/admin/login/",
            counter: Site.inSQLite("db.sqlite3", "SELECT count(*) FROM django_session"),
            verify: ("/admin/password_change/", "/admin/missing/")),
        Site(
            preset: "matrix", base: "/_matrix/client/v3", ready: "/_matrix/client/versions",
            counter: Site.inSQLite(
                "homeserver.db",
                "SELECT count(*) FROM (SELECT device_id FROM access_tokens UNION SELECT device_id FROM refresh_tokens)"),
            verify: ("/account/whoami", "/account/missing")),
        // A serialized array: a:COUNT:{…}.
        Site(
            preset: "wordpress", ready: "/wp-login.php",
            counter: [
                "mariadb", "--no-defaults", "--socket=socket", "-N", "blog", "-e",
                "SELECT meta_value FROM wp_usermeta WHERE meta_key = 'session_tokens'",
            ], verify: ("\"/wp-admin/profile.php\"\nusername", "\"/wp-admin/missing.php\"\nusername")),
    ]

    private func living(_ site: Site, _ server: PresetServer) throws -> Int {
        let program = Process(), output = Pipe()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = site.counter
        program.currentDirectoryURL = URL(filePath: server.file(""))
        program.standardOutput = output
        try program.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        program.waitUntilExit()
        try #require(program.terminationStatus == 0)
        return text.firstMatch(of: /\d+/).flatMap { Int($0.output) } ?? 0
    }

    @Test(arguments: sites.filter { RealServer.isInDebian($0.preset) })
    func `one lives after login --force, however often, and none after logout or a login that verify does not accept`(
        site: Site
    ) throws {
        let server = try PresetServer(site.preset, ready: site.ready)
        let preset = try String(
            contentsOfFile: "\(Repository.path)/share/authctl/presets/\(site.preset).toml", encoding: .utf8)
        let profile = "url = 'http://127.0.0.1:\(server.port)\(site.base)'\nmethod"
        let good = preset.replacing("method", with: profile, maxReplacements: 1)
        let bad = good.replacing("profiles.\(site.preset)", with: "profiles.unproved")
            .replacing(site.verify.right, with: site.verify.wrong)
        try #require(bad.contains(site.verify.wrong))
        let authctl = try Installation(config: good + bad)
        func logIn(_ profile: String, _ options: String...) throws -> CommandResult {
            try authctl.run(
                ["login", profile, "-u", "ada", "--password-stdin"] + options, input: PresetServer.password + "\n")
        }
        for _ in 1...4 {
            let login = try logIn(site.preset, "--force")
            try #require(login.code == 0, "\(login.error)")
            #expect(try living(site, server) == 1)
        }
        let unproved = try logIn("unproved")
        #expect(unproved.code != 0, "\(unproved.error)")
        #expect(try living(site, server) == 1, "\(unproved.error)")
        #expect(try authctl.run("whoami", site.preset).code == 0)
        #expect(try authctl.run("logout", site.preset).code == 0)
        #expect(try living(site, server) == 0)
    }
}
