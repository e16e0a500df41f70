import CCurl

/// A failed transfer: libcurl's code and words, with further facts.
struct CurlFault {
    let code: CURLcode
    /// From the error buffer, or libcurl's general words.
    let text: String
    let options: CurlOptions
    /// Whether a TCP connection stood.
    let wasConnected: Bool
    /// Whether the TLS handshake was complete, if TLS is used.
    let wasReady: Bool
    /// Whether the server has sent a byte of an answer, now or before.
    let hasAnswered: Bool
    /// The proxy's status for CONNECT; 0 if there was none.
    let connectStatus: Int
    /// The system's number for why a connection failed (errno(3)); 0 for none.
    let errno: Int

    private var origin: Origin { options.origin }
    private var settings: TransportSettings { options.settings }
    private var proxy: ProxyChoice { options.proxy }

    /// CURLE_TOO_LARGE, which is newer than Debian's header.
    private static let tooLarge = CURLcode(rawValue: 100)

    var error: LoginFault {
        if let problem = proxyProblem { return proxy.fault(problem) }
        return switch code {
        case CURLE_COULDNT_RESOLVE_HOST: unreached(.nameNotResolved(host: origin.host))
        case CURLE_COULDNT_CONNECT: notConnected
        case CURLE_OPERATION_TIMEDOUT: tooLate
        case CURLE_SSL_CONNECT_ERROR: handshake
        case CURLE_PEER_FAILED_VERIFICATION: .untrusted(.certificateUnseen(reason: certificateReason))
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .untrusted(.certificateChanged(origin, now: nil))
        case CURLE_SSL_CACERT_BADFILE:
            settings.caFile == nil
                ? .usage(
                    "the system's certificate authorities cannot be read: \(SafeText.escaped(text))",
                    next: "install the package ca-certificates, or name a file in AUTHCTL_CA_FILE")
                : .usage(.badValue(option: "ca-file", problem: text))
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: broken
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: lost
        case CURLE_UNSUPPORTED_PROTOCOL where isPlain && text.contains("HTTP/0.9"): .network(.notHTTP)
        // libcurl's own look at a line of a head.
        case CURLE_BAD_FUNCTION_ARGUMENT: .network(.brokenResponse("it has a malformed header line"))
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            .network(.brokenResponse(text))
        case CURLE_TOO_MANY_REDIRECTS: .network(.brokenResponse("it keeps asking for the credential"))
        // libcurl's own limit for one header line.
        case CURLE_OUT_OF_MEMORY, Self.tooLarge: .network(.answerTooLarge(limit: settings.headerLimit))
        case CURLE_URL_MALFORMAT: .usage(.badURL(url: "\(origin)", problem: text))
        default: .network(.other(code: Int(code.rawValue), text: text))
        }
    }

    /// The problem that occurred before the proxy had connected to the server; `nil` if there was none.
    private var proxyProblem: ProxyFault.Problem? {
        guard proxy.url != nil, !wasReady else { return nil }
        if connectStatus >= 300 { return .refused(status: connectStatus) }
        switch code {
        // The only name that libcurl itself resolves then; libcurl 8.13 and later have the host's code for it if the resolver is quick.
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST: return .notResolved
        case CURLE_COULDNT_CONNECT: return .notConnected(errno: errno > 0 ? Int32(clamping: errno) : nil)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(seconds: min(settings.connectTimeout, settings.timeout))
        case CURLE_PROXY: return .failed(text)
        case CURLE_RECV_ERROR where text.hasPrefix("Proxy CONNECT"): return .failed(text)
        case CURLE_RECV_ERROR where text.hasPrefix("CONNECT "), CURLE_BAD_FUNCTION_ARGUMENT, CURLE_WEIRD_SERVER_REPLY:
            return .failed("its response is not HTTP")
        case CURLE_SSL_CONNECT_ERROR where proxy.speaksTLS && connectStatus == 0:
            return .failed(TLSFault(text)?.error == .network(.notTLS) ? "it does not speak TLS" : text)
        case CURLE_SSL_CONNECT_ERROR where TLSFault(text)?.error == .network(.notTLS):
            return .failed("what it connected to does not speak TLS")
        default: return nil
        }
    }

    private var isPlain: Bool { origin.scheme == "http" }

    /// A server that speaks TLS does not understand a request in plain http, and hangs up.
    private var lost: LoginFault { .network(isPlain && !hasAnswered ? .endedUnanswered : .connectionLost) }

    private var notConnected: LoginFault {
        .network(
            .notConnected(
                ignoredProxyVariable: proxy.ignoredVariable, errno: errno > 0 ? Int32(clamping: errno) : nil))
    }

