@testable import LoginKit
import Secrets
import Testing

/// What is sent to an authorization server, and what is not.
struct OAuthRequestTests {
    private let endpoint = SomeOAuth.url("https://id.example/authorize")
    private let token = SomeOAuth.url("https://id.example/token")

    private func names(_ url: String) -> [String] {
        url.split(separator: "?").dropFirst().joined().split(separator: "&").map { String($0.prefix { $0 != "=" }) }
    }

    @Test func `verifier and challenge are those of the RFC`() throws {
        let random: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240,
            91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let digest: [UInt8] = [
            19, 211, 30, 150, 26, 26, 216, 236, 47, 22, 177, 12, 76, 152, 46, 8, 118, 168, 120, 173, 109, 241,
            68, 86, 110, 225, 137, 74, 203, 112, 249, 195,
        ]
        let attempt = try AuthorizationAttempt(random: { Secret(count: $0) { $0.copyBytes(from: random) } }) {
            (function, text) throws(LoginFault) in
            #expect(function == .sha256 && text == Secret(verifier))
            return Secret(count: 32) { $0.copyBytes(from: digest) }
        }
        #expect(attempt.verifier == Secret(verifier))
        #expect(attempt.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `a verifier has 43 characters, and ten logins have nothing in common`() throws {
        let source = SomeOAuth.Source()
        var seen: Set<String> = []
        for _ in 0..<10 {
            let attempt = try SomeOAuth.attempt(source)
            let texts = [attempt.state, attempt.verifier, attempt.nonce].map(\.unprotectedText)
            #expect(texts.allSatisfy { $0.utf8.count == 43 } && attempt.challenge.utf8.count == 43)
            seen.formUnion(texts + [attempt.challenge])
        }
        #expect(seen.count == 40)
    }

    @Test func `the URL has the parameters in order, and no secret but state and nonce`() throws {
        let attempt = try SomeOAuth.attempt()
        let client = OAuthClient(id: "authctl", secret: Secret("canary"), authentication: .post)
        let request = AuthorizationRequest(
            client: client, scope: "openid notes:read", resource: "https://notes.example/mcp", loginHint: "ann",
            parameters: [OAuthParameter(name: "audience", value: "a b")])
        let url = try request.url(endpoint, attempt, redirect: SomeOAuth.redirect)
        #expect(
            url.hasPrefix(
                "https://id.example/authorize?response_type=code&client_id=authctl"
                    + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A41873%2Fcallback&state="))
        #expect(
            names(url) == [
                "response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method",
                "scope",
                "resource", "login_hint", "nonce", "audience",
            ])
        #expect(url.contains("&scope=openid%20notes%3Aread&") && url.hasSuffix("&audience=a%20b"))
        #expect(!url.contains(attempt.verifier.unprotectedText) && !url.contains("canary"))
    }

    @Test func `nonce and hint are sent only where the scope has openid`() throws {
        for scope in [nil, "", "openidx", "notes"] {
            let request = AuthorizationRequest(client: SomeOAuth.client, scope: scope, loginHint: "ann")
            let url = try request.url(endpoint, try SomeOAuth.attempt(), redirect: SomeOAuth.redirect)
            #expect(!url.contains("nonce=") && !url.contains("login_hint="))
        }
    }

    @Test func `another account is asked for unless the profile says what to prompt for`() throws {
        let attempt = try SomeOAuth.attempt()
        var request = AuthorizationRequest(client: SomeOAuth.client, choosesAccount: true)
        #expect(try request.url(endpoint, attempt, redirect: "r").hasSuffix("&prompt=select_account"))
        request = AuthorizationRequest(
            client: SomeOAuth.client, parameters: [OAuthParameter(name: "prompt", value: "login")], choosesAccount: true
        )
        #expect(try request.url(endpoint, attempt, redirect: "r").hasSuffix("&prompt=login"))
    }

    @Test func `a query that the endpoint has stays`() throws {
        let request = AuthorizationRequest(client: SomeOAuth.client)
        let url = try request.url(
            SomeOAuth.url("https://id.example/go?tenant=7"), try SomeOAuth.attempt(), redirect: "r")
        #expect(url.hasPrefix("https://id.example/go?tenant=7&response_type=code&"))
    }

