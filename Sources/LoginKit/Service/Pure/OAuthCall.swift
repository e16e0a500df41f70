import Secrets

/// The requests that a client sends to an authorization server by itself. Each is complete: an adapter only sends it, and follows no
/// redirect.
struct OAuthCall: Equatable, Sendable {
    /// Where it goes.
    let url: String
    /// The grant, what is revoked, or what is asked for.
    private let fields: [FormField]
    /// `nil` where none is needed: an assertion may say enough.
    private let client: OAuthClient?

    init(_ url: String, _ fields: [FormField], _ client: OAuthClient?) {
        self.url = url
        self.fields = fields
        self.client = client
    }

    /// Asks for a token without a person (RFC 6749, section 4.4.2; RFC 7523, section 2.1; RFC 8693, section 2.1).
    static func machine(_ fields: [FormField], _ client: OAuthClient?, at endpoint: EndpointURL) -> OAuthCall {
        OAuthCall(endpoint.text, fields, client)
    }

    /// Refreshes a grant (RFC 6749, section 6), without a scope: what was granted stays.
    /// - Returns: `nil` if there is no refresh token.
    static func refresh(_ grant: Grant) -> OAuthCall? {
        guard let token = grant.token.refreshToken else { return nil }
        let fields = [FormField("grant_type", "refresh_token"), FormField("refresh_token", token)]
        return OAuthCall(grant.terms.tokenEndpoint, fields + resource(grant.terms.resource), grant.terms.client)
    }

    /// Revokes each token of a grant (RFC 7009, section 2.1), in the order in which that has to happen.
    /// - Parameter assertion: of a client that proves itself with its key.
    /// - Returns: none where the server does not revoke, or not for this client.
    static func revocations(_ grant: Grant, assertion: Secret? = nil) -> [OAuthCall] {
        guard let revocation = grant.terms.revocation else { return [] }
        let own = grant.terms.client
        let client = assertion.map { own.proving(with: $0) } ?? own.proving(by: revocation.authentication)
        return grant.revoked.map { token, hint in
            OAuthCall(revocation.endpoint, [FormField("token", token), FormField("token_type_hint", hint)], client)
        }
    }

    /// The field that names the resource (RFC 8707), where one is known.
    static func resource(_ resource: String?) -> [FormField] {
        resource.map { [FormField("resource", $0)] } ?? []
    }

    /// The request, with the client's proof.
    func request() throws(LoginFault) -> HTTPRequest {
        var headers = [
            HTTPRequestField(name: "Accept", value: Secret("application/json")),
            HTTPRequestField(name: "Content-Type", value: Secret("application/x-www-form-urlencoded")),
        ]
        var fields = fields
        if let client, client.authentication == .basic {
            headers.append(HTTPRequestField(name: "Authorization", value: try client.basic()))
        } else if let client {
            if !fields.contains(where: { $0.name == "client_id" }) { fields.append(FormField("client_id", client.id)) }
            fields += client.proof
        }
        let body = try FormField.encode(fields)
        var request = HTTPRequest(method: "POST", url: url, headers: headers, body: body)
        request.hidden.add(hidden, username: client?.id ?? "")
        return request
    }

    /// The secrets in it, to be hidden if the response repeats them.
    private var hidden: [Secret?] {
        let secrets: Set<String> = [
            "code", "code_verifier", "device_code", "refresh_token", "token", "state", "assertion", "subject_token",
        ]
        let whole = [client?.secret] + fields.filter { secrets.contains($0.name) }.map(\.value)
        // The parts of a JSON Web Token say as much as the whole.
        return whole + whole.compactMap { $0 }.flatMap(\.parts)
    }
}

extension OAuthClient {
    /// The request that deletes a registered client (RFC 7592, section 2.3).
    /// - Returns: `nil` for one that was not registered, or where the server does not offer that.
    var deletion: HTTPRequest? {
        guard let url = registration?.url, let token = registration?.token else { return nil }
        let header = HTTPRequestField(name: "Authorization", value: Secret("Bearer ", followedBy: token))
        var request = HTTPRequest(method: "DELETE", url: url, headers: [header])
        request.hidden.add([token])
        return request
    }
}

extension OAuthClient {
    /// The fields by which it proves itself, where it does that in the form.
    fileprivate var proof: [FormField] {
        guard let secret else { return [] }
        guard authentication == .privateKeyJWT else { return [FormField("client_secret", secret)] }
        let type = FormField("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        return [type, FormField("client_assertion", secret)]
    }

    /// Both halves are form-encoded before base64 (RFC 6749, section 2.3.1).
    fileprivate func basic() throws(LoginFault) -> Secret {
        var header = SecretBuilder(limit: RequestRule.bodyLimit)
        do {
            let name = try Secret(id).formEncoded(limit: RequestRule.bodyLimit)
            let password = try (secret ?? Secret("")).formEncoded(limit: RequestRule.bodyLimit)
            header.appendBasic(name, password)
            return try header.filled()
        } catch {
            throw .failure("the client's identifier and secret are too long for a header")
        }
    }
}

extension Secret {
    /// The long parts between dots.
    fileprivate var parts: [Secret] {
        withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: ".")).filter { $0.count >= 24 && $0.count < bytes.count }.map {
                Secret(copying: UnsafeRawBufferPointer(rebasing: $0))
            }
        }
    }
}

/// One name with its value, which may be a secret.
struct FormField: Equatable, Sendable {
    let name: String
    let value: Secret

    init(_ name: String, _ value: String) { self.init(name, Secret(value)) }

    init(_ name: String, _ value: Secret) {
        self.name = name
        self.value = value
    }

    /// `name=value&…`, in guarded memory.
    static func encode(_ fields: [FormField], _ encoding: ByteEncoding = .form) throws(LoginFault) -> Secret {
        var builder = SecretBuilder(limit: RequestRule.bodyLimit)
        for (index, field) in fields.enumerated() {
            if index > 0 { builder.append("&") }
            builder.append(field.name, encoding)
            builder.append("=")
            builder.append(field.value, encoding)
        }
        guard let text = builder.finish() else {
            throw .failure("a request to the authorization server would be too long")
        }
        return text
    }
}
