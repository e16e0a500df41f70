import LoginCore
import Testing

@testable import LoginHTTP

/// Which addresses are on this machine or in its network, and who may be led there.
struct PeerAddressTests {
    @Test(arguments: [
        "127.0.0.1", "127.8.9.10", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "::1", "::", "fe80::1", "febf::1", "fc00::1", "fd12::1", "::ffff:10.0.0.1",
    ])
    func `is local`(text: String) throws {
        let address = try #require(PeerAddress(text: text))
        #expect(address.isLocal)
        let gate = PeerGate(origin: Origin(scheme: "https", host: "id.example", port: 443), rule: .publicOnly)
        gate.startTransfer()
        #expect(!gate.admits(address))
        #expect(gate.fault == .localServer(Origin(scheme: "https", host: "id.example", port: 443)))
    }

    @Test(arguments: [
        "8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.0.1", "100.63.0.1", "100.128.0.1", "2001:db8::1", "fec0::1",
        "::ffff:8.8.8.8",
    ])
    func `is not`(text: String) throws {
        let address = try #require(PeerAddress(text: text))
        #expect(!address.isLocal)
        let gate = PeerGate(origin: Origin(scheme: "https", host: "id.example", port: 443), rule: .publicOnly)
        #expect(gate.admits(address) && gate.fault == nil)
    }

    /// A service on loopback may name another server there; one far away may not.
    @Test func `OA3 a server that another one names is not looked for on this machine`() throws {
        var settings = TransportSettings(connectTimeout: 2)
        settings.mayBeLocal = false
        let transport = CurlTransport(
            origin: Origin(scheme: "https", host: "127.0.0.1", port: 9), settings: settings)
        #expect(throws: LoginError.untrusted(.localServer(Origin(scheme: "https", host: "127.0.0.1", port: 9)))) {
            try transport.send(HTTPRequest(method: "GET", url: "https://127.0.0.1:9/"))
        }
    }
}
