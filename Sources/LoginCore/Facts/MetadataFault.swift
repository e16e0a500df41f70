/// Metadata of a service or an authorization server that is refused.
package enum MetadataFault: Error, Equatable, Sendable {
    /// There is nothing at any of the well-known places (RFC 8414, section 3).
    case notFound(tried: [String])
    /// All that was found is of others; `found` is empty where none of it could be read (RFC 8414, section 3.3).
    case otherIssuer(expected: String, found: [String])
    /// It is no https URL, and no other that is allowed.
    case unsafeEndpoint(OAuthEndpoint, url: String)
    /// An issuer that is no https URL, or has a query (RFC 8414, section 2).
    case unsafeIssuer(String)
    /// A URL that is compared or sent as it is written, and whose host is written otherwise than the one that it leads to.
    case disguisedURL(String, origin: Origin)
    /// The query of an endpoint has a parameter that authctl sends itself, or hides its name by an encoding (RFC 6749, section 3.1).
    case reservedQuery(OAuthEndpoint, url: String)
    /// It lists methods of PKCE, and not S256 (RFC 7636, section 4.2).
    case noS256(methods: [String])
    /// It is of another resource (RFC 9728, section 3.3).
    case otherResource(expected: String, found: String)
    /// The challenge leads to metadata of another origin (RFC 9728, section 3.1).
    case elsewhere(url: String)
    /// `resource_metadata` in the challenge is not a URL.
    case noPlace(String)
    /// The challenge has a parameter twice (RFC 9110, section 11.2).
    case repeatedParameter(String)
    /// The login leads to other origins that no profile names, and no person can be asked.
    case serverElsewhere(resource: String, origins: [Origin])

    /// The exit code.
    package var exitCode: ExitCode {
        switch self {
        case .notFound: .failure
        case .otherIssuer, .unsafeEndpoint, .unsafeIssuer, .disguisedURL, .reservedQuery, .noS256, .otherResource,
            .elsewhere,
            .noPlace, .repeatedParameter, .serverElsewhere:
            .untrusted
        }
    }
}
