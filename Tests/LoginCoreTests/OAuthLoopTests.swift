@testable import LoginKit
import Secrets
import Testing

/// Whole grants, from what is known beforehand to what is kept.
struct OAuthLoopTests {
    private let tokens = SomeOAuth.response(
        200,
        "{\"access_token\":\"canary-access\",\"token_type\":\"Bearer\",\"refresh_token\":\"canary-refresh\",\"expires_in\":60}"
    )
    private let url = SomeOAuth.url("https://notes.example/mcp")

    /// A service that leads to a server on another origin, which registers clients.
    private func discoverable(_ members: [String: String] = [:]) -> OAuthScript {
        let script = OAuthScript()
        let metadata = SomeOAuth.metadata(
            ["registration_endpoint": "\"https://id.example/register\""].merging(members) { _, new in new })
        script.responses = [
            "https://notes.example/.well-known/oauth-protected-resource/mcp": [
                SomeOAuth.response(
                    200,
                    "{\"resource\":\"https://notes.example/mcp\",\"authorization_servers\":[\"https://id.example\"]}")
            ],
            "https://id.example/.well-known/openid-configuration": [metadata],
            "https://id.example/register": [SomeOAuth.response(201, "{\"client_id\":\"c7\"}")],
            "https://id.example/token": [tokens],
        ]
        return script
    }

    private func subject(_ profile: OAuthProfile = OAuthProfile()) -> AuthorizationSubject {
        var subject = AuthorizationSubject(profile: profile, base: "https://notes.example", resource: url)
        subject.challenge = AuthenticateChallenge(scheme: "bearer", parameters: ["scope": "notes"])
        return subject
    }

    private let browser = AuthorizationFlow.Policy(choice: .init(canStartBrowser: true))

