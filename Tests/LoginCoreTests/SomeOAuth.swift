@testable import LoginKit
import Secrets

/// Values that the tests of OAuth are made of.
enum SomeOAuth {
    /// Enough of a URL parser for the tests; the program's own is libcurl's.
    static func parse(_ text: String) -> EndpointURL? {
        guard let end = text.firstRange(of: "://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        let scheme = text[..<end.lowerBound].lowercased()
        let rest = text[end.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        guard ["http", "https"].contains(scheme), !authority.isEmpty, !authority.contains("@") else { return nil }
        let (host, port) = split(String(authority), scheme)
        let path = String(target.prefix { $0 != "?" })
        let query = target.contains("?") ? String(target.dropFirst(path.count + 1)) : nil
        let origin = Origin(scheme: scheme, host: host.lowercased(), port: port)
        return EndpointURL(origin: origin, path: path.isEmpty ? "/" : path, query: query)
    }

    private static func split(_ authority: String, _ scheme: String) -> (host: String, port: Int) {
        let usual = scheme == "https" ? 443 : 80
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return (authority, usual) }
        return (String(authority[..<colon]), Int(authority[authority.index(after: colon)...]) ?? usual)
    }

    static func url(_ text: String) -> EndpointURL {
        guard let url = parse(text) else { fatalError("no URL: \(text)") }
        return url
    }

    static func response(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: headers.map { HTTPResponseField(name: $0.key, value: $0.value) },
            body: Secret(body))
    }

    static let issuer = "https://id.example"
    static let redirect = "http://127.0.0.1:41873/callback"

    /// Metadata of `issuer`, with these members added or replaced, as JSON text.
    static func metadata(_ members: [String: String] = [:]) -> HTTPResponse {
        let usual = [
            "issuer": "\"\(issuer)\"", "authorization_endpoint": "\"\(issuer)/authorize\"",
            "token_endpoint": "\"\(issuer)/token\"", "code_challenge_methods_supported": "[\"S256\"]",
        ]
        let all = usual.merging(members) { _, new in new }.filter { !$0.value.isEmpty }
        return response(200, "{" + all.map { "\"\($0.key)\":\($0.value)" }.sorted().joined(separator: ",") + "}")
    }

    static let client = OAuthClient(id: "authctl")

    /// A source of bytes that never gives the same twice.
    final class Source {
        private var given: UInt8 = 0

        func bytes(_ count: Int) -> Secret {
            given += 1
            return Secret(count: count) { $0.copyBytes(from: [UInt8](repeating: given, count: count)) }
        }
    }

    /// No hash, but as long as one, and another for each other text.
    static func hash(_ function: DigestAlgorithm.Hash, _ text: Secret) throws(LoginFault) -> Secret {
        let sum = text.withUnsafeBytes { $0.reduce(UInt64(7)) { ($0 &* 31) &+ UInt64($1) } }
        let bytes = [UInt8](repeating: 0, count: 24) + withUnsafeBytes(of: sum.bigEndian) { [UInt8]($0) }
        return Secret(count: 32) { $0.copyBytes(from: bytes) }
    }

    static func attempt(_ source: Source = Source()) throws(LoginFault) -> AuthorizationAttempt {
        try AuthorizationAttempt(random: { (count) throws(LoginFault) in source.bytes(count) }, hash: hash)
    }

    static let terms = Grant.Terms(
        issuer: issuer, tokenEndpoint: "\(issuer)/token",
        revocation: Grant.Revocation(endpoint: "\(issuer)/revoke", authentication: .none), client: client,
        scope: "notes:read", resource: "https://notes.example/mcp")
    static let grant = Grant(
        token: Token(value: Secret("canary-access"), refreshToken: Secret("canary-refresh"), expires: 900), terms: terms
    )

    /// The fields of a form body.
    static func form(_ request: HTTPRequest) -> [String] {
        (request.body?.unprotectedText ?? "").split(separator: "&").map(String.init)
    }

    static func header(_ name: String, of request: HTTPRequest) -> String? {
        request.headers.first { $0.name == name }?.value.unprotectedText
    }
}
