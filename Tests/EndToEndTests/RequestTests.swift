import Foundation
@testable import LoginTestSupport
import Testing

/// `request`: one request with the session attached, and the same once more after a login.
@Suite(.onOwnThreads) struct `A request` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private struct Posts: Decodable {
        struct Post: Decodable { let post: String }
        let posts: [Post]
    }

    /// What has arrived at the blog.
    private func posts() throws -> [String] {
        let answer = try Command.run(ChildSpec("/usr/bin/curl", ["-s", demo.origin + "/posts"]))
        return try JSONDecoder().decode(Posts.self, from: Data(answer.outputBytes)).posts.map(\.post)
    }

    /// The server forgets the session, and nobody here knows.
    private func endSessionAtServer() throws {
        let line = try authctl.run("token", "blog", "--header").output.trimmingCharacters(in: .newlines)
        let answer = try Command.run(
            ChildSpec("/usr/bin/curl", ["-s", "-f", "-X", "POST", "-H", line, demo.origin + "/users/logout"]))
        #expect(answer.code == 0)
    }

    private let post = "{\"title\": \"Grüße\",\r\n \"text\": \"a\\u0000b & c=%41\"}\n"

    @Test func `a request goes out once with the session that is there`() throws {
        try authctl.logIn("blog")
        let before = try demo.requests().count
        let result = try authctl.run("request", "POST", "/posts", "-P", "blog", "--json", post)
        #expect(result.code == 0 && result.output.contains("\"author\":\"ann\""))
        #expect(try demo.requests().count == before + 1)
        #expect(try posts() == [post])
    }

    @Test func `answered as logged out brings the login, then the same request, byte for byte and once`() throws {
        try authctl.logIn("blog")
        try endSessionAtServer()
        let file = try authctl.file("post.json", post)
        let run = try authctl.onTerminal("request", "POST", "/posts", "-P", "blog", "--data-binary", "@" + file)
        try run.answer("User name [ann]: ", "\r").answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        #expect(run.pty.text.contains("sending the same request again"))
        #expect(run.output.contains("\"author\":\"ann\"") && !run.output.contains("log in first"))
        #expect(try posts() == [post])
        let sent = try demo.requests().filter { $0.path == "/posts" && $0.method == "POST" }
        #expect(sent.map(\.status) == [403, 201])
    }

    @Test func `a request never arrives if the person cancels`() throws {
        try authctl.logIn("blog")
        try endSessionAtServer()
        let run = try authctl.onTerminal("request", "POST", "/posts", "-P", "blog", "-d", "hello")
        try run.answer("User name [ann]: ", "\r").answer("Password: ", "\u{4}")
        #expect(try run.end() == .exited(5))
        // The answer that there was is handed on.
        #expect(run.output.contains("log in first"))
        #expect(try posts().isEmpty)
    }

    @Test func `a request without any login waits for one, and is then sent once`() throws {
        let run = try authctl.onTerminal("request", "POST", "/posts", "-P", "blog", "-d", "hello")
        try run.answer("User name: ", "ann\r").answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        #expect(try posts() == ["hello"])
        #expect(try demo.requests().filter { $0.path == "/posts" && $0.method == "POST" }.map(\.status) == [201])
        #expect(try authctl.run("request", "POST", "/posts", "-P", "screencast").code == 4)
    }

    @Test func `what is open to anyone needs no login, and no profile if none is wanted`() throws {
        let open = try authctl.run("request", "/posts", "-P", "blog")
        #expect(open.code == 0 && open.output.contains("\"posts\"") && open.error.contains("sent without a login"))
        let anonymous = try authctl.run("request", "--anonymous", "POST", "/posts", "-P", "blog", "-d", "x")
        #expect(anonymous.code == 11 && anonymous.output.contains("log in first"))
        let bare = try Installation().run("request", "--anonymous", demo.origin + "/posts")
        #expect(bare.code == 0 && bare.output == open.output, "\(bare.error)")
        #expect(try posts().isEmpty)
    }

    @Test func `outside the folder of verify the password waits for the challenge`() throws {
        try authctl.logIn("wire")
        let before = try demo.requests().count
        // Nobody asks for a login there, so none is shown.
        let result = try authctl.run("request", "/posts", "-P", "wire")
        #expect(result.code == 0 && result.error.contains("without the password"), "\(result.error)")
        let below = try authctl.run("request", "/account/verify_credentials.json?x", "-P", "wire")
        #expect(below.code == 0 && below.output.contains("ann"))
        #expect(try demo.requests().count == before + 2)
    }

    @Test func `403 of a service whose rules say nothing is asked of verify once: 10, and no login`() throws {
        try authctl.logIn("wire")
        try demo.order(.init(path: "/account/secret", status: 403))
        let before = try demo.requests().count
        let result = try authctl.run("request", "GET", "/account/secret", "-P", "wire")
        #expect(result.code == 10 && result.output.contains("went wrong on request"))
        let asked = try demo.requests().dropFirst(before)
        #expect(asked.map(\.path) == ["/account/secret", "/account/verify_credentials.json"])
        #expect(try authctl.run("whoami", "wire").code == 0)
    }

    @Test func `401 of an ended token brings a refresh and no question`() throws {
        try authctl.logIn("chat")
        let base = "/_matrix/client/v3"
        try demo.order(.init(path: base + "/rooms", status: 401), .init(path: base + "/account/whoami", status: 401))
        try demo.order(.init(path: base + "/rooms", status: 200, body: "rooms"))
        let result = try authctl.run("request", "GET", "/rooms", "-P", "chat")
        #expect(result.code == 0 && result.output == "rooms")
        let paths = try demo.requests().map(\.path)
        #expect(paths.filter { $0.hasSuffix("/refresh") }.count == 1)
        #expect(paths.filter { $0.hasSuffix("/rooms") }.count == 2)
        #expect(result.error.contains("sending the same request again"))
    }

    @Test func `a body that cannot be sent twice is not half-sent`() throws {
        try authctl.logIn("blog")
        try endSessionAtServer()
        let long = String(repeating: "0123456789abcdef", count: 128 * 1024)
        let result = try authctl.run(
            ["request", "POST", "/posts", "-P", "blog", "--data-binary", "@-"], input: long)
        // The session is looked at before a byte of the body goes out.
        #expect(result.code == 4)
        #expect(try posts().isEmpty)
        try authctl.logIn("blog")
        let again = try authctl.run(["request", "POST", "/posts", "-P", "blog", "--data-binary", "@-"], input: long)
        #expect(again.code == 0)
        #expect(try posts() == [long])
    }

    @Test(arguments: [(404, 11), (500, 11), (429, 12), (503, 12), (418, 11), (302, 0), (204, 0)])
    func `the status is the exit code, and the body is printed`(status: Int, code: Int32) throws {
        try authctl.logIn("wire")
        let body = status == 204 ? "" : "body of \(status)"
        try demo.order(.init(path: "/x", status: status, body: body, retryAfter: status == 429 ? 7 : nil))
        let result = try authctl.run("request", "GET", "/x", "-P", "wire")
        #expect(result.code == code && result.output == body)
        #expect(status != 429 || result.error.contains("7 seconds"))
    }

    @Test(arguments: [
        ("https://127.0.0.1:PORT/", 7), ("http://127.0.0.1:1/", 7), ("//evil.example/", 7),
        ("http://127.0.0.1.evil.example:PORT/", 7), ("http://ann@evil.example/", 7), ("http://localhost:PORT/", 7),
        // No URLs of http at all.
        ("http://127.0.0.1:PORT.evil.example/", 2), ("file:///etc/passwd", 2),
    ])
    func `another origin is refused before anything is sent`(url: String, code: Int32) throws {
        try authctl.logIn("wire")
        let before = try demo.requests().count
        let url = url.replacing("PORT", with: "\(demo.port)")
        let result = try authctl.run("request", "GET", url, "-P", "wire")
        #expect(result.code == code && result.output.isEmpty)
        #expect(try demo.requests().count == before)
    }

    @Test func `the URL's origin names the profile`() throws {
        try authctl.logIn("wire")
        let config =
            "[profiles.only]\nurl = \"\(demo.origin)\"\nmethod = \"basic\"\nverify = { get = \"/account/verify_credentials.json\" }\n"
        let other = try Installation(
            config: config + "[profiles.far]\nurl = \"https://far.example\"\nverify = { get = \"/\" }\n")
        try other.logIn("only")
        let result = try other.run("request", "GET", demo.origin + "/account/verify_credentials.json")
        #expect(result.code == 0 && result.output.contains("ann"))
    }
}
