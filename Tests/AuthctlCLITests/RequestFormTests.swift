@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What `request` makes of `-d`, `--data-urlencode` and `--get`, and what the session adds to it.
struct RequestFormTests {
    private static let config = """
        [profiles.api]
        url     = "https://api.example"
        method  = "token"
        session = { json = { auth = "{token}" }, form = { auth = "{token}" } }
        login   = { post = "/login", json = { jsonrpc = "2.0", password = "{password}" }, token = "/result" }
        verify  = { post = "/rpc", json = { auth = "{token}", method = "me" }, username = "/result/name" }

        """

    private func world() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.variables["AUTHCTL_PROFILE"] = "api"
        world.password = Secret("pw")
        return world
    }

    /// The request of the person's own, after a login.
    private func sent(_ arguments: String..., to world: TestWorld? = nil) throws -> String? {
        let world = try world ?? self.world()
        let server: [HTTPResponse] = [
            .answer(401), .answer(200, #"{"result": "t1"}"#), .answer(200, #"{"result": {"name": "ann"}}"#),
            .answer(200),
        ]
        let run = world.run(["request"] + arguments, server: server.map { .success($0) })
        #expect(run.code == 0, "\(run.talk)")
        return world.requests.last
    }

    @Test func `a token in the body is added to objects and forms, and stands in no header`() throws {
        let object = try sent("POST", "/rpc", "--json", #"{"method": "list"}"#)
        #expect(object?.hasSuffix("\n\n{\"method\": \"list\",\"auth\":\"t1\"}") == true)
        #expect(object?.contains("Authorization") == false)
        #expect(try sent("POST", "/rpc", "-d", "a=b")?.hasSuffix("\n\na=b&auth=t1") == true)
        #expect(try sent("POST", "/rpc", "-d", "auth=mine")?.hasSuffix("\n\nauth=mine") == true)
        #expect(try sent("POST", "/rpc", "--json", "[1]")?.hasSuffix("\n\n[1]") == true)
        #expect(try sent("DELETE", "/rpc")?.contains("t1") == false)
    }

    @Test func `a body that is too long to be added to is told before anything is sent`() throws {
        let world = try world()
        let file = try world.home.write(String(repeating: "a", count: 1 << 21), to: "long")
        let server: [HTTPResponse] = [
            .answer(401), .answer(200, #"{"result": "t1"}"#), .answer(200, #"{"result": {"name": "ann"}}"#),
        ]
        let run = world.run("request", "POST", "/rpc", "--data-binary", "@\(file)", server: server)
        #expect(run.code == 2 && run.talk.contains("the session adds to this body"), "\(run.talk)")
    }

    @Test(arguments: [
        ("a b&c", "a+b%26c"), ("=a=b", "a%3Db"), ("n m=ä/~._-", "n m=%C3%A4%2F~._-"), ("a@b=c", "a@b=c"), ("", ""),
        ("n=", "n="),
    ])
    func `what is encoded, and what stands before it`(text: String, expected: String) throws {
        let request = try sent("POST", "/a", "-H", "Content-Type: text/x", "--data-urlencode", text)
        #expect(request?.hasSuffix("\n\n\(expected)") == true || expected.isEmpty, "\(request ?? "")")
    }

    @Test func `a file is encoded with its line ends, and follows the data that is sent as it is`() throws {
        let world = try world()
        let file = try world.home.write("a\nb c\n", to: "text")
        let request = try sent(
            "POST", "/a", "--data-urlencode", "n@\(file)", "-d", "x=1", "--data-urlencode", "@\(file)", to: world)
        #expect(request?.hasSuffix("\n\nx=1&n=a%0Ab+c%0A&a%0Ab+c%0A&auth=t1") == true, "\(request ?? "")")
    }

    @Test(arguments: [
        ("/a", "/a?q=a+b&x"), ("/a?b=c", "/a?b=c&q=a+b&x"), ("/a?", "/a?q=a+b&x"),
    ])
    func `the parts of a form go into the query with --get, and nothing into the body`(path: String, expected: String)
        throws
    {
        let request = try sent("--get", path, "-d", "q=a+b", "--data-urlencode", "x")
        #expect(request?.hasPrefix("GET https://api.example\(expected)") == true, "\(request ?? "")")
        #expect(request?.contains("\n\n") == false && request?.contains("Content-Type") == false)
        #expect(try sent("-G", "POST", path, "-d", "x")?.hasPrefix("POST https://api.example/a?") == true)
    }

    @Test(arguments: [
        ["--get", "/a", "--json", "{}"], ["POST", "/a", "--data-urlencode", "a", "--data-binary", "b"],
        ["/a", "--data-urlencode", "a"], ["POST", "/a", "-d", "@-", "--data-urlencode", "n@-"],
        ["POST", "/a", "--data-urlencode", "@/nowhere/at/all"],
    ])
    func `what does not fit together`(arguments: [String]) throws {
        let world = try world()
        #expect(world.run(["request"] + arguments, server: []).code == 2)
    }
}
