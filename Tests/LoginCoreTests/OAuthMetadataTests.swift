@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// Which metadata of an authorization server is gone by.
struct OAuthMetadataTests {
    private func read(
        _ response: HTTPResponse, of issuer: String = SomeOAuth.issuer, rule: EndpointRule = EndpointRule()
    ) throws(MetadataFault) -> ServerMetadata? {
        let source = SomeOAuth.url(issuer).origin
        return try ServerMetadata.read(response, of: issuer, from: source, rule: rule, parse: SomeOAuth.parse)
    }

    private func search(
        _ responses: [HTTPResponse], of issuer: String = SomeOAuth.issuer
    ) throws(LoginFault) -> ServerMetadata? {
        var search = try begin(issuer)
        for response in responses {
            if let found = try search.take(response, parse: SomeOAuth.parse) { return found }
        }
        return nil
    }

    private func begin(_ issuer: String) throws(LoginFault) -> ServerMetadataSearch {
        do throws(MetadataFault) {
            return try ServerMetadataSearch(issuer: issuer, rule: EndpointRule(), parse: SomeOAuth.parse)
        } catch {
            throw .oauth(.metadata(error))
        }
    }

    @Test func `the places are tried in the order of the RFC`() throws {
        #expect(
            ServerMetadata.places(for: SomeOAuth.url("https://id.example/")).map(\.text) == [
                "https://id.example/.well-known/oauth-authorization-server",
                "https://id.example/.well-known/openid-configuration",
            ])
        #expect(
            ServerMetadata.places(for: SomeOAuth.url("https://id.example/api/oidc/")).map(\.text) == [
                "https://id.example/.well-known/oauth-authorization-server/api/oidc",
                "https://id.example/.well-known/openid-configuration/api/oidc",
                "https://id.example/api/oidc/.well-known/openid-configuration",
            ])
    }

    @Test func `what is needed is read`() throws {
        let found = try read(
            SomeOAuth.metadata([
                "pushed_authorization_request_endpoint": "\"https://id.example/par\"",
                "authorization_response_iss_parameter_supported": "true",
                "protected_resources": "[\"https://notes.example/mcp\", 7]",
                "prompt_values_supported": "[\"select_account\"]",
                "revocation_endpoint_auth_methods_supported": "[\"client_secret_basic\"]",
            ]))
        let metadata = try #require(found)
        #expect(metadata.endpoints[.pushedAuthorization]?.text == "https://id.example/par")
        #expect(metadata.endpoints[.deviceAuthorization] == nil)
        #expect(metadata.promisesIssuer && metadata.promptValues == ["select_account"])
        #expect(metadata.protects("https://notes.example/mcp") && !metadata.protects("https://notes.example"))
        #expect(metadata.revocationAuthentication == ["client_secret_basic"] && metadata.tokenAuthentication == nil)
    }

    @Test func `a list of methods without S256 is refused`() {
        for (methods, listed) in [("[\"plain\"]", "plain"), ("[]", "none"), ("[\"\"]", "none")] {
            let thrown = #expect(throws: MetadataFault.self) {
                try read(SomeOAuth.metadata(["code_challenge_methods_supported": methods]))
            }
            let fault = thrown.map { LoginFault.oauth(.metadata($0)) }
            #expect(fault?.exitCode == .untrusted)
            #expect(fault?.message().what.hasSuffix("does not support PKCE with S256; it lists \(listed)") == true)
        }
    }

    @Test func `no list at all says nothing against it`() throws {
        #expect(try read(SomeOAuth.metadata(["code_challenge_methods_supported": ""])) != nil)
    }

    @Test(
        arguments: zip(["https://id.example", "https://id.example/"], ["https://id.example/", "https://id.example"]))
    func `one slash at the end of the issuer may differ`(configured: String, written: String) throws {
        let found = try read(SomeOAuth.metadata(["issuer": "\"\(written)\""]), of: configured)
        // From here on, the document's spelling is compared exactly.
        #expect(found?.issuer == written)
    }

    @Test func `an issuer is compared byte for byte`() {
        let (expected, found) = ("https://id.example/K", "https://id.example/\u{212A}")
        #expect(throws: MetadataFault.otherIssuer(expected: expected, found: [found])) {
            try read(SomeOAuth.metadata(["issuer": "\"\(found)\""]), of: expected)
        }
    }

    @Test(arguments: [
        "https://id.example//", "http://id.example", "https://other.example", "https://id.example/tenant",
        "https://ID.example",
    ])
    func `another issuer's metadata is passed over, and is the end where there is no other`(issuer: String) {
        let other = SomeOAuth.metadata(["issuer": "\"\(issuer)\""])
        let fault = MetadataFault.otherIssuer(expected: SomeOAuth.issuer, found: [issuer, issuer])
        #expect(throws: LoginFault.oauth(.metadata(fault))) { try search([other, other]) }
        #expect(LoginFault.oauth(.metadata(fault)).exitCode == .untrusted)
    }

    @Test func `a page at the first place leads on to the next`() throws {
        let page = SomeOAuth.response(200, "<html><title>App</title></html>")
        #expect(try search([page, SomeOAuth.metadata()])?.issuer == SomeOAuth.issuer)
        let fault = MetadataFault.otherIssuer(expected: SomeOAuth.issuer, found: [])
        #expect(throws: LoginFault.oauth(.metadata(fault))) { try search([page, page]) }
    }

    @Test func `an issuer over plain http is not asked`() {
        let fault = MetadataFault.unsafeIssuer("http://id.example")
        #expect(throws: LoginFault.oauth(.metadata(fault))) { try search([], of: "http://id.example") }
        #expect(LoginFault.oauth(.metadata(fault)).exitCode == .untrusted)
        for issuer in ["https://id.example/?a=b", "https://id.example/#x", "https://ann@id.example", "id.example", ""] {
            #expect(throws: LoginFault.oauth(.metadata(.unsafeIssuer(issuer)))) { try search([], of: issuer) }
        }
    }

    /// As libcurl reads them; the parser of these tests is none for such hosts.
    private static let disguised = [
        "https://g\u{43E}\u{43E}gle.example": "xn--ggle-55da.example", "https://%69d.example": "id.example",
        "https://id\u{3002}example": "id.example", "https://\u{212A}.example": "k.example",
        "https://0x7f.1": "127.0.0.1",
        "https://id.example.evil.example@": "id.example",
    ]

    @Test(arguments: disguised.keys.sorted())
    func `an issuer whose host is written otherwise than it is sent is refused`(issuer: String) throws {
        let origin = Origin(scheme: "https", host: try #require(Self.disguised[issuer]), port: 443)
        let fault = MetadataFault.disguisedURL(issuer, origin: origin)
        #expect(throws: fault) {
            try ServerMetadataSearch(
                issuer: issuer, rule: EndpointRule(), parse: { _ in EndpointURL(origin: origin, path: "/") })
        }
        #expect(LoginFault.oauth(.metadata(fault)).exitCode == .untrusted)
        let words = LoginFault.oauth(.metadata(fault)).message()
        #expect((words.what + words.next).unicodeScalars.allSatisfy(\.isASCII) && words.what.contains("\(origin)"))
    }

    @Test(arguments: ["https://ID.example", "https://id.example:443/", "https://id.example/a%2Fb"])
    func `the case of a host, the usual port and what is encoded in a path are no disguise`(issuer: String) throws {
        #expect(try begin(issuer).next != nil)
    }

    @Test func `an endpoint that uses a reserved parameter is reported`() throws {
        let url = "https://id.example/authorize?state=x"
        let fault = #expect(throws: MetadataFault.self) {
            try read(SomeOAuth.metadata(["authorization_endpoint": "\"\(url)\""]))
        }
        let words = LoginFault.oauth(.metadata(try #require(fault))).message()
        #expect(!words.what.contains("not an https URL") && words.what.contains("authctl sends itself"))
    }

    @Test func `nothing at any place is told with the places`() {
        let missing = SomeOAuth.response(404)
        #expect(throws: LoginFault.self) { try search([missing, missing]) }
        #expect(LoginFault.oauth(.metadata(.notFound(tried: []))).exitCode == .failure)
    }

    @Test(arguments: [429, 500, 503]) func `a server that cannot say now is not passed over`(status: Int) {
        #expect(throws: LoginFault.busy(BusyFault(status: status, retryAfter: 7, words: nil))) {
            try search([SomeOAuth.response(status, "", ["Retry-After": "7"])])
        }
    }

    @Test(arguments: OAuthEndpoint.allCases) func `metadata brings no plain http`(endpoint: OAuthEndpoint) {
        let members = [
            OAuthEndpoint.authorization: "authorization_endpoint", .token: "token_endpoint",
            .deviceAuthorization: "device_authorization_endpoint", .revocation: "revocation_endpoint",
            .registration: "registration_endpoint", .pushedAuthorization: "pushed_authorization_request_endpoint",
        ]
        for url in [
            "http://id.example/x", "http://127.0.0.1:1/x", "ftp://id.example/x", "/x", "https://a@id.example/x",
        ] {
            #expect(throws: MetadataFault.unsafeEndpoint(endpoint, url: url)) {
                try read(SomeOAuth.metadata([members[endpoint] ?? "": "\"\(url)\""]))
            }
        }
    }

    @Test func `on this machine, and where the profile allows it, plain http is enough`() throws {
        let local = "http://127.0.0.1:8080/id"
        let members = [
            "issuer": "\"\(local)\"", "authorization_endpoint": "\"\(local)/authorize\"",
            "token_endpoint": "\"\(local)/token\"",
        ]
        #expect(try read(SomeOAuth.metadata(members), of: local) != nil)
        let intranet = members.mapValues { $0.replacing("127.0.0.1:8080", with: "id.lan") }
        let rule = EndpointRule(plainOrigin: Origin(scheme: "http", host: "id.lan", port: 80))
        #expect(try read(SomeOAuth.metadata(intranet), of: "http://id.lan/id", rule: rule) != nil)
        #expect(throws: MetadataFault.self) { try read(SomeOAuth.metadata(intranet), of: "http://id.lan/id") }
    }

    @Test func `what the profile says goes before the metadata`() throws {
        var profile = OAuthProfile()
        profile.endpoints = [.token: "/oauth/token", .authorization: "https://login.example/go"]
        let metadata = try read(SomeOAuth.metadata())
        let server = try AuthorizationServer(
            profile, base: "https://notes.example/api/", metadata: metadata, rule: EndpointRule(),
            parse: SomeOAuth.parse)
        #expect(server.endpoints[.token]?.text == "https://notes.example/api/oauth/token")
        #expect(server.endpoints[.authorization]?.text == "https://login.example/go")
        profile.endpoints = [.token: "http://notes.example/token"]
        #expect(throws: MetadataFault.unsafeEndpoint(.token, url: "http://notes.example/token")) {
            try AuthorizationServer(
                profile, base: "https://notes.example", metadata: nil, rule: EndpointRule(), parse: SomeOAuth.parse)
        }
    }

    @Test func `a client that shows its certificate goes where the server asks for one, and is alone judged by that`()
        throws
    {
        var profile = OAuthProfile()
        func token(_ alias: String) throws -> String? {
            let aliases = "{\"token_endpoint\": \"\(alias)\"}"
            let metadata = try read(SomeOAuth.metadata(["mtls_endpoint_aliases": aliases]))
            return try AuthorizationServer(
                profile, base: "https://notes.example", metadata: metadata, rule: EndpointRule(), parse: SomeOAuth.parse
            ).endpoints[.token]?.text
        }
        let (alias, plain) = ("https://mtls.id.example/token", "http://id.example/token")
        let usual = try token(alias)
        #expect(usual != alias)
        #expect(try token(plain) == usual)
        profile.clientAuthentication = .tls
        #expect(try token(alias) == alias)
        #expect(throws: MetadataFault.unsafeEndpoint(.token, url: plain)) { try token(plain) }
    }

    @Test func `hostile text in an issuer is escaped`() {
        let fault = LoginFault.oauth(
            .metadata(.otherIssuer(expected: SomeOAuth.issuer, found: [SomeErrors.hostile])))
        let message = fault.message()
        let shown = ([message.what, message.next] + message.details).joined()
        #expect(!shown.contains("\u{1b}") && !shown.contains("\u{202e}") && shown.contains("\\u{1B}"))
    }
}
