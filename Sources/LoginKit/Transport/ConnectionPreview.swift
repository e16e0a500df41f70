import CCurl
import LoginCore

/// Has libcurl prepare a connection, and notes to which addresses it would go. No socket is opened.
final class ConnectionPreview {
    private var addresses: [PeerAddress] = []

    /// Addresses for documentation (RFC 5737, section 3), which stand for a proxy and for what is behind a name.
    private static let (proxy, target) = ("192.0.2.1", "192.0.2.2")
    /// Seconds that the resolver has.
    private static let patience = 10

    /// What the name of an origin means on this machine; empty if it does not resolve.
    static func addresses(of origin: Origin) -> [PeerAddress] {
        (try? ConnectionPreview().run(origin, proxy: "", exceptions: "", names: CurlList())) ?? []
    }

    /// Whether a list such as that of `no_proxy` excepts the origin. No name is resolved for it.
    static func isDirect(to origin: Origin, exceptions: String) -> Bool {
        let names = CurlList()
        if origin.address == nil { "\(origin.host):\(origin.port):\(target)".withCString { names.append($0) } }
        let found = try? ConnectionPreview().run(
            origin, proxy: "http://\(proxy):9", exceptions: exceptions, names: names)
        return found?.first != PeerAddress(text: proxy)
    }

    private func run(
        _ origin: Origin, proxy: String, exceptions: String, names: CurlList
    ) throws(LoginFault) -> [PeerAddress] {
        let library = try CurlLibrary()
        let handle = try CurlHandle(library)
        try handle.set(CURLOPT_URL, "\(origin)/")
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_CONNECTTIMEOUT, Self.patience)
        try handle.set(CURLOPT_PROXY, proxy)
        try handle.set(CURLOPT_NOPROXY, exceptions)
        try handle.set(CURLOPT_RESOLVE, names)
        try handle.set(openSocket: Self.note)
        try handle.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
        let connections = try CurlConnections(library, isCancelled: nil)
        _ = withExtendedLifetime((self, names)) { connections.run(handle, nil, ResponseWait(nil)) }
        return addresses
    }

    private static let note: curl_opensocket_callback = { context, _, address in
        guard let context, let address, let found = PeerAddress(address) else { return CURL_SOCKET_BAD }
        Unmanaged<ConnectionPreview>.fromOpaque(context).takeUnretainedValue().addresses.append(found)
        return CURL_SOCKET_BAD
    }
}
