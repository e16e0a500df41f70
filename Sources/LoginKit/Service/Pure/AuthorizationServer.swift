import Secrets

/// The authorization server of one login: what the profile says of it, and its metadata for the rest. Made anew for each login;
/// what is needed later is kept with the grant.
struct AuthorizationServer: Equatable, Sendable {
    /// As its metadata writes it, else as the profile does; `nil` if the profile names endpoints alone.
    let issuer: String?
    /// The profile's, then those of the metadata.
    let endpoints: [OAuthEndpoint: EndpointURL]
    /// `nil` where the profile names endpoints and no issuer.
    let metadata: ServerMetadata?

    /// - Parameter base: the profile's `url`: an endpoint that is a path is appended to it.
    /// - Throws: `unsafeEndpoint` for one of the profile's that is no URL, or over plain http that is not allowed; for an alias as for
    ///   the metadata's own.
    init(
        _ profile: OAuthProfile, base: String, metadata: ServerMetadata?, rule: EndpointRule, parse: URLReading
    ) throws(MetadataFault) {
        issuer = metadata?.issuer ?? profile.issuer
        self.metadata = metadata
        var endpoints = metadata?.endpoints ?? [:]
        if profile.clientAuthentication == .tls, let metadata {
            for (endpoint, text) in metadata.endpointAliases {
                endpoints[endpoint] = try ServerMetadata.url(
                    text, of: endpoint, namedBy: metadata.origin, rule: rule, parse: parse)
            }
        }
        let prefix = base.hasSuffix("/") ? String(base.dropLast()) : base
        for (endpoint, text) in profile.endpoints {
            let whole = text.hasPrefix("/") ? prefix + text : text
            guard let url = parse(whole), rule.permits(url) else { throw .unsafeEndpoint(endpoint, url: whole) }
            endpoints[endpoint] = url
        }
        self.endpoints = endpoints
    }

    /// Whether every response names its issuer (RFC 9207, section 3).
    var promisesIssuer: Bool { metadata?.promisesIssuer ?? false }

    /// Whether it can be asked to let another account be chosen.
    var canChooseAccount: Bool { metadata?.promptValues.contains("select_account") ?? false }

    /// - Throws: `noEndpoint`.
    func endpoint(_ endpoint: OAuthEndpoint) throws(LoginFault) -> EndpointURL {
        guard let url = endpoints[endpoint] else { throw .oauth(.noEndpoint(endpoint)) }
        return url
    }

    /// Where a grant of this client is revoked, and how the client proves itself there (RFC 7009, section 2.1). A missing list
    /// means that it is tried: many servers revoke for public clients without saying so.
    /// - Returns: `nil` if there is no endpoint, or its methods rule the client out.
    func revocation(for client: OAuthClient) -> Grant.Revocation? {
        guard let url = endpoints[.revocation] else { return nil }
        guard let listed = metadata?.revocationAuthentication else {
            return Grant.Revocation(endpoint: url.text, authentication: client.authentication)
        }
        let methods = listed.compactMap { ClientAuthentication(registeredName: $0) }
        if methods.contains(client.authentication) {
            return Grant.Revocation(endpoint: url.text, authentication: client.authentication)
        }
        guard client.secret != nil, let other = methods.first(where: { $0 != .none }) else { return nil }
        return Grant.Revocation(endpoint: url.text, authentication: other)
    }
}

extension OAuthProfile {
    /// The client that it names.
    /// - Parameters:
    ///   - asked: what `{secret:LABEL}` stands for, where that is the secret; of a machine, what was asked for.
    ///   - listed: `token_endpoint_auth_methods_supported`.
    /// - Returns: `nil` if one has to be registered.
    func client(asked: Secret?, listed: [String]?) -> OAuthClient? {
        guard let clientID else { return nil }
        let secret: Secret? =
            switch clientSecret {
            case .given(let secret): secret
            case .asked: asked
            case nil: machine != nil && hasClientSecret ? asked : nil
            }
        return OAuthClient(
            id: clientID, secret: secret, authentication: clientAuthentication ?? .usual(among: listed))
    }
}

