@testable import LoginKit
import Testing

/// What a profile may say about OAuth.
struct OAuthProfileTests {
    private static let redirects: [(String, LoopbackRedirect)] = [
        ("http://127.0.0.1/callback", LoopbackRedirect()),
        ("http://127.0.0.1:8250/oidc/callback", LoopbackRedirect(host: .ipv4, port: 8250, path: "/oidc/callback")),
        ("http://[::1]:80", LoopbackRedirect(host: .ipv6, port: 80, path: "")),
        ("http://localhost:1/", LoopbackRedirect(host: .localhost, port: 1, path: "/")),
    ]

    @Test(arguments: redirects) func `a redirect leads to this machine`(text: String, redirect: LoopbackRedirect) {
        #expect(LoopbackRedirect(text) == redirect)
    }

    @Test(arguments: [
        "https://127.0.0.1/callback", "http://127.0.0.1.example/", "http://127.0.0.1@evil.example/",
        "http://localhost:0/",
        "http://localhost:65536/", "http://localhost:/", "http://localhost:+1/", "http://127.0.0.1/a?b",
        "http://127.0.0.1/a#b",
        "http://127.0.0.1/a b", "http://127.0.0.1/../a", "http://127.0.0.1/\"", "http://0.0.0.0/", "http://[::1/", "",
    ])
    func `no other redirect is taken`(text: String) {
        #expect(LoopbackRedirect(text) == nil)
    }

    @Test func `the redirect is sent as it is registered, with the port that is open`() {
        #expect(LoopbackRedirect().uri(port: 41873) == SomeOAuth.redirect)
        #expect(LoopbackRedirect(host: .ipv6, port: nil, path: "").uri(port: 7) == "http://[::1]:7")
        #expect(
            LoopbackRedirect(host: .ipv4, port: 80, path: "/").authorities(port: 80) == ["127.0.0.1:80", "127.0.0.1"])
    }

    @Test(arguments: [
        "state", "redirect_uri", "response_mode", "code_challenge", "client_secret", "request_uri", "scope",
    ])
    func `what authctl sends itself is no parameter of a profile`(name: String) {
        #expect(OAuthParameter(name: name, value: "x").isReserved)
    }

    @Test(arguments: ["audience", "access_type", "prompt"])
    func `others are`(name: String) {
        #expect(!OAuthParameter(name: name, value: "x").isReserved)
    }

    private static let both: Set<OAuthEndpoint> = [.authorization, .deviceAuthorization]

    struct Case: Sendable {
        let choice: AuthorizationWay.Choice
        let endpoints: Set<OAuthEndpoint>
        let way: AuthorizationWay
    }

    static let cases = [
        Case(choice: .init(), endpoints: both, way: .device),
        Case(choice: .init(canStartBrowser: true), endpoints: both, way: .browser(starts: true)),
        Case(choice: .init(canStartBrowser: true), endpoints: [.deviceAuthorization], way: .device),
        Case(choice: .init(), endpoints: [.authorization], way: .browser(starts: false)),
        Case(choice: .init(profile: .device, canStartBrowser: true), endpoints: both, way: .device),
        Case(choice: .init(profile: .browser), endpoints: both, way: .browser(starts: false)),
        Case(
            choice: .init(option: .browser(starts: false), canStartBrowser: true), endpoints: both,
            way: .browser(starts: false)),
        Case(choice: .init(option: .device, profile: .browser, canStartBrowser: true), endpoints: both, way: .device),
    ]

    @Test(arguments: cases) func `the way is the first that holds`(_ tried: Case) throws {
        #expect(try tried.choice.way(with: tried.endpoints) == tried.way)
    }

    @Test func `a way that the server does not have is told`() {
        #expect(throws: OAuthFault.noEndpoint(.deviceAuthorization)) {
            try AuthorizationWay.Choice(option: .device).way(with: [.authorization])
        }
        #expect(throws: OAuthFault.noEndpoint(.authorization)) { try AuthorizationWay.Choice().way(with: []) }
    }

    @Test func `endpoints in the profile need no metadata`() {
        var profile = OAuthProfile()
        #expect(!profile.needsNoMetadata)
        profile.endpoints = [.token: "/token", .deviceAuthorization: "/device"]
        #expect(profile.needsNoMetadata)
        profile.issuer = SomeOAuth.issuer
        #expect(!profile.needsNoMetadata)
    }
}
