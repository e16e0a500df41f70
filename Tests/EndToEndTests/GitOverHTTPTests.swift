import Foundation
@testable import LoginTestSupport
import Testing

/// git itself, at a real httpd with HTTP Basic and git http-backend, with authctl as its helper.
@Suite(.onOwnThreads, RealServer.require("apache2"), RealServer.require("htpasswd"), RealServer.require("git"))
struct `git over http` {
    let httpd: HttpdSite
    let authctl: Installation
    private var repositories: URL { httpd.folder.appendingPathComponent("git") }

    init() throws {
        httpd = try HttpdSite(
            modules: ["auth_basic", "alias", "env", "cgid"], pages: ["private"],
            prepare: { try Self.makeRepositories($0) }, configuration: Self.configuration)
        authctl = try Installation()
    }

    /// Three of them: for ann and bob; for bob alone, others are 403; and the same with 401.
    private static func makeRepositories(_ folder: URL) throws {
        try setPassword("ann", "correct horse", in: folder)
        for name in ["open", "forbidden", "rightless"] {
            let path = folder.path + "/git/\(name).git"
            for words in [["init", "-q", "--bare", path], ["-C", path, "config", "http.receivepack", "true"]] {
                let run = try Command.tool("git", words)
                guard run.code == 0 else { throw Unexpected(result: run) }
            }
        }
        guard getuid() == 0 else { return }
        _ = try Command.tool("chown", ["-R", "www-data:www-data", folder.path + "/git"])
    }

    private static func setPassword(_ user: String, _ password: String, in folder: URL) throws {
        let file = folder.path + "/passwords"
        let run = try Command.tool(
            "htpasswd", ["-i", "-c", "-B", "-C", "4", file, user], input: Array((password + "\n").utf8))
        guard run.code == 0 else { throw Unexpected(result: run) }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    }

    private static func configuration(_ folder: String) -> String {
        let places = [
            ("private", "valid-user", "Off"), ("git/open.git", "valid-user", "Off"),
            ("git/forbidden.git", "user bob", "On"), ("git/rightless.git", "user bob", "Off"),
        ]
        let guarded = places.map { place, who, forbids in
            """
            <Location "/\(place)">
                AuthType Basic
                AuthName "git"
                AuthBasicProvider file
                AuthUserFile "\(folder)/passwords"
                Require \(who)
                AuthzSendForbiddenOnFailure \(forbids)
            </Location>

            """
        }
        return guarded.joined() + """
            ScriptSock "\(folder)/cgi.sock"
            SetEnv GIT_PROJECT_ROOT "\(folder)/git"
            SetEnv GIT_HTTP_EXPORT_ALL 1
            ScriptAlias /git/ /usr/lib/git-core/git-http-backend/
            <Directory "/usr/lib/git-core">
                Require all granted
            </Directory>

            """
    }

    /// git, with nothing of the machine's configuration and nobody to ask.
    private func git(_ words: String...) throws -> CommandResult {
        let environment = authctl.environment.merging([
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_TRACE": "1",
            "GIT_AUTHOR_NAME": "ann", "GIT_AUTHOR_EMAIL": "ann@example.invalid",
            "GIT_COMMITTER_NAME": "ann", "GIT_COMMITTER_EMAIL": "ann@example.invalid",
        ]) { $1 }
        let helper = ["-c", "credential.helper=!\(authctl.program) git-credential"]
        let result = try Command.run(
            ChildSpec("/usr/bin/git", helper + words, environment: environment, directory: authctl.folder))
        // The trace has the arguments of everything that git starts.
        try LeakSweep(secrets: [], pairs: [("ann", "correct horse")])
            .expectClean(["what git says": result.output + result.error])
        return result
    }

    private func logIn(_ password: String = "correct horse", _ more: String...) throws {
        let words = ["login", httpd.whoami("private"), "-u", "ann", "--password-stdin"] + more
        let run = try authctl.run(words, input: password)
        guard run.code == 0 else { throw Unexpected(result: run) }
    }

    private func url(_ name: String) -> String { "\(httpd.origin)/git/\(name).git" }

    @Test func `clone and push go through with the login of authctl`() throws {
        try logIn()
        let clone = try git("clone", url("open"), "work")
        #expect(clone.code == 0, "\(clone.error)")
        try authctl.home.write("hello\n", to: "work/file")
        #expect(try git("-C", "work", "add", "file").code == 0)
        #expect(try git("-C", "work", "commit", "-q", "-m", "one").code == 0)
        let push = try git("-C", "work", "push", "-q", "origin", "HEAD:refs/heads/main")
        #expect(push.code == 0, "\(push.error)")
        let log = try Command.tool(
            "git", ["-c", "safe.directory=*", "-C", repositories.path + "/open.git", "log", "--format=%s", "main"])
        #expect(log.output == "one\n", "\(log.error)")
        #expect(try git("ls-remote", url("open")).output.hasSuffix("\trefs/heads/main\n"))
        // What git was lent it offered back, and that changed nothing.
        #expect(try authctl.run("whoami").output == "ann\n")
        // httpd writes its line after git has its answer.
        #expect(httpd.requests().contains("ann Basic POST /git/open.git/git-receive-pack 200"))
    }

    @Test func `git over http fails without a login, and nobody is asked`() throws {
        let clone = try git("clone", url("open"), "work")
        #expect(clone.code == 128 && clone.error.contains("could not read Username"), "\(clone.error)")
    }

    @Test func `a user name in git's URL selects the account`() throws {
        try logIn()
        let origin = httpd.origin.replacing("http://", with: "")
        #expect(try git("ls-remote", "http://ann@\(origin)/git/open.git").code == 0)
        #expect(try git("ls-remote", "http://bob@\(origin)/git/open.git").code == 128)
    }

    @Test func `a 403 and a 401 for missing rights leave the login as it is`() throws {
        try logIn()
        let forbidden = try git("ls-remote", url("forbidden"))
        #expect(forbidden.code == 128 && forbidden.error.contains("403"), "\(forbidden.error)")
        #expect(!forbidden.error.contains("git-credential erase"))
        let rightless = try git("ls-remote", url("rightless"))
        #expect(rightless.code == 128 && rightless.error.contains("git-credential erase"), "\(rightless.error)")
        #expect(rightless.error.contains("still accepts this login"))
        #expect(try git("ls-remote", url("open")).code == 0)
        #expect(try authctl.run("whoami").output == "ann\n")
    }

    @Test func `a password that the server refuses now is not lent again, until the next login`() throws {
        try logIn()
        try Self.setPassword("ann", "battery staple", in: httpd.folder)
        let refused = try git("ls-remote", url("open"))
        #expect(refused.code == 128 && refused.error.contains("log in again"), "\(refused.error)")
        let before = httpd.requests().count
        #expect(try git("ls-remote", url("open")).code == 128)
        let since = httpd.requests(expecting: before + 1).dropFirst(before)
        #expect(since.allSatisfy { !$0.contains("Basic") }, "\(since)")
        #expect(try authctl.run("whoami").code == 4)
        try logIn("battery staple", "--force")
        #expect(try git("ls-remote", url("open")).code == 0)
    }
}