    @Test func `what is pushed leaves the URL short`() throws {
        let attempt = try SomeOAuth.attempt()
        let request = AuthorizationRequest(client: SomeOAuth.client, scope: "openid")
        let pushed = try OAuthCall(
            "https://id.example/par", request.fields(attempt, redirect: SomeOAuth.redirect), request.client
        )
        .request()
        let fields = SomeOAuth.form(pushed)
        #expect(fields.contains("scope=openid") && fields.filter { $0.hasPrefix("client_id=") }.count == 1)
        let answer = try PushedRequest(SomeOAuth.response(201, "{\"request_uri\":\"urn:x:1\",\"expires_in\":60}"))
        #expect(
            try request.url(endpoint, pushedAs: answer.requestURI)
                == "https://id.example/authorize?response_type=code&client_id=authctl&request_uri=urn%3Ax%3A1")
        #expect(throws: LoginFault.self) {
            try PushedRequest(SomeOAuth.response(400, "{\"error\":\"invalid_request\"}"))
        }
    }

    @Test func `a code is exchanged with its verifier and its redirect`() throws {
        let attempt = try SomeOAuth.attempt()
        let request = AuthorizationRequest(client: SomeOAuth.client, scope: "a", resource: "https://notes.example")
        let sent = try OAuthCall.exchange(
            code: Secret("c/d"), attempt, redirect: SomeOAuth.redirect, request, at: token
        ).request()
        #expect(sent.method == "POST" && sent.url == "https://id.example/token")
        #expect(SomeOAuth.header("Accept", of: sent) == "application/json")
        #expect(SomeOAuth.header("Authorization", of: sent) == nil)
        #expect(
            SomeOAuth.form(sent) == [
                "grant_type=authorization_code", "code=c%2Fd", "redirect_uri=http%3A%2F%2F127.0.0.1%3A41873%2Fcallback",
                "code_verifier=\(attempt.verifier.unprotectedText)", "resource=https%3A%2F%2Fnotes.example",
                "client_id=authctl",
            ])
        #expect(sent.hidden.stand(in: "no such code c/d"))
    }

    @Test func `a client proves itself by Basic with both halves encoded, or in the form`() throws {
        let secret = Secret("p:w ü")
        let basic = "Basic " + Secret("desk%3A1:p%3Aw+%C3%BC").base64.unprotectedText
        let forms: [(ClientAuthentication, String?, String?)] = [
            (.basic, basic, nil), (.post, nil, "client_secret=p%3Aw+%C3%BC"), (.none, nil, nil),
        ]
        for (method, header, field) in forms {
            let client = OAuthClient(id: "desk:1", secret: secret, authentication: method)
            let sent = try OAuthCall.poll(deviceCode: Secret("d"), AuthorizationRequest(client: client), at: token)
                .request()
            #expect(SomeOAuth.header("Authorization", of: sent) == header)
            #expect(SomeOAuth.form(sent).first { $0.hasPrefix("client_secret") } == field)
            #expect(SomeOAuth.form(sent).contains("client_id=desk%3A1") == (method != .basic))
        }
    }

    @Test func `the way to prove itself is the first of the two that the server lists`() {
        #expect(ClientAuthentication.usual(among: nil) == .basic)
        #expect(ClientAuthentication.usual(among: ["none"]) == .basic)
        #expect(
            ClientAuthentication.usual(among: ["private_key_jwt", "client_secret_post", "client_secret_basic"]) == .post
        )
    }

    @Test func `a device code is asked for with what the profile adds, and polled with the resource`() throws {
        let request = AuthorizationRequest(
            client: SomeOAuth.client, scope: "watch", resource: "r",
            parameters: [OAuthParameter(name: "audience", value: "tv")])
        let asked = try OAuthCall(endpoint.text, request.deviceFields, request.client).request()
        #expect(SomeOAuth.form(asked) == ["scope=watch", "resource=r", "audience=tv", "client_id=authctl"])
        let polled = try OAuthCall.poll(deviceCode: Secret("canary"), request, at: token).request()
        #expect(
            SomeOAuth.form(polled) == [
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code", "device_code=canary", "resource=r",
                "client_id=authctl",
            ])
        #expect(polled.hidden.stand(in: "canary"))
    }

    @Test func `a refresh goes where the login's tokens came from, without a scope`() throws {
        let sent = try #require(try OAuthCall.refresh(SomeOAuth.grant)?.request())
        #expect(sent.url == "https://id.example/token")
        #expect(
            SomeOAuth.form(sent) == [
                "grant_type=refresh_token", "refresh_token=canary-refresh",
                "resource=https%3A%2F%2Fnotes.example%2Fmcp",
                "client_id=authctl",
            ])
        let without = Grant(token: Token(value: Secret("a"), refreshToken: nil, expires: nil), terms: SomeOAuth.terms)
        #expect(OAuthCall.refresh(without) == nil)
    }

    @Test func `the refresh token is revoked first, then the access token`() throws {
        let sent = try OAuthCall.revocations(SomeOAuth.grant).map { (call) throws in try call.request() }
        #expect(
            sent.map { SomeOAuth.form($0) } == [
                ["token=canary-refresh", "token_type_hint=refresh_token", "client_id=authctl"],
                ["token=canary-access", "token_type_hint=access_token", "client_id=authctl"],
            ])
        #expect(sent.allSatisfy { $0.url == "https://id.example/revoke" })
    }
}
