import CCurl
import Secrets

/// Requests through libcurl, each with a handle of its own. The connections are kept alive for one origin, one identity and
/// one proxy, and closed with the transport.
///
/// Blocks until as much of the answer is there as is needed. Not `Sendable`: one thread uses it.
final class CurlTransport: Transport {
    private let origin: Origin
    private let settings: TransportSettings
    /// Not before the first request: libcurl says whether a proxy is for the origin.
    lazy var options: CurlOptions = {
        var options = CurlOptions(
            origin: origin, settings: settings,
            proxy: ProxyChoice(settings.proxy, environment: settings.environment, origin: origin))
        // Until something is sent, nobody needs more time than that.
        options.settings.connectTimeout = min(settings.connectTimeout, settings.timeout)
        return options
    }()
    private(set) lazy var gate = PeerGate(origin: origin, rule: options.peerRule(for: origin))
    private(set) lazy var context = TLSContext(origin, options.proxy)
    private(set) var exception: TrustedCertificate?
    /// Whether it is known which of the two holds for the connections: verification, or the exception.
    private var isExamined = false
    /// Whether the server has ever answered.
    private(set) var hasAnswered = false
    /// Made by the first request, so that a transport that is never used does not open libcurl.
    private var connections: CurlConnections?

    /// Connects to nothing yet: the first request does.
    /// - Parameter settings: the proxy is chosen by them here, once for all requests.
    init(origin: Origin, settings: TransportSettings = TransportSettings()) {
        (self.origin, self.settings) = (origin, settings)
        exception = settings.exception
    }

    /// Behind a proxy its own address says nothing: the name of the origin does, as it is read here.
    private(set) lazy var isNamedLocal = ConnectionPreview.addresses(of: origin).contains { $0.isLocal }

    var reachedLocal: Bool { options.proxy.url == nil ? gate.reachedLocal : isNamedLocal }

