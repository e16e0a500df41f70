@testable import LoginKit
import Secrets
import Testing

/// What a token endpoint's answer is taken for.
struct OAuthTokenTests {
    private func read(_ status: Int, _ body: String, _ headers: [String: String] = [:]) throws(LoginFault)
        -> TokenResponse
    {
        try TokenResponse(SomeOAuth.response(status, body, headers))
    }

    private func issued(_ members: String) throws -> IssuedTokens {
        guard case .issued(let tokens) = try read(200, "{\"access_token\":\"a\",\"token_type\":\"Bearer\"\(members)}")
        else {
            throw LoginFault.cancelled
        }
        return tokens
    }

    @Test func `tokens are read, with their end and their scope`() throws {
        let tokens = try issued(",\"expires_in\":3600,\"refresh_token\":\"r\",\"scope\":\"x y\",\"id_token\":\"i\"")
        #expect(tokens.accessToken == Secret("a") && tokens.scope == "x y" && tokens.identityToken == Secret("i"))
        let token = Token(value: Secret("a"), refreshToken: Secret("r"), expires: 4600)
        #expect(tokens.token(receivedAt: 1000) == token)
    }

    @Test(arguments: ["bearer", "BEARER", "Bearer"]) func `the type is Bearer in any case`(type: String) throws {
        let answer = try read(200, "{\"access_token\":\"a\",\"token_type\":\"\(type)\"}")
        guard case .issued = answer else {
            Issue.record("not issued")
            return
        }
    }

    @Test(arguments: ["null", "\"\""]) func `a type that says nothing is as good as none`(type: String) throws {
        let answer = try read(200, "{\"access_token\":\"a\",\"token_type\":\(type)}")
        #expect(try answer.get().accessToken == Secret("a"))
    }

