import LoginCore
import LoginTestSupport
import Secrets
import Synchronization
import Testing

@testable import LoginHTTP

struct `The trace` {
    @Test func `L0 names what was sent and received, without a secret`() throws {
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
    }
}

private final class Log: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func add(_ line: String) { kept.withLock { $0.append(line) } }
}
