import Foundation
@testable import LoginTestSupport
import Testing

/// Whether the real servers behave as tests of authctl against them take for granted; nothing of ours is asked.
@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.require("glewlwyd"), RealServer.require("openssl"))
final class `A real Glewlwyd` {
    private let glewlwyd: GlewlwydServer
    private let person: ScriptedPerson
    private let redirect: String
    private let desk: OAuthClient

    init() throws {
        redirect = "http://127.0.0.1:\(try FreePort.next())/callback"
        desk = OAuthClient("desk", secret: "a secret of a desk", redirects: [redirect])
        glewlwyd = try GlewlwydServer(clients: [OAuthClient("authctl", redirects: [redirect]), desk])
        person = try ScriptedPerson()
    }

    private func client(_ client: OAuthClient? = nil) throws -> RealOAuth {
        let client = client ?? OAuthClient("authctl", redirects: [redirect])
        return RealOAuth(metadata: try Curl(glewlwyd.metadata), client: client, redirect: redirect)
    }

    @Test func `a real Glewlwyd has its metadata below the issuer alone`() throws {
        let metadata = try Curl(glewlwyd.metadata)
        #expect(metadata.json("issuer") == glewlwyd.issuer)
        #expect(metadata.json("code_challenge_methods_supported", "0") == "S256")
        #expect(metadata.json("code_challenge_methods_supported", "1") == nil)
        #expect(metadata.json("revocation_endpoint_auth_methods_supported", "0") == "client_secret_basic")
        #expect(metadata.json("authorization_response_iss_parameter_supported") == nil)
        for place in ["oauth-authorization-server", "openid-configuration"] {
            #expect(try Curl("\(glewlwyd.origin)/.well-known/\(place)/api/oidc").status == 404)
        }
    }

    @Test func `a real Glewlwyd logs in, and a refresh token is good once`() throws {
        let client = try client(), tokens = try client.tokens(person)
        #expect(tokens.status == 200 && tokens.json("scope") == "openid notes", "\(tokens.text)")
        #expect(tokens.json("id_token") != nil && tokens.json("token_type") == "bearer")
        let name = try RealOAuth.get(glewlwyd.userinfo, tokens)
        #expect(name.status == 200 && name.json("sub") != nil && name.json("sub") != "ann")
        let anonymous = try Curl(glewlwyd.userinfo)
        #expect(anonymous.status == 401 && anonymous.headers["www-authenticate"] == nil)
        let second = try client.refresh(tokens)
        #expect(second.status == 200 && second.json("refresh_token") != tokens.json("refresh_token"))
        #expect(second.json("id_token") == nil)
        let reused = try client.refresh(tokens)
        #expect(reused.status == 400, "\(reused.text)")
        #expect(try client.refresh(second).status == 400, "the use of an old one ends the new one")
    }

