import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --serve` where the session is a password, in a header that comes back, too, and which httpd knows no more at some time.
@Suite(.onOwnThreads, RealServer.require("apache2"), RealServer.require("openssl"))
struct `An exec that serves a password` {
    private let httpd: HttpdSite
    private let authctl: Installation
    private static let accounts = [
        ("ann", "longpassword1"), ("anne", "correct-horse-battery"), ("anna", "pässword"), ("bo", "hunter2"),
        ("al", "xy"),
    ]

    init() throws {
        let lines = try Self.accounts.map { user, password in
            let hash = try Command.tool("openssl", ["passwd", "-apr1", "-stdin"], input: Array(password.utf8)).output
            return "\(user):\(hash.trimmingCharacters(in: .newlines))\n"
        }
        httpd = try HttpdSite(
            modules: ["auth_basic", "headers"], pages: ["private"],
            prepare: { folder in
                let file = folder.appendingPathComponent("users")
                try Data(lines.joined().utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            },
            configuration: { folder in
                """
                <Location "/private">
                    AuthType Basic
                    AuthName "Intranet"
                    AuthBasicProvider file
                    AuthUserFile "\(folder)/users"
                    Require valid-user
                    Header always set X-Kept "as it is"
                    Header always set X-Guessed "expr=%{req:X-Guess}"
                </Location>

                """
            })
        authctl = try Installation(
            config: """
                [profiles.site]
                url = "\(httpd.origin)/private"
                method = "basic"
                verify = { get = "/whoami.json", username = "/user" }

                """)
    }

    private func serve(_ script: String) throws -> CommandResult {
        try authctl.run(["exec", "-P", "site", "--serve", "--", "bash", "-c", script], within: 60)
    }

    @Test(arguments: accounts) func `nothing that a command sends and gets back tells it whether that is the password`(
        user: String, password: String
    ) throws {
        try authctl.logIn("site", user, password)
        let result = try serve(
            """
            for guess in '\(password)' '\(password)x'; do
                curl -q -sS -D - -o /dev/null -H "X-Guess: $guess" "$AUTHCTL_SERVE_URL"whoami.json | grep -c '^X-Guessed'
            done
            """)
        #expect(result.output == "1\n1\n", "\(result.error)")
    }

    @Test
    func `an exec that serves a password sends it no more once the server has refused it, until somebody logs in`()
        throws
    {
        try authctl.logIn("site", "ann", "longpassword1")
        let users = httpd.folder.appendingPathComponent("users").path
        let result = try serve(
            """
            get() { curl -q -sS -o /dev/null -w '%{http_code}\\n' "$AUTHCTL_SERVE_URL"whoami.json; }
            get; cp \(users) \(users).old; : > \(users)
            for i in 1 2 3 4 5 6; do get; done
            sleep 2.5; get; curl -q -sS "$AUTHCTL_SERVE_URL"whoami.json
            cat \(users).old > \(users)
            echo longpassword1 | \(authctl.program) login site -u ann --password-stdin --force -q
            sleep 2.5; get
            """)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(8) == ["200", "401", "502", "502", "502", "502", "502", "502"], "\(lines)\(result.error)")
        #expect(lines.contains { $0.contains("authctl login site") } && lines.last == "200", "\(lines)\(result.error)")
        // The request, verify, and what looks for another login.
        let refused = httpd.requests(expecting: 5).filter { $0.contains(" Basic ") && $0.hasSuffix(" 401") }
        #expect((1...3).contains(refused.count), "\(refused)")
        #expect(result.error.split(separator: "\n").count { $0.hasPrefix("authctl: site") } <= 2, "\(result.error)")
    }
}
