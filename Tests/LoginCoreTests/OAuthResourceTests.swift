import LoginCore
import Testing

/// Which metadata of a service is gone by, and whom it may send a person to.
struct OAuthResourceTests {
    private static let url = SomeOAuth.url("https://notes.example/mcp/v1")

    private func challenge(_ parameters: [String: String]) -> AuthenticateChallenge {
        AuthenticateChallenge(scheme: "bearer", parameters: parameters)
    }

    private func places(_ url: String, _ parameters: [String: String] = [:]) throws(MetadataFault) -> [String] {
        var search = try ResourceMetadataSearch(
            for: SomeOAuth.url(url), challenge: challenge(parameters), parse: SomeOAuth.parse)
        var places: [String] = []
        while let next = search.next {
            places.append(next.text)
            _ = try? search.take(SomeOAuth.response(404), parse: SomeOAuth.parse)
        }
        return places
    }

    private func read(_ resource: String, servers: String = "[\"https://id.example\", \"https://b.example\"]") throws
        -> ResourceMetadata?
    {
        try ResourceMetadata.read(
            SomeOAuth.response(200, "{\"resource\":\"\(resource)\",\"authorization_servers\":\(servers)}"),
            about: Self.url, evidence: ["here"], parse: SomeOAuth.parse)
    }

    @Test func `the challenge says where, else the well-known places do`() throws {
        let root = "https://notes.example/.well-known/oauth-protected-resource"
        #expect(try places("https://notes.example/mcp") == [root + "/mcp", root])
        #expect(try places("https://notes.example/") == [root])
        #expect(try places("https://notes.example/mcp?a=b") == [root + "/mcp?a=b", root])
        #expect(try places("https://notes.example/mcp", ["resource_metadata": root + "/x"]) == [root + "/x"])
    }

    @Test(arguments: [
        "https://evil.example/x", "http://notes.example/x", "https://notes.example:8443/x", "/x", "nonsense",
    ])
    func `a challenge does not lead to another origin`(place: String) {
        #expect(throws: MetadataFault.elsewhere(url: place)) {
            try places("https://notes.example/mcp", ["resource_metadata": place])
        }
    }

    @Test(arguments: [
        "https://notes.example/mcp/v1", "https://notes.example/mcp", "https://notes.example/mcp/",
        "https://notes.example",
        "https://notes.example/",
    ])
    func `the resource is the URL or a parent of it`(resource: String) throws {
        #expect(try read(resource)?.resource == resource)
    }

    @Test(arguments: [
        "https://notes.example/mc", "https://notes.example/mcp/v", "https://notes.example/mcp/v1/x",
        "https://evil.example/mcp",
        "http://notes.example/mcp", "https://notes.example:8443/mcp", "https://notes.example/mcp?x", "notes",
    ])
    func `metadata of another resource is not gone by`(resource: String) {
        #expect(throws: MetadataFault.otherResource(expected: Self.url.text, found: resource)) { try read(resource) }
    }

    @Test func `what names no resource is no such metadata`() throws {
        let page = try read("")
        #expect(page == nil)
    }

    @Test func `the first server is taken, and the others are known`() throws {
        let found = try #require(try read("https://notes.example/mcp"))
        #expect(found.issuer == "https://id.example")
        #expect(found.authorizationServers == ["https://id.example", "https://b.example"])
        #expect(try read("https://notes.example/mcp", servers: "[]")?.issuer == nil)
    }

    @Test func `what is asked for is the challenge's scope, else what the resource lists`() throws {
        let listed = try ResourceMetadata.read(
            SomeOAuth.response(200, "{\"resource\":\"https://notes.example\",\"scopes_supported\":[\"a\",\"b\"]}"),
            about: Self.url, evidence: [], parse: SomeOAuth.parse)
        let offline = try ServerMetadata.read(
            SomeOAuth.metadata(["scopes_supported": "[\"offline_access\"]"]), of: SomeOAuth.issuer,
            from: SomeOAuth.url(SomeOAuth.issuer).origin, rule: EndpointRule(), parse: SomeOAuth.parse)
        let scoped = challenge(["scope": "notes"])
        #expect(ResourceMetadata.usualScope(challenge: scoped, resource: listed, server: nil) == "notes")
        #expect(ResourceMetadata.usualScope(challenge: nil, resource: listed, server: nil) == "a b")
        #expect(
            ResourceMetadata.usualScope(challenge: scoped, resource: nil, server: offline) == "notes offline_access")
        #expect(ResourceMetadata.usualScope(challenge: nil, resource: nil, server: nil) == nil)
    }

    private func toAsk(_ members: [String: String] = [:], profile: OAuthProfile = OAuthProfile(), at url: String? = nil)
        throws
        -> ForeignServer?
    {
        let found = try ServerMetadata.read(
            SomeOAuth.metadata(members), of: SomeOAuth.issuer, from: SomeOAuth.url(SomeOAuth.issuer).origin,
            rule: EndpointRule(), parse: SomeOAuth.parse)
        return ForeignServer.toAsk(
            about: url.map { SomeOAuth.url($0) } ?? Self.url, metadata: try #require(found), parse: SomeOAuth.parse,
            profile: profile, found: try read("https://notes.example/mcp"))
    }

    @Test func `OA3 a person is asked about a server on another origin`() throws {
        let server = try #require(try toAsk())
        #expect(server.resource == Self.url.text && server.issuer == SomeOAuth.issuer && server.registers)
        #expect(server.others == ["https://b.example"] && server.evidence == ["here"])
    }

    @Test func `OA3 nobody is asked where somebody has said it already`() throws {
        var profile = OAuthProfile()
        profile.issuer = SomeOAuth.issuer
        #expect(try toAsk(profile: profile) == nil)
        #expect(try toAsk(["protected_resources": "[\"https://notes.example/mcp/v1\"]"]) == nil)
        #expect(try toAsk(["protected_resources": "[\"https://notes.example/mcp/\"]"]) == nil)
        #expect(try toAsk(["protected_resources": "[\"https://other.example/mcp\"]"]) != nil)
        #expect(try toAsk(at: "https://id.example/api") == nil)
    }
}
