import Foundation
@testable import LoginTestSupport
import Testing

/// Options, variables and streams.
@Suite(.onOwnThreads) struct `The command line` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    @Test(arguments: [
        ["-p", "s3cretvalue"], ["-ps3cretvalue"], ["--password", "s3cretvalue"], ["--password=s3cretvalue"],
        ["-qp", "s3cretvalue"], ["--pass=s3cretvalue"], ["--passwd", "s3cretvalue"],
    ])
    func `the command line takes no password, and does not repeat it`(arguments: [String]) throws {
        for more in [[], ["--json"], ["--verbose"]] {
            let result = try authctl.run(["login", "wire", "-u", "ann"] + arguments + more)
            #expect(result.code == 2)
            #expect(!(result.output + result.error).contains("s3cretvalue"), "\(result.output)\(result.error)")
        }
        #expect(try demo.requests().isEmpty)
    }

    @Test(arguments: ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "AUTHCTL_CONFIG"])
    func `A path in a variable that is not UTF-8 is refused, and nothing is made`(name: String) throws {
        let script = """
            \(name)=$(printf '%s/not-\\377' "$FOLDER"); export \(name)
            exec "$0" login "$URL" -u ann --password-stdin
            """
        let url = demo.origin + "/account/verify_credentials.json"
        var environment = authctl.environment.merging(["FOLDER": authctl.folder, "URL": url]) { $1 }
        if name == "HOME" { for other in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"] { environment[other] = nil } }
        let before = try FileManager.default.subpathsOfDirectory(atPath: authctl.folder)
        let result = try Command.run(
            ChildSpec("/bin/sh", ["-c", script, authctl.program], environment: environment),
            input: Array("correct horse".utf8))
        #expect(result.code == 2 && result.error.contains("the value of \(name) is not UTF-8"), "\(result.error)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: authctl.folder) == before)
        #expect(try demo.requests().isEmpty)
    }

    @Test func `the command line names --password-stdin where a password was given`() throws {
        for arguments in [["-p", "x"], ["-px"], ["--password", "x"], ["--password=x"]] {
            #expect(try authctl.run(["login", "wire"] + arguments).error.contains("--password-stdin"))
        }
    }

    @Test(arguments: [["-u", "ann:s3cretvalue"], ["-uann:s3cretvalue"], ["--username=ann:s3cretvalue"]])
    func `the command line refuses a user name with a colon before any connection, without repeating it`(name: [String])
        throws
    {
        let server = try RecordingServer([.answer(401, ["WWW-Authenticate: Basic realm=\"x\""])])
        defer { server.stop() }
        _ = try authctl.file(
            "config/authctl/profiles/r.toml", "url = \"\(server.url(""))\"\nverify = { get = \"/me\" }\n")
        for more in [["--password-stdin"], ["--json"]] {
            let result = try authctl.run(["login", "r"] + name + more, input: "x")
            #expect(result.code == 2)
            #expect(!(result.output + result.error).contains("s3cretvalue"))
            #expect((result.output + result.error).contains("--password-stdin"))
        }
        let byURL = try authctl.run(["login", server.url("/other")] + name + ["--password-stdin"], input: "x")
        #expect(byURL.code == 2)
        #expect(!byURL.error.contains("s3cretvalue"))
        #expect(server.connections.isEmpty)
    }

    @Test(arguments: [["login", "wire"], ["login", "wire", "--no-prompt"], ["login", "forge"]])
    func `the command line never hangs without a terminal, and lists every input that is missing`(arguments: [String])
        throws
    {
        let result = try authctl.run(arguments)
        #expect(result.code == 4)
        let isToken = arguments.contains("forge")
        for way in ["--password-stdin", "--password-file", "--password-command", "AUTHCTL_PASSWORD"] {
            #expect(result.error.contains(way))
        }
        #expect(result.error.contains("-u NAME, AUTHCTL_USERNAME") != isToken)
        #expect(result.error.contains(isToken ? "token" : "password"))
    }

    @Test(arguments: [["--no-prompt"], []])
    func `the command line does not ask on a terminal either, where that is forbidden`(more: [String]) throws {
        let run = try TerminalRun(
            ChildSpec(
                authctl.program, ["login", "wire"] + more,
                environment: authctl.environment.merging(more.isEmpty ? ["AUTHCTL_NO_PROMPT": "1"] : [:]) { $1 }),
            output: authctl.folder + "/stdout", columns: 80)
        #expect(try run.end() == .exited(4))
        #expect(!run.pty.text.contains("User name:"))
    }

    @Test func `-q says nothing but results and errors`() throws {
        let login = try authctl.run("login", "wire", "-q", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(login.code == 0)
        #expect(login.output + login.error == "")
        let who = try authctl.run("-q", "whoami", "wire")
        // Options stand before or after.
        #expect(who.code == 2 || who.output == "ann\n")
        #expect(try authctl.run("whoami", "wire", "-q").output == "ann\n")
        let logout = try authctl.run("logout", "-q", "wire")
        #expect(logout.output + logout.error == "")
        let failed = try authctl.run("whoami", "wire", "-q")
        #expect(failed.code == 4)
        #expect(failed.error.contains("not logged in"))
    }

    @Test func `an unknown profile is 2, with near names`() throws {
        for arguments in [["whoami", "wirr"], ["whoami", "-P", "wirr"], ["login", "wirr"], ["token", "wirr"]] {
            let result = try authctl.run(arguments)
            #expect(result.code == 2)
            #expect(result.error.contains("wire"))
        }
        #expect(try authctl.run("whoami", environment: ["AUTHCTL_PROFILE": "wirr"]).code == 2)
    }

    @Test func `the profile is the argument, -P, AUTHCTL_PROFILE, or the default, in this order`() throws {
        for profile in ["wire", "chat", "blog"] { try authctl.logIn(profile) }
        let named = ["AUTHCTL_PROFILE": "chat"]
        let who = { try authctl.run(["whoami", "--json"] + $0, environment: $1).member("profile") }
        #expect(try who([], [:]) == "blog")
        #expect(try who([], named) == "chat")
        #expect(try who(["-P", "wire"], named) == "wire")
        #expect(try who(["wire", "-P", "chat"], named) == "wire")
        let bare = try Installation(config: "[profiles.a]\nurl = \"https://a.invalid\"\nverify = { get = \"/\" }\n")
        #expect(try bare.run("status", "--offline", "--json").code == 4)
    }

    @Test func `no profile at all is 4`() throws {
        let bare = try Installation()
        for command in ["whoami", "login", "logout", "token", "status"] {
            #expect(try bare.run(command).code == 4, "\(command)")
        }
    }

    @Test func `the store is chosen by option before variable before file`() throws {
        let stored = {
            (try authctl.run("status", "wire", "--offline", "--json").json as? [[String: Any]])?
                .first?["store"] as? String
        }
        try authctl.logIn("wire")
        #expect(try stored() == "plaintext")
        let supplied = ["login", "wire", "-u", "ann", "--password-stdin", "--force"]
        let key = try authctl.file("key", String(repeating: "k", count: 64))
        #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
        #expect(try authctl.run(supplied, input: "correct horse", environment: ["AUTHCTL_STORE": "file"]).code == 0)
        #expect(try stored() == "file")
        let both = try authctl.run(
            supplied + ["--store", "plaintext"], input: "correct horse", environment: ["AUTHCTL_STORE": "file"])
        #expect(both.code == 0)
        #expect(try stored() == "plaintext")
        #expect(both.error.contains("warning: the login is stored as plain text") == false)
        for bad in [["AUTHCTL_STORE": "nonsense"], ["AUTHCTL_PERSIST": "forever"], ["AUTHCTL_METHOD": "magic"]] {
            #expect(try authctl.run(supplied, input: "correct horse", environment: bad).code == 2, "\(bad)")
        }
    }

    @Test func `warns at each login that is kept as plain text by option`() throws {
        let authctl = try Installation(demo, store: nil)
        for _ in 0..<2 {
            let result = try authctl.run(
                "login", "wire", "-u", "ann", "--password-stdin", "--force", "--store", "plaintext",
                input: "correct horse")
            #expect(result.error.contains("plain text"))
        }
    }
}
