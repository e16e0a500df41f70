import Foundation
@testable import LoginTestSupport
import Testing

/// The demo backend's authorization server, as its clients see it: their secrets, registration, revocation, pushed requests.
@Suite(.onOwnThreads) struct `The demo backend's OAuth clients` {
    let demo: DemoBackendProcess
    private let oauth: DemoOAuth
    private static let desk = "desk%3A1:50%25%20off+%2B%20tax%20%26%20%C3%BCn%C3%AFcode"
    private static let television = "4711:comes with the program"

    init() throws {
        demo = try DemoBackendProcess()
        oauth = DemoOAuth(origin: demo.origin)
    }

    // MARK: authentication

    @Test func `a client proves who it is in one of its ways`() throws {
        let token: [String: String?] = ["token": "unknown"]
        #expect(try oauth.post("revoke", token, basic: Self.desk).status == 200)
        let secret: [String: String?] = ["token": "x", "client_id": "4711", "client_secret": "comes with the program"]
        #expect(try oauth.post("revoke", secret).status == 200)
        #expect(try oauth.post("revoke", ["token": "x", "client_id": "authctl", "client_secret": ""]).status == 200)
        let raw = try oauth.post("revoke", token, basic: "desk%3A1:50% off + tax & ünïcode")
        #expect(raw.status == 401 && raw.json("error") == "invalid_client")
        #expect(raw.headers["www-authenticate"]?.hasPrefix("Basic ") == true)
        for (fields, basic) in [
            (["client_id": "authctl", "client_secret": "x"], nil), (["client_id": "4711"], nil),
            (["client_id": "nobody"], nil), ([:], "4711:wrong"), ([:], "authctl:"),
        ] as [([String: String?], String?)] {
            #expect(try oauth.post("revoke", token.merging(fields) { $1 }, basic: basic).status == 401, "\(fields)")
        }
        #expect(try oauth.post("revoke", token).json("error") == "invalid_request")
        let twice = token.merging(["client_secret": "x"]) { $1 }
        #expect(try oauth.post("revoke", twice, basic: Self.television).json("error") == "invalid_request")
    }

    // MARK: registration

