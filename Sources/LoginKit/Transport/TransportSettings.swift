package import LoginCore

/// The proxy to use.
package enum ProxySetting: Equatable, Sendable {
    case none
    /// The usual variables, from `TransportSettings.environment`.
    case environment
    /// As curl's `--proxy` takes it, such as `http://proxy.example:3128` or `socks5h://…`.
    case url(String, from: ProxySource = .option)
}

/// Reports that a server has not answered yet.
enum ResponseTimeout: Equatable, Sendable {
    /// For so many seconds now, not counting those in which the request was still being sent.
    case waiting(seconds: Double)
    /// The answer begins, or will not come.
    case over
}

/// Settings of a `CurlTransport`.
package struct TransportSettings: Sendable {
    /// The system's authorities, as Debian installs them.
    package static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// For a transfer of any length, which ends by itself or when it stands still: a week, in seconds.
    package static let longestTransfer = 604_800

    /// Whether plain http may go to an address that is not loopback.
    var allowHTTP: Bool
    /// Whether there is one on the way, and which.
    var proxy: ProxySetting
    /// The environment at the program's start: opening libcurl removes the proxy variables from the real one, since
    /// libcurl would obey them.
    var environment: [String: String]
    /// Authorities (PEM) that replace the system's.
    var caFile: String?
    /// The certificate accepted at the transport's origin, used only if the certificate does not verify.
    var exception: TrustedCertificate?
    /// Whether the server may be on this machine or in its network.
    var mayBeLocal = true
    /// The identity for a server that asks for a client certificate.
    package var identity: ClientIdentity?
    /// Seconds for one request, from the name's resolution to the last byte.
    var timeout: Int
    /// The time limit of a request whose bodies are streamed.
    var transferTimeout = Self.longestTransfer
    /// Seconds until the connection must stand, TLS included.
    var connectTimeout: Int
    /// Seconds without a byte after which a transfer is given up.
    var stallTime: Int
    /// Bytes of a body.
    var bodyLimit: Int
    /// Bytes of all header lines that one request is answered with.
    var headerLimit: Int
    /// The value of `User-Agent` (RFC 9110, section 10.1.5): product and version, which some services want. No more of the version
    /// than the first number, which would tell who has not updated.
    var userAgent: String
    /// Is told about every request and answer, one line at a time, with every value left out that may be secret. The
    /// server's text is not escaped.
    var trace: (@Sendable (String) -> Void)?

    /// Is told about every 250 milliseconds that a transfer waits for the first line of its answer, and once that it does no
    /// more, before anything of the answer is handed on. Called by the transfer itself: what takes long here delays it.
    var whileWaiting: (@Sendable (ResponseTimeout) -> Void)?

    /// Asked about ten times a second while a transfer runs: whether nobody wants its answer any more. The transfer then ends
    /// with `LoginFault.cancelled`.
    var isCancelled: (@Sendable () -> Bool)?

    /// The certificate that alone is accepted where it does not verify, if one was named.
    package var fingerprint: Fingerprint?

    /// Times are in seconds, limits in bytes. Without arguments: no proxy, the system's authorities, no plain http but
    /// to loopback, 60 seconds a request, 1 MiB of body.
    init(
        allowHTTP: Bool = false, proxy: ProxySetting = .none, environment: [String: String] = [:],
        caFile: String? = nil, exception: TrustedCertificate? = nil, timeout: Int = 60, connectTimeout: Int = 10,
        stallTime: Int = 30,
        bodyLimit: Int = 1 << 20, headerLimit: Int = 256 << 10,
        userAgent: String = "authctl/1", trace: (@Sendable (String) -> Void)? = nil
    ) {
        self.allowHTTP = allowHTTP
        self.proxy = proxy
        self.environment = environment
        self.caFile = caFile
        self.exception = exception
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.stallTime = stallTime
        self.bodyLimit = bodyLimit
        self.headerLimit = headerLimit
        self.userAgent = userAgent
        self.trace = trace
    }
}
