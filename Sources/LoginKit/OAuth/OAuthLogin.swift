import Secrets

/// A person consents at an authorization server, and the access token that it hands out is the session (RFC 6750).
final class OAuthLogin: LoginProcedure {
    let client: ServiceClient
    private let clock: WallClock
    private(set) var space: ProtectionSpace?
    /// The service's challenge for an anonymous client (RFC 6750, section 3).
    private(set) var challenge: AuthenticateChallenge?

    init(_ client: ServiceClient, _ clock: WallClock) {
        self.client = client
        self.clock = clock
    }

    func prepare(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        let found = try AnonymousCheck(client: client).bearer()
        (space, challenge) = found
        return found.space
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        switch steps.credential.kind {
        case .grant(let authorized):
            client.hide(authorized.grant.secrets)
            return .opened(
                OpenedLogin(
                    credential: steps.credential, session: .token(try session(authorized)), verdict: .accepted))
        case .password, .token, .ticket, .certificate, .noSecret, .copied:
            throw client.lacking
        }
    }

    func method(for credential: Credential) -> AuthenticationMethod { .oauth }

    /// The token with its terms, with whom the id_token is about, and with the name where only that says it.
    private func session(_ authorized: AuthorizedGrant) throws(LoginFault) -> Token {
        let grant = authorized.grant, terms = grant.terms
        let token = authorized.identityToken.flatMap { JSONWebToken($0) }
        let subject = token?.subject ?? terms.subject
        guard case .identityToken(let claim)? = client.profile.verify?.response.username, terms.name == nil else {
            return Grant(token: grant.token, terms: terms.about(name: terms.name, subject: subject)).session
        }
        guard let claims = token?.claims else { throw .oauth(.identityToken(.missing)) }
        do throws(IdentityTokenFault) {
            let expected = IdentityToken.Expectation(
                issuer: terms.issuer, clientID: terms.client.id, nonce: authorized.nonce, now: clock.now())
            let name = try IdentityToken(claims: claims).name(in: claim, expecting: expected)
            return Grant(token: grant.token, terms: terms.about(name: name, subject: subject)).session
        } catch {
            throw .oauth(.identityToken(error))
        }
    }
}

/// Sends what an authorization server is asked, to the origin of each URL.
struct AuthorizationClient: AuthorizationTransport {
    let client: ServiceClient
    let others: OriginTransports
    /// The origins that the profile names for the server; `nil` where an earlier login names it all.
    let named: Set<Origin>?
    /// The URL of the client's document, which the person has written.
    var document: String?
    /// Whether no proxy of the environment is used: the request is for the identity of a machine.
    var takesNamedProxyAlone = false

    /// In bytes: no metadata is longer.
    private static let longestMetadata = 256 << 10

    /// - Parameter profile: names a server, or leaves that to the service.
    init(_ client: ServiceClient, _ others: OriginTransports, by profile: OAuthProfile) {
        let urls = profile.namesServer ? Array(profile.endpoints.values) + [profile.issuer].compactMap { $0 } : []
        self.init(client: client, others: others, named: Set(urls.compactMap { Self.read($0)?.origin }))
    }

    init(client: ServiceClient, others: OriginTransports, named: Set<Origin>?) {
        (self.client, self.others, self.named) = (client, others, named)
    }

    /// Whether a server may be on this machine or in its network: where the person or an earlier login names it, or who names it is
    /// there, too. Nobody far away steers a request to us, not even the issuer that the profile names.
    private func mayBeLocal(_ origin: Origin, _ url: String) -> Bool {
        guard let named else { return true }
        return named.contains(origin) || url == document || takesNamedProxyAlone || client.transport.reachedLocal
            || named.contains(where: others.reachedLocal)
    }

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        client.hide(request.hidden)
        let origin = try URLParser.parsed(request.url).origin
        let transport =
            origin == client.endpoint.origin && !takesNamedProxyAlone
            ? client.transport
            : try others.transport(
                to: origin, mayBeLocal: mayBeLocal(origin, request.url), mayBeUnseen: named?.isEmpty == false,
                takesNamedProxyAlone: takesNamedProxyAlone)
        let response = try transport.send(request)
        guard request.method != "GET" || response.body.count <= Self.longestMetadata else {
            throw .network(.answerTooLarge(limit: Self.longestMetadata))
        }
        return response
    }

    func read(_ url: String) -> EndpointURL? { Self.read(url) }

    static func read(_ url: String) -> EndpointURL? {
        guard let parsed = try? URLParser.parsed(url), parsed.user == nil, parsed.password == nil else { return nil }
        return EndpointURL(origin: parsed.origin, path: parsed.path, query: parsed.query)
    }

    func random(_ count: Int) throws(LoginFault) -> Secret { Secret.random(count: count) }

    func digits(_ hash: DigestAlgorithm.Hash, of secret: Secret) throws(LoginFault) -> Secret {
        try HashLibrary.digits(hash, of: secret)
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
