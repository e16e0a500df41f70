import CCurl
import Glibc

/// Opens every socket of a transport, or refuses to: before anything is connected, and with the resolved address at
/// hand, so that a name cannot hide where it leads.
final class PeerGate {
    enum Rule: Equatable {
        /// The certificate proves who answers, or a proxy was named.
        case anyAddress
        /// Plain http without `allow-http`.
        case loopbackOnly
        /// A server that another one has named: it must not be on this machine or in its network.
        case publicOnly
        /// Plain http that was allowed: a name must lead to one address for the whole login (R14).
        case oneAddress
    }

    private let origin: Origin
    private let rule: Rule
    private var pinned: PeerAddress?
    private var refusal: TrustFault?
    private var hasAdmitted = false
    /// The sockets that were opened; some may be closed by now.
    private var sockets: Set<Int32> = []
    /// Whether the last transfer went to this machine or its network.
    private(set) var reachedLocal = false

    /// The reason why the last transfer was kept from every address of its host; `nil` if it could try one of them.
    var fault: TrustFault? { hasAdmitted ? nil : refusal }

    init(origin: Origin, rule: Rule) {
        self.origin = origin
        self.rule = rule
    }

    func startTransfer() { (refusal, hasAdmitted) = (nil, false) }

    /// From now on only this address is good.
    func pin(_ address: PeerAddress?) {
        reachedLocal = address?.isLocal ?? false
        if rule == .oneAddress, pinned == nil { pinned = address }
    }

    /// Whether a socket to this address may be opened.
    func admits(_ address: PeerAddress?) -> Bool {
        let refused: TrustFault? =
            switch rule {
            case .anyAddress: nil
            case .loopbackOnly: address?.isLoopback == true ? nil : .plainHTTP
            case .publicOnly: address?.isLocal == false ? nil : .localServer(origin)
            case .oneAddress:
                address != nil && (pinned == nil || pinned == address)
                    ? nil
                    : .other(
                        "\(origin) now leads to another address than at the start of this login; nothing was sent there",
                        next: "use https, where a certificate says who answers, or try again")
            }
        if let refused { refusal = refused } else { hasAdmitted = true }
        return refused == nil
    }

    /// libcurl keeps a pointer to this object.
    func apply(to handle: CurlHandle) throws(LoginFault) {
        try handle.check(ccurl_setopt_opensocket(handle.raw, Self.openSocket), CURLOPT_OPENSOCKETFUNCTION)
        try handle.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    }

    /// For CURLOPT_OPENSOCKETFUNCTION. The socket is closed on exec: `authctl exec` starts programs.
    private static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let context, let address else { return CURL_SOCKET_BAD }
        let gate = Unmanaged<PeerGate>.fromOpaque(context).takeUnretainedValue()
        guard gate.admits(PeerAddress(address)) else { return CURL_SOCKET_BAD }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let opened = socket(address.pointee.family, kind, address.pointee.protocol)
        if opened >= 0 { gate.sockets.insert(opened) }
        return opened
    }

    /// Whether the server has ended the connection from this port of ours, and there is nothing more to read on it.
    func hasEnded(from port: Int) -> Bool {
        guard port > 0, let socket = sockets.first(where: { boundPort(of: $0) == port }) else { return false }
        var byte: UInt8 = 0
        let got = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return got == 0 || got < 0 && errno != EAGAIN && errno != EINTR
    }
}

extension CurlOptions {
    /// The rule for the addresses of an origin.
    func peerRule(for origin: Origin) -> PeerGate.Rule {
        // The proxy may be anywhere. `LoginContext.checkIsPublic` looks at what is behind it.
        if proxy.url != nil { return .anyAddress }
        if !settings.mayBeLocal { return .publicOnly }
        return origin.scheme == "https" ? .anyAddress : settings.allowHTTP ? .oneAddress : .loopbackOnly
    }
}

extension PeerAddress {
    /// - Returns: `nil` for a family other than IPv4 and IPv6.
    init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        // `addr` is declared as a plain sockaddr and is longer for IPv6.
        let raw = UnsafeRawPointer(address) + start
        switch address.pointee.family {
        case AF_INET:
            let ipv4 = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: ipv4) { Array($0) })
        case AF_INET6:
            let ipv6 = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: ipv6) { Array($0) })
        default:
            return nil
        }
    }

    /// Whether it may be an address of this machine, its link or its network: it is no unicast address of the whole Internet.
    var isLocal: Bool {
        guard let special = SpecialAddresses.block(of: bytes) else { return false }
        switch special.reach {
        case .global: return false
        case .notGlobal: return true
        case .embedded(let offset): return PeerAddress(bytes: Array(bytes[offset..<offset + 4]))?.isLocal ?? true
        }
    }
}

/// IANA's special-purpose address registries for IPv4 and IPv6 (RFC 6890, RFC 8190), and what is no unicast address besides.
enum SpecialAddresses {
    /// The networks from which an address can be reached.
    enum Reach: Equatable {
        /// 'Globally reachable: true', within a block that is not.
        case global
        /// 'Globally reachable: false', or not said.
        case notGlobal
        /// The IPv4 address from this byte on decides.
        case embedded(Int)
    }

    /// Addresses that begin with the same bits.
    struct Block {
        let start: [UInt8]
        let bits: Int
        let reach: Reach

        /// - Parameter text: `ADDRESS/BITS` (RFC 4632, section 3.1; RFC 4291, section 2.3).
        init?(_ text: String, _ reach: Reach) {
            let parts = text.split(separator: "/")
            guard parts.count == 2, let bits = Int(parts[1]), let address = PeerAddress(text: String(parts[0])) else {
                return nil
            }
            (self.start, self.bits, self.reach) = (address.bytes, bits, reach)
        }

        func holds(_ address: [UInt8]) -> Bool {
            guard address.count == start.count else { return false }
            return zip(address, start).enumerated().allSatisfy { index, pair in
                let known = min(8, max(0, bits - 8 * index))
                return known == 0 || (pair.0 ^ pair.1) >> (8 - known) == 0
            }
        }
    }

    /// The smallest block of the table that holds the address.
    /// - Returns: `nil` for an address without a special purpose.
    static func block(of address: [UInt8]) -> Block? {
        blocks.filter { $0.holds(address) }.max { $0.bits < $1.bits }
    }

    /// As the registries had them in October 2025. ::ffff:0:0/96 is missing: `PeerAddress` takes those for what they stand for.
    static let table: [(block: String, reach: Reach)] =
        [
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24", "192.88.99.2/32", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
            "240.0.0.0/4", "255.255.255.255/32", "::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64",
            "2001::/23", "2001:2::/48", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
            // Multicast (RFC 5771; RFC 4291, section 2.7), site-local (RFC 3879) and IPv4-compatible addresses (RFC 4291, section
            // 2.5.5.1), and those that translators make of IPv4 (RFC 2765).
            "224.0.0.0/4", "ff00::/8", "fec0::/10", "::/96", "::ffff:0:0:0/96",
        ].map { ($0, .notGlobal) }
        + [
            "192.0.0.9/32", "192.0.0.10/32", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "2001:1::1/128",
            "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48", "2001:20::/28", "2001:30::/28",
            "2620:4f:8000::/48",
        ].map { ($0, .global) }
        // RFC 6052, section 2.2; RFC 3056, section 2.
        + [("64:ff9b::/96", .embedded(12)), ("2002::/16", .embedded(2))]

    private static let blocks = table.compactMap { Block($0.block, $0.reach) }
}