    @Test func `a URL alone leads to a grant`() throws {
        let script = discoverable()
        let given = try script.run(subject(), browser)
        #expect(
            script.log == [
                "GET https://notes.example/.well-known/oauth-protected-resource/mcp",
                "GET https://id.example/.well-known/oauth-authorization-server",
                "GET https://id.example/.well-known/openid-configuration", "POST https://id.example/register",
                "POST https://id.example/token",
            ])
        #expect(script.asked.map(\.issuer.description) == ["https://id.example"])
        let visit = try #require(script.visits.first)
        #expect(visit.redirect == SomeOAuth.redirect && visit.starts && visit.clientID == "c7")
        #expect(visit.server == BrowserVisit.Server(name: "https://id.example", scope: "notes"))
        #expect(visit.url.contains("&resource=https%3A%2F%2Fnotes.example%2Fmcp"))
        let terms = given.grant.terms
        #expect(terms.issuer == "https://id.example" && terms.tokenEndpoint == "https://id.example/token")
        #expect(terms.client.isRegistered && terms.scope == "notes" && terms.resource == "https://notes.example/mcp")
        let token = Token(value: Secret("canary-access"), refreshToken: Secret("canary-refresh"), expires: 1060)
        #expect(given.grant.token == token && given.nonce == nil)
    }

    private let document = "https://ann.example/authctl.json"

    private func documented(
        _ redirects: String = "[\"com.example:/cb\",\"http://127.0.0.1/callback\",\"http://localhost:8976/cb\"]"
    ) -> OAuthScript {
        let script = discoverable(["client_id_metadata_document_supported": "true"])
        script.responses[document] = [
            SomeOAuth.response(200, "{\"client_id\":\"\(document)\",\"redirect_uris\":\(redirects)}")
        ]
        return script
    }

    @Test func `a client is known by its document before one is registered, with the redirect that stands in it`()
        throws
    {
        let script = documented()
        script.answers = []
        var subject = subject()
        subject.clientMetadata = document
        #expect(throws: LoginFault.self) { try script.run(subject, browser) }
        #expect(script.log.last == "GET \(document)" && script.asked.map(\.registers) == [false])
        #expect(script.listened == [LoopbackRedirect(host: .localhost, port: 8976, path: "/cb")])
        #expect(script.visits.map(\.clientID) == [document])
        // Where the server does not say that it reads documents, one is registered as ever.
        let other = discoverable()
        _ = try other.run(subject, browser)
        #expect(other.log.contains("POST https://id.example/register") && !other.log.contains("GET \(document)"))
    }

    @Test func `a profile's redirect goes before that of the client's document, which is not fetched then`() throws {
        let script = documented()
        var profile = OAuthProfile()
        profile.clientID = document
        profile.redirect = LoopbackRedirect()
        _ = try script.run(subject(profile), browser)
        #expect(!script.log.contains("GET \(document)") && script.listened == [LoopbackRedirect()])
    }

    @Test func `a client's document that is another's, unreadable or of another machine is a fault of the profile`() {
        let answers: [(HTTPResponse, String)] = [
            (SomeOAuth.response(404), "was answered with 404"),
            (SomeOAuth.response(200, "<html>"), "is no JSON object"),
            (SomeOAuth.response(200, "{\"client_id\":\"x\"}"), "describes the client \"x\""),
            (SomeOAuth.response(200, "{}"), "has no client_id"),
            (SomeOAuth.response(200, "{\"client_id\":\"\(document)\"}"), "has no redirect_uris"),
            (
                SomeOAuth.response(
                    200, "{\"client_id\":\"\(document)\",\"redirect_uris\":[\"https://ann.example/cb\"]}"),
                "leads to other machines only: \"https://ann.example/cb\""
            ),
        ]
        for (answer, problem) in answers {
            let script = documented()
            script.responses[document] = [answer]
            var subject = subject()
            subject.clientMetadata = document
            let fault = #expect(throws: LoginFault.self) { try script.run(subject, browser) }
            #expect(fault?.message().what == "the client's document \(document) \(problem)")
            #expect(fault?.exitCode == .usage && script.visits.isEmpty)
        }
    }

    @Test(arguments: [
        ("https://ann.example/authctl.json", true), ("http://127.0.0.1:8080/c", true), ("http://ann.example/c", false),
        ("https://ann.example", false), ("https://ann.example/", false), ("https://ann.example/c?d", false),
        ("https://ann.example/c#d", false), ("https://ann:x@ann.example/c", false), ("authctl", false),
        ("urn:x", false),
    ])
    func `a client's identifier is the URL of its document only where a server would take it`(
        _ id: String, _ isURL: Bool
    ) {
        #expect(ClientMetadata.isURL(id, parse: SomeOAuth.parse) == isURL)
    }

    @Test func `a no at the server's name sends nothing more`() {
        let script = discoverable()
        script.agrees = false
        #expect(throws: LoginFault.cancelled) { try script.run(subject(), browser) }
        #expect(script.log.allSatisfy { $0.hasPrefix("GET ") } && script.visits.isEmpty)
    }

    @Test func `a code is sent once, whatever comes of it`() {
        let script = discoverable()
        script.responses["https://id.example/token"] = [SomeOAuth.response(500), tokens]
        let busy = LoginFault.busy(BusyFault(status: 500, retryAfter: nil, words: nil))
        #expect(throws: busy) { try script.run(subject(), browser) }
        #expect(script.log.filter { $0.hasSuffix("/token") }.count == 1)
    }

    @Test func `forged answers are waited out, and one code is sent`() throws {
        let script = discoverable()
        script.answers = [
            { _ in "/" }, { _ in "/callback?code=x&state=y" }, { "/callback?state=\($0)" },
            { "/callback?code=right&state=\($0)" }, { "/callback?code=late&state=\($0)" },
        ]
        _ = try script.run(subject(), browser)
        let exchanges = script.sent.filter { $0.url.hasSuffix("/token") }
        #expect(exchanges.count == 1 && SomeOAuth.form(exchanges[0]).contains("code=right"))
        #expect(script.answers.count == 1)
    }

    @Test func `where parameters can be pushed, the browser carries none of them`() throws {
        let script = discoverable(["pushed_authorization_request_endpoint": "\"https://id.example/par\""])
        script.responses["https://id.example/par"] = [SomeOAuth.response(201, "{\"request_uri\":\"urn:x:1\"}")]
        script.answers = []
        #expect(throws: LoginFault.self) { try script.run(subject(), browser) }
        #expect(
            script.visits.map(\.url) == [
                "https://id.example/authorize?response_type=code&client_id=c7&request_uri=urn%3Ax%3A1"
            ])
    }

    @Test func `no token, code or verifier is in a URL`() throws {
        var profile = OAuthProfile()
        profile.issuer = SomeOAuth.issuer
        profile.clientID = "authctl"
        profile.clientSecret = .given(Secret("canary-secret"))
        let script = discoverable()
        _ = try script.run(subject(profile), .init(choice: .init(canStartBrowser: true)))
        let verifier = script.sent.flatMap { SomeOAuth.form($0) }.first { $0.hasPrefix("code_verifier=") }?.dropFirst(
            14)
        for text in script.sent.map(\.url) + script.visits.map(\.url) {
            #expect(!text.contains("canary") && !text.contains("c0de") && !text.contains(verifier ?? "canary"))
        }
        #expect(verifier != nil && script.asked.isEmpty)
    }

    @Test func `a device with its endpoints in the profile needs no metadata`() throws {
        var profile = OAuthProfile()
        profile.endpoints = [.deviceAuthorization: "https://login.tv.example/device/code", .token: "/token"]
        profile.clientID = "4711"
        profile.clientSecret = .given(Secret("comes with the program"))
        profile.scope = "openid watch"
        let script = OAuthScript()
        script.responses = [
            "https://login.tv.example/device/code": [
                SomeOAuth.response(
                    200,
                    "{\"device_code\":\"d\",\"user_code\":\"AB-CD\",\"verification_url\":\"https://tv.example/d\",\"interval\":5}"
                )
            ],
            "https://notes.example/token": [
                SomeOAuth.response(400, "{\"error\":\"authorization_pending\"}"),
                SomeOAuth.response(400, "{\"error\":\"slow_down\"}"), tokens,
            ],
        ]
        let given = try script.run(subject(profile), .init(mayAsk: false))
        #expect(script.waits == [6000, 6000, 12_000] && script.codes == ["https://login.tv.example AB-CD"])
        #expect(given.grant.terms.scope == "openid watch" && given.grant.terms.issuer == nil && given.nonce == nil)
        #expect(script.sent.allSatisfy { SomeOAuth.header("Authorization", of: $0)?.hasPrefix("Basic ") == true })
    }

    @Test func `a service that is its own server shows no code of another origin before the person has agreed`() throws
    {
        let script = OAuthScript()
        let own = SomeOAuth.metadata([
            "issuer": #""https://notes.example""#, "authorization_endpoint": "",
            "token_endpoint": #""https://notes.example/token""#,
            "device_authorization_endpoint": #""https://notes.example/device""#,
        ])
        script.responses = [
            "https://notes.example/.well-known/oauth-authorization-server": [own],
            "https://notes.example/device": [
                SomeOAuth.response(
                    200,
                    #"{"device_code":"d","user_code":"AB-CD","verification_uri":"https://github.example/login/device"}"#
                )
            ],
            "https://notes.example/token": [tokens],
        ]
        var profile = OAuthProfile()
        profile.clientID = "c"
        script.agrees = false
        #expect(throws: LoginFault.cancelled) { try script.run(subject(profile), .init()) }
        #expect(script.asked.map { $0.elsewhere.map(\.host) } == [["github.example"]] && script.codes.isEmpty)
        #expect(!script.log.contains { $0.hasSuffix("/token") })
        script.agrees = true
        _ = try script.run(subject(profile), .init())
        #expect(script.codes == ["https://notes.example AB-CD"])
    }

    @Test func `a client that may have no device code is registered anew for the browser`() throws {
        let script = discoverable(["device_authorization_endpoint": "\"https://id.example/device\""])
        script.responses["https://id.example/device"] = [SomeOAuth.response(400, "{\"error\":\"unauthorized_client\"}")]
        script.responses["https://id.example/register"] = ["d1", "b1"].map { id in
            SomeOAuth.response(
                201,
                """
                {"client_id":"\(id)","registration_client_uri":"https://id.example/register/\(id)",
                "registration_access_token":"of-\(id)"}
                """)
        }
        let given = try script.run(subject(), .init())
        let registrations = script.sent.filter { $0.url.hasSuffix("/register") }.compactMap { $0.body?.unprotectedText }
        #expect(registrations.count == 2 && registrations[0].contains("device_code"))
        #expect(registrations[1].contains("authorization_code") && registrations[1].contains(SomeOAuth.redirect))
        #expect(script.visits.map(\.insteadOfDevice) == [true])
        // The first one is not left behind.
        let deletions = script.sent.filter { $0.method == "DELETE" }
        #expect(deletions.map(\.url) == ["https://id.example/register/d1"])
        #expect(deletions.map { SomeOAuth.header("Authorization", of: $0) } == ["Bearer of-d1"])
        #expect(given.grant.terms.client.id == "b1")
    }

    @Test func `what is given up deletes its client, and waits for that no longer than seconds`() {
        let script = discoverable()
        script.answers = [{ "/callback?error=access_denied&state=\($0)" }]
        script.responses["https://id.example/register"] = [
            SomeOAuth.response(
                201,
                """
                {"client_id":"c7","registration_client_uri":"https://id.example/register/c7",
                "registration_access_token":"t"}
                """)
        ]
        #expect(throws: LoginFault.self) { try script.run(subject(), browser) }
        #expect(script.log.last == "DELETE https://id.example/register/c7" && script.sent.last?.limit == 5)
    }

    @Test func `nothing that names a server is a fault of the profile`() {
        #expect(throws: LoginFault.oauth(.noServer)) { try OAuthScript().run(subject(), browser) }
        #expect(LoginFault.oauth(.noServer).exitCode == .usage)
    }
}
