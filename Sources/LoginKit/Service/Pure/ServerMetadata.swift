/// The metadata of an authorization server (RFC 8414; OpenID Connect Discovery 1.0, section 3), read and checked.
struct ServerMetadata: Equatable, Sendable {
    /// In the document's own spelling, with which everything later is compared exactly (RFC 9207, section 2.4).
    let issuer: String
    /// The origin of the issuer, as it is shown: its host is an A-label.
    let origin: Origin
    /// Its endpoints; each https, or as the rule permits.
    let endpoints: [OAuthEndpoint: EndpointURL]
    /// Where a client goes instead that shows its certificate (RFC 8705, section 5); not judged yet, since nobody else goes there.
    let endpointAliases: [OAuthEndpoint: String]
    /// Whether every response names its issuer (RFC 9207, section 3).
    let promisesIssuer: Bool
    /// The client authentications of the token endpoint; `nil` if it does not say.
    let tokenAuthentication: [String]?
    /// The client authentications of the revocation endpoint; `nil` if it does not say.
    let revocationAuthentication: [String]?
    /// The resources whose logins it makes (RFC 9728, section 4).
    let protectedResources: [String]
    /// The supported values of `prompt` (OpenID Connect's Initiating User Registration, section 4).
    let promptValues: [String]
    /// The scopes that it lists.
    let scopes: [String]
    /// Whether a client may be known by the URL of a document (draft-ietf-oauth-client-id-metadata-document).
    let readsClientMetadata: Bool

    /// Reads a document.
    /// - Parameters:
    ///   - expected: the issuer, as it was named; one slash at the end may differ (RFC 8414, section 3.3).
    ///   - source: where the document was fetched.
    /// - Returns: `nil` if it is no JSON object, or names no issuer.
    /// - Throws: `otherIssuer` for another issuer; else what is unsafe or missing.
    static func read(
        _ response: HTTPResponse, of expected: String, from source: Origin, rule: EndpointRule, parse: URLReading
    ) throws(MetadataFault) -> ServerMetadata? {
        let body = OAuthBody(response)
        guard let issuer = body.text("issuer") else { return nil }
        guard isSame(issuer, expected) else { throw .otherIssuer(expected: expected, found: [issuer]) }
        guard let origin = parse(issuer)?.origin else { throw .unsafeIssuer(issuer) }
        if let methods = body.texts("code_challenge_methods_supported"), !methods.contains("S256") {
            let names = methods.filter { !$0.isEmpty }
            throw .other(
                "the authorization server does not support PKCE with S256; it lists "
                    + (names.isEmpty ? "none" : SafeText.list(names)), next: "\(OAuthFault.advice)")
        }
        var endpoints: [OAuthEndpoint: EndpointURL] = [:]
        for endpoint in OAuthEndpoint.allCases {
            guard let text = body.text(endpoint.member) else { continue }
            endpoints[endpoint] = try url(text, of: endpoint, namedBy: source, rule: rule, parse: parse)
        }
        return ServerMetadata(body, issuer: issuer, origin, endpoints)
    }

    /// - Throws: `unsafeEndpoint`, or for a query that authctl needs itself.
    static func url(
        _ text: String, of endpoint: OAuthEndpoint, namedBy source: Origin, rule: EndpointRule, parse: URLReading
    ) throws(MetadataFault) -> EndpointURL {
        guard let url = parse(text), rule.permits(url, namedBy: source) else {
            throw .unsafeEndpoint(endpoint, url: text)
        }
        // RFC 6749, section 3.1.
        guard !url.hasReservedQuery else {
            throw .other(
                "the \(endpoint.rawValue) endpoint has a parameter that authctl sends itself, or one with an encoded name: "
                    + SafeText.quoted(url: url.text), next: "\(OAuthFault.advice)")
        }
        return url
    }

    private init(_ body: OAuthBody, issuer: String, _ origin: Origin, _ endpoints: [OAuthEndpoint: EndpointURL]) {
        self.issuer = issuer
        self.origin = origin
        self.endpoints = endpoints
        var aliases: [OAuthEndpoint: String] = [:]
        if case .object(let members)? = body.members?["mtls_endpoint_aliases"] {
            for endpoint in OAuthEndpoint.allCases {
                if case .string(let text)? = members[endpoint.member] { aliases[endpoint] = text }
            }
        }
        endpointAliases = aliases
        promisesIssuer = body.flag("authorization_response_iss_parameter_supported")
        tokenAuthentication = body.texts("token_endpoint_auth_methods_supported")
        revocationAuthentication = body.texts("revocation_endpoint_auth_methods_supported")
        protectedResources = body.texts("protected_resources") ?? []
        promptValues = body.texts("prompt_values_supported") ?? []
        scopes = body.texts("scopes_supported") ?? []
        readsClientMetadata = body.flag("client_id_metadata_document_supported")
    }

