@testable import LoginKit
import Secrets
import Testing

/// Clients that are registered for one login.
struct OAuthRegistrationTests {
    private let endpoint = SomeOAuth.url("https://id.example/register")

    private func read(_ status: Int, _ body: String, _ headers: [String: String] = [:]) throws(LoginFault)
        -> OAuthClient
    {
        let response = SomeOAuth.response(status, body, headers)
        return try RegistrationResponse(response, from: endpoint, parse: SomeOAuth.parse).client
    }

    @Test func `no more is asked for than is used`() throws {
        let request = try RegistrationRequest(redirect: SomeOAuth.redirect, scope: "a \"b\"").request(at: endpoint)
        #expect(request.url == "https://id.example/register" && request.method == "POST")
        #expect(SomeOAuth.header("Content-Type", of: request) == "application/json")
        #expect(
            request.body?.unprotectedText
                == "{\"client_name\":\"authctl\",\"redirect_uris\":[\"\(SomeOAuth.redirect)\"],"
                + "\"grant_types\":[\"authorization_code\",\"refresh_token\"],\"response_types\":[\"code\"],"
                + "\"token_endpoint_auth_method\":\"none\",\"application_type\":\"native\",\"scope\":\"a \\\"b\\\"\"}")
    }

    @Test(arguments: [
        (nil, "none"), (["none", "client_secret_post"], "none"),
        (["client_secret_post", "client_secret_basic"], "client_secret_post"),
        (["client_secret_basic"], "none"),
    ])
    func `a client with a secret in the form is asked for where the server lists no other kind`(
        listed: [String]?, method: String
    ) throws {
        let request = try RegistrationRequest(redirect: nil, scope: nil, listed: listed).request(at: endpoint)
        #expect(request.body?.unprotectedText.contains("\"token_endpoint_auth_method\":\"\(method)\"") == true)
    }

    @Test func `a device has no redirect`() throws {
        let request = try RegistrationRequest(redirect: nil, scope: nil).request(at: endpoint)
        #expect(
            request.body?.unprotectedText
                == "{\"client_name\":\"authctl\",\"grant_types\":[\"urn:ietf:params:oauth:grant-type:device_code\","
                + "\"refresh_token\"],\"response_types\":[],\"token_endpoint_auth_method\":\"none\","
                + "\"application_type\":\"native\"}")
    }

    @Test(arguments: [200, 201]) func `a secret beside the method none is not used`(status: Int) throws {
        let client = try read(
            status, "{\"client_id\":\"c\",\"client_secret\":\"s\",\"token_endpoint_auth_method\":\"none\"}")
        #expect(client.authentication == .none && client.secret == nil && client.isRegistered)
    }

    @Test func `a secret without a method means Basic`() throws {
        let client = try read(201, "{\"client_id\":\"c\",\"client_secret\":\"s\"}")
        #expect(client.authentication == .basic && client.secret == Secret("s"))
        let posting = try read(
            201, "{\"client_id\":\"c\",\"client_secret\":\"s\",\"token_endpoint_auth_method\":\"client_secret_post\"}")
        #expect(posting.authentication == .post)
        #expect(try read(201, "{\"client_id\":\"c\"}").authentication == .none)
    }

    @Test func `what is refused is a failure, and 429 is a wait`() {
        let refusal = OAuthRefusal(.invalidRedirectURI, at: .registration, status: 400, words: "no")
        #expect(throws: LoginFault.oauth(.refused(refusal))) {
            try read(400, "{\"error\":\"invalid_redirect_uri\",\"error_description\":\"no\"}")
        }
        #expect(LoginFault.oauth(.refused(refusal)).exitCode == .failure)
        #expect(LoginFault.oauth(.refused(OAuthRefusal(.invalidRequest, at: .registration))).exitCode == .failure)
        let busy = LoginFault.busy(BusyFault(status: 429, retryAfter: 60, words: nil))
        #expect(throws: busy) { try read(429, "", ["Retry-After": "60"]) }
        #expect(busy.exitCode == .busy)
    }

    @Test func `a client that cannot be used is told`() {
        #expect(throws: LoginFault.oauth(.unusableResponse(.registration, "it has no client_id"))) {
            try read(201, "{}")
        }
        #expect(
            throws: LoginFault.oauth(
                .unusableResponse(.registration, "the client should prove itself by \"private_key_jwt\""))
        ) {
            try read(201, "{\"client_id\":\"c\",\"token_endpoint_auth_method\":\"private_key_jwt\"}")
        }
        #expect(throws: LoginFault.oauth(.unusableResponse(.registration, "it is not JSON"))) {
            try read(200, "<html>")
        }
        #expect(throws: LoginFault.failure(.redirected(step: "registration", status: 307, target: ""))) {
            try read(307, "")
        }
    }

    @Test func `a client is deleted where the server offers it, on its own origin`() throws {
        let managed =
            "\"registration_client_uri\":\"https://id.example/register/c\",\"registration_access_token\":\"canary\""
        let deletion = try #require(try read(201, "{\"client_id\":\"c\",\(managed)}").deletion)
        #expect(deletion.method == "DELETE" && deletion.url == "https://id.example/register/c")
        #expect(
            SomeOAuth.header("Authorization", of: deletion) == "Bearer canary" && deletion.hidden.stand(in: "canary"))
        for other in ["https://evil.example/c", "http://id.example/register/c", "nonsense"] {
            let elsewhere = managed.replacing("https://id.example/register/c", with: other)
            let client = try read(201, "{\"client_id\":\"c\",\(elsewhere)}")
            #expect(client.isRegistered && client.deletion == nil)
        }
        #expect(SomeOAuth.client.deletion == nil)
    }
}
