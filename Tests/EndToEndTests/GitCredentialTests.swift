import Foundation
@testable import LoginTestSupport
import Testing

/// The binary as git's helper, asked by hand: git 2.39 announces no `authtype`, and never writes what is damaged.
@Suite(.onOwnThreads) struct `Asked as git asks` {
    let demo: DemoBackendProcess
    let authctl: Installation
    private var place: String { "protocol=http\nhost=127.0.0.1:\(demo.port)\n" }

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private func ask(_ input: String, _ action: String = "get", _ more: String...) throws -> CommandResult {
        try authctl.run(["git-credential", action] + more, input: input)
    }

    @Test func `a login is lent without a request, and only what git can take`() throws {
        for profile in ["wire", "index", "chat", "blog"] { try authctl.logIn(profile) }
        let before = try demo.requests().count
        #expect(try ask(place, "get", "-P", "wire").output == "username=ann\npassword=correct horse\n")
        let pair = try ask(place, "get", "-P", "index").output.split(separator: "\n")
        #expect(pair.count == 3 && pair[0] == "username=ann" && pair[1].hasPrefix("password=index-"))
        #expect(pair[2].hasPrefix("password_expiry_utc="))
        let token = try ask("capability[]=authtype\n" + place, "get", "-P", "chat").output.split(separator: "\n")
        #expect(token.prefix(2) == ["capability[]=authtype", "authtype=Bearer"])
        #expect(try token[2] == "credential=" + authctl.run("token", "chat").output.dropLast())
        for (input, profile, words) in [
            (place, "chat", "'session' of the profile: basic = \"oauth2:{token}\""),
            ("capability[]=authtype\n" + place, "blog", "authctl exec -P blog --serve -- COMMAND"),
        ] {
            let result = try ask(input, "get", "-P", profile)
            #expect(result.code == 0 && result.output.isEmpty && result.error.contains(words))
        }
        #expect(try demo.requests().count == before)
    }

    @Test func `git credential with -v, whatever git says, writes its answer alone to standard output`() throws {
        try authctl.logIn("wire")
        let input =
            "capability[]=authtype\ncapability[]=state\n" + place + "wwwauth[]=Basic realm=\"\u{1b}[2J\"\n"
            + "wwwauth[]=Bearer\nstate[]=x.y=z\nephemeral=1\npassword_expiry_utc=99999999999999999999\n\nhost=evil\n"
        let result = try ask(input, "get", "-P", "wire", "-v")
        #expect(result.code == 0 && result.output == "username=ann\npassword=correct horse\n")
        #expect(!result.error.contains("\u{1b}"))
        let over = try ask("quit=1\n" + place, "get", "-P", "wire")
        #expect(over.code == 0 && over.output.isEmpty)
    }

