@testable import LoginTestSupport
import Testing

@testable import LoginKit

/// What a service's description of itself tells of its login.
struct APIDescriptionTests {
    private static func description(
        _ paths: String, schemes: String = #""S":{"type":"http","scheme":"basic"}"#, more: String = ""
    ) -> APIDescription? {
        let text = """
            {"openapi":"3.1.0","paths":{\(paths)},"components":{"securitySchemes":{\(schemes)}}\(more)}
            """
        return read(text)
    }

    private static func read(_ text: String) -> APIDescription? {
        APIDescription(.answer(200, text, headers: ["Content-Type: application/json"]), at: "/openapi.json")
    }

    private static let guarded = #"{"get":{"security":[{"S":[]}]}}"#

    private static func paths(_ description: APIDescription?) -> [String]? { description?.guarded.map(\.path) }

    @Test(arguments: [
        "", "[]", "{}", #"{"openapi":"3.1.0"}"#, #"{"openapi":"3.1.0","paths":[]}"#, #"{"paths":{}}"#,
        #"{"info":{"openapi":"3"},"paths":{}}"#,
    ]) func `other JSON is no description`(text: String) {
        #expect(Self.read(text) == nil)
    }

    @Test(arguments: ["openapi", "swagger"]) func `both kinds are known by their first member`(member: String) {
        #expect(Self.paths(Self.read(#"{"\#(member)":"2.0","paths":{}}"#)) == [])
    }

    @Test(arguments: [
        #""/a/{id}":\#(guarded)"#, #""a":\#(guarded)"#, #""//evil.example/a":\#(guarded)"#, #""/a":[]"#,
        #""/a":{"post":{"security":[{"S":[]}]}}"#, #""/a":{"get":{}}"#, #""/a":{"get":{"security":[]}}"#,
        #""/a":{"get":{"security":{}}}"#, #""/a":{"get":{"security":[{}]}}"#,
        #""/a":{"get":{"security":[{"S":[]}],"parameters":[{"name":"q","required":true}]}}"#,
    ]) func `a path that needs more than a login, or none, is not asked`(path: String) {
        #expect(Self.paths(Self.description(path)) == [])
    }

