@testable import LoginKit
import Testing

/// Which addresses are on this machine or in its network, and who may be led there.
struct PeerAddressTests {
    private static let origin = Origin(scheme: "https", host: "id.example", port: 443)

    private func isRefused(_ text: String) throws -> Bool {
        let address = try #require(PeerAddress(text: text))
        let gate = PeerGate(origin: Self.origin, rule: .publicOnly)
        gate.startTransfer()
        let isRefused = !gate.admits(address)
        #expect(gate.fault == (isRefused ? .localServer(Self.origin) : nil) && isRefused == address.isLocal)
        return isRefused
    }

    /// The first and the last address of each entry that says 'globally reachable: false', of IANA's IPv4 registry of October 2025.
    private static let ipv4 = [
        "0.0.0.0/8": ["0.0.0.0", "0.255.255.255"], "10.0.0.0/8": ["10.0.0.0", "10.255.255.255"],
        "100.64.0.0/10": ["100.64.0.0", "100.127.255.255"], "127.0.0.0/8": ["127.0.0.0", "127.255.255.255"],
        "169.254.0.0/16": ["169.254.0.0", "169.254.169.254", "169.254.255.255"],
        "172.16.0.0/12": ["172.16.0.0", "172.31.255.255"], "192.0.0.0/24": ["192.0.0.0", "192.0.0.192", "192.0.0.255"],
        "192.0.0.0/29": ["192.0.0.0", "192.0.0.7"], "192.0.0.8/32": ["192.0.0.8"],
        "192.0.0.170/32": ["192.0.0.170"], "192.0.0.171/32": ["192.0.0.171"],
        "192.0.2.0/24": ["192.0.2.0", "192.0.2.255"], "192.88.99.2/32": ["192.88.99.2"],
        "192.168.0.0/16": ["192.168.0.0", "192.168.255.255"], "198.18.0.0/15": ["198.18.0.0", "198.19.255.255"],
        "198.51.100.0/24": ["198.51.100.0", "198.51.100.255"], "203.0.113.0/24": ["203.0.113.0", "203.0.113.255"],
        "240.0.0.0/4": ["240.0.0.0", "255.255.255.254"], "255.255.255.255/32": ["255.255.255.255"],
        "multicast": ["224.0.0.0", "224.0.0.251", "239.255.255.255"],
    ]

    /// The same of the IPv6 registry, and what is no unicast address besides.
    private static let ipv6 = [
        "::1/128": ["::1"], "::/128": ["::"], "64:ff9b:1::/48": ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
        "100::/64": ["100::", "100::ffff:ffff:ffff:ffff"],
        "100:0:0:1::/64": ["100:0:0:1::", "100::1:ffff:ffff:ffff:ffff"],
        "2001::/23": ["2001::", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1", "2001:1ff:ffff::1"],
        "2001:2::/48": ["2001:2::", "2001:2:0:ffff::"], "2001:db8::/32": ["2001:db8::1", "2001:db8:ffff::"],
        "3fff::/20": ["3fff::", "3fff:fff:ffff::"], "5f00::/16": ["5f00::", "5f00:ffff::"],
        "fc00::/7": ["fc00::1", "fd12::1", "fdff:ffff::"], "fe80::/10": ["fe80::1", "febf:ffff::"],
        "fec0::/10": ["fec0::1", "feff:ffff::"], "multicast": ["ff00::", "ff02::fb", "ff0e::1"],
        "IPv4-compatible": ["::7f00:1", "::8.8.8.8"], "IPv4-translated": ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
        "::ffff:0:0/96": ["::ffff:10.0.0.1", "::ffff:198.18.0.1"],
        "64:ff9b::/96": ["64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254"],
        "2002::/16": ["2002:7f00:1::1", "2002:a00:1::", "2002:c0a8:101::1", "2002:e000:1::"],
    ]

    /// 'Globally reachable: true', the neighbours of the blocks above, and what other addresses embed.
    private static let global = [
        "192.0.0.9", "192.0.0.10", "192.31.196.1", "192.52.193.1", "192.175.48.1", "192.88.99.1", "192.88.99.3",
        "8.8.8.8",
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
        "203.0.112.255",
        "203.0.114.0", "223.255.255.255", "2001:1::1", "2001:1::2", "2001:1::3", "2001:3::1", "2001:4:112::1",
        "2001:20::1", "2001:2f:ffff::", "2001:30::1", "2001:3f:ffff::", "2620:4f:8000::1", "2001:200::1", "2001:db7::1",
        "2001:db9::1", "2606:4700::1111", "3ffe::1", "3fff:1000::1", "2000::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
        "2002:808:808::1", "2003::1",
    ]

    @Test(arguments: ipv4.merging(ipv6) { $0 + $1 }.sorted { $0.key < $1.key })
    func `a server far away leads to no address that is not of the whole Internet`(block: String, addresses: [String])
        throws
    {
        for address in addresses { #expect(try isRefused(address), "\(address)") }
    }

    @Test(arguments: global) func `a server far away may lead to a public address`(address: String) throws {
        #expect(try !isRefused(address))
    }

    @Test func `every line of the table is a block that can be read`() {
        let unreadable = SpecialAddresses.table.filter { SpecialAddresses.Block($0.block, $0.reach) == nil }
        #expect(unreadable.map(\.block) == [])
    }

    /// A service on loopback may name another server there; one far away may not.
    @Test func `a server that another one names is not looked for on this machine`() throws {
        var settings = TransportSettings(connectTimeout: 2)
        settings.mayBeLocal = false
        let transport = CurlTransport(
            origin: Origin(scheme: "https", host: "127.0.0.1", port: 9), settings: settings)
        #expect(throws: LoginFault.untrusted(.localServer(Origin(scheme: "https", host: "127.0.0.1", port: 9)))) {
            try transport.send(HTTPRequest(method: "GET", url: "https://127.0.0.1:9/"))
        }
    }
}
