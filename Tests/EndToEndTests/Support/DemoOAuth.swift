import Foundation
@testable import LoginTestSupport
import Testing

/// A client of the demo backend's authorization server, and the person at its browser; both are curl.
struct DemoOAuth {
    /// As in `http://127.0.0.1:41234`.
    let origin: String

    /// RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let redirect = "http://127.0.0.1:41873/callback"

    var issuer: String { origin + "/id" }

    /// What an authorization request usually has.
    private static let request = [
        "response_type": "code", "client_id": "authctl", "redirect_uri": redirect, "state": "s+& 1",
        "code_challenge": challenge, "code_challenge_method": "S256", "scope": "openid notes:read",
    ]

    /// Posts a form to an endpoint, such as `token`.
    /// - Parameter basic: user name and password of the client, encoded as they are to be sent.
    func post(_ endpoint: String, _ fields: [String: String?], basic: String? = nil) throws -> Curl {
        try Curl(Self.arguments(fields) + (basic.map { ["-u", $0] } ?? []) + ["\(issuer)/\(endpoint)"])
    }

    /// The authorization endpoint's answer to the usual request, changed in some of its parameters.
    func authorize(_ changes: [String: String?] = [:]) throws -> Curl {
        try Curl(["-G"] + Self.arguments(Self.changed(changes)) + [issuer + "/authorize"])
    }

    /// The same parameters, pushed (RFC 9126).
    func push(_ changes: [String: String?] = [:]) throws -> Curl {
        try post("par", Self.changed(changes))
    }

    /// What the server does when a person fills in the form of a page.
    func decide(
        _ page: Curl, _ decision: String = "approve", name: String = "ann", password: String = "correct horse"
    ) throws -> Curl {
        let hidden = try #require(page.text.firstMatch(of: /name="request" value="([^"]+)"/)?.1)
        return try post(
            "consent",
            ["request": String(hidden), "username": name, "password": password, "decision": decision])
    }

    /// The parameters of a redirect to the client.
    func answer(_ reply: Curl) throws -> [String: String] {
        #expect(reply.status == 303)
        let location = try #require(reply.headers["location"])
        let items = try #require(URLComponents(string: location)?.queryItems)
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    /// A code that ann approved.
    func code(_ changes: [String: String?] = [:]) throws -> String {
        try #require(try answer(decide(authorize(changes)))["code"])
    }

    /// The token endpoint's answer to a code.
    func exchange(_ code: String, _ changes: [String: String?] = [:]) throws -> Curl {
        let usual: [String: String?] = [
            "grant_type": "authorization_code", "client_id": "authctl", "code": code, "code_verifier": Self.verifier,
            "redirect_uri": Self.redirect,
        ]
        return try post("token", usual.merging(changes) { $1 })
    }

    /// Tokens that ann approved.
    func tokens(_ changes: [String: String?] = [:]) throws -> Curl {
        let answer = try exchange(code(changes))
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    func refresh(_ tokens: Curl, _ changes: [String: String?] = [:]) throws -> Curl {
        let usual = [
            "grant_type": "refresh_token", "client_id": "authctl", "refresh_token": tokens.json("refresh_token"),
        ]
        return try post("token", usual.merging(changes) { $1 })
    }

    /// What a service answers to the access token.
    func get(_ tokens: Curl, _ path: String = "/notes/me", _ more: String...) throws -> Curl {
        let token = try #require(tokens.json("access_token"))
        return try Curl(["-H", "Authorization: Bearer \(token)"] + more + [origin + path])
    }

    private static func changed(_ changes: [String: String?]) -> [String: String?] {
        request.mapValues { $0 as String? }.merging(changes) { $1 }
    }

    private static func arguments(_ fields: [String: String?]) -> [String] {
        fields.flatMap { name, value in value.map { ["--data-urlencode", "\(name)=\($0)"] } ?? [] }
    }
}
