@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

struct `Plain http` {
    private static let credential = BasicCredential(username: "u", password: Secret("CANARY"))

    /// TEST-NET-1 (RFC 5737) leads nowhere: a connection would take its time, a refusal takes none.
    @Test(arguments: ["192.0.2.1", "[2001:db8::1]", "0xc0.0.2.1"])
    func `Plain http is refused before connecting to an address that is not loopback`(host: String) throws {
        let url = try URLParser().parse("http://\(host):8080/")
        let start = ContinuousClock.now
        let request = HTTPRequest(method: "GET", url: url.text, basic: Self.credential)
        #expect(fault { _ = try CurlTransport(origin: url.origin).send(request) } == .untrusted(.plainHTTP))
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.0.0.2"])
    func `Plain http may go to loopback, by name or address`(host: String) throws {
        let server = try RecordingServer(address: "0.0.0.0", [.answer(200)])
        let origin = Origin(scheme: "http", host: host, port: server.port)
        let response = try CurlTransport(origin: origin).send(
            HTTPRequest(method: "GET", url: "\(origin)/", basic: Self.credential))
        #expect(response.status == 200)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.255.254", true), ("::1", true), ("::ffff:127.0.0.1", true),
        ("128.0.0.1", false), ("0.0.0.0", false), ("::", false), ("::2", false), ("::ffff:10.0.0.1", false),
        ("10.0.0.1", false), ("fe80::1", false), ("::127.0.0.1", false),
    ])
    func `Plain http knows loopback by its bytes`(text: String, isLoopback: Bool) throws {
        #expect(try #require(PeerAddress(text: text)).isLoopback == isLoopback)
    }

    /// A proxy gets no request to this machine, and a cookie or a login may go to it in clear.
    @Test(arguments: [
        ("localhost", true), ("wire.LOCALHOST", true), ("127.1", true), ("2130706433", true), ("0x7f.0.0.1", true),
        ("0177.0.0.1", true), ("[::1]", true), ("[0:0:0:0:0:0:0:1]", true), ("[::ffff:127.0.0.1]", true),
        ("[::ffff:7f00:1]", true), ("0.0.0.0", false), ("[::]", false), ("[::ffff:10.0.0.1]", false),
        ("localhost.example", false), ("127.example", false),
    ])
    func `A host is loopback as its address is, however the URL writes it`(host: String, isLoopback: Bool) throws {
        #expect(try URLParser().parse("https://\(host):8443/").origin.isLoopback == isLoopback)
        #expect(throws: UsageFault.self) { try URLParser().parse("https://localhost./") }
    }

    @Test func `Plain http is allowed for its origin alone`() throws {
        let origin = Origin(scheme: "http", host: "h.example", port: 80)
        let gate = PeerGate(origin: origin, rule: .oneAddress)
        #expect(gate.admits(PeerAddress(text: "10.0.0.1")))
        #expect(PeerGate(origin: origin, rule: .anyAddress).admits(nil))
        #expect(!PeerGate(origin: origin, rule: .loopbackOnly).admits(nil))
    }

    @Test func `Plain http goes to one address for the whole login`() {
        let gate = PeerGate(origin: Origin(scheme: "http", host: "h.example", port: 80), rule: .oneAddress)
        gate.pin(PeerAddress(text: "10.0.0.1"))
        gate.pin(PeerAddress(text: "10.0.0.2"))
        #expect(gate.admits(PeerAddress(text: "10.0.0.1")))
        #expect(gate.fault == nil)
        #expect(!gate.admits(PeerAddress(text: "10.0.0.2")))
        #expect(gate.fault == nil, "one address could be tried")
        gate.startTransfer()
        #expect(!gate.admits(PeerAddress(text: "10.0.0.2")))
        #expect(gate.fault != nil)
        gate.startTransfer()
        #expect(gate.fault == nil)
    }

    @Test func `Plain http is another origin than https`() throws {
        let server = try RecordingServer([])
        let secure = CurlTransport(origin: Origin(scheme: "https", host: "127.0.0.1", port: server.port))
        #expect(
            fault { _ = try secure.send(HTTPRequest(method: "GET", url: server.url(), basic: Self.credential)) }
                == .untrusted(.otherOrigin(target: "http://127.0.0.1:\(server.port)")))
        #expect(server.connections.isEmpty)
    }
}
