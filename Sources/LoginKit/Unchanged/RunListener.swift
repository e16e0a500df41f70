import Glibc

/// A socket of a run, at which its command comes to authctl.
struct RunListener: Sendable {
    /// What comes there.
    enum Kind: Equatable, Sendable {
        /// Programs that use a proxy.
        case proxy
        /// Programs in a network of their own that go to any host, to this port.
        case host(port: Int)
        /// Queries for names, over UDP and over TCP.
        case names, nameStream
    }

    /// Every name leads there.
    private static let address = PeerAddress(text: OwnNetwork.address)?.bytes ?? []

    let descriptor: Int32
    let kind: Kind

    /// The listeners of a network of its own, in the order of its sockets.
    private static func places(for origin: Origin) -> [(address: String, port: Int, kind: Kind)] {
        var places = Set([443, origin.port]).map { (OwnNetwork.address, $0, Kind.host(port: $0)) }
        // Programs know where this name leads.
        if origin.isLoopback { places.append(("127.0.0.1", origin.port, .host(port: origin.port))) }
        return places + [("127.0.0.1", 53, .names), ("127.0.0.1", 53, .nameStream)]
    }

    static func network(for origin: Origin) throws(LoginFault) -> (network: OwnNetwork, listeners: [RunListener]) {
        let places = places(for: origin)
        let network = try OwnNetwork(places.map { ($0.address, $0.port, isStream: $0.kind != .names) })
        return (network, zip(network.sockets, places).map { RunListener(descriptor: $0, kind: $1.kind) })
    }

    /// Answers the queries that wait at a socket of UDP.
    static func answerNames(at socket: Int32) {
        var bytes = [UInt8](repeating: 0, count: 1500), peer = sockaddr_in()
        for _ in 1...64 {
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutableBytes(of: &peer) { peer in
                recvfrom(socket, &bytes, bytes.count, 0, peer.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
            }
            guard count >= 0 else { return }
            guard let answer = answer(to: Array(bytes[..<count])) else { continue }
            withUnsafeBytes(of: peer) { peer in
                _ = sendto(
                    socket, answer, answer.count, Int32(MSG_NOSIGNAL),
                    peer.assumingMemoryBound(to: sockaddr.self).baseAddress, size)
            }
        }
    }

    /// Answers those of a connection, each of them behind its length (RFC 1035, section 4.2.2).
    static func answerNames(
        of connection: borrowing ProxyConnection, until end: ContinuousClock.Instant, unless isOver: () -> Bool
    ) {
        while case .found(let query) = connection.look(until: end, unless: isOver, for: { Self.query(in: $0) }) {
            guard connection.drop(2 + query.count), let answer = answer(to: query),
                connection.send([UInt8(answer.count >> 8), UInt8(answer.count & 0xFF)] + answer)
            else { return }
        }
    }

    private static func query(in bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.count >= 2 else { return nil }
        let length = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        return bytes.count >= 2 + length ? Array(bytes.dropFirst(2).prefix(length)) : nil
    }

    private static func answer(to query: [UInt8]) -> [UInt8]? {
        NameAnswer.bytes(to: query, address: address)
    }
}
