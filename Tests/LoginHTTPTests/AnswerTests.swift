@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

struct `An answer` {
    private func answer(
        _ reply: RecordingServer.Reply, method: String = "GET", settings: TransportSettings = TransportSettings()
    ) throws -> HTTPResponse {
        let server = try RecordingServer([reply])
        return try CurlTransport(origin: server.origin, settings: settings)
            .send(HTTPRequest(method: method, url: server.url("/a/")))
    }

    @Test func `an answer has the headers of the final answer alone, in their order`() throws {
        let response = try answer(
            .raw(
                """
                HTTP/1.1 103 Early Hints
                Link: </x>
                X: early

                HTTP/1.1 200 OK
                B: 1
                A:2
                b:  3\t
                Set-Cookie: secret=1
                Date: Sat, 21 Nov 2026 09:00:00 GMT
                Content-Length: 2

                ok
                """))
        #expect(response.headers.map(\.name) == ["B", "A", "b", "Date", "Content-Length"])
        #expect(response.values(of: "B") == ["1", "3"])
        #expect(response.values(of: "date") == ["Sat, 21 Nov 2026 09:00:00 GMT"])
        #expect(response.body.text == "ok")
    }

    @Test func `an answer has folded lines undone`() throws {
        let response = try answer(
            .raw(
                """
                HTTP/1.1 401 No
                WWW-Authenticate: Digest realm="r",
                   nonce="n",
                \tqop=auth
                Set-Cookie: a=1;
                  Path=/
                X:
                  y
                Content-Length: 0


                """))
        #expect(response.values(of: "WWW-Authenticate") == ["Digest realm=\"r\", nonce=\"n\", qop=auth"])
        #expect(response.values(of: "X") == ["y"])
        #expect(response.headers.count == 3)
    }

    @Test func `an answer has its text repaired where it is not UTF-8, and controls left for the terminal to escape`()
        throws
    {
        var reply = RecordingServer.Reply.raw("HTTP/1.1 200 OK\nContent-Length: 0\nX: ")
        reply.bytes += [0xff, 0x1b, 0x5b, 0xc3, 0xa4] + Array("\r\n\r\n".utf8)
        #expect(try answer(reply).values(of: "x") == ["\u{fffd}\u{1b}[\u{e4}"])
    }

    @Test func `an answer keeps its body byte for byte`() throws {
        let bytes = (0...255).map { UInt8($0) }
        var reply = RecordingServer.Reply.raw("HTTP/1.1 200 OK\nContent-Length: 256\n\n")
        reply.bytes += bytes
        #expect(try answer(reply).body.bytes == bytes)
    }

    @Test func `an answer may be chunked, and its trailers are left out`() throws {
        let response = try answer(
            .raw(
                """
                HTTP/1.1 200 OK
                Transfer-Encoding: chunked
                Trailer: X-Late

                3
                abc
                2
                de
                0
                X-Late: 1


                """))
        #expect(response.body.text == "abcde")
        #expect(response.values(of: "X-Late").isEmpty)
    }

    @Test func `an answer without a length ends with the connection`() throws {
        #expect(try answer(.raw("HTTP/1.0 200 OK\n\nall", ending: .close)).body.text == "all")
    }

    @Test func `an answer to HEAD has no body, whatever length it tells`() throws {
        let response = try answer(.raw("HTTP/1.1 200 OK\nContent-Length: 5\n\n"), method: "HEAD")
        #expect(response.body.isEmpty)
        #expect(response.values(of: "Content-Length") == ["5"])
    }

    @Test(arguments: [true, false])
    func `an answer ends at the limit of its body`(tellsLength: Bool) throws {
        let settings = TransportSettings(bodyLimit: 1000)
        let head = tellsLength ? "HTTP/1.1 200 OK\nContent-Length: 1001\n\n" : "HTTP/1.1 200 OK\n\n"
        let body = String(repeating: "x", count: 1001)
        #expect(
            fault { _ = try answer(.raw(head + body, ending: .close), settings: settings) }
                == .network(.answerTooLarge(limit: 1000)))
        #expect(
            try answer(.raw("HTTP/1.1 200 OK\n\n" + body.dropLast(), ending: .close), settings: settings).body.count
                == 1000)
    }

    @Test func `an answer of endless size costs no more than the limit`() throws {
        let flood = String(repeating: "x", count: 8 << 20)
        #expect(
            fault { _ = try answer(.raw("HTTP/1.1 200 OK\n\n" + flood)) } == .network(.answerTooLarge(limit: 1 << 20)))
    }

    @Test func `an answer ends at the limit of its headers`() throws {
        let settings = TransportSettings(headerLimit: 4096)
        let lines = String(repeating: "X: 12345678901234567890\n", count: 200)
        #expect(
            fault { _ = try answer(.raw("HTTP/1.1 200 OK\n\(lines)\n"), settings: settings) }
                == .network(.answerTooLarge(limit: 4096)))
        let early = String(repeating: "HTTP/1.1 103 Early\n\n", count: 400)
        #expect(
            fault { _ = try answer(.raw("\(early)HTTP/1.1 200 OK\n\n"), settings: settings) }
                == .network(.answerTooLarge(limit: 4096)))
    }

    @Test func `an answer with one endless header line ends`() throws {
        let line = "X: " + String(repeating: "y", count: 400_000)
        #expect(
            fault { _ = try answer(.raw("HTTP/1.1 200 OK\n\(line)\n\n")) }
                == .network(.answerTooLarge(limit: 256 << 10)))
    }

    @Test(arguments: [301, 302, 303, 307, 308, 201])
    func `an answer tells where it points to and is not followed`(status: Int) throws {
        let server = try RecordingServer([.answer(status, ["Location: ../b?c#d"])])
        let response = try CurlTransport(origin: server.origin).send(
            HTTPRequest(method: "GET", url: server.url("/a/x")))
        #expect(
            response.redirect == Redirect(url: server.url("/b?c"), origin: server.origin, target: "/b?c"))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["", "file:///etc/passwd", "http://["])
    func `an answer that points nowhere has no origin`(location: String) throws {
        #expect(try answer(.answer(302, ["Location: \(location)"])).redirect?.origin == nil)
    }
}
