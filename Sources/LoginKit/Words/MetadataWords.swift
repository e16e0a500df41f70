import LoginCore

extension MetadataFault {
    /// Says what is wrong with the metadata, and what to do. URLs are shown in ASCII alone.
    var message: Message {
        switch self {
        case .notFound(let tried):
            Message(
                "the authorization server has no metadata", details: tried.map { "not found: \(SafeText.escaped($0))" },
                next: "name its endpoints in the profile's oauth")
        case .otherIssuer(let expected, let found):
            Message(
                found.isEmpty
                    ? "no metadata of \(SafeText.quoted(url: expected)) could be read"
                    : "the metadata belongs to another issuer than \(SafeText.quoted(url: expected))",
                details: found.map { "found: \(SafeText.quoted(url: $0))" },
                next: "check issuer in the profile's oauth")
        case .unsafeEndpoint(let endpoint, let url):
            Message(
                "the \(endpoint.rawValue) endpoint is not an https URL: \(SafeText.quoted(url: url))",
                next: "check the endpoints in the profile's oauth, or tell the server's administrator")
        case .reservedQuery(let endpoint, let url):
            Message(
                "the \(endpoint.rawValue) endpoint has a parameter that authctl sends itself, or one with an encoded name: \(SafeText.quoted(url: url))",
                next: OAuthFault.advice)
        case .unsafeIssuer(let issuer):
            Message(
                "the issuer must be an https URL without a query: \(SafeText.quoted(url: issuer))",
                next: "check issuer in the profile's oauth")
        case .disguisedURL(let url, let origin):
            Message(
                "the server's URL \(SafeText.quoted(url: url)) is written in a misleading way, and leads to \(origin); it was not asked",
                next: "if you trust \(origin), name it as the issuer in the profile's oauth")
        case .noS256(let methods):
            Message(
                "the authorization server does not support PKCE with S256; it lists \(listed(methods))",
                next: OAuthFault.advice)
        case .otherResource(let expected, let found):
            Message(
                "the metadata describes \(SafeText.quoted(url: found)), not \(SafeText.quoted(url: expected))",
                next: "name the issuer in the profile's oauth, if you know it")
        case .elsewhere(let url):
            Message(
                "the service points to metadata on another origin: \(SafeText.quoted(url: url))",
                next: "name the issuer in the profile's oauth, if you know it")
        case .noPlace(let text):
            Message(
                "the service's challenge gives no usable URL for its metadata: \(SafeText.quoted(url: text))",
                next: "name the issuer in the profile's oauth, if you know it")
        case .repeatedParameter(let name):
            Message(
                "the service's challenge has \(SafeText.quoted(name)) twice, so it is not clear which one holds",
                next: "name the issuer in the profile's oauth, if you know it")
        case .serverElsewhere(let resource, let origins):
            Message(
                "the login to \(SafeText.escaped(resource)) leads to \(SafeText.list(origins.map(\.description))), which no profile names",
                next: "agree to that at a terminal, or put the issuer in a profile")
        }
    }

    private func listed(_ methods: [String]) -> String {
        let names = methods.filter { !$0.isEmpty }
        return names.isEmpty ? "none" : SafeText.list(names)
    }
}
