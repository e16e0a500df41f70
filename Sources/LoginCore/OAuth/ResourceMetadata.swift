/// The metadata of a protected resource (RFC 9728), read and checked.
package struct ResourceMetadata: Equatable, Sendable {
    /// In the document's own spelling: it is sent as `resource` (RFC 8707).
    package let resource: String
    /// The issuers that make its logins, in its order; the first is taken.
    package let authorizationServers: [String]
    /// The scopes that it lists; `nil` if it lists none.
    package let scopes: [String]?
    /// Where it was found, and what led there.
    package let evidence: [String]

    /// The authorization server that is taken.
    package var issuer: String? { authorizationServers.first }

    /// Reads a document about the URL that the login is for.
    /// - Returns: `nil` if it is no JSON object, or names no resource.
    /// - Throws: `otherResource` unless `resource` is the URL, or a parent of it at a segment's edge (RFC 9728, section 3.3);
    ///   `disguisedURL` where it is, but is written in another way.
    package static func read(
        _ response: HTTPResponse, about url: EndpointURL, evidence: [String], parse: URLReading
    ) throws(MetadataFault) -> ResourceMetadata? {
        let body = OAuthBody(response)
        guard let resource = body.text("resource") else { return nil }
        guard let parsed = parse(resource), parsed.covers(url), !resource.contains("#") else {
            throw .otherResource(expected: url.text, found: resource)
        }
        guard parsed.isSpelledPlainly(in: resource) else { throw .disguisedURL(resource, origin: parsed.origin) }
        return ResourceMetadata(
            resource: resource, authorizationServers: body.texts("authorization_servers") ?? [],
            scopes: body.texts("scopes_supported"), evidence: evidence)
    }

    /// The scope where no profile says it: that of the challenge (RFC 6750, section 3), else what the resource
    /// lists, else `openid` where the server has it, without which some refuse; and `offline_access` where the server has it, so that
    /// there is a refresh token. What cannot be a scope is left out.
    package static func usualScope(
        challenge: AuthenticateChallenge?, resource: ResourceMetadata?, server: ServerMetadata?
    ) -> String? {
        let listed = resource?.scopes ?? []
        let scope = challenge?.parameters["scope"].flatMap { $0.isEmpty ? nil : $0 } ?? listed.joined(separator: " ")
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
package struct ResourceMetadataSearch: Equatable, Sendable {
    private let url: EndpointURL
    private let isNamed: Bool
    /// Why the challenge was not followed, if it names a place twice (RFC 9110, section 11.2): told where no other place says more.
    package let doubt: MetadataFault?
    private var places: [EndpointURL]
    private var nextIndex = 0

    /// - Parameter challenge: that of Bearer, if there is one (RFC 9728, section 5.1).
    /// - Throws: `elsewhere` where the challenge leads to another origin, `noPlace` where it does not name a URL.
    package init(
        for url: EndpointURL, challenge: AuthenticateChallenge?, parse: URLReading
    ) throws(MetadataFault) {
        self.url = url
        let name = "resource_metadata"
        doubt = challenge?.repeated.contains(name) == true ? .repeatedParameter(name) : nil
        if doubt == nil, let named = challenge?.parameters[name], !named.isEmpty {
            guard let place = parse(named) else { throw .noPlace(named) }
            guard place.origin == url.origin else { throw .elsewhere(url: named) }
            (places, isNamed) = ([place], true)
            return
        }
        isNamed = false
        let root = "/.well-known/oauth-protected-resource"
        let path = url.path == "/" ? "" : url.path
        places = [EndpointURL(origin: url.origin, path: root + path, query: url.query)]
        if places[0].target != root { places.append(url.at(root)) }
    }

    /// Where to look next; `nil` once all were tried.
    package var next: EndpointURL? { nextIndex < places.count ? places[nextIndex] : nil }

    /// Takes the response from `next`.
    /// - Returns: `nil` if the search goes on, or has ended without a find.
    /// - Throws: `busy` where the server cannot say now, `otherResource`.
    package mutating func take(_ response: HTTPResponse, parse: URLReading) throws(LoginFault) -> ResourceMetadata? {
        guard let place = next else { return nil }
        nextIndex += 1
        if let busy = OAuthBody(response).busy { throw .busy(busy) }
        guard (200..<300).contains(response.status) else { return nil }
        do throws(MetadataFault) {
            let evidence = (isNamed ? ["WWW-Authenticate of the 401"] : []) + [place.text]
            return try ResourceMetadata.read(response, about: url, evidence: evidence, parse: parse)
        } catch {
            throw .oauth(.metadata(error))
        }
    }
}