    @Test(arguments: [
        "url=http://HOST?%0ahost=evil\n", "url=http://HOST%0d.com\n", "protocol=http\nhost=HOST\rhost=evil\n",
        "protocol=http\nhost=HOST\r\n", "protocol=http\nhost=HOST\0\n", "protocol=http\nhost=HOST\nusername=ann\r\n",
        "protocol=http\nhost=HOST\nhost=HOST\n", "protocol=http\nhost=HOST\nfrobnicate\n", "protocol=http\n",
        "host=HOST\n", "protocol=http\nhost=\n", "url=http:///x\n", "",
    ])
    func `what is damaged has no answer, a code and words, and nothing is sent`(text: String) throws {
        try authctl.logIn("wire")
        let before = try demo.requests().count
        for action in ["get", "erase"] {
            let result = try ask(text.replacing("HOST", with: "127.0.0.1:\(demo.port)"), action, "-P", "wire")
            #expect(
                result.code == 2 && result.output.isEmpty && result.error.contains("malformed request"),
                "\(result.error)")
            #expect(!result.error.contains("evil"))
        }
        #expect(try demo.requests().count == before)
        #expect(try ask(place, "get", "-P", "wire").output.contains("correct horse"))
    }

    @Test(arguments: [
        "protocol=https\nhost=HOST\n", "protocol=http\nhost=HOST.evil\n", "protocol=http\nhost=evilHOST\n",
        "protocol=http\nhost=x@HOST\n", "protocol=http\nhost=127.0.0.1\n", "protocol=http\nhost=127.0.0.1.:1\n",
        "protocol=http\nhost=HOST0\n", "protocol=http\nhost=localhost\n", "protocol=cert\nhost=HOST\n",
        "protocol=http\nhost=HOST\nusername=bob\n",
    ])
    func `what is not exactly the origin has no answer, quietly`(text: String) throws {
        try authctl.logIn("wire")
        let result = try ask(text.replacing("HOST", with: "127.0.0.1:\(demo.port)"), "get", "-P", "wire")
        #expect(result.code == 0 && result.output.isEmpty && result.error.isEmpty, "\(result.error)")
    }

    @Test func `input that is too long or never ends is given up`() throws {
        try authctl.logIn("wire")
        let long = try ask(place + "later=" + String(repeating: "x", count: 70_000) + "\n", "get", "-P", "wire")
        #expect(long.code == 2 && long.output.isEmpty && long.error.contains("65536"))
        let folder = URL(fileURLWithPath: authctl.program).deletingLastPathComponent().path
        let shell = try Command.run(
            ChildSpec(
                "/bin/bash", ["-c", "sleep 5 | \(folder)/authctl git-credential get --timeout 1"],
                environment: authctl.environment))
        #expect(shell.code == 2 && shell.output.isEmpty && shell.error.contains("1 seconds"), "\(shell.error)")
    }

    @Test func `store changes nothing, and so does an action of a later git`() throws {
        try authctl.logIn("wire")
        let before = try demo.requests().count
        for action in ["store", "capability", "frobnicate"] {
            let result = try ask(place + "username=ann\npassword=another\n", action, "-P", "wire")
            #expect(result.code == 0 && result.output.isEmpty && result.error.isEmpty)
        }
        #expect(try demo.requests().count == before)
        #expect(try ask(place, "get", "-P", "wire").output == "username=ann\npassword=correct horse\n")
    }

    @Test func `erase asks the service, and only about what is stored`() throws {
        try authctl.logIn("wire")
        let before = try demo.requests().count
        for other in ["password=another\n", "username=bob\n", "credential=x\n"] {
            #expect(try ask(place + other, "erase", "-P", "wire").code == 0)
        }
        #expect(try demo.requests().count == before)
        let kept = try ask(place + "username=ann\npassword=correct horse\n", "erase", "-P", "wire")
        #expect(kept.code == 0 && kept.output.isEmpty && kept.error.contains("still accepts"))
        #expect(try demo.requests().count == before + 1)
        let verify = "/account/verify_credentials.json"
        try demo.order(.init(path: verify, status: 503))
        #expect(try ask(place, "erase", "-P", "wire").code == 12)
        try demo.order(.init(path: verify, status: 403))
        #expect(try ask(place, "erase", "-P", "wire").code == 4)
        #expect(try !ask(place, "get", "-P", "wire").output.isEmpty)
        try demo.order(.refusesWire)
        let gone = try ask(place, "erase", "-P", "wire")
        #expect(gone.code == 0 && gone.error.contains("authctl login wire"))
        #expect(try ask(place, "get", "-P", "wire").output.isEmpty)
    }

    @Test func `a token that another process has refreshed since is not erased`() throws {
        try authctl.logIn("chat")
        let old = try authctl.run("token", "chat").output
        _ = try authctl.run("token", "chat", "--min-ttl", "100000")
        let before = try demo.requests().count
        #expect(try ask(place + "authtype=Bearer\ncredential=" + old, "erase", "-P", "chat").code == 0)
        #expect(try demo.requests().count == before)
        let token = try authctl.run("token", "chat").output
        try demo.order(
            .init(path: "/_matrix/client/v3/account/whoami", status: 401),
            .init(status: 401, body: #"{"errcode": "M_UNKNOWN_TOKEN"}"#))
        let gone = try ask(place + "authtype=Bearer\ncredential=" + token, "erase", "-P", "chat")
        #expect(gone.code == 0, "\(gone.error)")
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test(RealServer.require("strace")) func `nothing is started, so nothing inherits`() throws {
        try authctl.logIn("wire")
        let trace = authctl.folder + "/trace"
        let environment = authctl.environment.merging(["AUTHCTL_PASSWORD": "never used here"]) { $1 }
        let run = try Command.run(
            ChildSpec(
                "/usr/bin/strace",
                ["-f", "-e", "trace=execve,fork,vfork,clone,clone3", "-o", trace, authctl.program]
                    + ["git-credential", "get", "-P", "wire"],
                environment: environment), input: Array(place.utf8))
        #expect(run.output.contains("correct horse"), "\(run.error)")
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("(")
        }
        #expect(calls.count == 1 && calls[0].contains("execve"), "\(calls)")
    }
}
