import Secrets

/// Makes transports to the servers of profiles.
package struct Connections {
    let context: LoginContext

    /// The ways to the authorization server of a profile: as to its own origin, but without its client certificate, unless that proves
    /// the client there (RFC 8705, section 2.1).
    func otherTransports(of profile: Profile, like settings: TransportSettings) -> OriginTransports {
        OriginTransports { [self] (place) throws(LoginFault) in
            let origin = place.origin
            var other = settings
            if place.takesNamedProxyAlone, other.proxy == .environment { other.proxy = .none }
            if profile.oauth?.clientAuthentication != .tls { other.identity = nil }
            other.fingerprint = nil
            other.mayBeLocal = place.mayBeLocal
            other.allowHTTP = false
            other.exception = try exception(for: origin)
            try checkIsPublic(origin, other, mayBeUnseen: place.mayBeUnseen)
            return context.dependencies.transport(origin, other)
        }
    }

    /// Behind a proxy nobody sees the address of a server that another one has named: its name must not be a local one here. Where it
    /// has no meaning here, the person decides.
    private func checkIsPublic(
        _ origin: Origin, _ settings: TransportSettings, mayBeUnseen: Bool
    ) throws(LoginFault) {
        let proxy = ProxyChoice(settings.proxy, environment: settings.environment, origin: origin)
        guard !settings.mayBeLocal, proxy.url != nil else { return }
        let addresses = ConnectionPreview.addresses(of: origin)
        if addresses.contains(where: \.isLocal) { throw .untrusted(.localServer(origin)) }
        guard addresses.isEmpty, !mayBeUnseen else { return }
        let problem =
            "the service names \(origin), whose name does not resolve here: it may be inside the network of the proxy "
            + SafeText.quoted(proxy.shown)
        guard context.person.mayBeAsked else {
            throw .untrusted(
                "\(problem); nothing was sent",
                next: "if that is right, put the issuer in the profile's oauth; see authctl-config(5)")
        }
        guard try context.person.dialogue.confirm("\(problem.firstCapital).", typing: "yes") else {
            throw .cancelled
        }
    }

    /// Origin and base path of a profile, by libcurl's parser.
    package func endpoint(_ profile: Profile) throws(LoginFault) -> ServiceEndpoint {
        let url = try URLParser.parsed(profile.url)
        guard url.user == nil, url.password == nil, url.query == nil else {
            throw .usage(.badURL(url: url.text, problem: "a profile's url must not have user information or a query"))
        }
        context.topic.origin = url.origin
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        return ServiceEndpoint(origin: url.origin, base: url.origin.description + path)
    }

    /// The service as an anonymous client finds it: without a session, and without a client certificate.
    package func anonymousService(_ profile: Profile, fingerprint: Fingerprint?) throws(LoginFault) -> Service {
        let endpoint = try endpoint(profile)
        var transport = try transportSettings(profile, for: endpoint.origin)
        transport.fingerprint = fingerprint
        return context.dependencies.service(profile, endpoint, transport, Service.Options())
    }

    /// Settings for the requests of a profile to its origin.
    func transportSettings(_ profile: Profile, for origin: Origin) throws(LoginFault) -> TransportSettings {
        var settings = TransportSettings()
        settings.exception = try exception(for: origin)
        settings.allowHTTP = profile.settings.allowHTTP
        settings.caFile = profile.settings.caFile
        settings.userAgent = profile.settings.userAgent ?? settings.userAgent
        context.topic.namesAuthorities = settings.caFile != nil
        if let timeout = context.options.timeout ?? profile.settings.timeout {
            (settings.timeout, settings.transferTimeout) = (timeout, timeout)
        }
        if let notice = context.person.waitingNotice(of: origin) { settings.whileWaiting = { notice.note($0) } }
        settings.environment = context.dependencies.environment.proxies
        settings.proxy = profile.settings.namedProxy ?? (context.takesNamedProxyAlone ? .none : .environment)
        settings.trace = context.trace
        settings.isCancelled = context.dependencies.isCancelled
        return settings
    }
}

// Requests before a login, and the question about a certificate there.
extension Connections {
    /// The accepted certificate of an origin: from this run, else remembered.
    func exception(for origin: Origin) throws(LoginFault) -> TrustedCertificate? {
        if let accepted = context.acceptance?.exception, accepted.origin == origin { return accepted }
        return try context.document().exception(for: origin)
    }

    /// Sends a request before the login itself has begun. The decision about a certificate that does not verify then holds
    /// for the whole run; it is made by the same policy as in the login.
    func send(
        _ request: HTTPRequest, over transport: any Transport, _ login: LoginRequest
    ) throws(LoginFault) -> HTTPResponse {
        do {
            return try sendOnce(request, over: transport)
        } catch .untrusted(.certificate(let trust)) where context.acceptance == nil {
            context.acceptance = try accepted(trust, login)
        }
        if let exception = context.acceptance?.exception { transport.trust(exception) }
        return try sendOnce(request, over: transport)
    }

    /// Shows a notice while the server is asked without a credential, outside of a login.
    private func sendOnce(
        _ request: HTTPRequest, over transport: any Transport
    ) throws(LoginFault) -> HTTPResponse {
        let prompt = context.person.showsNotice ? context.person.dialogue : nil
        prompt?.showWaiting(LoginLoop.contactNotice)
        defer { prompt?.showWaiting(nil) }
        return try transport.send(request)
    }

    private func accepted(_ trust: ServerTrust, _ login: LoginRequest) throws(LoginFault) -> TrustAcceptance {
        let policy = TrustPolicy(fingerprint: login.policy.trust.fingerprint, mayAsk: context.person.mayBeAsked)
        switch policy.decision(on: trust) {
        case .refuse(let error): throw error
        case .accept: return TrustAcceptance(trust.exception, isLasting: true)
        case .ask: break
        }
        let answer = try context.person.dialogue(allowsBlankPassword: login.allowsBlankPassword).ask(
            .certificate(trust))
        guard case .trust(let answer) = answer else { throw .cancelled }
        guard let acceptance = answer.acceptance(of: trust) else { throw .untrusted(.certificateRejected) }
        return acceptance
    }
}

extension Profile.Settings {
    /// The proxy that is named, or none; `nil` if the environment may name one.
    package var namedProxy: ProxySetting? {
        switch proxy {
        case nil, "environment": nil
        case "none", "": ProxySetting.none
        case let url?: .url(url, from: proxySource)
        }
    }
}
