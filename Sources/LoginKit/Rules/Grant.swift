import Secrets

/// The tokens that a person's consent has earned, with all that is needed to refresh and to revoke them later. It is kept
/// with the account, as one secret. The endpoints are those of the login: metadata that changes later leads no refresh token away.
package struct Grant: Equatable, Sendable {
    /// The access token with its end, and the refresh token.
    let token: Token
    /// Their scope, and the endpoint that refreshes them.
    let terms: Terms

    /// All that is kept beside the tokens.
    package struct Terms: Equatable, Sendable {
        /// `nil` where the profile names endpoints alone.
        package let issuer: String?
        /// The token endpoint of the login.
        package let tokenEndpoint: String
        /// `nil` where the server does not revoke, or not for this client.
        let revocation: Revocation?
        /// With its secret, and with what deletes a registered one.
        let client: OAuthClient
        /// As it was granted (RFC 6749, section 5.1); `nil` if neither side has named one.
        package fileprivate(set) var scope: String?
        /// Where the access token is to be used (RFC 8707); sent again at each refresh.
        let resource: String?
        /// The user name, if only the id_token names it.
        var name: String?
        /// `sub` of the id_token (OpenID Connect Core 1.0, section 2); `nil` if the server sent none, and of logins that are older
        /// than this.
        var subject: String?
        /// `sid` of the id_token: of the single sign-on at the server that it came with (OpenID Connect Back-Channel Logout 1.0, section
        /// 2.1).
        var signOn: String?
    }

    /// Where tokens are revoked (RFC 7009).
    struct Revocation: Equatable, Sendable {
        /// The revocation endpoint of the login.
        let endpoint: String
        /// The authentication of the client there, which may differ from that at the token endpoint.
        let authentication: ClientAuthentication
    }

    /// Everything in it that must not be seen.
    var secrets: [Secret] { session.secrets }

    /// As it is kept and sent.
    var session: Token {
        Token(value: token.value, refreshToken: token.refreshToken, expires: token.expires, terms: terms)
    }

    /// The tokens to revoke, in this order: the refresh token first, since many servers let the access token live on.
    var revoked: [(token: Secret, hint: String)] {
        (token.refreshToken.map { [($0, "refresh_token")] } ?? []) + [(token.value, "access_token")]
    }

    /// Whether it is still usable once a refresh with this refusal ended: a client that is not known any more says nothing about
    /// the token, unless it was registered for this login and lives and dies with it.
    func survives(_ refusal: OAuthRefusal) -> Bool {
        refusal.code == .invalidClient && !terms.client.isRegistered
    }
}

extension Grant {
    /// - Returns: `nil` for a token that no authorization server issued.
    init?(_ session: Token) {
        guard let terms = session.terms else { return nil }
        self.init(token: session, terms: terms)
    }
}

extension Grant.Terms {
    /// The scope for the next login if a request needs this one (RFC 6750, section 3.1), with what is granted already.
    func scope(with wanted: String) -> String {
        let granted = scope?.split(separator: " ") ?? []
        let more = wanted.split(separator: " ").filter { !granted.contains($0) && String($0).isScopeToken }
        return (granted + more).joined(separator: " ")
    }

    /// The grant with the user name of the id_token.
    func about(name: String?, subject: String?) -> Grant.Terms {
        var terms = self
        (terms.name, terms.subject) = (name, subject)
        return terms
    }

    /// Compares with `sub` of a refreshed id_token (OpenID Connect Core 1.0, section 12.2).
    /// - Returns: `nil` if it is the same person, or nothing tells.
    func otherSubject(than refreshed: String?) -> (was: String, now: String)? {
        guard let subject, let refreshed, !subject.utf8.elementsEqual(refreshed.utf8) else { return nil }
        return (subject, refreshed)
    }

    func granting(_ scope: String?) -> Grant.Terms {
        var terms = self
        terms.scope = scope ?? self.scope
        return terms
    }
}

/// The grant, with facts that only this login needs.
public struct AuthorizedGrant: Equatable, Sendable {
    /// The grant to store.
    let grant: Grant
    /// Looked at where only it names the person; not kept.
    let identityToken: Secret?
    /// The nonce of the authorization request; `nil` for a device.
    let nonce: Secret?
}

extension AuthorizedGrant {
    /// One that is kept already, with the name that it has.
    init(kept grant: Grant) {
        self.init(grant: grant, identityToken: nil, nonce: nil)
    }
}

/// The tokens of one response.
struct IssuedTokens: Equatable, Sendable {
    /// A Bearer token (RFC 6750), fit for a header.
    let accessToken: Secret
    /// `nil` where the server sends none, or an empty one.
    let refreshToken: Secret?
    /// Seconds from the receipt on; `nil` if the server does not say, or says nothing of use.
    let lifetime: Int?
    /// `nil` where it is as asked for (RFC 6749, section 5.1).
    let scope: String?
    /// Looked at for the name alone, and not kept (OpenID Connect Core 1.0, section 3.1.3.3).
    let identityToken: Secret?
}

extension String {
    /// Whether it is one scope (RFC 6749, section 3.3).
    var isScopeToken: Bool {
        !isEmpty && utf8.allSatisfy { (0x21...0x7e).contains($0) && !"\"\\".utf8.contains($0) }
    }
}
