/// The error codes of the RFCs and of OpenID Connect. What a server makes up by itself is none of them, so that no text of
/// another server can pass for one.
package enum OAuthErrorCode: String, Equatable, Sendable, CaseIterable {
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
    package var exitCode: ExitCode {
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
    package var judgesNothing: Bool { exitCode == .busy }
}
