import CCrypto
import CCurl
import FoundationEssentials
import Glibc

/// Looks at a server's certificate without telling the server anything: a connection of its own with verification off, which
/// carries no credential and no byte of HTTP, and ends after the handshake.
///
/// libcurl tells nothing of a certificate that does not verify, and stops at the first fault; a person has to see all.
struct CertificateProbe {
    let options: CurlOptions
    let gate: PeerGate

    /// - Returns: the certificate; without reasons if it verifies.
    /// - Throws: `certificateUnseen` where no certificate can be had; the fault of the network where there is no server.
    func run() throws(LoginFault) -> ServerTrust {
        let handle = try CurlHandle(CurlLibrary())
        gate.startTransfer()
        try options.apply(to: handle)
        try handle.set(CURLOPT_URL, "\(options.origin)/")
        try gate.apply(to: handle)
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        try handle.set(CURLOPT_CERTINFO, 1)
        try handle.set(CURLOPT_SSL_VERIFYPEER, 0)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        let connections = try CurlConnections(CurlLibrary(), isCancelled: options.settings.isCancelled)
        let wait = ResponseWait(options.settings.whileWaiting)
        let code = withExtendedLifetime(gate) { connections.run(handle, options, wait) }
        guard code == CURLE_OK else {
            if let error = unreached(code, handle) { throw error }
            throw .untrusted(.certificateUnseen(reason: handle.words ?? CurlHandle.words(of: code)))
        }
        return try evaluate(Self.certificates(of: handle))
    }

    /// The fault of a connection without an answer; `nil` if there was one.
    private func unreached(_ code: CURLcode, _ handle: CurlHandle) -> LoginFault? {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT:
            if code == CURLE_COULDNT_CONNECT, let fault = gate.fault { return .untrusted(fault) }
            return CurlFault(code, handle.words ?? CurlHandle.words(of: code), of: handle, options).error
        default:
            return nil
        }
    }

    /// In PEM, the server's own first.
    private static func certificates(of handle: CurlHandle) -> [String] {
        var info: UnsafeMutablePointer<curl_certinfo>?
        guard ccurl_getinfo_certificates(handle.raw, &info) == CURLE_OK, let info, let lists = info.pointee.certinfo
        else { return [] }
        return (0..<Int(info.pointee.num_of_certs)).compactMap { index in
            var node = lists[index]
            while let current = node {
                let text = current.pointee.data.map { String(cString: $0) } ?? ""
                if text.hasPrefix("Cert:") { return String(text.dropFirst(5)) }
                node = current.pointee.next
            }
            return nil
        }
    }

    private func evaluate(_ chain: [String]) throws(LoginFault) -> ServerTrust {
        var found = ccrypto_certificate()
        let texts = chain.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { UnsafePointer($0) }
        let (host, authorities) = (options.origin.bareHost, options.authorities)
        if let problem = ccrypto_evaluate(pointers, pointers.count, host, authorities, &found) {
            throw .untrusted(.certificateUnseen(reason: String(cString: problem)))
        }
        return try found.trust(options.origin)
    }
}

extension ccrypto_certificate {
    fileprivate func trust(_ origin: Origin) throws(LoginFault) -> ServerTrust {
        guard let fingerprint = Fingerprint(bytes: withUnsafeBytes(of: fingerprint) { Array($0) }) else {
            throw .untrusted(.certificateUnseen(reason: "it has no fingerprint"))
        }
        return ServerTrust(
            origin: origin, reasons: found, subject: String(upToNUL: subject), issuer: String(upToNUL: issuer),
            hosts: String(upToNUL: names).split(separator: "\n").map(String.init), notBefore: not_before,
            notAfter: not_after,
            fingerprint: fingerprint,
            key: withUnsafeBytes(of: key) { Data($0) }.base64EncodedString())
    }

    private var found: [ServerTrust.Reason] {
        let bits: [(Int, ServerTrust.Reason)] = [
            (CCRYPTO_SELF_SIGNED, .selfSigned), (CCRYPTO_UNKNOWN_AUTHORITY, .unknownAuthority),
            (CCRYPTO_EXPIRED, .expired), (CCRYPTO_NOT_YET_VALID, .notYetValid), (CCRYPTO_OTHER_HOST, .otherHost),
            (CCRYPTO_WRONG_PURPOSE, .wrongPurpose), (CCRYPTO_ISSUER_NO_AUTHORITY, .issuerNoAuthority),
            (CCRYPTO_TOO_WEAK, .tooWeak), (CCRYPTO_BAD_SIGNATURE, .badSignature), (CCRYPTO_INVALID, .invalid),
        ]
        return bits.filter { reasons & UInt32($0.0) != 0 }.map(\.1)
    }
}

/// Sets up the TLS context of a connection before its handshake; see CURLOPT_SSL_CTX_FUNCTION(3).
final class TLSContext {
    private let origin: Origin
    private let proxy: ProxyChoice
    private let asked: UnsafeMutablePointer<Int32>
    /// In the same memory as `asked`.
    private let ended: UnsafeMutablePointer<Int32>

    init(_ origin: Origin, _ proxy: ProxyChoice) {
        self.origin = origin
        self.proxy = proxy
        asked = .allocate(capacity: 2)
        asked.initialize(repeating: 0, count: 2)
        ended = asked + 1
    }

    deinit {
        asked.deallocate()
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
        try handle.check(ccurl_setopt_ssl_context(handle.raw, Self.prepare), CURLOPT_SSL_CTX_FUNCTION)
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
