import Secrets

/// The way to what services and servers say of themselves: every request goes out as it is, to the origin of its URL.
protocol MetadataTransport {
    /// Sends one request and reads its whole response, in bounded time and memory.
    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse

    /// The program's only URL parser; as `URLReading` has it.
    func read(_ url: String) -> EndpointURL?
}

extension MetadataTransport {
    /// Asks for a document in JSON.
    func get(_ url: String) throws(LoginFault) -> HTTPResponse {
        let accept = HTTPRequestField(name: "Accept", value: Secret("application/json"))
        return try send(HTTPRequest(method: "GET", url: url, headers: [accept]))
    }

    /// The document at a place, be it after two redirects on its origin; else the response to the first request. Many services lead
    /// every path that they do not know to their login.
    fileprivate func document(at place: EndpointURL) throws(LoginFault) -> HTTPResponse {
        let first = try get(place.text)
        var response = first
        for _ in 0..<2 {
            guard (300..<400).contains(response.status), let redirect = response.redirect, redirect.fault == nil,
                redirect.origin == place.origin, !redirect.target.speaksOfLogin
            else { break }
            response = try get(redirect.url)
        }
        return (200..<300).contains(response.status) && !OAuthBody(response).isPage ? response : first
    }
}

/// The way to an authorization server.
protocol AuthorizationTransport: MetadataTransport {
    /// So many random bytes, never the same again.
    func random(_ count: Int) throws(LoginFault) -> Secret

    /// The digest's bytes.
    func digest(_ hash: DigestAlgorithm.Hash, of secret: Secret) throws(LoginFault) -> Secret
}

/// Finds the authorization server of one login: by the profile, else by the service's own metadata (RFC 9728), then by the server's
/// (RFC 8414). Only GET requests, without credentials.
struct ServerDiscovery {
    let subject: AuthorizationSubject
    let transport: any MetadataTransport

    /// The servers that were found.
    struct Found {
        let server: AuthorizationServer
        /// `nil` where the profile says enough by itself.
        let resource: ResourceMetadata?
        let toAsk: ForeignServer?
    }

    func find() throws(LoginFault) -> Found {
        let profile = subject.profile
        if profile.needsNoMetadata { return try found(nil, nil) }
        let resource = profile.issuer == nil ? try findResource() : nil
        guard let issuer = profile.issuer ?? resource?.issuer else {
            return try found(try findOwnServer(resource), resource)
        }
        return try found(
            try findServer(issuer, namedBy: profile.issuer == nil ? subject.resource.origin : nil), resource)
    }

    /// A service that says nothing of itself may be its own authorization server.
    private func findOwnServer(_ resource: ResourceMetadata?) throws(LoginFault) -> ServerMetadata {
        guard resource == nil else { throw .oauth(.noServer) }
        do {
            return try findServer(subject.resource.origin.description)
        } catch .oauth(.metadata(.notFound)), .oauth(.metadata(.otherIssuer)) {
            throw .oauth(.noServer)
        }
    }

    private func found(
        _ metadata: ServerMetadata?, _ resource: ResourceMetadata?
    ) throws(LoginFault) -> Found {
        let server = try withMetadata { () throws(MetadataFault) in
            try AuthorizationServer(
                subject.profile, base: subject.base, metadata: metadata, rule: subject.rule, parse: transport.read)
        }
        let toAsk = metadata.flatMap {
            ForeignServer.toAsk(about: subject, metadata: $0, parse: transport.read, found: resource)
        }
        return Found(server: server, resource: resource, toAsk: toAsk)
    }

    private func findResource() throws(LoginFault) -> ResourceMetadata? {
        var search = try withMetadata { () throws(MetadataFault) in
            try ResourceMetadataSearch(for: subject.resource, challenge: subject.challenge, parse: transport.read)
        }
        while let place = search.next {
            if let found = try search.take(try transport.document(at: place), parse: transport.read) { return found }
        }
        if let doubt = search.doubt { throw .oauth(.metadata(doubt)) }
        return nil
    }

    private func findServer(_ issuer: String, namedBy service: Origin? = nil) throws(LoginFault) -> ServerMetadata {
        var search = try withMetadata { () throws(MetadataFault) in
            try ServerMetadataSearch(issuer: issuer, namedBy: service, rule: subject.rule, parse: transport.read)
        }
        while let place = search.next {
            if let found = try search.take(try transport.document(at: place), parse: transport.read) { return found }
        }
        throw .oauth(.noServer)
    }

    private func withMetadata<Result>(_ body: () throws(MetadataFault) -> Result) throws(LoginFault) -> Result {
        do {
            return try body()
        } catch {
            throw .oauth(.metadata(error))
        }
    }
}
