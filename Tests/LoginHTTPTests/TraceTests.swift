@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

struct `The trace` {
    @Test func `the trace names what was sent and received, without a secret`() throws {
        let server = try RecordingServer([
            .answer(
                200, ["Set-Cookie: sid=CANARY", "X-Token: CANARY", "Location: /?code=CANARY", "Server: s"],
                body: "CANARY")
        ])
        let log = Log()
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(trace: { log.add($0) }))
        let cookie = Cookie(
            name: "old", value: Secret("CANARY"), record: Secret("127.0.0.1\tFALSE\t/\tFALSE\t0\told\tCANARY"),
            expires: nil)
        _ = try transport.send(
            HTTPRequest(
                method: "POST", url: server.url("/login?token=CANARY"),
                headers: [HTTPRequestField(name: "X-Key", value: Secret("CANARY"))], body: Secret("CANARY"),
                basic: BasicCredential(username: "me", password: Secret("CANARY")), cookies: [cookie]))
        #expect(server.texts[0].contains("Cookie: old=CANARY"))
        #expect(!log.lines.joined().contains("CANARY"))
        for line in ["> POST \(server.origin)/login?…", "> X-Key: …", "> Cookie: old=…", "< 200", "< Server: s"] {
            #expect(log.lines.contains(line))
        }
        #expect(log.lines.filter { $0.hasPrefix("< Cookie") } == ["< Cookie: sid=…"], "the other was there before")
    }

    @Test func `the trace names the cookies that an answer set, and no others`() throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: a=1", "Set-Cookie: b=2"]), .answer(200, ["Set-Cookie: b=2"]),
        ])
        let log = Log()
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(trace: { log.add($0) }))
        let first = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(log.lines.filter { $0.hasPrefix("< Cookie") } == ["< Cookie: a=…", "< Cookie: b=…"])
        _ = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: first.cookies))
        #expect(log.lines.filter { $0.hasPrefix("< Cookie") }.dropFirst(2) == ["< Cookie: b=…"])
    }

    @Test func `the trace names a cookie that is too large, which is dropped alone`() throws {
        let long = String(repeating: "x", count: 4096)
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: sid=1", "Set-Cookie: big=\(long)", "Set-Cookie: c=3"]),
            .answer(200, ["Set-Cookie: sid=\(long)"]), .answer(200),
        ])
        let log = Log()
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(trace: { log.add($0) }))
        var cookies: [Cookie] = []
        for _ in 1...3 {
            cookies = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: cookies)).cookies
        }
        #expect(server.texts.map { $0.contains("Cookie: sid=1; c=3\n") } == [false, true, true])
        #expect(
            log.lines.filter { $0.contains("ignored") }
                == ["big", "sid"].map { "< Cookie: \($0)=… is ignored: more than 4096 bytes" })
    }

    @Test func `the trace cuts the names that a server chose, and shows none that repeats a secret`() throws {
        let long = String(repeating: "n", count: 3000)
        let server = try RecordingServer([
            .answer(200, ["\(long): 1", "X-CANARY: 1", "Set-Cookie: CANARY=1", "Set-Cookie: \(long)=1"])
        ])
        let log = Log()
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(trace: { log.add($0) }))
        var request = HTTPRequest(method: "GET", url: server.url())
        request.hidden.add([Secret("CANARY")])
        _ = try transport.send(request)
        #expect(!log.lines.joined().contains("CANARY"))
        #expect(log.lines.allSatisfy { $0.count < 100 })
    }

    @Test func `the trace shows a path that is filled in as the profile writes it, behind the origin`() throws {
        let server = try RecordingServer([.answer(200)])
        let log = Log()
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(trace: { log.add($0) }))
        let rule = RequestRule(method: "GET", path: try Template(parsing: "/auth/{token}?x=1"))
        var values = SlotValues()
        values.token = Secret("CANARY")
        _ = try transport.send(try rule.request(base: "\(server.origin)", values))
        #expect(log.lines.first == "> GET \(server.origin)/auth/…?…")
    }

    @Test func `the trace says that the rest of a body was not read`() throws {
        let server = try RecordingServer([.answer(200, body: String(repeating: "x", count: 1 << 20)), .answer(200)])
        let log = Log()
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(trace: { log.add($0) }))
        var request = HTTPRequest(method: "GET", url: server.url())
        request.bodyNeed = .head
        for _ in 1...2 { _ = try transport.send(request) }
        #expect(log.lines.filter { $0.hasSuffix(", the rest was not read") }.count == 1, "\(log.lines)")
    }
}

private final class Log: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func add(_ line: String) { kept.withLock { $0.append(line) } }
}