    @Test func `revokes for a client with a secret alone`() throws {
        let client = try client(desk), tokens = try client.tokens(person)
        #expect(tokens.status == 200, "\(tokens.text)")
        let token = try #require(tokens.json("refresh_token"))
        #expect(try client.post(client.endpoint("revocation"), ["token": token]).status == 200)
        #expect(try client.refresh(tokens).status == 400)
        let open = try self.client(), others = try open.tokens(person)
        let refused = try open.post(open.endpoint("revocation"), ["token": try #require(others.json("refresh_token"))])
        #expect(refused.status == 401)
        let wrong = RealOAuth(
            metadata: client.metadata, client: OAuthClient("desk", secret: "wrong", redirects: []), redirect: redirect)
        #expect([400, 401, 403].contains(try wrong.tokens(person).status))
    }

    @Test func `a real Glewlwyd logs a device in`() throws {
        let client = try client(), place = try client.endpoint("token")
        let codes = try client.post(client.endpoint("device_authorization"), ["scope": "openid notes"])
        let device = try #require(codes.json("device_code"), "\(codes.text)")
        let fields = ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": device]
        #expect(codes.json("verification_uri") == glewlwyd.issuer + "/device" && codes.json("interval") == "1")
        #expect(try client.post(place, fields).json("error") == "authorization_pending")
        let page = try person.consent(
            at: try #require(codes.json("verification_uri")), code: codes.json("user_code"))
        #expect(page.text == "deviceComplete", "\(page)")
        usleep(1_200_000)
        let tokens = try client.post(place, fields)
        #expect(tokens.status == 200 && tokens.json("refresh_token") != nil, "\(tokens.text)")
        usleep(1_200_000)
        #expect(try client.post(place, fields).json("error") == "access_denied")
    }

    @Test func `a real Glewlwyd sends nobody to a redirect that it does not know`() throws {
        let page = try person.consent(at: client().address(["redirect_uri": redirect + "/"]), stays: true)
        #expect(page.status == 403 && page.address.hasPrefix(glewlwyd.origin), "\(page)")
    }

    @Test func `registers a client`() throws {
        let body = #"{"redirect_uris": ["\#(redirect)"], "token_endpoint_auth_method": "none", "client_name": "x"}"#
        let place = try client().endpoint("registration")
        let made = try Curl("-H", "Content-Type: application/json", "-d", body, place)
        #expect(made.status == 200 && made.json("client_id") != nil, "\(made.status) \(made.text)")
    }
}

@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.requirePackage("fastmcp"))
final class `A real FastMCP` {
    private let mcp: FastMCPServer
    private let person: ScriptedPerson
    private let redirect: String

    init() throws {
        redirect = "http://127.0.0.1:\(try FreePort.next())/callback"
        mcp = try FastMCPServer()
        person = try ScriptedPerson()
    }

    @Test func `a real FastMCP is found from its refusal on, and registers, logs in, refreshes and revokes`() throws {
        let refused = try Curl(mcp.resource), challenge = try #require(refused.headers["www-authenticate"])
        let place = try #require(challenge.firstMatch(of: /resource_metadata="([^"]+)"/)?.1)
        #expect(refused.status == 401 && challenge.hasPrefix("Bearer "))
        let resource = try Curl(String(place))
        #expect(resource.json("resource") == mcp.resource && resource.json("authorization_servers", "0") == mcp.issuer)
        let metadata = try Curl(mcp.origin + "/.well-known/oauth-authorization-server")
        #expect(metadata.json("issuer") == mcp.issuer)
        #expect(metadata.json("code_challenge_methods_supported", "0") == "S256")
        #expect(try Curl(mcp.origin + "/.well-known/openid-configuration").status == 404)

        let body = #"{"redirect_uris": ["\#(redirect)"], "token_endpoint_auth_method": "none", "scope": "notes"}"#
        let registration = try #require(metadata.json("registration_endpoint"))
        let made = try Curl("-H", "Content-Type: application/json", "-d", body, registration)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(made.json("client_id"))
        let client = RealOAuth(
            metadata: metadata, client: OAuthClient(id, redirects: [redirect]), redirect: redirect, scope: "notes")
        let tokens = try client.tokens(person)
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(try [400, 406].contains(RealOAuth.get(mcp.resource, tokens).status), "let in, but not MCP")
        let second = try client.refresh(tokens)
        #expect(second.status == 200 && second.json("refresh_token") != tokens.json("refresh_token"))
        #expect(try RealOAuth.get(mcp.resource, tokens).status == 401)
        let reused = try client.refresh(tokens)
        #expect(reused.json("error") == "invalid_grant", "\(reused.status)")
        let token = try #require(second.json("refresh_token"))
        let revoked = try client.post(client.endpoint("revocation"), ["token": token, "client_secret": ""])
        #expect(revoked.status == 200, "\(revoked.text)")
        #expect(try RealOAuth.get(mcp.resource, second).status == 401)

        let page = try person.consent(at: client.address(["redirect_uri": redirect + "/"]), stays: true)
        #expect(page.status == 400 && page.address.hasPrefix(mcp.origin), "\(page)")
    }
}

@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.requirePython("oauth2_provider"), RealServer.require("openssl"))
final class `A real django-oauth-toolkit` {
    private let django: DjangoOAuthServer
    private let person: ScriptedPerson
    private let redirect: String
    private let desk: OAuthClient

    init() throws {
        redirect = "http://127.0.0.1:\(try FreePort.next())/callback"
        desk = OAuthClient("desk", secret: "a secret: of a desk", redirects: [redirect])
        django = try DjangoOAuthServer(clients: [desk])
        person = try ScriptedPerson()
    }

    @Test func `a real django-oauth-toolkit logs in by its pages, refreshes and revokes for a client with Basic`()
        throws
    {
        let metadata = try Curl(django.metadata)
        #expect(metadata.json("issuer") == django.issuer && metadata.json("revocation_endpoint") == nil)
        // With or without the slash from version 2.4 on.
        #expect(try [301, 200].contains(Curl(String(django.metadata.dropLast())).status))
        let client = RealOAuth(metadata: metadata, client: desk, redirect: redirect)
        let tokens = try client.tokens(person)
        #expect(tokens.status == 200 && tokens.json("scope") == "openid notes", "\(tokens.text)")
        #expect(try RealOAuth.get(django.me, tokens).json("name") == "ann")
        let anonymous = try Curl(django.me)
        #expect(anonymous.status == 403 && anonymous.headers["www-authenticate"] == nil)
        let second = try client.refresh(tokens)
        #expect(second.status == 200 && second.json("refresh_token") != tokens.json("refresh_token"))
        #expect(try client.refresh(tokens).json("error") == "invalid_grant")
        let token = try #require(second.json("refresh_token"))
        #expect(try client.post(django.revocation, ["token": token]).status == 200)
        #expect(try client.refresh(second).json("error") == "invalid_grant")

        let denied = try person.consent(at: client.address(), denies: true, stays: true)
        #expect(denied.parameter("error") == "access_denied", "\(denied)")
        let page = try person.consent(at: client.address(["redirect_uri": redirect + "/"]), stays: true)
        #expect(page.status == 400 && page.address.hasPrefix(django.origin), "\(page)")
    }
}