    @Test func `another type is told`() {
        for type in ["DPoP", "mac", "N_A"] {
            #expect(
                throws: LoginFault.oauth(
                    .unusableResponse(.token, "the token is of type \(SafeText.quoted(type)); only Bearer is supported")
                )
            ) {
                try read(200, "{\"access_token\":\"a\",\"token_type\":\"\(type)\"}")
            }
        }
    }

    @Test(arguments: [
        "", ",\"expires_in\":0", ",\"expires_in\":-5", ",\"expires_in\":\"soon\"", ",\"expires_in\":1e30",
    ])
    func `an end that says nothing is none`(member: String) throws {
        #expect(try issued(member).token(receivedAt: 1000).expires == nil)
    }

    @Test func `an end as a text is read`() throws {
        #expect(try issued(",\"expires_in\":\"60\"").token(receivedAt: 1000).expires == 1060)
    }

    @Test(arguments: ["a\\nb", "a b", "\\u00e4", "a\\u0000"]) func `a token that fits no header is not taken`(
        value: String
    ) {
        #expect(throws: LoginFault.unsafeText("access_token", at: .token)) {
            try read(200, "{\"access_token\":\"\(value)\"}")
        }
    }

    @Test func `an error is one whatever its status`() throws {
        for status in [200, 400, 401, 403] {
            let answer = try read(status, "{\"error\":\"invalid_client\",\"error_description\":\"who?\"}")
            #expect(answer == .refused(OAuthRefusal(.invalidClient, at: .token, status: status, words: "who?")))
        }
        let nested = try read(400, "{\"error\":{\"message\":\"who?\",\"code\":190}}")
        #expect(nested == .refused(OAuthRefusal(nil, at: .token, status: 400, words: "who?")))
        #expect(try read(200, "{\"error\":{\"code\":7}}") == .refused(OAuthRefusal(nil, at: .token, status: 200)))
        #expect(try read(400, "") == .refused(OAuthRefusal(nil, at: .token, status: 400)))
        _ = try issued(",\"error\":null")
    }

    @Test func `a form-encoded answer is a failure that says so`() {
        let fault = LoginFault.oauth(.unusableResponse(.token, "it is form-encoded, not JSON"))
        #expect(throws: fault) { try read(200, "access_token=a&token_type=bearer") }
        #expect(fault.exitCode == .failure)
        #expect(throws: LoginFault.oauth(.unusableResponse(.token, "it is not JSON"))) {
            try read(200, "<html>a=b</html>")
        }
        #expect(throws: LoginFault.oauth(.unusableResponse(.token, "it has no access_token"))) {
            try read(200, "{}")
        }
    }

    @Test(arguments: [408, 429, 500, 503]) func `a server that cannot say now has judged nothing`(status: Int) throws {
        let busy = BusyFault(status: status, retryAfter: 9, words: nil)
        #expect(try read(status, "{\"error\":\"invalid_grant\"}", ["Retry-After": "9"]) == .unavailable(busy))
        for code in ["temporarily_unavailable", "server_error"] {
            let answer = try read(400, "{\"error\":\"\(code)\"}")
            #expect(answer == .unavailable(BusyFault(status: 400, retryAfter: nil, words: nil)))
        }
    }

    @Test func `no redirect is followed`() {
        #expect(throws: LoginFault.failure(.redirected(step: "token", status: 302, target: ""))) { try read(302, "") }
    }

    @Test(arguments: [
        (OAuthErrorCode.invalidClient, ExitCode.usage), (.unauthorizedClient, .usage), (.invalidScope, .usage),
        (.invalidTarget, .usage), (.unsupportedGrantType, .usage), (.invalidRequest, .usage), (.invalidGrant, .failure),
        (.accessDenied, .cancelled), (.expiredToken, .expired),
    ])
    func `each error of the token endpoint has its exit code`(code: OAuthErrorCode, exit: ExitCode) throws {
        let answer = try read(400, "{\"error\":\"\(code.rawValue)\"}")
        do throws(LoginFault) {
            _ = try answer.get()
            Issue.record("not refused")
        } catch {
            #expect(error.exitCode == exit)
        }
    }

    private func refresh(_ status: Int, _ body: String, registered: Bool = false) throws(LoginFault) -> IssuedTokens {
        let client = OAuthClient(id: "c", registration: registered ? OAuthClient.Registration() : nil)
        let terms = Grant.Terms(
            issuer: nil, tokenEndpoint: "https://id.example/token", revocation: nil, client: client, scope: nil,
            resource: nil)
        let answer = try TokenResponse(SomeOAuth.response(status, body), at: .refresh)
        return try answer.refreshed(Grant(token: SomeOAuth.grant.token, terms: terms))
    }

    @Test func `a refusal of the refresh token is one, in any of its forms`() {
        for (status, body) in [
            (400, "{\"error\":\"invalid_grant\"}"), (401, "{\"error\":\"invalid_grant\"}"),
            (403, "{\"error\":\"invalid_grant\"}"), (200, "{\"error\":\"invalid_grant\"}"),
            (400, "{\"error\":\"unauthorized_client\"}"), (200, "{\"error\":\"bad_refresh_token\"}"),
        ] {
            #expect(throws: LoginFault.rejected(Refusal(status: status))) { try refresh(status, body) }
        }
    }

    @Test func `what a firewall or a gateway answers in the place of the token endpoint refuses no refresh token`() {
        for (status, body) in [
            (400, ""), (400, "<html>"), (400, "{\"status\":400,\"error\":\"Bad Request\"}"), (401, "{}"),
            (401, "{\"status\":401,\"error\":\"Unauthorized\"}"), (403, "<html>"),
            (403, "{\"error\":\"access_denied\"}"), (404, "{\"status\":404,\"error\":\"Not Found\"}"),
            (400, "{\"error\":\"slow_down\"}"), (200, "{\"error\":\"slow_down\"}"),
            (400, "{\"error\":\"authorization_pending\"}"), (400, "{\"error\":\"rate_limit_exceeded\"}"),
            (401, "{\"error\":\"use_dpop_nonce\"}"), (400, "{\"error\":\"too_many_requests\"}"), (302, ""),
            (307, "<html>"), (405, ""), (407, ""), (413, ""),
            (421, ""), (425, ""), (451, ""), (499, ""),
            (200, "{\"error\":{\"message\":\"x\"}}"),
        ] {
            let words = body.contains("message") ? "x" : nil
            let expected = LoginFault.busy(BusyFault(status: status, retryAfter: nil, words: words, isDoubtful: true))
            #expect(throws: expected, "\(status) \(body)") { try refresh(status, body) }
        }
    }

    @Test func `a client that is not known says nothing about the refresh token, unless it was registered with it`() {
        let body = "{\"error\":\"invalid_client\"}"
        let refusal = OAuthRefusal(.invalidClient, at: .refresh, status: 401)
        #expect(throws: LoginFault.oauth(.refused(refusal))) { try refresh(401, body) }
        #expect(LoginFault.oauth(.refused(refusal)).exitCode == .usage)
        #expect(throws: LoginFault.rejected(Refusal(status: 401))) { try refresh(401, body, registered: true) }
    }

    @Test func `a server error at a refresh erases nothing`() {
        let busy = LoginFault.busy(BusyFault(status: 500, retryAfter: nil, words: nil))
        #expect(throws: busy) { try refresh(500, "{\"error\":\"invalid_grant\"}") }
    }

    @Test func `a new refresh token takes the old one's place, and none keeps it`() throws {
        let kept = SomeOAuth.grant.refreshed(by: try issued(",\"expires_in\":60"), at: 1000)
        #expect(kept.token == Token(value: Secret("a"), refreshToken: Secret("canary-refresh"), expires: 1060))
        #expect(kept.terms == SomeOAuth.terms)
        let rotated = SomeOAuth.grant.refreshed(
            by: try issued(",\"refresh_token\":\"r2\",\"scope\":\"less\""), at: 1000)
        #expect(rotated.token.refreshToken == Secret("r2") && rotated.terms.scope == "less")
    }

    @Test func `the next login asks for what is granted and what is wanted`() {
        #expect(SomeOAuth.terms.scope(with: "notes:write notes:read") == "notes:read notes:write")
    }

    private func server(revoking methods: [String]?) throws -> AuthorizationServer {
        var members = ["revocation_endpoint": "\"https://id.example/revoke\""]
        if let methods { members["revocation_endpoint_auth_methods_supported"] = "\(methods)" }
        let metadata = try ServerMetadata.read(
            SomeOAuth.metadata(members), of: SomeOAuth.issuer, from: SomeOAuth.url(SomeOAuth.issuer).origin,
            rule: EndpointRule(), parse: SomeOAuth.parse)
        return try AuthorizationServer(
            OAuthProfile(), base: "https://notes.example", metadata: metadata, rule: EndpointRule(),
            parse: SomeOAuth.parse)
    }

    @Test func `what the server rules out is not tried, and a missing list means try`() throws {
        let confidential = OAuthClient(id: "c", secret: Secret("s"), authentication: .post)
        #expect(
            try server(revoking: nil).revocation(for: SomeOAuth.client)?.authentication == ClientAuthentication.none)
        #expect(try server(revoking: ["client_secret_basic"]).revocation(for: SomeOAuth.client) == nil)
        #expect(try server(revoking: ["none"]).revocation(for: SomeOAuth.client) != nil)
        #expect(try server(revoking: ["client_secret_basic"]).revocation(for: confidential)?.authentication == .basic)
        #expect(try server(revoking: []).revocation(for: confidential) == nil)
    }

    @Test(arguments: [
        (200, "", RevocationResponse.revoked), (204, "", .revoked), (401, "", .failed(status: 401)),
        (500, "", .failed(status: 500)), (400, "{\"error\":\"unsupported_token_type\"}", .unsupported),
        (200, "{\"error\":\"invalid_client\"}", .failed(status: 200)), (200, "<html>Log in", .failed(status: 200)),
        (302, "", .failed(status: 302)), (200, "ok", .revoked),
    ])
    func `a revocation is told from one that failed`(status: Int, body: String, answer: RevocationResponse) {
        #expect(RevocationResponse(SomeOAuth.response(status, body)) == answer)
    }

    private func name(_ members: [String: JSONValue], nonce: String? = "n") throws(IdentityTokenFault) -> String {
        let usual: [String: JSONValue] = [
            "iss": .string(SomeOAuth.issuer), "aud": .string("authctl"), "exp": .integer(2000), "nonce": .string("n"),
            "preferred_username": .string("ann"),
        ]
        let token = IdentityToken(
            claims: .object(usual.merging(members) { _, new in new }), issuer: SomeOAuth.issuer, clientID: "authctl",
            nonce: nonce.map { Secret($0) }, now: 1500)
        return try token.name(in: "preferred_username")
    }

    @Test func `a name is taken from an id_token that fits, and from no other`() throws {
        #expect(try name([:]) == "ann")
        #expect(try name(["nonce": .null], nonce: nil) == "ann")
        #expect(throws: IdentityTokenFault.audience) { try name(["aud": .array([])]) }
        #expect(throws: IdentityTokenFault.audience) { try name(["aud": .string("other")]) }
        #expect(throws: IdentityTokenFault.audience) { try name(["azp": .string("other")]) }
        let both = JSONValue.array([.string("authctl"), .string("other")])
        #expect(throws: IdentityTokenFault.audience) { try name(["aud": both]) }
        #expect(throws: IdentityTokenFault.audience) { try name(["aud": both, "azp": .string("other")]) }
        #expect(throws: IdentityTokenFault.audience) { try name(["aud": both, "azp": .null]) }
        #expect(try name(["aud": both, "azp": .string("authctl")]) == "ann")
        #expect(try name(["aud": .array([.string("authctl")])]) == "ann")
        #expect(throws: IdentityTokenFault.issuer) { try name(["iss": .string("https://evil.example")]) }
        #expect(throws: IdentityTokenFault.expired) { try name(["exp": .integer(1400)]) }
        #expect(throws: IdentityTokenFault.expired) { try name(["exp": .null]) }
        #expect(throws: IdentityTokenFault.nonce) { try name(["nonce": .string("m")]) }
        #expect(throws: IdentityTokenFault.nonce) { try name(["nonce": .null]) }
        #expect(throws: IdentityTokenFault.claim) { try name(["preferred_username": .null]) }
        #expect(LoginFault.oauth(.identityToken(.nonce)).exitCode == .untrusted)
    }
}
