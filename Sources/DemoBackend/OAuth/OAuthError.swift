import Foundation

/// Why a request to the authorization server fails, in the words of the RFCs.
struct OAuthError: Error, Encodable, Sendable {
    /// RFC 6749 (4.1.2.1, 5.2), RFC 7591 (3.2.2), RFC 8628 (3.5), RFC 8707 (2).
    enum Code: String, Encodable, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case invalidTarget = "invalid_target"
        case accessDenied = "access_denied"
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
    }

    let error: Code
    let errorDescription: String

    init(_ error: Code, _ errorDescription: String) {
        (self.error, self.errorDescription) = (error, errorDescription)
    }

    /// As an answer to the client. One that failed to authenticate is told how it may (RFC 6749, 5.2).
    var reply: Reply {
        guard error == .invalidClient else { return .json(400, self) }
        return .json(401, self).with("WWW-Authenticate", "Basic realm=\"Demo clients\"")
    }
}
