import Foundation
@testable import LoginTestSupport
import Testing

/// A client of a real authorization server; it is curl.
struct RealOAuth {
    let metadata: Curl
    let client: OAuthClient
    let redirect: String
    var scope = "openid notes"

    /// As in `endpoint("token")`.
    func endpoint(_ name: String) throws -> String {
        try #require(metadata.json(name + "_endpoint"), "\(metadata.text)")
    }

    /// What a browser is to open.
    func address(_ changes: [String: String] = [:]) throws -> String {
        let usual = [
            "response_type": "code", "client_id": client.id, "redirect_uri": redirect, "state": "a-state-of-a-test",
            "nonce": "a-nonce-of-a-test", "code_challenge": DemoOAuth.challenge, "code_challenge_method": "S256",
            "scope": scope,
        ]
        var parts = try #require(URLComponents(string: endpoint("authorization")))
        parts.queryItems = usual.merging(changes) { $1 }.map { URLQueryItem(name: $0, value: $1) }
        return try #require(parts.string)
    }

    /// Tokens for what a person consents to.
    func tokens(_ person: ScriptedPerson) throws -> Curl {
        let page = try person.consent(at: address(), stays: true)
        #expect(page.address.hasPrefix(redirect + "?"), "\(page)")
        #expect(page.parameter("state") == "a-state-of-a-test")
        return try exchange(try #require(page.parameter("code"), "\(page)"))
    }

    func exchange(_ code: String) throws -> Curl {
        let fields = [
            "grant_type": "authorization_code", "code": code, "code_verifier": DemoOAuth.verifier,
            "redirect_uri": redirect,
        ]
        return try post(endpoint("token"), fields)
    }

    func refresh(_ tokens: Curl) throws -> Curl {
        let token = try #require(tokens.json("refresh_token"), "\(tokens.text)")
        return try post(endpoint("token"), ["grant_type": "refresh_token", "refresh_token": token])
    }

    /// A form, with the client's name and its secret if it has one.
    func post(_ endpoint: String, _ fields: [String: String]) throws -> Curl {
        var fields = fields
        let basic = client.secret.map { ["-u", "\(client.id):\($0)"] } ?? []
        if client.secret == nil { fields["client_id"] = client.id }
        return try Curl(fields.flatMap { ["--data-urlencode", "\($0)=\($1)"] } + basic + [endpoint])
    }

    /// What a service says to a token.
    static func get(_ url: String, _ tokens: Curl) throws -> Curl {
        let token = try #require(tokens.json("access_token"), "\(tokens.text)")
        return try Curl("-H", "Authorization: Bearer \(token)", url)
    }
}