    @Test func `a logout is the one POST of that name that the login's own scheme guards`() {
        let schemes =
            #""P":{"type":"oauth2","flows":{"password":{"tokenUrl":"in"}}},"C":{"type":"apiKey","in":"cookie"}"#
        let paths = #"""
            "/jwt/logout":{"post":{"security":[{"P":[]}]}},"/cookie/logout":{"post":{"security":[{"C":[]}]}},
            "/x/{id}/logout":{"post":{"security":[{"P":[]}]}}
            """#
        let login = FoundLogin.passwordGrant(path: "/in", description: "/openapi.json")
        let logout = FoundLogout.described(target: "/jwt/logout", description: "/openapi.json")
        #expect(Self.description(paths, schemes: schemes)?.logout(of: login) == logout)
        let either = #"{"post":{"security":[{"P":[]},{"C":[]}]}}"#
        let beside = Self.description(
            #""/jwt/logout":\#(either),"/cookie/logout":\#(either)"#,
            schemes: schemes.replacing(#""in"}"#, with: #""jwt/in"}"#))
        #expect(beside?.logout(of: .passwordGrant(path: "/jwt/in", description: "/openapi.json")) == logout)
        #expect(Self.description(paths, schemes: schemes)?.logout(of: .token(header: nil, field: "")) == nil)
        let body = #""/jwt/logout":{"post":{"security":[{"P":[]}],"requestBody":{"required":true}}}"#
        #expect(Self.description(body, schemes: schemes)?.logout(of: login) == nil)
    }

    @Test func `a parameter that may be left out is`() {
        let operation = #"{"get":{"security":[{"S":[]}],"parameters":[{"name":"q"},{"name":"r","required":false}]}}"#
        #expect(Self.paths(Self.description("\"/a\":\(operation)")) == ["/a"])
    }

    @Test func `what the document says of all operations holds where one says nothing, and an empty list lifts it`() {
        let described = Self.description(
            #""/a":{"get":{}},"/b":{"get":{"security":[]}}"#, more: #","security":[{"S":[]}]"#)
        #expect(Self.paths(described) == ["/a"])
    }

    @Test func `the path that speaks of the person comes first, then the shortest`() {
        let names = ["/items", "/v1/profile", "/b", "/users/me", "/a", "/WhoAmI/x", "/mean", "/account/deep/down"]
        let described = Self.description(names.map { "\"\($0)\":\(Self.guarded)" }.joined(separator: ","))
        #expect(
            Self.paths(described) == [
                "/users/me", "/WhoAmI/x", "/account/deep/down", "/v1/profile", "/a", "/b", "/mean", "/items",
            ])
    }

    @Test(arguments: [
        (#","servers":[{"url":"/api/v2/"}]"#, "/api/v2/a"), (#","servers":[{"url":"/api"},{"url":"/b"}]"#, "/api/a"),
        (#","servers":[{"url":"https://other.example/api"}]"#, "/a"), (#","servers":[{"url":"//evil/api"}]"#, "/a"),
        (#","servers":[]"#, "/a"), (#","basePath":"/old""#, "/old/a"), (#","basePath":"/""#, "/a"),
        (#","basePath":"/old","servers":[{"url":"/new"}]"#, "/new/a"),
    ]) func `a path stands below that of the first server, on this origin`(more: String, expected: String) {
        #expect(Self.paths(Self.description("\"/a\":\(Self.guarded)", more: more)) == [expected])
    }

    private static let schemes: [(json: String, scheme: APIDescription.Scheme)] = [
        (#"{"type":"http","scheme":"Basic"}"#, .basic), (#"{"type":"basic"}"#, .basic),
        (#"{"type":"http","scheme":"bearer"}"#, .bearer), (#"{"type":"http","scheme":"hoba"}"#, .other),
        (#"{"type":"apiKey","in":"header","name":"X-Key"}"#, .header("X-Key")),
        (#"{"type":"apiKey","in":"header"}"#, .header("")), (#"{"type":"apiKey","in":"query","name":"k"}"#, .other),
        (#"{"type":"oauth2","flows":{"password":{"tokenUrl":"/t"}}}"#, .passwordGrant(path: "/t")),
        (#"{"type":"oauth2","flows":{"password":{"tokenUrl":"t"}}}"#, .passwordGrant(path: "/v1/t")),
        (#"{"type":"oauth2","flow":"password","tokenUrl":"/t"}"#, .passwordGrant(path: "/t")),
        (#"{"type":"oauth2","flow":"implicit","tokenUrl":"/t"}"#, .other),
        (#"{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"/t"}}}"#, .other),
        (#"{"type":"oauth2","flows":{"password":{"tokenUrl":"https://evil.example/t"}}}"#, .other),
        (#"{"type":"oauth2","flows":{"password":{"tokenUrl":"//evil.example/t"}}}"#, .other),
        (#"{"type":"openIdConnect"}"#, .other), ("[]", .other),
    ]

    @Test(arguments: schemes.indices) func `a scheme is what its members say`(index: Int) {
        let (json, scheme) = Self.schemes[index]
        let described = Self.description(
            "\"/a\":\(Self.guarded)", schemes: "\"S\":\(json)", more: #","servers":[{"url":"/v1"}]"#)
        #expect(described?.guarded.map(\.schemes) == [[scheme]])
    }

    @Test func `several schemes stay in order, and one that is not described is left out`() {
        let operation = #"{"get":{"security":[{"K":[]},{"B":[],"A":[]},{"missing":[]}]}}"#
        let schemes =
            #""A":{"type":"basic"},"B":{"type":"http","scheme":"bearer"},"K":{"type":"apiKey","in":"header","name":"K"}"#
        let described = Self.description("\"/a\":\(operation)", schemes: schemes)
        #expect(described?.guarded.map(\.schemes) == [[.header("K"), .basic, .bearer]])
        let old = Self.read(
            #"{"swagger":"2.0","paths":{"/a":\#(Self.guarded)},"securityDefinitions":{"S":{"type":"basic"}}}"#)
        #expect(old?.guarded.map(\.schemes) == [[.basic]])
    }

    @Test(arguments: [
        ("ui({url: \"/api/OpenAPI.json\"})", "/api/OpenAPI.json"), ("'swagger.json'", "/docs/swagger.json"),
        ("\"v3/api-docs.json\"", "/docs/v3/api-docs.json"), ("\"https://x.example/openapi.json\"", nil),
        ("\"//x.example/openapi.json\"", nil), ("\"../openapi.json\"", nil), ("\"package.json\"", nil),
        ("\"open api.json\"", nil), ("\"openapi.yaml\"", nil), ("openapi.json", "/docs/openapi.json"), ("", nil),
        ("\"/openapi\(String(repeating: "x", count: 200)).json\"", nil),
    ]) func `a page names its description by a quoted path to JSON`(page: String, path: String?) {
        #expect(HTTPResponse.answer(200, page).namedDescription(from: "/docs/index.html?x=/y/") == path)
    }
}
