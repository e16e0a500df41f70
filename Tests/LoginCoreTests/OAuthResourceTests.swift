@testable import LoginKit
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
        "https://evil.example/x", "http://notes.example/x", "https://notes.example:8443/x",
    ])
    func `a challenge does not lead to another origin`(place: String) {
        let fault = #expect(throws: MetadataFault.self) {
            try places("https://notes.example/mcp", ["resource_metadata": place])
        }
        #expect(fault.map(words) == "the service points to metadata on another origin: \"\(place)\"")
    }

    @Test(arguments: ["/x", "nonsense", "'https://notes.example/x'"])
    func `a challenge that names no URL is not followed: the well-known places are asked`(place: String) throws {
        let line = "Bearer resource_metadata=\(place), scope='a b'"
        let challenge = try #require(AuthenticateChallenge.parse([line]).first)
        var search = try ResourceMetadataSearch(for: Self.url, challenge: challenge, parse: SomeOAuth.parse)
        let usual = try ResourceMetadataSearch(for: Self.url, challenge: nil, parse: SomeOAuth.parse)
        let fault = try #require(search.doubt)
        #expect(search.next == usual.next && LoginFault.oauth(.metadata(fault)).exitCode == .untrusted)
        #expect(words(of: fault).hasPrefix("the service's challenge gives no usable URL for its metadata"))
        let document = SomeOAuth.response(
            200, #"{"resource":"https://notes.example/mcp","authorization_servers":["https://id.example"]}"#)
        let found = try search.take(document, parse: SomeOAuth.parse)
        #expect(found?.issuer == "https://id.example")
        // Single quotes are none, so that where the scope begins and ends is not said either.
        #expect(ResourceMetadata.usualScope(challenge: challenge, resource: found, server: nil) == nil)
    }

    @Test func `a challenge that names its metadata twice is not followed: the well-known places are asked`() throws {
        let line = #"Bearer resource_metadata="https://notes.example/a", resource_metadata="https://notes.example/b""#
        let challenge = try #require(AuthenticateChallenge.parse([line]).first)
        let search = try ResourceMetadataSearch(for: Self.url, challenge: challenge, parse: SomeOAuth.parse)
        let usual = try ResourceMetadataSearch(for: Self.url, challenge: nil, parse: SomeOAuth.parse)
        let fault = try #require(search.doubt)
        #expect(search.next == usual.next && usual.doubt == nil)
        #expect(LoginFault.oauth(.metadata(fault)).exitCode == .untrusted)
        #expect(words(of: fault).contains("\"resource_metadata\" twice"))
    }

    private func words(of fault: MetadataFault) -> String {
        LoginFault.oauth(.metadata(fault)).message().what
    }

    @Test func `a resource whose host is written in another way is not gone by`() throws {
        let found = SomeOAuth.response(200, #"{"resource":"https://%6eotes.example/mcp"}"#)
        let parse: URLReading = { SomeOAuth.parse($0.replacing("%6e", with: "n")) }
        let fault = MetadataFault.disguisedURL("https://%6eotes.example/mcp", origin: Self.url.origin)
        #expect(throws: fault) { try ResourceMetadata.read(found, about: Self.url, evidence: [], parse: parse) }
    }

    @Test(arguments: [
        ("notes\u{A0}\u{A0}Password:", nil), ("a \u{2800}b c\u{3000}", "a"), ("a\"b a\\b ok", "ok"),
        ("\u{1B}[2J x", "x"),
    ])
    func `what cannot be a scope is neither shown nor asked for`(scope: String, used: String?) {
        let asked = ResourceMetadata.usualScope(challenge: challenge(["scope": scope]), resource: nil, server: nil)
        #expect(asked == used)
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
        let fault = #expect(throws: MetadataFault.self) { try read(resource) }
        #expect(fault.map(words)?.hasPrefix("the metadata describes \"\(resource)\", not") == true)
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
        let openID = try ServerMetadata.read(
            SomeOAuth.metadata(["scopes_supported": "[\"profile\",\"openid\"]"]), of: SomeOAuth.issuer,
            from: SomeOAuth.url(SomeOAuth.issuer).origin, rule: EndpointRule(), parse: SomeOAuth.parse)
        #expect(ResourceMetadata.usualScope(challenge: nil, resource: nil, server: openID) == "openid")
        #expect(ResourceMetadata.usualScope(challenge: nil, resource: listed, server: openID) == "a b")
    }

    private func toAsk(_ members: [String: String] = [:], profile: OAuthProfile = OAuthProfile(), at url: String? = nil)
        throws
        -> ForeignServer?
    {
        let found = try ServerMetadata.read(
            SomeOAuth.metadata(members), of: SomeOAuth.issuer, from: SomeOAuth.url(SomeOAuth.issuer).origin,
            rule: EndpointRule(), parse: SomeOAuth.parse)
        let subject = AuthorizationSubject(
            profile: profile, base: "https://notes.example", resource: url.map { SomeOAuth.url($0) } ?? Self.url)
        return ForeignServer.toAsk(
            about: subject, metadata: try #require(found), parse: SomeOAuth.parse,
            found: try read("https://notes.example/mcp"))
    }

    @Test func `a person is asked about a server on another origin`() throws {
        let server = try #require(try toAsk())
        #expect(
            server.resource == Self.url && server.issuer == SomeOAuth.url(SomeOAuth.issuer).origin && server.registers)
        #expect(server.others.map(\.description) == ["https://b.example"] && server.evidence == ["here"])
    }

    @Test func `nobody is asked where somebody has said it already`() throws {
        var profile = OAuthProfile()
        profile.issuer = SomeOAuth.issuer
        #expect(try toAsk(profile: profile) == nil)
        #expect(try toAsk(["protected_resources": "[\"https://notes.example/mcp/v1\"]"]) == nil)
        #expect(try toAsk(["protected_resources": "[\"https://notes.example/mcp/\"]"]) == nil)
        #expect(try toAsk(["protected_resources": "[\"https://other.example/mcp\"]"]) != nil)
        #expect(try toAsk(at: "https://id.example/api") == nil)
    }

    private func page(_ origin: String, _ profile: OAuthProfile = OAuthProfile()) throws -> ForeignServer? {
        let found = try ServerMetadata.read(
            SomeOAuth.metadata(), of: SomeOAuth.issuer, from: SomeOAuth.url(SomeOAuth.issuer).origin,
            rule: EndpointRule(), parse: SomeOAuth.parse)
        let subject = AuthorizationSubject(profile: profile, base: "https://notes.example", resource: Self.url)
        return ForeignServer.toAsk(
            about: subject, metadata: try #require(found), parse: SomeOAuth.parse, found: nil,
            page: SomeOAuth.url(origin).origin)
    }

    @Test func `a person is asked about a page for a code that is not the issuer's, unless a profile names that`()
        throws
    {
        #expect(try page("https://id.example") == nil)
        let asked = try #require(try page("https://google.example"))
        #expect(asked.elsewhere.map(\.description) == ["https://google.example"])
        #expect(asked.origins.map(\.description) == ["https://id.example", "https://google.example"])
        var profile = OAuthProfile()
        profile.issuer = SomeOAuth.issuer
        #expect(try page("https://google.example", profile) == nil)
    }
}
