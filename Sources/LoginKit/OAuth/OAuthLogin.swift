import Secrets

/// A person consents at an authorization server, and the access token that it hands out is the session (RFC 6750).
final class OAuthLogin: LoginMethod {
    let client: ServiceClient
    private let clock: WallClock

    init(_ parts: LoginMethodParts) {
        (client, clock) = (parts.client, parts.clock)
    }

    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        try AnonymousCheck(client: client).checkBearer()
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        guard case .grant(let authorized) = steps.credential.kind else { throw client.lacking }
        client.hide(authorized.grant.secrets)
        return .opened(
            OpenedLogin(credential: steps.credential, session: .token(try session(authorized)), verdict: .issuedToken))
    }

    func authenticationMethod(for credential: Credential) -> AuthenticationMethod { .oauth }

    /// The token with its terms, with whom the id_token is about, and with the name where only that says it.
    private func session(_ authorized: AuthorizedGrant) throws(LoginFault) -> Token {
        let grant = authorized.grant, token = authorized.identityToken.flatMap { JSONWebToken($0) }
        var terms = grant.terms
        terms.signOn = token?.signOn ?? terms.signOn
        let subject = token?.subject ?? terms.subject
        guard case .identityToken(let claim)? = client.profile.verify?.response.username, terms.name == nil else {
            return Grant(token: grant.token, terms: terms.about(name: terms.name, subject: subject)).session
        }
        guard let claims = token?.claims else { throw .oauth(.identityToken(.missing)) }
        do {
            let checked = IdentityToken(
                claims: claims, issuer: terms.issuer, clientID: terms.client.id, nonce: authorized.nonce,
                now: clock.now())
            let name = try checked.name(in: claim)
            return Grant(token: grant.token, terms: terms.about(name: name, subject: subject)).session
        } catch {
            throw .oauth(.identityToken(error))
        }
    }
}

extension ClientMetadata {
    /// Checks that a URL can be a client's identifier.
    /// - Parameter place: where it stands.
    /// - Throws: `usage` for a URL that no server would take as a client's identifier.
    package static func check(_ url: String, as place: String) throws(LoginFault) {
        _ = try URLParser()
        guard isURL(url, parse: AuthorizationClient.read) else {
            throw .usage(.badValue(option: place, problem: "it must be an https URL with a path, without a query"))
        }
    }
}
