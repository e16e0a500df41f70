import CCrypto
import CCurl
import Glibc
import LoginCore

/// Sets up the TLS context of a connection before its handshake; see CURLOPT_SSL_CTX_FUNCTION(3).
final class TLSContext {
    private let origin: Origin
    private let proxy: ProxyChoice
    private let asked: UnsafeMutablePointer<Int32>
    private let ended: UnsafeMutablePointer<Int32>

    init(_ origin: Origin, _ proxy: ProxyChoice) {
        self.origin = origin
        self.proxy = proxy
        asked = .allocate(capacity: 1)
        asked.initialize(to: 0)
        ended = .allocate(capacity: 1)
        ended.initialize(to: 0)
    }

    deinit {
        asked.deallocate()
        ended.deallocate()
    }

    /// Whether the server has asked for a client certificate.
    var wasAsked: Bool { asked.pointee != 0 }

    /// From here on only the connection that answers is read from.
    func answerBegins() { ended.pointee = 0 }

    /// Whether an answer that ends with its connection ended as it should: TLS was ended, too, or is not used.
    var hasEnded: Bool { origin.scheme != "https" || ended.pointee != 0 }

    /// Must live as long as the handle.
    func apply(to handle: CurlHandle) throws(LoginFault) {
        guard origin.scheme == "https" else { return }
        asked.pointee = 0
        if let problem = ccrypto_tls_open() {
            throw .failure(.libraryMissing(String(cString: problem)))
        }
        try handle.set(sslContext: Self.prepare)
        try handle.set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    }

    private static let prepare: curl_ssl_ctx_callback = { _, context, data in
        guard let context, let data else { return CURLE_ABORTED_BY_CALLBACK }
        let own = Unmanaged<TLSContext>.fromOpaque(data).takeUnretainedValue()
        return own.prepare(context) ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK
    }

    /// libcurl calls it for an https proxy too, with a context that cannot be told from the server's.
    private func prepare(_ context: UnsafeMutableRawPointer) -> Bool {
        ccrypto_tls_watch(context, asked)
        ccrypto_tls_watch_end(context, ended)
        guard let address = origin.address, !proxy.speaksTLS else { return true }
        return ccrypto_tls_require_address(context, address) == 1
    }
}

extension Origin {
    /// The host, if it is an address.
    var address: String? { PeerAddress(text: bareHost) == nil ? nil : bareHost }
}
