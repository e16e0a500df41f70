import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

struct `Basic` {
    private func authorization(_ username: String, _ password: String) throws -> String? {
        let server = try RecordingServer([.answer(200)])
        _ = try CurlTransport(origin: server.origin).send(
            HTTPRequest(
                method: "GET", url: server.url(),
                basic: BasicCredential(username: username, password: Secret(password))))
        let line = server.texts[0].split(separator: "\n").first { $0.hasPrefix("Authorization: Basic ") }
        return line.flatMap { Data(base64Encoded: String($0.dropFirst(21))) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("user", "pass"), ("u\u{fc}\u{1f600}", "p\u{e4}\u{20ac}"), ("a@b \"c\"", " p:w%&+ "), ("user", ""),
        ("", "pass"),
        ("", ""), ("e\u{301}", "\u{e9}"), ("u", String(repeating: "x", count: 4000)),
    ])
    func `Basic sends the bytes as they are`(username: String, password: String) throws {
        let sent = try authorization(username, password)
        #expect(sent.map { Array($0.utf8) } == Array("\(username):\(password)".utf8))
    }

    @Test func `Basic is not sent unless the request says so, and not again afterwards`() throws {
        let server = try RecordingServer([
            .answer(401, ["WWW-Authenticate: Basic realm=\"r\""]), .answer(200), .answer(401),
        ])
        let transport = CurlTransport(origin: server.origin)
        let basic = BasicCredential(username: "u", password: Secret("p"))
        #expect(try transport.send(HTTPRequest(method: "GET", url: server.url())).status == 401)
        #expect(try transport.send(HTTPRequest(method: "GET", url: server.url(), basic: basic)).status == 200)
        #expect(try transport.send(HTTPRequest(method: "GET", url: server.url())).status == 401)
        #expect(server.texts.map { $0.contains("Authorization: Basic dTpw") } == [false, true, false])
        #expect(server.connections.count == 1)
    }

    @Test(arguments: [401, 403, 407, 500])
    func `Basic is sent once, whatever the answer`(status: Int) throws {
        let server = try RecordingServer([.answer(status, ["WWW-Authenticate: Basic realm=\"r\""], body: "no")])
        let response = try CurlTransport(origin: server.origin).send(
            HTTPRequest(
                method: "GET", url: server.url(), basic: BasicCredential(username: "u", password: Secret("p"))))
        #expect(response.status == status)
        #expect(response.body.text == "no")
        #expect(server.requests.count == 1)
    }

    @Test func `Basic is not drawn into other schemes`() throws {
        let server = try RecordingServer([
            .answer(401, ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", stale=true, qop=\"auth\""]),
            .answer(401, ["WWW-Authenticate: Negotiate", "WWW-Authenticate: NTLM"]),
        ])
        let transport = CurlTransport(origin: server.origin)
        let basic = BasicCredential(username: "u", password: Secret("p"))
        for _ in 1...2 { _ = try transport.send(HTTPRequest(method: "GET", url: server.url(), basic: basic)) }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        ("a:b", "p", UsageFault.usernameHasColon), ("a\n", "p", .controlCharacter(.username)),
        ("a\u{0}b", "p", .controlCharacter(.username)), ("a", "p\u{0}", .controlCharacter(.password)),
        ("a", "\u{1b}", .controlCharacter(.password)), ("a", "p\r\nX: 1", .controlCharacter(.password)),
        ("a", "\t", .controlCharacter(.password)),
    ])
    func `Basic refuses colons and control characters before connecting`(
        username: String, password: String, expected: UsageFault
    ) throws {
        let server = try RecordingServer([.answer(200)])
        let refused = fault {
            _ = try CurlTransport(origin: server.origin).send(
                HTTPRequest(
                    method: "GET", url: server.url(),
                    basic: BasicCredential(username: username, password: Secret(password))))
        }
        #expect(refused == .usage(expected))
        #expect(server.connections.isEmpty)
    }
}
