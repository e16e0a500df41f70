import Secrets

/// The grant of a machine: finds the server, proves what the profile says, and asks the token endpoint, once.
struct MachineAuthorization {
    private let subject: AuthorizationSubject
    private let machine: MachineGrant
    private let transport: any AuthorizationTransport
    private let proof: any MachineProof
    private let clock: WallClock

    /// - Returns: `nil` for the profile of a person.
    init?(
        _ subject: AuthorizationSubject, transport: any AuthorizationTransport, proof: any MachineProof,
        clock: WallClock
    ) {
        guard let machine = subject.profile.machine else { return nil }
        (self.subject, self.machine, self.transport) = (subject, machine, transport)
        (self.proof, self.clock) = (proof, clock)
    }

    /// The inputs of one request.
    private struct Attempt {
        let server: AuthorizationServer
        let endpoint: EndpointURL
        let resource: ResourceMetadata?
        var key: (any AssertionKey)?
        var identity: Secret?
    }

    /// The result of a machine's login.
    struct Issued {
        let grant: AuthorizedGrant
        /// The machine's name if the service says none: its client ID, else the subject of its proof.
        let name: String
    }

    /// - Parameter secret: of the client.
    /// - Throws: `rejected` where the server refuses the client, or what the machine proves; with the difference of the clocks, if
    ///   an assertion may have failed by it.
    func run(_ secret: Secret?, subjectOf: (Secret) -> String?) throws(LoginFault) -> Issued {
        let found = try ServerDiscovery(subject: subject, transport: transport).find()
        if let foreign = found.toAsk {
            throw .oauth(.metadata(.serverElsewhere(resource: foreign.resource.text, origins: foreign.origins)))
        }
        var attempt = Attempt(
            server: found.server, endpoint: try found.server.endpoint(.token), resource: found.resource)
        if machine.keyFile != nil { attempt.key = try proof.key() }
        if machine.identity != nil { attempt.identity = try proof.identity() }
        let client = try client(attempt, secret)
        let call = OAuthCall.machine(try fields(attempt), client, at: attempt.endpoint)
        let response = try transport.send(try call.request())
        let tokens = try tokens(response, isSigned: attempt.key != nil)
        let kept = client.map { $0.authentication == .privateKeyJWT ? $0.proving(with: nil) : $0 }
        let terms = Grant.Terms(
            issuer: found.server.issuer, tokenEndpoint: attempt.endpoint.text,
            revocation: kept.flatMap { found.server.revocation(for: $0) }, client: kept ?? OAuthClient(id: ""),
            scope: tokens.scope ?? subject.scope ?? subject.profile.scope, resource: resource(attempt))
        // A machine asks for another one instead (RFC 6749, section 4.4.3).
        let token = Token(
            value: tokens.accessToken, refreshToken: nil, expires: tokens.lifetime.map { clock.now() + Int64($0) })
        return Issued(
            grant: AuthorizedGrant(kept: Grant(token: token, terms: terms)),
            name: subject.profile.clientID ?? attempt.identity.flatMap(subjectOf) ?? machine.claim("sub")
                ?? machine.claim("iss") ?? "")
    }

    private func client(_ attempt: Attempt, _ secret: Secret?) throws(LoginFault) -> OAuthClient? {
        let profile = subject.profile
        guard let client = profile.client(asked: secret, listed: attempt.server.metadata?.tokenAuthentication) else {
            return nil
        }
        guard profile.clientAuthentication == .privateKeyJWT else {
            return profile.clientAuthentication == .tls ? OAuthClient(id: client.id, authentication: .tls) : client
        }
        guard let key = attempt.key else { throw .failure(.unexpectedEvent("no key to sign with")) }
        let assertion = try assertion(of: client, to: audience(attempt), signedBy: key)
        return OAuthClient(id: client.id, secret: assertion, authentication: .privateKeyJWT)
    }

    /// Signs an assertion that authenticates the client at another endpoint of the server; `nil` for a client without a key.
    func assertion(
        of client: OAuthClient, issuer: String?, tokenEndpoint: String
    ) throws(LoginFault) -> Secret? {
        guard machine.keyFile != nil else { return nil }
        return try assertion(of: client, to: audience(issuer, tokenEndpoint), signedBy: try proof.key())
    }

    private func assertion(
        of client: OAuthClient, to audience: String, signedBy key: any AssertionKey
    ) throws(LoginFault) -> Secret {
        try Assertion(client: client.id, audience: audience, id: try newID(), now: clock.now()).signed(by: key)
    }

    private func newID() throws(LoginFault) -> Secret { try transport.random(16).base64URL }

    private func audience(_ attempt: Attempt) -> String { audience(attempt.server.issuer, attempt.endpoint.text) }

    private func audience(_ issuer: String?, _ tokenEndpoint: String) -> String {
        switch machine.audienceOfAssertions {
        case .issuer: issuer ?? tokenEndpoint
        case .tokenEndpoint: tokenEndpoint
        }
    }

    private func resource(_ attempt: Attempt) -> String? { subject.profile.resource ?? attempt.resource?.resource }

    private func fields(_ attempt: Attempt) throws(LoginFault) -> [FormField] {
        var fields = [FormField("grant_type", machine.kind.type)]
        switch machine.kind {
        case .clientCredentials: break
        case .jwtBearer: fields.append(FormField("assertion", try assertion(attempt)))
        case .tokenExchange:
            guard let token = attempt.identity else { throw .failure(.unexpectedEvent("no token to exchange")) }
            let type = machine.subjectTokenType ?? "urn:ietf:params:oauth:token-type:jwt"
            fields += [FormField("subject_token", token), FormField("subject_token_type", type)]
        }
        let texts = [
            ("requested_token_type", machine.requestedTokenType), ("audience", machine.audience),
            ("scope", subject.scope ?? subject.profile.scope), ("resource", resource(attempt)),
        ]
        fields += texts.compactMap { name, text in text.map { FormField(name, $0) } }
        return fields + subject.profile.parameters.map { FormField($0.name, $0.value) }
    }

