/// A request or response of a grant.
package enum OAuthStep: String, Equatable, Sendable, CaseIterable {
    case registration
    case pushedAuthorization = "pushed authorization request"
    case authorization
    case deviceAuthorization = "device authorization"
    case token
    case refresh
    case revocation
}

/// A refusal by an authorization server (RFC 6749, sections 4.1.2.1 and 5.2), or by a status alone.
package struct OAuthRefusal: Error, Equatable, Sendable {
    /// `nil` where the server names none, or one of its own.
    let code: OAuthErrorCode?
    /// The request that was refused.
    let step: OAuthStep
    /// `nil` for a response that came through the browser.
    let status: Int?
    /// `error_description`, unescaped; `nil` if it is not known whose words they are.
    let words: String?

    /// - Parameter words: unescaped, as the server sent them.
    init(_ code: OAuthErrorCode?, at step: OAuthStep, status: Int? = nil, words: String? = nil) {
        self.code = code
        self.step = step
        self.status = status
        self.words = words
    }
}

/// A fault of an authorization server, its metadata or responses, or of the profile's `oauth` table.
package enum OAuthFault: Error, Equatable, Sendable {
    case refused(OAuthRefusal)
    /// No response came back in so many seconds. A server that knows the redirect or the client not keeps the browser (RFC 6749,
    /// section 4.1.2.1), so both are named.
    case unanswered(seconds: Int, redirect: String?, clientID: String?)
    /// The device code ran out after so many seconds (RFC 8628, section 3.5).
    case codeExpired(seconds: Int)
    /// Neither the profile nor the service names an authorization server.
    case noServer
    /// Neither the profile nor the metadata has it.
    case noEndpoint(OAuthEndpoint)
    case metadata(MetadataFault)
    /// The id_token that is needed for the name does not fit (OpenID Connect Core 1.0, section 3.1.3.7).
    case identityToken(IdentityTokenFault)
    /// A refreshed id_token is about another person (OpenID Connect Core 1.0, section 12.2). What came is not used, and the login
    /// has ended; `isRevoked` says whether the server ended it, too.
    case otherSubject(was: String, now: String, isRevoked: Bool)
    /// A response that is no refusal, with what is wrong with it, in words.
    case unusableResponse(OAuthStep, String)
    /// In words, since no caller matches it.
    case other(ExitCode, String, details: [String] = [], next: Advice)
}

/// The claim of an id_token that does not match.
package enum IdentityTokenFault: String, Error, Equatable, Sendable, CaseIterable {
    case missing = "the server sent none"
    case issuer = "it is from another issuer"
    case audience = "it is meant for another client"
    case expired = "it has expired"
    case nonce = "it belongs to another login"
    case claim = "it does not have the claim that the profile names"
}

extension OAuthFault {
    /// The advice for a fault of the server.
    static let advice = "the server's administrator has to fix it"

    /// The exit code.
    var exitCode: ExitCode {
        switch self {
        case .refused(let refusal): refusal.exitCode
        case .unanswered, .codeExpired: .expired
        case .noServer, .noEndpoint: .usage
        case .identityToken, .otherSubject: .untrusted
        case .metadata(.notFound), .unusableResponse: .failure
        case .metadata: .untrusted
        case .other(let code, _, _, _): code
        }
    }

    /// The fault without the server's words, if they repeat a secret.
    func without(_ secrets: RepeatedSecrets) -> OAuthFault {
        switch self {
        case .refused(let refusal):
            guard let words = refusal.words, secrets.stand(in: words) else { return self }
            return .refused(OAuthRefusal(refusal.code, at: refusal.step, status: refusal.status))
        case .unusableResponse(let step, let problem) where secrets.stand(in: problem):
            return .unusableResponse(step, "it repeats a secret")
        case .otherSubject(let was, let now, let isRevoked) where secrets.stand(in: was) || secrets.stand(in: now):
            return .otherSubject(was: "…", now: "…", isRevoked: isRevoked)
        case .unanswered, .codeExpired, .noServer, .noEndpoint, .metadata, .identityToken, .otherSubject,
            .unusableResponse, .other:
            return self
        }
    }
}