    /// One slash at the end may differ, and nothing else.
    static func isSame(_ issuer: String, _ other: String) -> Bool {
        issuer.isSame(as: other) || issuer.isSame(as: other + "/") || (issuer + "/").isSame(as: other)
    }

    /// Where an issuer's metadata can be, in the order in which they are tried: RFC 8414, section 3.1, then OpenID Connect
    /// Discovery 1.0, section 4.
    static func places(for issuer: EndpointURL) -> [EndpointURL] {
        let path = issuer.pathWithoutSlash
        let inserted = ["oauth-authorization-server", "openid-configuration"].map { "/.well-known/\($0)\(path)" }
        let appended = path.isEmpty ? [] : ["\(path)/.well-known/openid-configuration"]
        return (inserted + appended).map { issuer.at($0) }
    }
}

extension ServerMetadata {
    /// Whether it says itself that it makes the logins of this resource (RFC 9728, section 4).
    func protects(_ resource: String) -> Bool {
        protectedResources.contains { Self.isSame($0, resource) }
    }
}

/// Looks for the metadata of one issuer at one place after the other. What is not there, is no JSON, or is another issuer's is
/// passed over: single-page applications answer any path with HTML.
struct ServerMetadataSearch: Equatable, Sendable {
    private let issuer: String
    private let rule: EndpointRule
    private let places: [EndpointURL]
    private var tried: [EndpointURL] = []
    private var others: [String] = []
    private var sawUnreadable = false

    /// - Throws: `unsafeIssuer` for one that is no URL, has a query, or is not permitted; `disguisedURL` for one whose host is written
    ///   otherwise than it is sent.
    /// - Parameter document: where the service names it; `nil` if the profile does.
    init(
        issuer: String, namedBy document: Origin? = nil, rule: EndpointRule, parse: URLReading
    ) throws(MetadataFault) {
        guard let url = parse(issuer), url.query == nil, !issuer.contains("#"), rule.permits(url, namedBy: document)
        else {
            throw .unsafeIssuer(issuer)
        }
        guard url.isSpelledPlainly(in: issuer) else { throw .disguisedURL(issuer, origin: url.origin) }
        self.issuer = issuer
        self.rule = rule
        places = ServerMetadata.places(for: url)
    }

    /// The next URL to try; `nil` once all were tried.
    var next: EndpointURL? { tried.count < places.count ? places[tried.count] : nil }

    /// Takes the response from `next`.
    /// - Returns: `nil` if the search goes on.
    /// - Throws: `busy` where the server cannot say now, `metadata` for what is found and must not be gone by, and for the end of
    ///   a search that found nothing.
    mutating func take(_ response: HTTPResponse, parse: URLReading) throws(LoginFault) -> ServerMetadata? {
        guard let place = next else { throw .oauth(.metadata(fault)) }
        tried.append(place)
        if let busy = OAuthBody(response).busy { throw .busy(busy) }
        if (200..<300).contains(response.status), let found = try read(response, from: place, parse) { return found }
        if next == nil { throw .oauth(.metadata(fault)) }
        return nil
    }

    private mutating func read(
        _ response: HTTPResponse, from place: EndpointURL, _ parse: URLReading
    ) throws(LoginFault) -> ServerMetadata? {
        do {
            let found = try ServerMetadata.read(response, of: issuer, from: place.origin, rule: rule, parse: parse)
            sawUnreadable = sawUnreadable || found == nil
            return found
        } catch .otherIssuer(_, let found) {
            others += found
            return nil
        } catch {
            throw .oauth(.metadata(error))
        }
    }

    private var fault: MetadataFault {
        if others.isEmpty, !sawUnreadable { return .notFound(tried: tried.map(\.text)) }
        return .otherIssuer(expected: issuer, found: others)
    }
}

/// The metadata of a protected resource (RFC 9728), read and checked.
struct ResourceMetadata: Equatable, Sendable {
    /// In the document's own spelling: it is sent as `resource` (RFC 8707).
    let resource: String
    /// The issuers that make its logins, in its order; the first is taken.
    let authorizationServers: [String]
    /// The scopes that it lists; `nil` if it lists none.
    let scopes: [String]?
    /// Where it was found, and what led there.
    let evidence: [String]

    /// The authorization server that is taken.
    var issuer: String? { authorizationServers.first }

    /// Reads a document about the URL that the login is for.
    /// - Returns: `nil` if it is no JSON object, or names no resource.
    /// - Throws: unless `resource` is the URL, or a parent of it at a segment's edge (RFC 9728, section 3.3);
    ///   `disguisedURL` where it is, but is written in another way.
    static func read(
        _ response: HTTPResponse, about url: EndpointURL, evidence: [String], parse: URLReading
    ) throws(MetadataFault) -> ResourceMetadata? {
        let body = OAuthBody(response)
        guard let resource = body.text("resource") else { return nil }
        guard let parsed = parse(resource), parsed.covers(url), !resource.contains("#") else {
            throw .other(
                "the metadata describes \(SafeText.quoted(url: resource)), not \(SafeText.quoted(url: url.text))",
                next: ResourceMetadataSearch.advice)
        }
        guard parsed.isSpelledPlainly(in: resource) else { throw .disguisedURL(resource, origin: parsed.origin) }
        return ResourceMetadata(
            resource: resource, authorizationServers: body.texts("authorization_servers") ?? [],
            scopes: body.texts("scopes_supported"), evidence: evidence)
    }