    /// The identity, else one that is signed here. What the profile does not claim is the client, and the server.
    private func assertion(_ attempt: Attempt) throws(LoginFault) -> Secret {
        if let identity = attempt.identity { return identity }
        guard let key = attempt.key else { throw .failure(.unexpectedEvent("no key to sign with")) }
        let issuer = machine.claim("iss") ?? subject.profile.clientID ?? ""
        let usual = [("iss", issuer), ("sub", issuer), ("aud", audience(attempt))]
        let claims =
            machine.claims.map { (name: $0.name, value: $0.value) }
            + usual.filter { machine.claim($0.0) == nil }.map { (name: $0.0, value: $0.1) }
        return try Assertion(claims, id: try newID(), now: clock.now()).signed(by: key)
    }

    /// - Parameter isSigned: whether a clock that is off may be the reason for a refusal.
    private func tokens(_ response: HTTPResponse, isSigned: Bool) throws(LoginFault) -> IssuedTokens {
        let answer = try TokenResponse(response)
        guard case .refused(let refusal) = answer, refusal.refusesMachine(machine.kind) else { return try answer.get() }
        let words = [refusal.code?.rawValue, refusal.words].compactMap { $0 }.joined(separator: ": ")
        var rejection = Refusal(status: refusal.status ?? 400, words: words.isEmpty ? nil : words)
        if isSigned { rejection.clockDifference = ClockDifference(of: response, at: clock) }
        throw .rejected(rejection)
    }
}

extension OAuthRefusal {
    /// Whether the server refuses the machine or its proof, as a wrong password is refused; what else it says is about the request.
    fileprivate func refusesMachine(_ kind: MachineGrant.Kind) -> Bool {
        switch code {
        // Nobody was there to deny it: the server does not let this machine in.
        case .accessDenied: true
        case .invalidClient, .invalidGrant: true
        case .invalidRequest: kind == .tokenExchange
        // By the status alone, where a server names no code; Glewlwyd's is 403.
        case nil: status == 401 || status == 403
        case .unauthorizedClient, .unsupportedGrantType, .unsupportedResponseType, .invalidScope, .serverError,
            .temporarilyUnavailable, .authorizationPending, .slowDown, .expiredToken, .invalidTarget,
            .unsupportedTokenType, .invalidRedirectURI, .invalidClientMetadata, .invalidSoftwareStatement,
            .unapprovedSoftwareStatement, .interactionRequired, .loginRequired, .accountSelectionRequired,
            .consentRequired, .invalidRequestURI, .invalidRequestObject, .requestNotSupported,
            .requestURINotSupported, .registrationNotSupported:
            false
        }
    }
}

/// A JSON Web Token that is signed here (RFC 7519), to be sent once: by a client that proves itself (RFC 7523, section 2.2), or as a
/// grant (section 2.1).
struct Assertion {
    /// Seconds for which it is good. A stolen one is of little use, and clocks may be a little off.
    static let lifetime: Int64 = 60

    /// In their order; the times are added.
    private let claims: [(name: String, value: String)]
    private let issued: Int64

    /// - Parameters:
    ///   - id: `jti` (RFC 7519, section 4.1.7), never used before.
    ///   - now: in seconds of Unix time.
    init(_ claims: [(name: String, value: String)], id: Secret, now: Int64) {
        self.claims = claims + [("jti", id.unprotectedText)]
        issued = now
    }

    /// Of a client that proves itself (RFC 7523, section 3).
    init(client: String, audience: String, id: Secret, now: Int64) {
        self.init([("iss", client), ("sub", client), ("aud", audience)], id: id, now: now)
    }

    /// The compact serialization (RFC 7515, section 7.1).
    func signed(by key: any AssertionKey) throws(LoginFault) -> Secret {
        var header = JSONText(), payload = JSONText()
        header.add("alg", key.algorithm)
        if let id = key.id { header.add("kid", id) }
        header.add("typ", "JWT")
        for claim in claims { payload.add(claim.name, claim.value) }
        payload.add("iat", issued)
        payload.add("exp", issued + Self.lifetime)
        let parts = [header.finished, payload.finished]
        let input = parts.map { Secret($0).base64URL.unprotectedText }.joined(separator: ".")
        let whole = Secret("\(input).", followedBy: try key.sign(Secret(input)).base64URL)
        let limit = RequestRule.bodyLimit
        guard parts.allSatisfy({ $0.utf8.count <= limit }), whole.count <= 2 * limit else {
            throw .failure("an assertion would be too long")
        }
        return whole
    }
}

/// A private key that signs assertions.
protocol AssertionKey {
    /// `alg` of its signatures (RFC 7515, section 4.1.1).
    var algorithm: String { get }
    /// `kid`; `nil` where the profile says none.
    var id: String? { get }
    /// Returns the JWS signature of these bytes.
    func sign(_ input: Secret) throws(LoginFault) -> Secret
}

/// The proof of a machine: its key, and the token that identifies it.
protocol MachineProof {
    /// - Throws: `loginRequired` for an encrypted key that nobody can open; `usage` for one that cannot sign.
    func key() throws(LoginFault) -> any AssertionKey
    /// - Throws: `loginRequired` if the token is missing; `usage` if it is not a token.
    func identity() throws(LoginFault) -> Secret
}