extension OAuthRefusal {
    /// The exit code where it ends a login. A registration that is refused is no fault of the profile (RFC 7591,
    /// section 3.2.2).
    var exitCode: ExitCode {
        switch step {
        case .registration: .failure
        case .pushedAuthorization, .authorization, .deviceAuthorization, .token, .refresh, .revocation:
            code?.exitCode ?? .failure
        }
    }
}

/// The endpoints of an authorization server that a profile may name.
package enum OAuthEndpoint: String, Hashable, Sendable, CaseIterable {
    /// RFC 6749, section 3.1.
    case authorization
    /// RFC 6749, section 3.2.
    case token
    /// RFC 8628, section 3.1.
    case deviceAuthorization = "device-authorization"
    /// RFC 7009, section 2.
    case revocation
    /// RFC 7591, section 3.
    case registration
    /// RFC 9126, section 2. Only metadata names it.
    case pushedAuthorization = "pushed-authorization-request"

    /// The endpoints that a profile names, each as `NAME-endpoint`.
    static let ofProfiles: [OAuthEndpoint] = [
        .authorization, .token, .deviceAuthorization, .revocation, .registration,
    ]

    /// The member of the server's metadata (RFC 8414, section 2).
    var member: String { rawValue.replacing("-", with: "_") + "_endpoint" }
}

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
    /// The login leads to other origins that no profile names, and no person can be asked.
    case serverElsewhere(resource: String, origins: [Origin])
    /// Anything else, in words, since no caller matches it.
    case other(String, next: Advice)
}

/// The error codes of the RFCs and of OpenID Connect. What a server makes up by itself is none of them, so that no text of
/// another server can pass for one.
enum OAuthErrorCode: String, Equatable, Sendable, CaseIterable {
    // RFC 6749, sections 4.1.2.1 and 5.2.
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    // RFC 8628, section 3.5.
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case expiredToken = "expired_token"
    // RFC 8707, section 2.
    case invalidTarget = "invalid_target"
    // RFC 7009, section 2.2.1.
    case unsupportedTokenType = "unsupported_token_type"
    // RFC 7591, section 3.2.2.
    case invalidRedirectURI = "invalid_redirect_uri"
    case invalidClientMetadata = "invalid_client_metadata"
    case invalidSoftwareStatement = "invalid_software_statement"
    case unapprovedSoftwareStatement = "unapproved_software_statement"
    // OpenID Connect Core 1.0, section 3.1.2.6.
    case interactionRequired = "interaction_required"
    case loginRequired = "login_required"
    case accountSelectionRequired = "account_selection_required"
    case consentRequired = "consent_required"
    case invalidRequestURI = "invalid_request_uri"
    case invalidRequestObject = "invalid_request_object"
    case requestNotSupported = "request_not_supported"
    case requestURINotSupported = "request_uri_not_supported"
    case registrationNotSupported = "registration_not_supported"

    /// The exit code if such a response ends a login.
    var exitCode: ExitCode {
        switch self {
        case .accessDenied: .cancelled
        case .expiredToken: .expired
        case .serverError, .temporarilyUnavailable: .busy
        case .invalidClient, .unauthorizedClient, .invalidScope, .invalidTarget, .unsupportedGrantType, .invalidRequest:
            .usage
        case .invalidGrant, .unsupportedResponseType, .authorizationPending, .slowDown, .unsupportedTokenType,
            .invalidRedirectURI, .invalidClientMetadata, .invalidSoftwareStatement, .unapprovedSoftwareStatement,
            .interactionRequired, .loginRequired, .accountSelectionRequired, .consentRequired, .invalidRequestURI,
            .invalidRequestObject, .requestNotSupported, .requestURINotSupported, .registrationNotSupported:
            .failure
        }
    }

    /// Whether the server cannot say now (RFC 6749, section 4.1.2.1), so that nothing was judged.
    var judgesNothing: Bool { exitCode == .busy }
}