    /// The scope where no profile says it: that of the challenge (RFC 6750, section 3), else what the resource
    /// lists, else `openid` where the server has it, without which some refuse; and `offline_access` where the server has it, so that
    /// there is a refresh token. What cannot be a scope is left out, and so is a challenge's in single quotes, which are none.
    static func usualScope(
        challenge: AuthenticateChallenge?, resource: ResourceMetadata?, server: ServerMetadata?
    ) -> String? {
        let listed = resource?.scopes ?? []
        let scope =
            challenge?.parameters["scope"].flatMap { $0.isEmpty || $0.hasPrefix("'") ? nil : $0 }
            ?? listed.joined(separator: " ")
        var names = scope.split(separator: " ").map(String.init).filter(\.isScopeToken)
        if names.isEmpty, server?.scopes.contains("openid") == true { names = ["openid"] }
        if server?.scopes.contains("offline_access") == true, !names.contains("offline_access") {
            names.append("offline_access")
        }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }
}

extension EndpointURL {
    /// Whether this is the other URL, or a parent of it at a segment's edge, on the same origin.
    fileprivate func covers(_ other: EndpointURL) -> Bool {
        guard origin == other.origin else { return false }
        if query != nil { return path == other.path && query == other.query }
        let parent = pathWithoutSlash
        return other.path == path || other.path == parent || other.path.hasPrefix(parent + "/")
    }
}

/// Looks for the metadata of one resource (RFC 9728, section 3): where the challenge of its 401 says, else at the well-known path
/// with that of the resource behind it, else without.
struct ResourceMetadataSearch: Equatable, Sendable {
    private let url: EndpointURL
    private let isNamed: Bool
    /// The reason for ignoring a challenge that names a place twice (RFC 9110, section 11.2), or none that is a URL; told if no other
    /// place says more.
    let doubt: MetadataFault?
    fileprivate static let advice: Advice = "name the issuer in the profile's oauth, if you know it"
    private var places: [EndpointURL]
    private var nextIndex = 0

    /// - Parameter challenge: that of Bearer, if there is one (RFC 9728, section 5.1).
    /// - Throws: where the challenge leads to another origin.
    init(
        for url: EndpointURL, challenge: AuthenticateChallenge?, parse: URLReading
    ) throws(MetadataFault) {
        self.url = url
        let name = "resource_metadata"
        let named = challenge?.parameters[name].flatMap { $0.isEmpty ? nil : $0 }, place = named.flatMap(parse)
        let isRepeated = challenge?.repeated.contains(name) == true
        let problem: String? =
            isRepeated
            ? "has \(SafeText.quoted(name)) twice, so it is not clear which one holds"
            : place == nil
                ? named.map { "gives no usable URL for its metadata: \(SafeText.quoted(url: $0))" } : nil
        doubt = problem.map { .other("the service's challenge \($0)", next: Self.advice) }
        if doubt == nil, let named, let place {
            guard place.origin == url.origin else {
                throw .other(
                    "the service points to metadata on another origin: \(SafeText.quoted(url: named))",
                    next: Self.advice)
            }
            (places, isNamed) = ([place], true)
            return
        }
        isNamed = false
        let root = "/.well-known/oauth-protected-resource"
        let path = url.path == "/" ? "" : url.path
        places = [EndpointURL(origin: url.origin, path: root + path, query: url.query)]
        if places[0].target != root { places.append(url.at(root)) }
    }

    /// The next URL to try; `nil` once all were tried.
    var next: EndpointURL? { nextIndex < places.count ? places[nextIndex] : nil }

    /// Takes the response from `next`.
    /// - Returns: `nil` if the search goes on, or has ended without a find.
    /// - Throws: `busy` where the server cannot say now, `oauth` for metadata of another resource.
    mutating func take(_ response: HTTPResponse, parse: URLReading) throws(LoginFault) -> ResourceMetadata? {
        guard let place = next else { return nil }
        nextIndex += 1
        if let busy = OAuthBody(response).busy { throw .busy(busy) }
        guard (200..<300).contains(response.status) else { return nil }
        do {
            let evidence = (isNamed ? ["WWW-Authenticate of the 401"] : []) + [place.text]
            return try ResourceMetadata.read(response, about: url, evidence: evidence, parse: parse)
        } catch {
            throw .oauth(.metadata(error))
        }
    }
}