/// An authorization server on another origin than the service that named it: the tokens that it hands out go to the service.
struct ForeignServer: Equatable, Sendable {
    /// The URL that the login is for.
    let resource: EndpointURL
    /// The origin of the authorization server that is taken: the first that the service names.
    let issuer: Origin
    /// The origins of the others that it names.
    let others: [Origin]
    /// Where the service says so, for the person to judge.
    let evidence: [String]
    /// Whether a client is registered there for this login.
    let registers: Bool
    /// Further servers to which it leads: a code that another one hands out would come to this one, or be typed there.
    var elsewhere: [Origin] = []

    /// The origins that are not the service's own.
    var origins: [Origin] { ([issuer] + elsewhere).filter { $0 != resource.origin } }
}

extension ForeignServer {
    /// Returns what a person has to agree to first (RFC 9728, section 7.6): not where a profile says the issuer, and not where all of
    /// the server is on one origin, which is the service's, or says itself that it makes the logins of the resource.
    static func toAsk(
        about subject: AuthorizationSubject, metadata: ServerMetadata, parse: URLReading, found: ResourceMetadata?
    ) -> ForeignServer? {
        let resource = subject.resource
        let elsewhere = Set(metadata.endpoints.values.map(\.origin)).filter { $0 != metadata.origin }
        let isKnown =
            metadata.origin == resource.origin || metadata.protects(resource.text)
            || (found.map { metadata.protects($0.resource) } ?? false)
        if subject.profile.issuer != nil || isKnown && elsewhere.isEmpty { return nil }
        return ForeignServer(subject, metadata, found, parse, elsewhere: Array(elsewhere))
    }

    /// The same about the page where a code is typed (RFC 8628, section 3.3), which is known only once there is a code.
    static func toAsk(
        about subject: AuthorizationSubject, metadata: ServerMetadata, parse: URLReading, found: ResourceMetadata?,
        page: Origin
    ) -> ForeignServer? {
        if subject.profile.issuer != nil || page == metadata.origin { return nil }
        return ForeignServer(subject, metadata, found, parse, elsewhere: [page])
    }

    private init(
        _ subject: AuthorizationSubject, _ metadata: ServerMetadata, _ found: ResourceMetadata?, _ parse: URLReading,
        elsewhere: [Origin]
    ) {
        self.init(
            resource: subject.resource, issuer: metadata.origin,
            others: (found?.authorizationServers ?? []).dropFirst().compactMap { parse($0)?.origin },
            evidence: found?.evidence ?? [], registers: subject.client(at: metadata) == nil,
            elsewhere: elsewhere.sorted { $0.description < $1.description })
    }
}

/// The subject of one grant: everything known before the first request.
/// Without what a person may say beside the profile.
struct AuthorizationSubject: Sendable {
    /// As the profile says it.
    var profile: OAuthProfile
    /// The profile's `url`: endpoints that are paths are appended to it.
    var base: String
    /// The URL that the login is for: `url` with the path of verify.
    var resource: EndpointURL
    /// The rule for URLs that others name.
    var rule = EndpointRule()
    /// The Bearer challenge of a request without a login, if there was one (RFC 6750, section 3).
    var challenge: AuthenticateChallenge?
    /// Asked for in the place of the profile's scope.
    var scope: String?
    /// The name that the login has to come out as.
    var username: String?
    /// The value of `{secret:LABEL}` in the client's secret.
    var secret: Secret?
    /// The URL of a document that describes authctl as a client, for servers that take one where the profile names no client.
    var clientMetadata: String?
    /// Whether the person wants to choose the account.
    var choosesAccount = false

    /// The client at a server: the profile's, else the one that has a document.
    /// - Returns: `nil` if one has to be registered.
    func client(at metadata: ServerMetadata?) -> OAuthClient? {
        if let client = profile.client(asked: secret, listed: metadata?.tokenAuthentication) { return client }
        guard let clientMetadata, metadata?.readsClientMetadata == true else { return nil }
        return OAuthClient(id: clientMetadata, authentication: .none)
    }
}
