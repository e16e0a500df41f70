import Secrets

/// The registration of authctl as a client (RFC 7591, section 2): one redirect, and no more grants than it uses.
struct RegistrationRequest: Equatable, Sendable {
    /// The redirect URI that authctl listens on; `nil` for the device flow, where no response comes back.
    let redirect: String?
    /// The scope for later; without it, some servers allow openid alone.
    let scope: String?
    /// The client's authentication method: none, unless the server lists only others.
    let authentication: ClientAuthentication

    /// - Parameters:
    ///   - redirect: with the port that is open now.
    ///   - listed: `token_endpoint_auth_methods_supported`.
    init(redirect: String?, scope: String?, listed: [String]? = nil) {
        self.redirect = redirect
        self.scope = scope
        let isPublic = listed?.contains(ClientAuthentication.none.registeredName) ?? true
        authentication =
            isPublic ? .none : listed?.contains(ClientAuthentication.post.registeredName) == true ? .post : .none
    }

    /// The request, complete.
    func request(at endpoint: EndpointURL) throws(LoginFault) -> HTTPRequest {
        let headers = ["Accept", "Content-Type"].map { HTTPRequestField(name: $0, value: Secret("application/json")) }
        return HTTPRequest(method: "POST", url: endpoint.text, headers: headers, body: try json())
    }

    /// The metadata as JSON.
    /// - Parameter clientID: of a client that is not registered and says it itself.
    func json(clientID: String? = nil) throws(LoginFault) -> Secret {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        // Who registers says what it uses; a document is there for whatever comes.
        let grants =
            (clientID == nil ? [redirect == nil ? device : "authorization_code"] : ["authorization_code", device])
            + ["refresh_token"]
        var body = JSONText()
        if let clientID { body.add("client_id", clientID) }
        body.add("client_name", "authctl")
        if let redirect { body.add("redirect_uris", [redirect]) }
        body.add("grant_types", grants)
        body.add("response_types", redirect == nil ? [] : ["code"])
        body.add("token_endpoint_auth_method", authentication.registeredName)
        body.add("application_type", "native")
        if let scope { body.add("scope", scope) }
        guard body.finished.utf8.count <= RequestRule.bodyLimit else {
            throw .failure("the registration of a client would be too long")
        }
        return Secret(body.finished)
    }
}

/// The response to a registration (RFC 7591, section 3.2), which decides how the client authenticates.
struct RegistrationResponse: Equatable, Sendable {
    /// Lives and dies with its login.
    let client: OAuthClient

    /// - Parameters:
    ///   - endpoint: of the registration: what manages the client is on the same origin, or is not used (RFC 7592, section 3).
    /// - Throws: `busy`; `oauth` with the refusal, or for a client that cannot be used.
    init(
        _ response: HTTPResponse, from endpoint: EndpointURL, parse: URLReading
    ) throws(LoginFault) {
        let body = OAuthBody(response)
        if let busy = body.busy { throw .busy(busy) }
        guard [200, 201].contains(response.status), !body.hasError else {
            try response.refuseRedirect(at: .registration)
            throw .oauth(.refused(body.refusal(at: .registration)))
        }
        guard let id = body.text("client_id") else { throw body.lacking("client_id", at: .registration) }
        let secret = body.text("client_secret").map { Secret($0) }
        client = OAuthClient(
            id: id, secret: secret, authentication: try Self.authentication(body, hasSecret: secret != nil),
            registration: Self.registration(body, endpoint, parse))
    }

    /// `none` drops a secret that came along; where none is said, it is Basic (RFC 7591, section 2).
    private static func authentication(_ body: OAuthBody, hasSecret: Bool) throws(LoginFault) -> ClientAuthentication {
        guard let name = body.text("token_endpoint_auth_method") else { return hasSecret ? .basic : .none }
        if let method = ClientAuthentication(registeredName: name), method == .none || method.usesSecret {
            return method
        }
        throw .oauth(
            .unusableResponse(.registration, "the client should prove itself by \(SafeText.quoted(name))"))
    }

    private static func registration(
        _ body: OAuthBody, _ endpoint: EndpointURL, _ parse: URLReading
    ) -> OAuthClient.Registration {
        guard let url = body.text("registration_client_uri").flatMap(parse), url.origin == endpoint.origin,
            let token = body.text("registration_access_token"), Secret(token).isHeaderSafe
        else { return OAuthClient.Registration() }
        return OAuthClient.Registration(url: url.text, token: Secret(token))
    }
}

/// The document at the URL that is a client's identifier, which describes the client to servers that it is not registered at
/// (draft-ietf-oauth-client-id-metadata-document).
package struct ClientMetadata: Equatable, Sendable {
    /// Where the browser brings the response: the first loopback redirect with a port, else the first one. Servers compare it exactly.
    let redirect: LoopbackRedirect

    /// Reads the document.
    /// - Parameter url: where it was fetched.
    /// - Throws: `busy`; `oauth` with what is wrong with it.
    init(_ response: HTTPResponse, at url: String) throws(LoginFault) {
        let body = OAuthBody(response)
        if let busy = body.busy { throw .busy(busy) }
        let fault = { (problem: String) in
            LoginFault.oauth(
                .other(
                    .usage, "the client's document \(SafeText.escaped(url)) \(problem)",
                    next: "compare it with what this prints: authctl profile client-metadata URL"))
        }
        guard (200..<300).contains(response.status) else { throw fault("was answered with \(response.status)") }
        guard body.members != nil else { throw fault("is no JSON object") }
        guard let id = body.text("client_id") else { throw fault("has no client_id") }
        guard id == url else { throw fault("describes the client \(SafeText.quoted(id, limit: 100))") }
        let redirects = body.texts("redirect_uris") ?? []
        let here = redirects.compactMap { LoopbackRedirect($0) }
        guard let redirect = here.first(where: { $0.port != nil }) ?? here.first else {
            let shown = redirects.prefix(3).map { SafeText.quoted($0, limit: 100) }.joined(separator: ", ")
            throw fault(redirects.isEmpty ? "has no redirect_uris" : "leads to other machines only: \(shown)")
        }
        self.redirect = redirect
    }

    /// Whether an identifier is the URL of such a document: https, or http on this machine, with a path, and
    /// nothing that a server would not accept there.
    static func isURL(_ clientID: String, parse: URLReading) -> Bool {
        guard clientID.hasPrefix("https://") || clientID.hasPrefix("http://"), !clientID.contains("#"),
            let url = parse(clientID), url.query == nil, !["", "/"].contains(url.path), EndpointRule().permits(url)
        else { return false }
        return url.text == clientID
    }

    /// The document for a site to put at a URL that becomes the identifier.
    package static func document(at url: String) throws(LoginFault) -> String {
        // Any port will do, as long as it is always the same: servers compare the redirect exactly.
        let redirect = LoopbackRedirect().uri(port: 8976)
        return try RegistrationRequest(redirect: redirect, scope: nil).json(clientID: url).unprotectedText
    }
}
