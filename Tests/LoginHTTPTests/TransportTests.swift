import Foundation
import LoginCore
import LoginTestSupport
import Secrets
import Testing

@testable import LoginHTTP

struct `A transport` {
    @Test func `sends a request and reads the answer`() throws {
        let server = try RecordingServer([.answer(200, ["X-One: 1"], body: "hello")])
        let transport = CurlTransport(origin: server.origin)
        let response = try transport.send(HTTPRequest(method: "GET", url: server.url("/a?b=c")))
        #expect(response.status == 200)
        #expect(response.values(of: "x-one") == ["1"])
        #expect(response.body.text == "hello")
        #expect(server.texts == ["GET /a?b=c HTTP/1.1\nHost: 127.0.0.1:\(server.port)\nUser-Agent: authctl\nAccept: */*\n\n"])
    }
}
