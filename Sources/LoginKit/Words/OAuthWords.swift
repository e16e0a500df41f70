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
        case .noServer:
            return Message(
                "neither the profile nor the service names an authorization server",
                next: "put the issuer in the profile's oauth; see authctl-config(5)")
        case .noEndpoint(let endpoint):
            return Message(
                "neither the profile nor the server's metadata names the \(endpoint.rawValue) endpoint",
                next: "put \(endpoint.rawValue)-endpoint in the profile's oauth, if the server has one")
        case .metadata(let fault):
            return fault.message(topic)
        case .identityToken(let fault):
            return Message(
                "the id_token cannot be used: \(fault.rawValue)",
                next: "check client-id and the username of verify; see 'id-token' in authctl-config(5)")
        case .otherSubject(let was, let now, let isRevoked):
            return .otherSubject(was, now, isRevoked, topic)
        case .unusableResponse(let step, let problem):
            return Message(
                "\(step.rawValue): the server's response cannot be used: \(problem)", next: Self.advice)
        case .other(_, let what, let details, let next):
            return Message(what, details: details, next: next.text(topic))
        }
    }
}

extension OAuthFault {
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
    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .other(let what, let next): Message(what, next: next.text(topic))
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
        case .unsafeIssuer(let issuer):
            Message(
                "the issuer must be an https URL without a query: \(SafeText.quoted(url: issuer))",
                next: "check issuer in the profile's oauth")
        case .disguisedURL(let url, let origin):
            Message(
                "the server's URL \(SafeText.quoted(url: url)) is written in a misleading way, and leads to \(origin); it was not asked",
                next: "if you trust \(origin), name it as the issuer in the profile's oauth")
        case .serverElsewhere(let resource, let origins):
            Message(
                "the login to \(SafeText.escaped(resource)) leads to \(SafeText.list(origins.map(\.description))), which no profile names",
                next: "agree to that at a terminal, or put the issuer in a profile")
        }
    }
}
