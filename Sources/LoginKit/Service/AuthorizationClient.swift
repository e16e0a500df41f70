import Secrets

/// Sends what an authorization server is asked, to the origin of each URL.
struct AuthorizationClient: AuthorizationTransport {
    let client: ServiceClient
    let others: OriginTransports
    /// The origins that the profile names for the server; `nil` where an earlier login names it all.
    let named: Set<Origin>?
    /// The URL of the client's document, which the person has written.
    var document: String?
    /// Whether no proxy of the environment is used: the request is for the identity of a machine.
    var takesNamedProxyAlone = false

    /// In bytes: no metadata is longer.
    private static let longestMetadata = 256 << 10

    /// - Parameter profile: names a server, or leaves that to the service.
    init(_ client: ServiceClient, _ others: OriginTransports, by profile: OAuthProfile) {
        let urls = profile.namesServer ? Array(profile.endpoints.values) + [profile.issuer].compactMap { $0 } : []
        self.init(client: client, others: others, named: Set(urls.compactMap { Self.read($0)?.origin }))
    }

    init(client: ServiceClient, others: OriginTransports, named: Set<Origin>?) {
        (self.client, self.others, self.named) = (client, others, named)
    }

    /// Whether a server may be on this machine or in its network: where the person or an earlier login names it, or who names it is
    /// there, too. Nobody far away steers a request to us, not even the issuer that the profile names.
    private func mayBeLocal(_ origin: Origin, _ url: String) -> Bool {
        guard let named else { return true }
        return named.contains(origin) || url == document || takesNamedProxyAlone || client.transport.reachedLocal
            || named.contains(where: others.reachedLocal)
    }

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        client.hide(request.hidden)
        let origin = try URLParser.parsed(request.url).origin
        let transport =
            origin == client.endpoint.origin && !takesNamedProxyAlone
            ? client.transport
            : try others.transport(
                to: origin, mayBeLocal: mayBeLocal(origin, request.url), mayBeUnseen: named?.isEmpty == false,
                takesNamedProxyAlone: takesNamedProxyAlone)
        let response = try transport.send(request)
        guard request.method != "GET" || response.body.count <= Self.longestMetadata else {
            throw .network(.answerTooLarge(limit: Self.longestMetadata))
        }
        return response
    }

    func read(_ url: String) -> EndpointURL? { Self.read(url) }

    static func read(_ url: String) -> EndpointURL? {
        guard let parsed = try? URLParser.parsed(url), parsed.user == nil, parsed.password == nil else { return nil }
        return EndpointURL(origin: parsed.origin, path: parsed.path, query: parsed.query)
    }

    func random(_ count: Int) throws(LoginFault) -> Secret { Secret.random(count: count) }

    func digest(_ hash: DigestAlgorithm.Hash, of secret: Secret) throws(LoginFault) -> Secret {
        try HashLibrary.digest(hash, of: secret)
    }
}

extension ServiceClient {
    /// Collects what is known of the grant before the first request.
    func authorizationSubject() throws(LoginFault) -> AuthorizationSubject {
        guard let oauth = profile.oauth else { throw lacking }
        let text = try fromTemplate(
            try (profile.verify ?? profile.login)?.url(base: endpoint.base, SlotValues()) ?? endpoint.base)
        let url = try URLParser.parsed(text)
        var subject = AuthorizationSubject(
            profile: oauth, base: endpoint.base, resource: EndpointURL(origin: url.origin, path: url.path))
        subject.rule = EndpointRule(plainOrigin: profile.settings.allowHTTP ? endpoint.origin : nil)
        subject.challenge = bearerChallenge
        return subject
    }
}