    /// Sends one request.
    ///
    /// - Throws: `TrustFault.otherOrigin` for another origin than the transport's, `plainHTTP` before anything is
    ///   connected, `UsageFault` for what cannot stand in a request; all of these before a byte is sent.
    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        let parser = try URLParser()
        let url = try checked(request, parser)
        let longest = request.streamedBodies == nil ? settings.timeout : options.settings.transferTimeout
        options.settings.timeout = max(min(longest, request.limit ?? longest), request.leastTime ?? 0)
        let trace = TransferTrace(settings: options.settings)
        try examine()
        trace.show(request, url)
        let handle = try CurlHandle(CurlLibrary())
        let collector = ResponseCollector(
            to: request, at: url, over: context, limits: (options.settings.headerLimit, options.settings.bodyLimit),
            // Before the body, which goes to the same terminal.
            whenBegun: { trace.show($0, cookies: $1?.taken ?? [], tooLarge: $1?.tooLarge ?? [], to: request) },
            wait: ResponseWait(options.settings.whileWaiting))
        var body = Secret(""), unread: LoginFault?
        do {
            try perform(CurlRequest(request, url: url), on: handle, into: collector)
            try collector.finish()
            body = try ContentCoding(collector.head.fields).decoded(
                collector.takeBody(), limit: options.settings.bodyLimit)
            unread = collector.unread
        } catch .network(let fault) where collector.isJudged(despite: fault) {
            unread = .network(fault)
        } catch .network(let fault) where isDoubtful(fault, of: request, on: handle) {
            throw .network(.unanswered(fault))
        }
        gate.pin(handle.text(CURLINFO_PRIMARY_IP).flatMap { PeerAddress(text: $0) })
        let status = handle.number(CURLINFO_RESPONSE_CODE)
        // Of plain http a proxy answers in the place of the server; this is a proxy's status alone (RFC 9110, section 15.5.8).
        if status == 407, origin.scheme == "http", options.proxy.url != nil {
            throw options.proxy.fault(.refused(status: status))
        }
        let jar = collector.head.jar
        let response = HTTPResponse(
            status: status, headers: collector.head.fields, body: body,
            cookies: try cookies(after: request, in: jar),
            redirect: parser.redirect(in: collector.head.fields, from: url), unread: unread)
        if request.streamedBodies == nil {
            trace.show(response, cookies: jar?.taken ?? [], tooLarge: jar?.tooLarge ?? [], to: request)
        }
        return response
    }

    /// Whether a person's own request may have been carried out, although its response is lost.
    private func isDoubtful(_ fault: NetworkFault, of request: HTTPRequest, on handle: CurlHandle) -> Bool {
        if case .unanswered = fault { return false }
        // libcurl notes this time once the connection stands and the request begins to go out.
        return fault != .notHTTP && request.streamedBodies != nil && !request.isIdempotent
            && handle.offset(CURLINFO_PRETRANSFER_TIME_T) > 0
    }

    /// Throws where a response sets cookies beyond all limits. One that was handed on already refreshes nothing instead.
    private func cookies(
        after request: HTTPRequest, in jar: CookieJar?
    ) throws(LoginFault) -> [Cookie] {
        if let jar, !jar.isOverfull { return jar.cookies }
        guard request.streamedBodies == nil else { return request.cookies }
        throw .network(.brokenResponse("more than \(CookieJar.most) cookies"))
    }

    func checked(_ request: HTTPRequest, _ parser: URLParser) throws(LoginFault) -> ParsedURL {
        let url: ParsedURL, library = try CurlLibrary()
        do {
            url = try parsed(request, parser)
            try request.check()
            if let file = options.settings.caFile { try TransportSettings.check(caFile: file) }
            try options.proxy.check(library)
        } catch {
            throw .usage(error)
        }
        guard url.origin == origin else { throw .untrusted(.otherOrigin(target: "\(url.origin)")) }
        guard url.user == nil, url.password == nil else {
            throw .usage(.badURL(url: url.text, problem: "it contains a user name or password"))
        }
        guard url.origin.scheme == "https" || options.proxy.url == nil || settings.allowHTTP else {
            throw .untrusted(
                "refused plain http: the proxy could read the password",
                next: "use https, set allow-http in the profile, or connect without the proxy: AUTHCTL_PROXY=none")
        }
        return url
    }

    /// A fault of what was filled in names no more of the URL than what was written.
    private func parsed(_ request: HTTPRequest, _ parser: URLParser) throws(UsageFault) -> ParsedURL {
        do {
            return try parser.parse(request.url)
        } catch .badURL(_, let problem) {
            throw .badURL(url: request.shownURL ?? "\(options.origin)", problem: problem)
        }
    }

    private func perform(
        _ request: CurlRequest, on handle: CurlHandle, into collector: ResponseCollector
    ) throws(LoginFault) {
        try prepare(handle)
        try handle.set(CURLOPT_HEADERFUNCTION, ResponseCollector.headCallback)
        try handle.set(CURLOPT_WRITEFUNCTION, ResponseCollector.bodyCallback)
        let context = Unmanaged.passUnretained(collector).toOpaque()
        try handle.set(CURLOPT_HEADERDATA, pointer: context)
        try handle.set(CURLOPT_WRITEDATA, pointer: context)
        // From here on libcurl holds pointers to both.
        request.reader?.watch(handle, through: gate)
        let connections =
            if let connections { connections } else {
                try CurlConnections(CurlLibrary(), isCancelled: options.settings.isCancelled)
            }
        self.connections = connections
        defer { withExtendedLifetime((request, collector)) {} }
        let code = try request.perform(on: handle, over: connections, options, into: collector)
        hasAnswered = hasAnswered || collector.head.status > 0
        guard code != CURLE_OK else { return }
        if let fault = collector.fault ?? request.fault { throw fault }
        throw try reason(code, handle)
    }

    /// Sets what holds for all that this transport connects to.
    func prepare(_ handle: CurlHandle) throws(LoginFault) {
        gate.startTransfer()
        try options.apply(to: handle)
        try context.apply(to: handle)
        try options.settings.identity?.apply(to: handle)
        try gate.apply(to: handle)
    }

    deinit {
        // Closing a connection may still read from it, which looks at `context`.
        connections = nil
    }

    func trust(_ exception: TrustedCertificate) {
        self.exception = exception
        (isExamined, connections) = (false, nil)
    }

    /// Where something was accepted, the certificate is looked at before anything is sent.
    private func examine() throws(LoginFault) {
        guard let exception, !isExamined, origin.scheme == "https" else { return }
        let found = try CertificateProbe(options: options, gate: gate).run()
        if !found.reasons.isEmpty {
            if let fault = exception.fault(with: found) { throw .untrusted(fault) }
            // Whatever was accepted before: no other certificate than the one that is named now.
            if let named = options.settings.fingerprint, named != found.fingerprint {
                throw .untrusted(.otherFingerprint(found))
            }
            options.pinnedKey = exception.key
        }
        isExamined = true
    }

    /// The error of a failed transfer.
    func reason(_ code: CURLcode, _ handle: CurlHandle) throws(LoginFault) -> LoginFault {
        if code == CURLE_ABORTED_BY_CALLBACK, options.settings.isCancelled?() == true { return .cancelled }
        if code == CURLE_PEER_FAILED_VERIFICATION { return try distrust(handle) }
        return fault(code, handle.words ?? CurlHandle.words(of: code), handle)
    }

    private func fault(_ code: CURLcode, _ text: String, _ handle: CurlHandle) -> LoginFault {
        if code == CURLE_COULDNT_CONNECT, let fault = gate.fault { return .untrusted(fault) }
        if context.wasAsked,
            let refusal = TLSFault(text)?.refusal(hasCertificate: options.settings.identity != nil)
        {
            return .untrusted(refusal)
        }
        return CurlFault(code, text, of: handle, options, hasAnswered: hasAnswered).error
    }

    /// The error of a certificate that did not verify.
    private func distrust(_ handle: CurlHandle) throws(LoginFault) -> LoginFault {
        let unseen = fault(CURLE_PEER_FAILED_VERIFICATION, handle.words ?? "", handle)
        let found: ServerTrust
        do {
            found = try CertificateProbe(options: options, gate: gate).run()
        } catch {
            // A server that ends every handshake without a client certificate, or has gone since.
            return unseen
        }
        // It verifies now, or what does not verify is not the server's certificate.
        if found.reasons.isEmpty { return unseen }
        return .untrusted(exception?.fault(with: found) ?? .certificate(found))
    }

    func openTunnel(_ request: HTTPRequest, to name: String) throws(LoginFault) -> any Tunnel {
        let url = try checked(request, try URLParser())
        try examine()
        TransferTrace(settings: options.settings).show(request, url)
        let handle = try CurlHandle(CurlLibrary())
        try prepare(handle)
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        let connections = try CurlConnections(CurlLibrary(), isCancelled: options.settings.isCancelled)
        let code = connections.run(handle, options, ResponseWait(nil), isHeld: true)
        guard code == CURLE_OK else {
            defer { connections.release(handle) }
            throw try reason(code, handle)
        }
        gate.pin(handle.text(CURLINFO_PRIMARY_IP).flatMap { PeerAddress(text: $0) })
        let tunnel = CurlTunnel(handle, connections, owner: self, isCancelled: options.settings.isCancelled)
        let ticket = request.negotiates ? try TicketCache.token(for: url.origin.host) : nil
        try tunnel.ask(
            try request.head(url, askingFor: name, with: ticket), within: options.settings.connectTimeout * 3,
            limit: options.settings.headerLimit)
        return tunnel
    }
}

extension HTTPRequest {
    /// The head of a request through a tunnel, as it is sent (RFC 9112, section 3); it was checked before. libcurl writes all others.
    /// - Parameter ticket: the token of Negotiate, which libcurl makes for its own requests alone.
    fileprivate func head(
        _ url: ParsedURL, askingFor name: String, with ticket: Secret?
    ) throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: 256 << 10)
        text.append("\(method) \(url.target) HTTP/1.1\r\nHost: \(url.origin.authority)\r\n")
        text.append("Connection: Upgrade\r\nUpgrade: \(name)\r\n")
        if let basic {
            text.append("Authorization: ")
            text.appendBasic(Secret(basic.username), basic.password)
            text.append("\r\n")
        }
        let proof = ticket.map { Secret("Negotiate ", followedBy: $0.base64) }
        for field in fields(to: url) + (proof.map { [HTTPRequestField(name: "Authorization", value: $0)] } ?? []) {
            text.append("\(field.name): ")
            text.append(field.value)
            text.append("\r\n")
        }
        text.append("\r\n")
        guard let text = text.finish() else { throw .usage("the head of the request is too long") }
        return text
    }
}