    @Test func `a client registers, logs in, and is deleted with all it has`() throws {
        let client = try register(
            #"{"client_name": "me & <you>", "redirect_uris": ["http://127.0.0.1:9/cb"], "application_type": "native","#
                + #""grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],"#
                + #""token_endpoint_auth_method": "none", "scope": "notes:read"}"#)
        #expect(client.status == 201 && client.json("client_secret") == nil)
        let own: [String: String?] = ["client_id": client.json("client_id"), "redirect_uri": "http://127.0.0.1:10/cb"]
        let asked = own.merging(["scope": nil]) { $1 }
        #expect(try oauth.authorize(asked).text.contains("me &amp; &lt;you&gt;"))
        #expect(try oauth.answer(oauth.authorize(own))["error"] == "invalid_scope")
        let tokens = try oauth.exchange(oauth.code(asked), own)
        #expect(try oauth.get(tokens).status == 200)
        let page = try #require(client.json("registration_client_uri"))
        let token = try #require(client.json("registration_access_token"))
        #expect(try Curl("-H", "Authorization: Bearer x", "-X", "DELETE", page).status == 401)
        #expect(try Curl("-H", "Authorization: Bearer \(token)", page).json("scope") == "notes:read")
        #expect(try Curl("-H", "Authorization: Bearer \(token)", "-X", "DELETE", page).status == 204)
        #expect(try Curl("-H", "Authorization: Bearer \(token)", page).status == 401)
        #expect(try oauth.get(tokens).status == 401)
        #expect(try oauth.authorize(asked).status == 400)
        #expect(try oauth.refresh(tokens, own).json("error") == "invalid_client")
    }

    @Test func `a client that says nothing of itself gets a secret for Basic`() throws {
        let client = try register(#"{"redirect_uris": ["https://app.example/cb"]}"#)
        #expect(client.json("token_endpoint_auth_method") == "client_secret_basic")
        #expect(client.json("grant_types", "0") == "authorization_code" && client.json("grant_types", "1") == nil)
        #expect(client.json("client_secret_expires_at") == "0")
        let own: [String: String?] = ["client_id": client.json("client_id"), "redirect_uri": "https://app.example/cb"]
        let code = try oauth.code(own)
        #expect(try oauth.exchange(code, own).status == 401)
        let pair = try "\(#require(client.json("client_id"))):\(#require(client.json("client_secret")))"
        let fields: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "code_verifier": DemoOAuth.verifier,
            "redirect_uri": "https://app.example/cb",
        ]
        let tokens = try oauth.post("token", fields, basic: pair)
        #expect(tokens.status == 200 && tokens.json("refresh_token") == nil)
    }

    @Test func `a registration that cannot be granted is refused`() throws {
        for (body, error) in [
            (#"{}"#, "invalid_redirect_uri"),
            (#"{"redirect_uris": ["http://app.example/cb"]}"#, "invalid_redirect_uri"),
            (#"{"redirect_uris": ["https://a/#b"]}"#, "invalid_redirect_uri"), ("[]", "invalid_client_metadata"),
            (#"{"grant_types": ["password"]}"#, "invalid_client_metadata"),
            (#"{"token_endpoint_auth_method": "private_key_jwt"}"#, "invalid_client_metadata"),
            (#"{"redirect_uris": ["https://a/"], "scope": "everything"}"#, "invalid_client_metadata"),
        ] {
            let answer = try register(body)
            #expect(answer.status == 400 && answer.json("error") == error, "\(body)")
        }
    }

    // MARK: revocation and pushed requests

    @Test func `revoking a refresh token ends its family, an access token itself alone`() throws {
        let first = try oauth.tokens(), second = try oauth.tokens()
        let revoke = { (token: String?) in try oauth.post("revoke", ["client_id": "authctl", "token": token]) }
        #expect(try revoke(first.json("access_token")).status == 200)
        #expect(try oauth.get(first).status == 401)
        #expect(try oauth.get(oauth.refresh(first)).status == 200)
        let foreign = try oauth.post("revoke", ["token": second.json("refresh_token")], basic: Self.television)
        #expect(foreign.json("error") == "invalid_grant")
        #expect(try oauth.get(second).status == 200)
        #expect(try revoke(second.json("refresh_token")).status == 200)
        #expect(try oauth.get(second).status == 401)
        #expect(try oauth.refresh(second).json("error") == "invalid_grant")
        #expect(try revoke(second.json("refresh_token")).status == 200)
        #expect(try revoke(nil).json("error") == "invalid_request")
    }

    @Test func `a pushed request needs nothing else in the browser, until it was decided`() throws {
        let pushed = try oauth.push()
        #expect(pushed.status == 201 && pushed.json("expires_in") == "90")
        let url = try "\(oauth.issuer)/authorize?request_uri=\(#require(pushed.json("request_uri")))"
        #expect(try Curl(url + "&client_id=4711").status == 400)
        let answer = try oauth.answer(oauth.decide(Curl(url + "&client_id=authctl&response_type=code")))
        #expect(answer["state"] == "s+& 1")
        #expect(try oauth.get(oauth.exchange(try #require(answer["code"]))).json("name") == "ann")
        #expect(try Curl(url + "&client_id=authctl").status == 400)
        #expect(try oauth.push(["redirect_uri": "http://else.example/"]).json("error") == "invalid_request")
        #expect(try oauth.push(["code_challenge": nil]).json("error") == "invalid_request")
        #expect(try oauth.push(["request_uri": "urn:x"]).json("error") == "invalid_request")
        #expect(try oauth.push(["client_id": "nobody"]).status == 401)
    }

    private func register(_ body: String) throws -> Curl {
        try Curl("-H", "Content-Type: application/json", "-d", body, oauth.issuer + "/register")
    }
}
