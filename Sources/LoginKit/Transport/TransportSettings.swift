import CCurl

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

/// Settings of a `CurlTransport`. By default: no proxy, the system's authorities, no plain http but to loopback.
package struct TransportSettings: Sendable {
    /// The system's authorities, as Debian installs them.
    package static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// For a transfer of any length, which ends by itself or when it stands still: a week, in seconds.
    package static let longestTransfer = 604_800

    /// Whether plain http may go to an address that is not loopback.
    var allowHTTP = false
    /// Whether there is one on the way, and which.
    var proxy = ProxySetting.none
    /// The environment at the program's start: opening libcurl removes the proxy variables from the real one, since
    /// libcurl would obey them.
    var environment: [String: String] = [:]
    /// Authorities (PEM) that replace the system's.
    var caFile: String?
    /// The certificate accepted at the transport's origin, used only if the certificate does not verify.
    var exception: TrustedCertificate?
    /// Whether the server may be on this machine or in its network.
    var mayBeLocal = true
    /// The identity for a server that asks for a client certificate.
    var identity: ClientIdentity?
    /// Seconds for one request, from the name's resolution to the last byte.
    var timeout = 60
    /// The time limit of a request whose bodies are streamed.
    var transferTimeout = Self.longestTransfer
    /// Seconds until the connection must stand, TLS included.
    var connectTimeout = 10
    /// Seconds without a byte after which a transfer is given up.
    var stallTime = 30
    /// Bytes of a body.
    var bodyLimit = 1 << 20
    /// Bytes of all header lines that one request is answered with.
    var headerLimit = 256 << 10
    /// The value of `User-Agent` (RFC 9110, section 10.1.5): product and version, which some services want. No more of the version
    /// than the first number, which would tell who has not updated.
    var userAgent = "authctl/1"
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
    var fingerprint: Fingerprint?
}

/// Chooses the proxy for an origin, and notes a variable that was set but not obeyed.
struct ProxyChoice: Equatable {
    let url: String?
    let source: ProxySource
    let ignoredVariable: String?

    /// A proxy that nobody named for authctl is for https alone, where TLS goes through it, and never for this machine.
    init(_ setting: ProxySetting, environment: [String: String], origin: Origin) {
        if case .url(let url, let source) = setting {
            (self.url, self.source, ignoredVariable) = (url.isEmpty ? nil : url, source, nil)
            return
        }
        let set = Self.variables(origin.scheme).first { environment[$0]?.isEmpty == false }
        // The name of this machine is looked up only where there is a variable.
        let variable = set.flatMap { Self.isHere(origin) ? nil : $0 }
        let applying = variable.flatMap { Self.isException(origin, environment) ? nil : $0 }
        let isObeyed = setting == .environment && origin.scheme == "https"
        url = isObeyed ? applying.flatMap { environment[$0] } : nil
        source = applying.map { .variable($0) } ?? .file
        ignoredVariable = isObeyed ? nil : applying
    }

    /// Whether the origin is this machine: by a loopback address, the one that stands for all of its own, or its name.
    private static func isHere(_ origin: Origin) -> Bool {
        if let address = PeerAddress(text: origin.bareHost) {
            return address.isLoopback || address.bytes.allSatisfy { $0 == 0 }
        }
        let name = ownHostName().lowercased()
        return origin.isLoopback || [name, String(name.prefix { $0 != "." })].contains(origin.host)
    }

    var speaksTLS: Bool { url?.lowercased().hasPrefix("https://") == true }

    /// The proxy without user information, to be shown.
    var shown: String {
        guard let url else { return "" }
        return url.lastIndex(of: "@").map { String(url[url.index(after: $0)...]) } ?? url
    }

    func fault(_ problem: ProxyFault.Problem) -> LoginFault {
        let hadCredential = problem == .refused(status: 407) && url?.contains("@") == true
        return .network(
            .proxy(ProxyFault(proxy: shown, source: source, problem: problem, hadCredential: hadCredential)))
    }

    /// As curl reads them: `HTTP_PROXY` in capitals is what a CGI server makes of a request header, so it is not taken.
    private static func variables(_ scheme: String) -> [String] {
        scheme == "https"
            ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] : ["http_proxy", "all_proxy", "ALL_PROXY"]
    }

    /// Whether the variables except the origin. libcurl reads their list: hosts, domains, networks, a star.
    private static func isException(_ origin: Origin, _ environment: [String: String]) -> Bool {
        let lists = ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }
        guard let list = lists.first(where: { !$0.isEmpty }) else { return false }
        return ConnectionPreview.isDirect(to: origin, exceptions: list)
    }
}

/// Has libcurl prepare a connection, and notes to which addresses it would go. No socket is opened.
final class ConnectionPreview {
    private var addresses: [PeerAddress] = []

    /// Addresses for documentation (RFC 5737, section 3), which stand for a proxy and for what is behind a name.
    private static let (proxy, target) = ("192.0.2.1", "192.0.2.2")
    /// The time limit for the resolver, in seconds.
    private static let patience = 10

    /// Returns the addresses of an origin's name on this machine; empty if it does not resolve.
    static func addresses(of origin: Origin) -> [PeerAddress] {
        (try? ConnectionPreview().run(origin, proxy: "", exceptions: "", names: CurlList())) ?? []
    }

    /// Returns whether a list such as that of `no_proxy` exempts the origin. Resolves no name.
    fileprivate static func isDirect(to origin: Origin, exceptions: String) -> Bool {
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
        try handle.check(ccurl_setopt_opensocket(handle.raw, Self.note), CURLOPT_OPENSOCKETFUNCTION)
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
