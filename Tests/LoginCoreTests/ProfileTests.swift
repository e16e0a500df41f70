@testable import LoginKit
import Testing

/// What a login asks for: only what its templates use.
struct ProfileTests {
    private let verify = RequestRule(method: "GET", path: Template(literal: "/me"))

    private func profile(_ method: AuthenticationMethod, json: String?...) throws -> Profile {
        var profile = Profile(name: "p", url: "https://p.example", methods: [method], verify: verify)
        let members = try json.compactMap(\.self).map {
            JSONTemplate.Member(name: "x", value: .string(try Template(parsing: $0)))
        }
        guard !members.isEmpty else { return profile }
        var login = RequestRule(method: "POST", path: Template(literal: "/login"))
        login.content = .json(.object(members))
        profile.login = login
        return profile
    }

    @Test func `a login without {username} never asks for one`() throws {
        #expect(try profile(.token, json: "{password}").fields == [.password])
        #expect(try profile(.cookie, json: "{username}", "{password}").fields == [.username, .password])
        #expect(try profile(.token, json: "fixed").fields == [])
        #expect(try profile(.cookie, json: "{username}").fields == [.username])
    }

    @Test func `HTTP authentication asks for both, a pasted token for itself`() throws {
        for method in [AuthenticationMethod.auto, .basic, .digest] {
            #expect(try profile(method).fields == [.username, .password])
        }
        #expect(try profile(.token).fields == [.token])
    }

    @Test func `a pasted token that goes with a user name asks for both`() throws {
        var profile = try profile(.token)
        var rule = SessionRule()
        rule.basic = SessionRule.BasicRule(
            username: try Template(parsing: "{username}"), password: try Template(parsing: "{token}"))
        profile.session = rule
        #expect(profile.fields == [.username, .token])
    }

    @Test func `an identity is shown by the server's name, else the typed one, else by nothing`() {
        #expect(Identity(username: "a", serverName: "A").displayName == "A")
        #expect(Identity(username: "a", serverName: nil).displayName == "a")
        #expect(Identity(username: "", serverName: nil).displayName == "")
    }

    @Test func `user names are compared byte by byte`() {
        let origin = SomeLogin.origin
        let composed = AccountID(profile: "p", origin: origin, username: "\u{e9}")
        let decomposed = AccountID(profile: "p", origin: origin, username: "e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test(arguments: [
        ("https", "a.example", 443, "https://a.example"), ("http", "a.example", 80, "http://a.example"),
        ("https", "a.example", 80, "https://a.example:80"), ("http", "[::1]", 8080, "http://[::1]:8080"),
    ])
    func `an origin names its port only where it is not the usual one`(
        scheme: String, host: String, port: Int, expected: String
    ) {
        #expect(Origin(scheme: scheme, host: host, port: port).description == expected)
    }

    @Test(arguments: ["secret-service", "file", "keyring", "plaintext", "none", "helper:pass"])
    func `a store goes by the name that it is read by`(name: String) {
        #expect(StoreName(name)?.description == name)
    }

    @Test(arguments: ["auto", "", "helper:", "Keyring", "keychain"])
    func `nothing else is a store`(name: String) {
        #expect(StoreName(name) == nil)
    }
}
