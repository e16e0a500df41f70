import Foundation
@testable import LoginTestSupport
import Testing

/// Whether the browsers of the tests arrive: at the demo server's pages and at Django's, until the loopback page.
@Suite(.onOwnThreads, Thoroughness.isNeeded) struct `A browser` {
    private let answer = "The answer is here."

    /// One that answers every redirect.
    private func listener() throws -> RecordingServer {
        let page = RecordingServer.Reply.answer(
            200, ["Content-Type: text/html"], body: "<p>\(answer)</p>", ending: .close)
        return try RecordingServer(Array(repeating: page, count: 6))
    }

    @Test(RealServer.require("chromium")) func `a browser by Chromium walks the demo's consent, its policy obeyed`()
        throws
    {
        let demo = try DemoBackendProcess(), listener = try listener(), chromium = try ChromiumBrowser()
        defer { listener.stop() }
        let oauth = RealOAuth(
            metadata: try Curl(demo.origin + "/.well-known/oauth-authorization-server/id"),
            client: OAuthClient("authctl", redirects: []), redirect: listener.url("/callback"),
            scope: "openid notes:read")
        let page = try chromium.open(oauth.address())
        #expect(page.text == answer, "\(page)")
        #expect(page.address.hasPrefix(listener.url("/callback?")) && page.parameter("state") == "a-state-of-a-test")
        for picture in [chromium.picture, chromium.pictureOfConsent] {
            #expect(picture.map { Array($0.prefix(4)) } == [0x89, 0x50, 0x4E, 0x47])
        }
        let tokens = try oauth.exchange(try #require(page.parameter("code")))
        #expect(try RealOAuth.get(demo.origin + "/notes/me", tokens).json("name") == "ann")
    }

    @Test(RealServer.require("chromium"), RealServer.requirePython("oauth2_provider"))
    func `a browser by Chromium walks two pages of Django, started by another program`() throws {
        let listener = try listener(), chromium = try ChromiumBrowser(), redirect = listener.url("/callback")
        defer { listener.stop() }
        let client = OAuthClient("authctl", redirects: [redirect])
        let django = try DjangoOAuthServer(clients: [client])
        let oauth = RealOAuth(metadata: try Curl(django.metadata), client: client, redirect: redirect)
        let started = try Command.tool(
            "sh", ["-c", "\"$@\" >/dev/null 2>&1 &", "sh", chromium.browser, oauth.address()])
        #expect(started.ending == .exited(0))
        let page = try chromium.visited()
        #expect(page.text == answer && page.parameter("code") != nil, "\(page)")
    }

    @Test func `a browser by a script ends at the loopback page, and denies`() throws {
        let demo = try DemoBackendProcess(), listener = try listener(), person = try ScriptedPerson()
        defer { listener.stop() }
        let oauth = RealOAuth(
            metadata: try Curl(demo.origin + "/.well-known/oauth-authorization-server/id"),
            client: OAuthClient("authctl", redirects: []), redirect: listener.url("/callback"),
            scope: "openid notes:read")
        let page = try person.consent(at: oauth.address())
        #expect(page.text == answer && page.parameter("code") != nil, "\(page)")
        #expect(try person.consent(at: oauth.address(), denies: true).parameter("error") == "access_denied")
        let refused = try ScriptedPerson(OAuthUser("ann", "wrong"))
        #expect(try refused.consent(at: oauth.address()).address.hasPrefix(demo.origin))
        let codes = try oauth.post(oauth.endpoint("device_authorization"), ["scope": "openid"])
        let device = try person.consent(
            at: try #require(codes.json("verification_uri")), code: codes.json("user_code"))
        #expect(device.status == 200, "\(device)")
        let fields = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
            "device_code": try #require(codes.json("device_code")),
        ]
        #expect(
            eventually(within: 20) { (try? oauth.post(oauth.endpoint("token"), fields).status) == 200 }, "\(device)")
    }
}
