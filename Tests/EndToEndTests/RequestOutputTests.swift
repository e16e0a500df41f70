import Foundation
@testable import LoginTestSupport
import Testing

/// What `request` sends and prints, in curl's terms.
@Suite(.onOwnThreads) struct `The words of a request` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
        try authctl.logIn("wire")
    }

    private func request(_ words: String..., input: String = "") throws -> CommandResult {
        try authctl.run(["request"] + words + ["-P", "wire"], input: input)
    }

    @Test func `-i prints the head before the body, -o writes a file`() throws {
        try demo.order(.init(path: "/x", status: 200, body: "body", headers: ["X-Kind": "plain"]))
        let shown = try request("GET", "/x", "-i")
        #expect(shown.output.hasPrefix("HTTP/1.1 200") && shown.output.hasSuffix("\r\n\r\nbody"))
        #expect(shown.output.contains("X-Kind: plain\r\n"))
        try demo.order(.init(path: "/x", status: 200, body: "body"))
        let file = authctl.folder + "/out"
        let written = try request("GET", "/x", "-o", file)
        #expect(written.output.isEmpty)
        #expect(try authctl.bytes(file) == Data("body".utf8))
        try demo.order(.init(path: "/x", status: 404, body: ""))
        #expect(try request("GET", "/x", "-o", file).code == 11)
        #expect(try authctl.bytes(file).isEmpty)
    }

    @Test func `a reader that has seen enough is no fault`() throws {
        try demo.order(.init(path: "/x", status: 200, body: String(repeating: "0123456789abcdef", count: 6000)))
        let script = "\"$0\" request GET /x -P wire | head -c 3; echo \" ${PIPESTATUS[0]}\""
        let spec = ChildSpec(
            "/bin/bash", ["-c", script, authctl.program], environment: authctl.environment, directory: authctl.folder)
        let result = try Command.run(spec)
        #expect(result.output == "012 141\n")
        #expect(result.errorBytes.isEmpty, "\(result.error)")
    }

    @Test(arguments: ["HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\nContent-Ty", "HTTP/1.1 401 No\nWWW-Authenticate: Basic\n"])
    func `a head that breaks off is 6: no login, nothing marked, no file touched; 15 at logout`(head: String)
        throws
    {
        let cut = RecordingServer.Reply.raw(head, ending: .close)
        let anonymous = RecordingServer.Reply.answer(401, ["WWW-Authenticate: Basic"])
        let ann = RecordingServer.Reply.answer(200, body: "{\"screen_name\":\"ann\"}")
        let server = try RecordingServer([anonymous, cut])
        defer { server.stop() }
        let authctl = try Installation(
            config: """
                [profiles.cut]
                url = "http://127.0.0.1:\(server.port)"
                verify = { get = "/me" }
                logout = { post = "/out" }
                """)
        let login = try authctl.run("login", "cut", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(login.code == 6, "\(login.error)")
        #expect(try authctl.run("status", "cut", "--offline").code == 4)
        server.reply([anonymous, ann])
        try authctl.logIn("cut")
        let file = try authctl.home.write("before", to: "kept")
        server.reply([cut])
        #expect(try authctl.run("request", "GET", "/x", "-P", "cut", "-o", file).code == 6)
        #expect(try authctl.bytes(file) == Data("before".utf8))
        for words in [["whoami", "cut"], ["status", "cut"]] {
            server.reply([cut])
            #expect(try authctl.run(words).code == 6)
        }
        server.reply([ann])
        #expect(try authctl.run("whoami", "cut").code == 0, "the password is not marked")
        server.reply([cut])
        #expect(try authctl.run("logout", "cut").code == 15)
    }

    @Test func `an answer that breaks off is said to be incomplete`() throws {
        let server = try RecordingServer([
            .answer(401, ["WWW-Authenticate: Basic"]), .answer(200, body: "{\"screen_name\":\"ann\"}"),
            .raw("HTTP/1.1 200 OK\nContent-Length: 100\n\nhalf", ending: .close),
        ])
        defer { server.stop() }
        let authctl = try Installation(
            config: """
                [profiles.half]
                url = "http://127.0.0.1:\(server.port)"
                verify = { get = "/me", username = "/screen_name" }
                """)
        try authctl.logIn("half")
        let file = authctl.folder + "/half"
        let result = try authctl.run("request", "GET", "/x", "-P", "half", "-o", file)
        #expect(result.code == 6 && result.error.contains("half: the response above is incomplete"))
        #expect(try authctl.bytes(file) == Data("half".utf8))
    }

    @Test func `a 401 whose body breaks off is a reason to ask verify, and its body is said to be incomplete`() throws {
        let cut = RecordingServer.Reply.raw("HTTP/1.1 401 No\nContent-Length: 100\n\nhalf", ending: .close)
        let ann = RecordingServer.Reply.answer(200, body: "{\"screen_name\":\"ann\"}")
        let server = try RecordingServer([.answer(401, ["WWW-Authenticate: Basic"]), ann])
        defer { server.stop() }
        let authctl = try Installation(
            config: """
                [profiles.half]
                url = "http://127.0.0.1:\(server.port)"
                verify = { get = "/me", username = "/screen_name" }
                """)
        try authctl.logIn("half")
        server.reply([cut, ann])
        let good = try authctl.run("request", "GET", "/x", "-P", "half")
        #expect(good.code == 10 && good.output == "half", "\(good.error)")
        #expect(good.error.contains("half: the response above is incomplete"), "\(good.error)")
        server.reply([cut, .answer(401, ["WWW-Authenticate: Basic"])])
        let ended = try authctl.run("request", "GET", "/x", "-P", "half")
        #expect(ended.code == 3 && ended.error.contains("incomplete"), "\(ended.error)")
    }

    @Test func `bytes are exact in a pipe, and harmless on a terminal`() throws {
        let hostile = "a\u{1B}]0;owned\u{7}b\u{9B}2J\r\nc\u{202E}d\te"
        try demo.order(.init(path: "/x", status: 200, body: hostile))
        #expect(try request("GET", "/x").output == hostile)
        try demo.order(.init(path: "/x", status: 200, body: hostile))
        let shell = try authctl.shellOnTerminal("authctl request GET /x -P wire")
        #expect(try shell.waitForEnd() == .exited(0))
        #expect(shell.text.contains("a\\u{1B}]0;owned\\u{7}b\\u{9B}2J\r\nc\\u{202E}d\te\r\n"))
        #expect(!shell.transcript.contains(0x1B) && !shell.transcript.contains(0x07))
    }

    @Test(arguments: [
        (["-d", "a=1", "-d", "b=2"], "a=1&b=2"), (["-d", "@FILE"], "one two"),
        (["--data-binary", "@FILE"], "one\r\n two\n"),
        (["--json", "{\"a\": 1}"], "{\"a\": 1}"), (["--json", "@FILE"], "one\r\n two\n"), (["-d", "@-"], "typedin"),
        (["--data-binary", "@-"], "typed\nin"),
    ])
    func `bodies are what curl would send`(words: [String], body: String) throws {
        try authctl.logIn("blog")
        let file = try authctl.file("body", "one\r\n two\n")
        let words = words.map { $0.replacing("FILE", with: file) }
        let result = try authctl.run(["request", "POST", "/posts", "-P", "blog"] + words, input: "typed\nin")
        #expect(result.code == 0, "\(result.error)")
        let curl = try Command.run(ChildSpec("/usr/bin/curl", ["-s", demo.origin + "/posts"]))
        let posts = try JSONSerialization.jsonObject(with: Data(curl.outputBytes)) as? [String: Any]
        #expect((posts?["posts"] as? [[String: Any]])?.first?["post"] as? String == body)
    }

    @Test(arguments: [
        ["-H", "Authorization: Bearer x"], ["-H", "Host: evil"], ["-H", "no colon"],
        ["-H", "X: a\r\nY: b"], ["-d", "a", "--json", "b"], ["-d", "@/nonexistent"], ["-d", "@/"],
        ["--data-binary", "@-", "--password-stdin"],
    ])
    func `what cannot be sent is a usage error, and nothing is sent`(words: [String]) throws {
        let before = try demo.requests().count
        let result = try authctl.run(["request", "POST", "/x", "-P", "wire"] + words)
        #expect(result.code == 2, "\(result.error)")
        #expect(try demo.requests().count == before)
    }

    @Test func `HEAD has a head alone`() throws {
        let result = try request("HEAD", "/account/verify_credentials.json", "-i")
        #expect(result.code == 0 && result.output.hasPrefix("HTTP/1.1 200") && result.output.hasSuffix("\r\n\r\n"))
    }
}
