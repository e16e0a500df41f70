import Foundation

/// What clients send by themselves.
extension AuthorizationServer {
    /// The token endpoint (RFC 6749, 3.2).
    mutating func token(_ call: Call) throws(OAuthError) -> Reply {
        let parameters = try Parameters(postedIn: call)
        let client = try clients.authenticated(call, parameters)
        guard let type = OAuthClient.GrantType(rawValue: try parameters.required("grant_type")) else {
            throw OAuthError(.unsupportedGrantType, "This grant_type is not supported")
        }
        try client.mayUse(type)
        switch type {
        case .refreshToken: return try tokens.refresh(parameters, clientID: client.id, now: call.now)
        case .authorizationCode:
            let code = try parameters.required("code")
            if codes.isSpent(code, clientID: client.id) { tokens.end(code: code) }
            let (terms, account) = try codes.redeem(code, parameters, clientID: client.id, now: call.now)
            return try begin(terms, account, client, call, code: code)
        case .deviceCode:
            let code = try parameters.required("device_code")
            let (terms, account) = try devices.redeem(code, clientID: client.id, now: call.now)
            return try begin(terms, account, client, call, code: nil)
        }
    }

    private mutating func begin(
        _ terms: GrantTerms, _ account: Account, _ client: OAuthClient, _ call: Call, code: String?
    ) throws(OAuthError) -> Reply {
        guard let lifetime = call.lifetime(usual: terms.lifetime) else {
            throw OAuthError(.invalidRequest, "ttl is not a number of seconds")
        }
        let identity = IDToken(account, terms, issuer: call.issuer, now: call.now)
        return tokens.begin(
            terms, account, code: code, lifetime: lifetime,
            refreshable: client.grantTypes.contains(.refreshToken),
            idToken: terms.scope.contains("openid") ? client.secret.map(identity.signed) : nil, now: call.now)
    }

    private struct DeviceResponse: Encodable {
        let deviceCode: String
        let userCode: String
        let verificationUri: String
        let verificationUriComplete: String
        let expiresIn: Int
        let interval: Int
    }

    /// The device authorization endpoint (RFC 8628, 3.1). Tests ask for a short `interval` and `code_ttl`.
    mutating func authorizeDevice(_ call: Call) throws(OAuthError) -> Reply {
        let parameters = try Parameters(postedIn: call)
        let client = try clients.authenticated(call, parameters)
        try client.mayUse(.deviceCode)
        let terms = try GrantTerms(parameters, client)
        let interval = try parameters.seconds("interval", usual: 5)
        let lifetime = try parameters.seconds("code_ttl", usual: 600)
        let codes = devices.begin(terms, lifetime: lifetime, interval: interval, now: call.now)
        let page = call.issuer + "/device"
        let response = DeviceResponse(
            deviceCode: codes.deviceCode, userCode: codes.userCode, verificationUri: page,
            verificationUriComplete: "\(page)?user_code=\(codes.userCode)", expiresIn: Int(lifetime),
            interval: Int(interval))
        return .json(200, response)
    }

    /// An authorization request that is told the server beforehand.
    struct PushedRequest: Sendable {
        let request: AuthorizationRequest
        let end: Date
    }

    private struct PushResponse: Encodable {
        let requestUri: String
        let expiresIn: Int
    }

    /// RFC 9126, 2.
    mutating func push(_ call: Call) throws(OAuthError) -> Reply {
        let parameters = try Parameters(postedIn: call)
        let client = try clients.authenticated(call, parameters)
        guard parameters["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "A pushed request cannot point to another one")
        }
        let target = try parameters.required("redirect_uri")
        guard client.accepts(redirect: target) else {
            throw OAuthError(.invalidRequest, "This redirect_uri is not registered")
        }
        let redirect = Redirect(uri: target, state: parameters["state"], issuer: call.issuer)
        let request = try AuthorizationRequest(parameters, client, redirect)
        let uri = "urn:ietf:params:oauth:request_uri:" + Token.fresh("pushed"), lifetime = 90
        pushed[uri] = PushedRequest(request: request, end: call.now + Double(lifetime))
        return .json(201, PushResponse(requestUri: uri, expiresIn: lifetime))
    }

    /// RFC 7009, 2.
    mutating func revoke(_ call: Call) throws(OAuthError) -> Reply {
        let parameters = try Parameters(postedIn: call)
        let client = try clients.authenticated(call, parameters)
        try tokens.revoke(try parameters.required("token"), clientID: client.id)
        return Reply(status: 200)
    }

    /// RFC 7591, 3.
    mutating func register(_ call: Call) throws(OAuthError) -> Reply {
        guard let wish = call.json(ClientMetadata.self) else {
            throw OAuthError(.invalidClientMetadata, "A JSON object that describes a client is needed")
        }
        return .json(201, ClientMetadata(of: try clients.register(wish), issuer: call.issuer))
    }

    /// RFC 7592, 2.1 and 2.3. What a deleted client has ends with it.
    mutating func registration(_ call: Call) -> Reply? {
        let prefix = Self.path + "/register/"
        guard call.path.hasPrefix(prefix), ["GET", "DELETE"].contains(call.method) else { return nil }
        guard let client = clients.registered(call, id: String(call.path.dropFirst(prefix.count))) else {
            return Reply(status: 401).with("WWW-Authenticate", "Bearer error=\"invalid_token\"")
        }
        guard call.method == "DELETE" else { return .json(200, ClientMetadata(of: client, issuer: call.issuer)) }
        clients.remove(client)
        tokens.end(clientID: client.id)
        return Reply(status: 204)
    }
}
