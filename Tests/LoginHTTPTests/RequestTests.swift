@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@Suite(.onOwnThreads) struct `A request` {
    private func sent(_ replies: [RecordingServer.Reply] = [.answer(200)], _ make: (String) -> HTTPRequest) throws
        -> [String]
    {
        let server = try RecordingServer(replies)
        _ = try CurlTransport(origin: server.origin).send(make(server.url("/")))
        return server.texts
    }

    @Test func `a request holds nothing but what is needed`() throws {
        let server = try RecordingServer([.answer(200)])
        _ = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url("/a?b=c#d")))
        #expect(
            server.texts == [
                "GET /a?b=c HTTP/1.1\nHost: 127.0.0.1:\(server.port)\nUser-Agent: authctl/1\nAccept: */*\nAccept-Encoding: identity\n\n"
            ])
    }

    @Test(arguments: ["PROPFIND", "REPORT", "DELETE", "OPTIONS", "HEAD", "get"])
    func `a request goes out with its verb and without content`(method: String) throws {
        let text = try #require(try sent { HTTPRequest(method: method, url: $0) }.first)
        #expect(text.hasPrefix("\(method) / HTTP/1.1\n"))
        #expect(!text.lowercased().contains("content-"))
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a request says so when such a verb has no content`(method: String) throws {
        let text = try #require(try sent { HTTPRequest(method: method, url: $0) }.first)
        #expect(text.hasPrefix("\(method) / HTTP/1.1\n"))
        #expect(text.contains("\nContent-Length: 0\n"))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PROPFIND", "GET"])
    func `a request carries its body byte for byte`(method: String) throws {
        let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let body = bytes.withUnsafeBytes { Secret(copying: $0) }
        let server = try RecordingServer([.answer(200)])
        _ = try CurlTransport(origin: server.origin).send(
            HTTPRequest(method: method, url: server.url(), body: body))
        let request = try #require(server.requests.first)
        #expect(Array(request.suffix(70_000)) == bytes)
        #expect(server.texts[0].contains("\nContent-Length: 70000\n"))
        #expect(!server.texts[0].contains("Content-Type"))
        #expect(!server.texts[0].contains("Expect"))
    }

    @Test func `a request leaves out what it is told to, though libcurl would send it`() throws {
        let text = try #require(
            try sent {
                var request = HTTPRequest(method: "GET", url: $0)
                request.withoutHeaders = ["accept", "Accept-Encoding", "User-Agent"]
                return request
            }.first)
        #expect(!text.lowercased().contains("accept") && !text.lowercased().contains("user-agent"), "\(text)")
        #expect(throws: LoginFault.self) {
            _ = try sent {
                var request = HTTPRequest(method: "GET", url: $0)
                request.withoutHeaders = ["Host"]
                return request
            }
        }
    }

    @Test func `a request sends headers as given, empty ones too, and lets its own be replaced`() throws {
        let text = try #require(
            try sent {
                HTTPRequest(
                    method: "POST", url: $0,
                    headers: [
                        HTTPRequestField(name: "X-Empty", value: Secret("")),
                        HTTPRequestField(name: "X-Blank", value: Secret(" ")),
                        HTTPRequestField(name: "X-Uml", value: Secret("\u{e4};:\"")),
                        HTTPRequestField(name: "X-Two", value: Secret("1")),
                        HTTPRequestField(name: "X-Two", value: Secret("2")),
                        HTTPRequestField(name: "Accept", value: Secret("application/json")),
                        HTTPRequestField(name: "User-Agent", value: Secret("me")),
                        HTTPRequestField(name: "content-type", value: Secret("text/x")),
                    ], body: Secret("b"))
            }.first)
        for line in [
            "X-Empty:", "X-Blank:", "X-Uml: \u{e4};:\"", "X-Two: 1\nX-Two: 2", "Accept: application/json",
            "User-Agent: me", "content-type: text/x",
        ] { #expect(text.contains("\n\(line)\n")) }
        #expect(!text.contains("*/*"))
    }

    @Test(arguments: ["a\r\nX: 1", "a\n", "a\rb", "\u{0}", "a\u{7f}", "\u{1b}[2J"])
    func `a request with a control character in a header is refused before connecting`(value: String) throws {
        let server = try RecordingServer([.answer(200)])
        let request = HTTPRequest(
            method: "GET", url: server.url(), headers: [HTTPRequestField(name: "X-Token", value: Secret(value))])
        let refused = fault { _ = try CurlTransport(origin: server.origin).send(request) }
        #expect(refused?.exitCode == .usage)
        #expect(server.connections.isEmpty)
    }

    @Test(arguments: ["X: y", "", "X\r\nY", "Host", "content-length", "Transfer-Encoding", "X Y", "\u{e4}"])
    func `a request with a header name that cannot be one is refused`(name: String) throws {
        let server = try RecordingServer([.answer(200)])
        let request = HTTPRequest(
            method: "GET", url: server.url(), headers: [HTTPRequestField(name: name, value: Secret("1"))])
        #expect(fault { _ = try CurlTransport(origin: server.origin).send(request) }?.exitCode == .usage)
        #expect(server.connections.isEmpty)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nX:", "", "G T", "CONNECT", "GET\n", "TRACE", "trace"])
    func `a request with a verb that cannot be one, or that would tell the session, is refused`(method: String) throws {
        let server = try RecordingServer([.answer(200)])
        let request = HTTPRequest(method: method, url: server.url())
        #expect(fault { _ = try CurlTransport(origin: server.origin).send(request) }?.exitCode == .usage)
        #expect(server.connections.isEmpty)
    }

    @Test func `a request to another origin is refused before connecting`() throws {
        let own = try RecordingServer([])
        let other = try RecordingServer([])
        let transport = CurlTransport(origin: own.origin)
        for url in [
            other.url(), "https://127.0.0.1:\(own.port)/", "http://127.0.0.2:\(own.port)/",
            "http://127.0.0.1.evil.example:\(own.port)/", "http://localhost:\(own.port)/",
        ] {
            let request = HTTPRequest(
                method: "GET", url: url, basic: BasicCredential(username: "u", password: Secret("CANARY")))
            guard case .untrusted(.otherOrigin) = fault({ _ = try transport.send(request) }) else {
                Issue.record("\(url) was not refused")
                return
            }
        }
        #expect(own.connections.isEmpty && other.connections.isEmpty)
    }

    @Test func `a request with user information in its URL is refused without repeating it`() throws {
        let server = try RecordingServer([])
        let request = HTTPRequest(method: "GET", url: "http://u:CANARY@127.0.0.1:\(server.port)/")
        let refused = fault { _ = try CurlTransport(origin: server.origin).send(request) }
        #expect(refused?.exitCode == .usage)
        #expect(!String(describing: refused).contains("CANARY"))
        #expect(server.connections.isEmpty)
    }

    @Test func `a request gives no credential back when a redirect names one`() throws {
        let other = try RecordingServer([])
        let server = try RecordingServer([.answer(307, ["Location: http://evil:pw@127.0.0.1:\(other.port)/x"])])
        let response = try CurlTransport(origin: server.origin).send(
            HTTPRequest(method: "POST", url: server.url(), body: Secret("password=CANARY")))
        #expect(response.status == 307)
        #expect(response.redirect?.url == other.url("/x"))
        #expect(response.redirect?.origin == other.origin)
        #expect(other.connections.isEmpty)
    }
}
