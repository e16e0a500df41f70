import Foundation
@testable import LoginTestSupport
import Testing

/// The demo backend's authorization server, as a device without a browser sees it, and the person who has one.
@Suite(.onOwnThreads) struct `The demo backend's OAuth devices` {
    let demo: DemoBackendProcess
    private let oauth: DemoOAuth
    private static let television = "4711:comes with the program"

    init() throws {
        demo = try DemoBackendProcess()
        oauth = DemoOAuth(origin: demo.origin)
    }

    @Test func `a device gets tokens once its code was approved, and once only`() throws {
        let device = try begin(["interval": "0"])
        let code = try #require(device.json("user_code"))
        #expect(code.contains(/^[B-Z]{4}-[B-Z]{4}$/))
        #expect(device.json("verification_uri") == oauth.issuer + "/device")
        #expect(device.json("expires_in") == "600" && device.json("interval") == "0")
        #expect(try poll(device).json("error") == "authorization_pending")
        let page = try Curl("\(oauth.issuer)/device?user_code=" + code.lowercased().replacing("-", with: ""))
        #expect(page.text.contains(code) && page.text.contains("A television"))
        #expect(try oauth.decide(page).text.contains("Approved"))
        let tokens = try poll(device)
        #expect(tokens.status == 200 && tokens.json("scope") == "openid watch")
        #expect(try oauth.get(tokens, "/tv/v1/status").json("channel") == "4")
        #expect(try poll(device).json("error") == "invalid_grant")
        #expect(try Curl(try #require(device.json("verification_uri_complete"))).status == 404)
        let refresh: [String: String?] = [
            "grant_type": "refresh_token", "refresh_token": tokens.json("refresh_token"),
        ]
        #expect(try oauth.post("token", refresh, basic: Self.television).status == 200)
    }

    @Test(RealServer.require("openssl"))
    func `a device with a secret is told who logged in, in a signed id_token`() throws {
        let device = try begin(["interval": "0", "nonce": "n&1"])
        _ = try oauth.decide(page(of: device), name: "zoë müller@wire", password: "  blank ends ")
        let tokens = try poll(device)
        let parts = try #require(tokens.json("id_token")).split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let claims = try JSONDecoder().decode(Claims.self, from: #require(Self.decoded(parts[1])))
        #expect(claims.iss == oauth.issuer && claims.aud == "4711" && claims.nonce == "n&1")
        #expect(claims.preferred_username == "zoë müller@wire" && claims.sub != claims.preferred_username)
        #expect((200...400).contains(claims.exp - Date().timeIntervalSince1970))
        let code = try Command.tool(
            "openssl", ["dgst", "-sha256", "-hmac", "comes with the program", "-binary"],
            input: Array(parts[..<2].joined(separator: ".").utf8))
        #expect(Self.decoded(parts[2]) == Data(code.outputBytes))
        let without = try begin(["interval": "0", "scope": "watch"])
        _ = try oauth.decide(page(of: without))
        #expect(try poll(without).json("id_token") == nil)
        #expect(try oauth.tokens().json("id_token") == nil, "a client without a secret")
    }

    private struct Claims: Decodable {
        let iss, sub, aud, nonce, preferred_username: String
        let exp: Double
    }

    /// Base64 for URLs (RFC 7515, 2).
    private static func decoded(_ text: String) -> Data? {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }

    @Test func `a device that is denied, late, or another client's gets nothing`() throws {
        let denied = try begin(["interval": "0"]), late = try begin(["code_ttl": "0"])
        #expect(try oauth.decide(page(of: denied), "deny").text.contains("Denied"))
        #expect(try poll(denied).json("error") == "access_denied")
        #expect(try poll(late).json("error") == "expired_token")
        #expect(try page(of: late).status == 404)
        let other = try oauth.post(
            "token", ["grant_type": Self.grantType, "client_id": "authctl", "device_code": denied.json("device_code")])
        #expect(other.json("error") == "invalid_grant")
        #expect(try Curl(oauth.issuer + "/device").text.contains("name=\"user_code\""))
        let client = try Curl(
            "-H", "Content-Type: application/json", "-d", #"{"redirect_uris": ["https://app.example/cb"]}"#,
            oauth.issuer + "/register")
        let pair = try "\(#require(client.json("client_id"))):\(#require(client.json("client_secret")))"
        let browser = try oauth.post("device_authorization", ["scope": "watch"], basic: pair)
        #expect(browser.json("error") == "unauthorized_client")
        #expect(try begin(["scope": "fly"]).json("error") == "invalid_scope")
    }

    @Test func `a device that polls too fast is slowed down, and can still be approved`() throws {
        let device = try begin()
        #expect(device.json("interval") == "5")
        #expect(try poll(device).json("error") == "authorization_pending")
        #expect(try poll(device).json("error") == "slow_down")
        #expect(try poll(device).json("error") == "slow_down")
        _ = try oauth.decide(page(of: device))
        #expect(try poll(device).status == 200)
    }

    @Test func `a program can stand for the person with the browser`() throws {
        let script = Repository.path + "/scripts/demo-browser"
        let device = try begin(["interval": "0"]), other = try begin(["interval": "0"])
        let approval = try Command.tool("bash", [script, try #require(device.json("verification_uri_complete"))])
        #expect(approval.output.contains("Approved"), "\(approval.error)")
        #expect(try poll(device).status == 200)
        _ = try Command.tool("bash", [script, "--deny", try #require(other.json("verification_uri_complete"))])
        #expect(try poll(other).json("error") == "access_denied")
    }

    private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

    private func begin(_ fields: [String: String?] = [:]) throws -> Curl {
        let scope: [String: String?] = ["scope": "openid watch"]
        return try oauth.post("device_authorization", scope.merging(fields) { $1 }, basic: Self.television)
    }

    private func poll(_ device: Curl) throws -> Curl {
        try oauth.post(
            "token", ["grant_type": Self.grantType, "device_code": device.json("device_code")], basic: Self.television)
    }

    private func page(of device: Curl) throws -> Curl {
        try Curl(try #require(device.json("verification_uri_complete")))
    }
}
