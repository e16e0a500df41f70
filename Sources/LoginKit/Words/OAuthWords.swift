extension OAuthFault {
    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .refused(let refusal):
            return refusal.message(topic)
        case .unanswered(let seconds, let redirect, let clientID):
            return Message(
                "no answer came back from the browser within \(seconds) seconds",
                details: redirect.map { [Self.hint(redirect: $0, clientID: clientID)] } ?? [],
                next: "start again: \(topic.loginCommand)")
        case .codeExpired(let seconds):
            return Message("the code expired after \(seconds) seconds", next: "start again: \(topic.loginCommand)")
        case .tooManyForgeries(let limit):
            return Message(
                "more than \(limit) responses arrived that do not belong to this login, so it was given up",
                next: "find out which program sends them, then: \(topic.loginCommand)")
        case .portTaken(let port):
            return Message(
                "port \(port) is in use here, so the browser's answer cannot arrive",
                next: "end the program that uses it, or at a terminal: \(topic.loginCommand)")
        case .noClient:
            return Message(
                "the profile has no client-id, and the authorization server registers none",
                details: [
                    "register authctl at the server, and write its ID into the profile's oauth: client-id = \"ID\"",
                    "or publish a client ID metadata document, if the server reads them, and write at the top of config.toml: client-metadata = \"https://…\"",
                    "or, if the server registers clients without saying where: registration-endpoint = \"URL\"",
                ],
                next: "the document is printed by: authctl profile client-metadata URL")
        case .clientMetadata(let url, let fault):
            return fault.message(url)
        case .noServer:
            return Message(
                "neither the profile nor the service names an authorization server",
                next: "put the issuer in the profile's oauth; see authctl-config(5)")
        case .noEndpoint(let endpoint):
            return Message(
                "neither the profile nor the server's metadata names the \(endpoint.rawValue) endpoint",
                next: "put \(endpoint.rawValue)-endpoint in the profile's oauth, if the server has one")
        case .metadata(let fault):
            return fault.message
        case .unusableURL(let scheme):
            let name = scheme.map { SafeText.quoted($0) } ?? "unknown"
            return Message(
                "the server sent a URL to open that is not safe (scheme: \(name)); it is not shown", next: Self.advice)
        case .twoPages(let one, let other):
            return Message(
                "the server names two sites for one code, \(one) and \(other); the code is not shown", next: Self.advice
            )
        case .identityToken(let fault):
            return Message(
                "the id_token cannot be used: \(fault.rawValue)",
                next: "check client-id and the username of verify; see 'id-token' in authctl-config(5)")
        case .otherSubject(let was, let now, let isRevoked):
            return .otherSubject(was, now, isRevoked, topic)
        case .unusableResponse(let step, let problem):
            return Message(
                "\(step.rawValue): the server's response cannot be used: \(problem.words)", next: Self.advice)
        }
    }
}

extension OAuthFault {
    static let advice = "the server's administrator has to fix it"

    /// A hint for a browser that shows an error, so that no response comes back.
    static func hint(redirect: String, clientID: String?) -> String {
        let client = clientID.map { "for the client \(SafeText.name($0))" } ?? "for its client"
        return "if the browser shows an error: \(SafeText.escaped(redirect)) has to be registered \(client)"
    }
}

extension Message {
    fileprivate static func otherSubject(
        _ was: String, _ now: String, _ isRevoked: Bool, _ topic: ErrorContext
    ) -> Message {
        Message(
            "the authorization server refreshed the login of \(SafeText.quoted(was, limit: 64)) for \(SafeText.quoted(now, limit: 64)), so this login was ended",
            details: [
                isRevoked
                    ? "the new tokens were revoked and are not used"
                    : "the new tokens are not used; they could not be revoked, and may live on at the server"
            ],
            next: "log in again: \(topic.loginCommand)")
    }
}

extension ClientMetadataFault {
    fileprivate func message(_ url: String) -> Message {
        let problem =
            switch self {
            case .status(let status): "was answered with \(status)"
            case .notJSON: "is no JSON object"
            case .otherClient(let id?): "describes the client \(SafeText.quoted(id, limit: 100))"
            case .otherClient(nil): "has no client_id"
            case .noRedirectHere([]): "has no redirect_uris"
            case .noRedirectHere(let redirects):
                "leads to other machines only: \(redirects.prefix(3).map { SafeText.quoted($0, limit: 100) }.joined(separator: ", "))"
            }
        return Message(
            "the client's document \(SafeText.escaped(url)) \(problem)",
            next: "compare it with what this prints: authctl profile client-metadata URL")
    }
}

extension OAuthRefusal {
    fileprivate func message(_ topic: ErrorContext) -> Message {
        let said = SafeText.said(words)
        switch code {
        case .accessDenied?:
            return Message("access was denied\(said)", next: "start again: \(topic.loginCommand)")
        case .expiredToken?:
            return Message("the code has expired", next: "start again: \(topic.loginCommand)")
        case let code?:
            return Message(
                "\(step.rawValue): the server answered \(code.rawValue)\(said)",
                next: code.advice ?? "start again: \(topic.loginCommand)")
        case nil:
            let status = status.map { " (status \($0))" } ?? ""
            return Message(
                "\(step.rawValue): the server refused the request\(status)\(said)",
                next: "start again: \(topic.loginCommand)")
        }
    }
}

extension OAuthErrorCode {
    /// Advice; `nil` if only another try can help.
    fileprivate var advice: String? {
        switch self {
        case .invalidClient, .unauthorizedClient:
            "check client-id, client-secret and client-auth in the profile's oauth"
        case .invalidScope: "check the scope that was typed, or scope in the profile's oauth"
        case .invalidTarget: "check resource and audience in the profile's oauth"
        case .unsupportedGrantType, .unsupportedResponseType: "check grant or flow in the profile's oauth"
        case .invalidRequest, .invalidRedirectURI: "check redirect and parameters in the profile's oauth"
        case .serverError, .temporarilyUnavailable, .slowDown: "try again later"
        case .invalidGrant, .accessDenied, .authorizationPending, .expiredToken, .unsupportedTokenType,
            .invalidClientMetadata, .invalidSoftwareStatement, .unapprovedSoftwareStatement, .interactionRequired,
            .loginRequired, .accountSelectionRequired, .consentRequired, .invalidRequestURI, .invalidRequestObject,
            .requestNotSupported, .requestURINotSupported, .registrationNotSupported:
            nil
        }
    }
}

extension OAuthFault.Problem {
    fileprivate var words: String {
        switch self {
        case .notJSON: "it is not JSON"
        case .doubtfulJSON(let fault): fault.rawValue
        case .formEncoded: "it is form-encoded, not JSON"
        case .missing(let member): "it has no \(member)"
        case .tokenType(let type): "the token is of type \(SafeText.quoted(type)); only Bearer is supported"
        case .clientAuthentication(let method): "the client should prove itself by \(SafeText.quoted(method))"
        case .unsafeText(let member): "its \(member) contains characters that it must not have, or is too long"
        }
    }
}

extension Origin {
    /// Says that the server is not asked, although a service or its authorization server has named it.
    var localServer: Message {
        Message(
            "the service or its authorization server names \(self), which is on this machine or in its network; nothing was sent",
            next: "if that is right, put the issuer or the endpoint in the profile's oauth; see authctl-config(5)")
    }
}

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
