import CCurl
import Glibc

/// The hosts other than the service's that programs of a run reach through its proxy.
package enum OtherHosts: String, Sendable, CaseIterable {
    /// None.
    case refuse
    /// Those at addresses of the whole Internet.
    case `public`
    /// All but this machine and what is on its link.
    case all
}

/// Connects to other hosts, at addresses that are judged once they are resolved, and through the proxy that the environment named.
struct OtherHostDialer: Sendable {
    let hosts: OtherHosts
    /// The variables that name proxies, as authctl found them.
    let environment: [String: String]

    /// The reason why there is no connection.
    enum Fault: Error {
        /// No connection to there is wanted.
        case refused
        case failed
    }

    /// - Parameter isOver: whether nobody waits any more.
    func connect(
        to origin: Origin, unless isOver: @escaping @Sendable () -> Bool
    ) throws(Fault) -> any Tunnel {
        guard hosts != .refuse, !origin.isLoopback else { throw .refused }
        let gate = AddressGate(hosts)
        do throws(LoginFault) {
            return try connect(to: origin, through: gate, isOver)
        } catch {
            throw gate.hasRefused ? .refused : .failed
        }
    }

    private func connect(
        to origin: Origin, through gate: AddressGate, _ isOver: @escaping @Sendable () -> Bool
    ) throws(LoginFault) -> any Tunnel {
        // libcurl's parser knows the other ways to write an address.
        let url = try URLParser.parsed("http://\(origin.host):\(origin.port)/")
        var proxy = ProxyChoice(.environment, environment: environment, origin: origin)
        if proxy.url == nil, let name = proxy.ignoredVariable, let named = environment[name] {
            proxy = ProxyChoice(.url(named), environment: [:], origin: origin)
        }
        gate.isProxy = proxy.url != nil
        // A proxy resolves the name itself; as far as can be known, it leads to the same.
        let known =
            PeerAddress(text: url.origin.bareHost).map { [$0] }
            ?? (gate.isProxy ? ConnectionPreview.addresses(of: url.origin) : [])
        let isUnknown = gate.isProxy && hosts == .public && known.isEmpty
        guard !isUnknown, known.allSatisfy({ gate.admits($0) }) else { throw .cancelled }
        let library = try CurlLibrary(), handle = try CurlHandle(library)
        try CurlOptions(origin: url.origin, settings: TransportSettings(), proxy: proxy).apply(to: handle)
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try handle.check(ccurl_setopt_opensocket(handle.raw, AddressGate.openSocket), CURLOPT_OPENSOCKETFUNCTION)
        try handle.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(gate).toOpaque())
        let connections = try CurlConnections(library, isCancelled: isOver)
        guard connections.run(handle, nil, ResponseWait(nil), isHeld: true) == CURLE_OK else {
            connections.release(handle)
            throw .network(.connectionLost)
        }
        return CurlTunnel(handle, connections, owner: gate, isCancelled: isOver)
    }
}

/// Judges the addresses of one connection, before anything is sent there.
private final class AddressGate {
    /// Whether they are those of a proxy, which may be anywhere.
    var isProxy = false
    private(set) var hasRefused = false
    private let hosts: OtherHosts

    init(_ hosts: OtherHosts) { self.hosts = hosts }

    func admits(_ address: PeerAddress?) -> Bool {
        let isAdmitted = address.map { !$0.isKept && !$0.isOwn && !(hosts == .public && $0.isLocal) } ?? false
        hasRefused = hasRefused || !isAdmitted
        return isAdmitted
    }

    /// For CURLOPT_OPENSOCKETFUNCTION.
    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let context, let address else { return CURL_SOCKET_BAD }
        let gate = Unmanaged<AddressGate>.fromOpaque(context).takeUnretainedValue()
        guard gate.isProxy || gate.admits(PeerAddress(address)) else { return CURL_SOCKET_BAD }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, kind, address.pointee.protocol)
    }
}

extension PeerAddress {
    /// This machine, its link, and where clouds tell machines their secrets: 169.254.169.254 (most), fd00:ec2:: (AWS, which lends roles
    /// there, too), 100.100.100.200 and fd00:100::100:200 (Alibaba), 168.63.129.16 (Azure), 192.0.0.192 and fd00:c1:: (Oracle),
    /// fd20:ce::254 (Google), fd00:42::42 (Scaleway), fd00:a9fe:a9fe::1 (Akamai).
    private static let kept = [
        "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32",
        "::/128", "::1/128", "fe80::/10", "fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128",
        "fd00:42::42/128", "fd00:100::100:200/128", "fd00:a9fe:a9fe::1/128",
    ].compactMap { SpecialAddresses.Block($0, .notGlobal) }

    /// Addresses that stand for one of IPv4, and the byte from which it is there: NAT64 (RFC 6052; RFC 8215), 6to4 (RFC 3056), and those of
    /// RFC 4291, section 2.5.5.1, and RFC 2765. Mapped ones are IPv4 by now.
    private static let translated = [
        ("64:ff9b::/96", 12), ("64:ff9b:1::/48", 12), ("2002::/16", 2), ("::/96", 12), ("::ffff:0:0:0/96", 12),
    ].compactMap { SpecialAddresses.Block($0, .embedded($1)) }

    /// Whether no program is let there: it is no other host, or one that takes every program of this machine for its owner.
    var isKept: Bool {
        if Self.kept.contains(where: { $0.holds(bytes) }) { return true }
        for block in Self.translated where block.holds(bytes) {
            guard case .embedded(let offset) = block.reach else { continue }
            if PeerAddress(bytes: Array(bytes[offset..<offset + 4])).map({ $0.isKept || $0.isOwn }) ?? true {
                return true
            }
        }
        return false
    }

    /// Whether it is one of this machine's own: to no other does the kernel bind a socket.
    var isOwn: Bool {
        let isIPv4 = bytes.count == 4
        let probe = socket(isIPv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // Without IPv6 there is no such address.
        guard probe >= 0 else { return errno != EAFNOSUPPORT }
        defer { close(probe) }
        var place = sockaddr_storage()
        let size = withUnsafeMutableBytes(of: &place) { place in
            if isIPv4 {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
                withUnsafeBytes(of: address) { place.copyMemory(from: $0) }
                return MemoryLayout<sockaddr_in>.size
            }
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            withUnsafeBytes(of: address) { place.copyMemory(from: $0) }
            return MemoryLayout<sockaddr_in6>.size
        }
        return withUnsafeBytes(of: place) { place in
            place.withMemoryRebound(to: sockaddr.self) { bind(probe, $0.baseAddress, socklen_t(size)) == 0 }
        }
    }
}
