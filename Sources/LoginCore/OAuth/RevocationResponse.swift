import Secrets

/// The result of a revocation (RFC 7009, section 2.2).
package enum RevocationResponse: Equatable, Sendable {
    case revoked
    /// The server does not revoke tokens of this kind (section 2.2.1).
    case unsupported
    /// It is not known whether the token still works.
    case failed(status: Int)

    /// Any 2xx is a yes: a token that the server does not know is revoked, too. A page is none, whatever its status: a portal or a
    /// gateway may have answered it.
    package init(_ response: HTTPResponse) {
        let body = OAuthBody(response)
        if body.code == .unsupportedTokenType {
            self = .unsupported
        } else {
            let isDone =
                (200..<300).contains(response.status) && !body.hasError && (response.body.isEmpty || !body.isPage)
            self = isDone ? .revoked : .failed(status: response.status)
        }
    }
}