    private var handshake: LoginFault {
        guard let error = TLSFault(text)?.error, error != .network(.connectionLost) else {
            return .network(.handshakeLost)
        }
        return error
    }

    /// Behind a proxy that was not asked for, names are often not resolved and packets are dropped: say that it was
    /// ignored.
    private func unreached(_ fault: NetworkFault) -> LoginFault {
        guard let variable = proxy.ignoredVariable else { return .network(fault) }
        return .network(.notConnected(ignoredProxyVariable: variable))
    }

    private var tooLate: LoginFault {
        if text.hasPrefix("Operation too slow") { return .network(.tooSlow) }
        let seconds = wasReady ? settings.timeout : min(settings.connectTimeout, settings.timeout)
        return wasConnected ? .network(.timedOut(seconds: seconds)) : unreached(.timedOut(seconds: seconds))
    }

    /// With TLS 1.3 an alert about the client's certificate comes with the first bytes that are read.
    private var broken: LoginFault {
        if let fault = TLSFault(text)?.error { return fault }
        return text.lowercased().contains("chunk") ? .network(.brokenResponse(text)) : lost
    }

    private var certificateReason: String {
        let prefixes = ["SSL certificate problem: ", "SSL: "]
        let prefix = prefixes.first { text.hasPrefix($0) } ?? ""
        return String(text.dropFirst(prefix.count))
    }
}

extension CurlFault {
    /// - Parameter handle: of the transfer.
    init(_ code: CURLcode, _ text: String, of handle: CurlHandle, _ options: CurlOptions, hasAnswered: Bool = false) {
        let wasConnected = handle.offset(CURLINFO_CONNECT_TIME_T) > 0
        self.init(
            code: code, text: text, options: options, wasConnected: wasConnected,
            wasReady: options.origin.scheme == "https" ? handle.offset(CURLINFO_APPCONNECT_TIME_T) > 0 : wasConnected,
            hasAnswered: hasAnswered, connectStatus: handle.number(CURLINFO_HTTP_CONNECTCODE),
            errno: handle.number(CURLINFO_OS_ERRNO))
    }
}

/// OpenSSL's numbered error, from libcurl's words: `error:0A00010B:SSL routines::wrong version number`.
///
/// libcurl reports one code for 'no common TLS version', for a reset in the handshake and for a server that does not
/// speak TLS at all; see openssl's `sslerr.h` for the reasons.
struct TLSFault: Equatable {
    private let library: UInt32
    private let reason: UInt32
    private let words: String

    init?(_ text: String) {
        // libcurl 8 has "TLS connect error:" before it.
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let codes = zip(parts, parts.dropFirst()).compactMap { mark, code in
            mark.hasSuffix("error") && code.count == 8 ? UInt32(code, radix: 16) : nil
        }
        guard let code = codes.first else { return nil }
        // ERR_GET_LIB and ERR_GET_REASON of OpenSSL 3.
        library = code >> 23 & 0xff
        reason = code & 0x7f_ffff
        words = parts.last.map(String.init) ?? text
    }

    /// Alerts about the client's certificate, or the lack of one: 1000 and the number of RFC 8446, section 6.
    /// - Parameter hasCertificate: whether the profile names one.
    func refusal(hasCertificate: Bool) -> TrustFault? {
        guard library == 20 else { return nil }
        let missing = TrustFault.clientCertificate(
            "the server requires a client certificate, but the profile has none",
            next: "set it in the profile: certificate = \"FILE\"")
        let what: String
        switch reason {
        case 1116: return missing
        case 1048: what = "the server does not trust the authority of the client certificate"
        case 1045: what = "the server says that the client certificate has expired"
        case 1044: what = "the server says that the client certificate was revoked"
        case 1042, 1043, 1046: what = "the server does not accept a client certificate of this kind"
        case 1040, 1049:
            what = "the server aborted the TLS handshake after the client certificate, without a reason"
        default: return nil
        }
        guard hasCertificate else { return missing }
        return .clientCertificate(
            what, next: "ask the service's administrator which certificate is the right one")
    }

    /// `nil` where the error is not one of the SSL routines.
    var error: LoginFault? {
        guard library == 20 else { return nil }
        switch reason {
        // http and proxy request, packet length too long, unknown protocol, wrong version number, bad record type
        case 155, 156, 198, 252, 267, 443: return .network(.notTLS)
        case 294: return .network(.connectionLost)  // unexpected end of file
        case 134: return .untrusted(.certificateUnseen(reason: words))  // certificate verify failed
        // No common version or cipher, an alert, or a key that is too weak: all of them are the server's doing.
        default:
            return .untrusted(
                "no safe TLS connection is possible: \(SafeText.escaped(words))",
                next: "the server must speak TLS 1.2 or newer")
        }
    }
}
