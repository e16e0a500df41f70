import Secrets

/// The request that a person consents to (RFC 6749, section 4.1.1; RFC 8628, section 3.1): its parameters, in the order in
/// which they are sent.
struct AuthorizationRequest: Equatable, Sendable {
    /// The client that asks.
    let client: OAuthClient
    /// As the server wants it (RFC 6749, section 3.3); `nil` for its own default.
    var scope: String?
    /// Where the access token is to be used (RFC 8707).
    var resource: String?
    /// The name to log in as (OpenID Connect Core 1.0, section 3.1.2.1); sent only where the scope has openid.
    var loginHint: String?
    /// The profile's parameters, none of them `isReserved`.
    var parameters: [OAuthParameter] = []
    /// Whether another account shall be chosen, where the server can do that.
    var choosesAccount = false

    /// Whether an id_token may come.
    var isOpenID: Bool { scope?.split(separator: " ").contains("openid") ?? false }

    /// All that the authorization endpoint is told.
    func fields(_ attempt: AuthorizationAttempt, redirect: String) -> [FormField] {
        var fields = [
            FormField("response_type", "code"), FormField("client_id", client.id), FormField("redirect_uri", redirect),
            FormField("state", attempt.state), FormField("code_challenge", attempt.challenge),
            FormField("code_challenge_method", "S256"),
        ]
        fields += shared
        if isOpenID {
            if let loginHint { fields.append(FormField("login_hint", loginHint)) }
            fields.append(FormField("nonce", attempt.nonce))
        }
        if choosesAccount, !parameters.contains(where: { $0.name == "prompt" }) {
            fields.append(FormField("prompt", "select_account"))
        }
        return fields + parameters.map { FormField($0.name, $0.value) }
    }

    /// The URL that the browser opens. It holds state, nonce and challenge, and no other secret (RFC 9700, section 4.3).
    func url(_ endpoint: EndpointURL, _ attempt: AuthorizationAttempt, redirect: String) throws(LoginFault)
        -> String
    {
        try Self.url(endpoint, fields(attempt, redirect: redirect))
    }

    /// The same after the parameters were pushed (RFC 9126, section 4). `response_type` is sent: some servers want it.
    func url(_ endpoint: EndpointURL, pushedAs requestURI: String) throws(LoginFault) -> String {
        try Self.url(
            endpoint,
            [
                FormField("response_type", "code"), FormField("client_id", client.id),
                FormField("request_uri", requestURI),
            ])
    }

    /// The parameters for the device authorization endpoint (RFC 8628, section 3.1), beside the client's.
    var deviceFields: [FormField] { shared + parameters.map { FormField($0.name, $0.value) } }

    private var shared: [FormField] {
        (scope.map { [FormField("scope", $0)] } ?? []) + (resource.map { [FormField("resource", $0)] } ?? [])
    }

    /// A query that the endpoint has already stays (RFC 6749, section 3.1).
    private static func url(_ endpoint: EndpointURL, _ fields: [FormField]) throws(LoginFault) -> String {
        let query = try FormField.encode(fields, .percent).unprotectedText
        let start = endpoint.text
        guard let present = endpoint.query else { return "\(start)?\(query)" }
        return present.isEmpty ? start + query : "\(start)&\(query)"
    }
}

/// The random values of one authorization; never stored.
struct AuthorizationAttempt: Equatable, Sendable {
    /// Ties the response to this login (RFC 6749, section 10.12).
    let state: Secret
    /// Proves to the token endpoint, to which alone it is sent, that the code was asked for here (RFC 7636, section 4.1): 43 characters.
    /// It is sent with a client secret, too.
    let verifier: Secret
    /// S256 of it (section 4.2), the only method here: no secret.
    let challenge: String
    /// Ties an id_token to this login (OpenID Connect Core 1.0, section 3.1.2.1).
    let nonce: Secret

    /// - Parameters:
    ///   - random: gives so many bytes, never the same again.
    ///   - hash: gives the digest's bytes.
    init(
        random: (_ count: Int) throws(LoginFault) -> Secret,
        hash: (DigestAlgorithm.Hash, Secret) throws(LoginFault) -> Secret
    ) throws(LoginFault) {
        state = try random(Self.bytes).base64URL
        verifier = try random(Self.bytes).base64URL
        challenge = try hash(.sha256, verifier).base64URL.unprotectedText
        nonce = try random(Self.bytes).base64URL
    }

    /// RFC 7636, section 7.1: 256 bits.
    private static let bytes = 32
}

/// The response of the pushed authorization request endpoint (RFC 9126, section 2.2).
struct PushedRequest: Equatable, Sendable {
    /// Single-use `request_uri`, sent instead of the parameters.
    let requestURI: String

    /// - Throws: `busy`; `oauth` with the refusal, or for a response without a `request_uri`.
    init(_ response: HTTPResponse) throws(LoginFault) {
        let step = OAuthStep.pushedAuthorization
        let body = OAuthBody(response)
        try body.checkAccepted(at: step)
        guard let requestURI = body.text("request_uri") else { throw body.lacking("request_uri", at: step) }
        self.requestURI = requestURI
    }
}

// The requests of a login that a person consents to.
extension OAuthCall {
    /// Exchanges a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
    static func exchange(
        code: Secret, _ attempt: AuthorizationAttempt, redirect: String, _ request: AuthorizationRequest,
        at endpoint: EndpointURL
    ) -> OAuthCall {
        let fields = [
            FormField("grant_type", "authorization_code"), FormField("code", code), FormField("redirect_uri", redirect),
            FormField("code_verifier", attempt.verifier),
        ]
        return OAuthCall(endpoint.text, fields + resource(request.resource), request.client)
    }

    /// Asks whether a person has entered the code (RFC 8628, section 3.4).
    static func poll(
        deviceCode: Secret, _ request: AuthorizationRequest, at endpoint: EndpointURL
    ) -> OAuthCall {
        let grant = FormField("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
        let fields = [grant, FormField("device_code", deviceCode)]
        return OAuthCall(endpoint.text, fields + resource(request.resource), request.client)
    }
}
