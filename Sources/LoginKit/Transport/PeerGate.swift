import CCurl
import Glibc
import LoginCore

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
        switch rule {
        case .anyAddress:
            hasAdmitted = true
        case .loopbackOnly where address?.isLoopback == true:
            hasAdmitted = true
        case .loopbackOnly:
            refusal = .plainHTTP
            return false
        case .publicOnly where address?.isLocal == false:
            hasAdmitted = true
        case .publicOnly:
            refusal = .localServer(origin)
            return false
        case .oneAddress where address != nil && (pinned == nil || pinned == address):
            hasAdmitted = true
        case .oneAddress:
            refusal = .otherAddress(origin)
            return false
        }
        return true
    }

    /// libcurl keeps a pointer to this object.
    func apply(to handle: CurlHandle) throws(LoginFault) {
        try handle.set(openSocket: Self.openSocket)
        try handle.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    }

    /// For CURLOPT_OPENSOCKETFUNCTION. The socket is closed on exec: `authctl exec` starts programs.
    private static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let context, let address else { return CURL_SOCKET_BAD }
        let provider = Unmanaged<PeerGate>.fromOpaque(context).takeUnretainedValue()
        guard provider.admits(PeerAddress(address)) else { return CURL_SOCKET_BAD }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let opened = socket(address.pointee.family, kind, address.pointee.protocol)
        if opened >= 0 { provider.sockets.insert(opened) }
        return opened
    }

    /// Whether the server has ended the connection from this port of ours, and there is nothing more to read on it.
    func hasEnded(from port: Int) -> Bool {
        guard port > 0, let socket = sockets.first(where: { Self.port(of: $0) == port }) else { return false }
        var byte: UInt8 = 0
        let got = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return got == 0 || got < 0 && errno != EAGAIN && errno != EINTR
    }

    /// Both families have it at the same place.
    private static func port(of socket: Int32) -> Int? {
        var address = sockaddr_in6(), size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress, &size) }
        }
        return result == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : nil
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
