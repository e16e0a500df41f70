@testable import LoginKit
import Testing

@Suite struct AuthenticateFieldTests {
    @Test func `one challenge with a realm`() {
        let found = AuthenticateChallenge.parse([#"Basic realm="Demo Wire", charset="UTF-8""#])
        #expect(
            found == [AuthenticateChallenge(scheme: "basic", parameters: ["realm": "Demo Wire", "charset": "UTF-8"])])
    }

    @Test func `RFC 9110's example of two challenges in one line`() {
        let line = #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
        let found = AuthenticateChallenge.parse([line])
        #expect(found.map(\.scheme) == ["basic", "newauth"])
        #expect(found.last?.parameters == ["realm": "apps", "type": "1", "title": #"Login to "apps""#])
    }

    @Test(arguments: [
        ["Negotiate, Basic realm=x"], ["Negotiate", "Basic realm=x"], [" ,Negotiate ,, bAsIC  REALM = x ,"],
        ["negotiate YII==, Basic realm=x"],
    ])
    func `several challenges in one line and in several, in any case`(lines: [String]) {
        let found = AuthenticateChallenge.parse(lines)
        #expect(found.map(\.scheme) == ["negotiate", "basic"])
        #expect(found.last?.realm == "x")
    }

    @Test func `a single value is told from a parameter`() {
        #expect(
            AuthenticateChallenge.parse(["Negotiate YIIJvwYGKwYBBQUCoIIJszCC=="]).first?.token68
                == "YIIJvwYGKwYBBQUCoIIJszCC==")
        #expect(AuthenticateChallenge.parse(["Digest qop=auth"]).first?.parameters == ["qop": "auth"])
    }

    @Test(arguments: ["", ",", "Basic realm=\"unclosed", "=x", "\"Basic\"", "Basic realm=\"a\\", "é", "Basic\u{1}x"])
    func `what does not fit the grammar is no challenge of its own`(line: String) {
        for challenge in AuthenticateChallenge.parse([line]) {
            #expect(challenge.scheme == "basic")
            #expect(challenge.parameters.isEmpty)
        }
    }

    @Test func `a parameter that comes twice is noted, in any case and in any line`() {
        #expect(AuthenticateChallenge.parse(["Basic realm=a, charset=x, REALM=b"]).first?.repeated == ["realm"])
        #expect(AuthenticateChallenge.parse(["Basic realm=a, Digest realm=b"]).map(\.repeated) == [[], []])
        #expect(AuthenticateChallenge.info(["nextnonce=a", "qop=auth, nextnonce=b"]).repeated == ["nextnonce"])
    }

    @Test(arguments: [
        ("Basic realm=area one", "area one"), ("Basic realm= area two , charset=UTF-8", "area two"),
        ("Basic realm='my realm'", "'my realm'"), ("Basic realm=http://wire.example/?a=b", "http://wire.example/?a=b"),
        ("Basic realm=", ""), ("Basic realm=é", "é"), (#"Basic realm="one" charset="UTF-8""#, "one"),
    ])
    func `a value without quotes goes to the next comma`(line: String, realm: String) throws {
        let challenge = try #require(AuthenticateChallenge.parse([line]).first)
        #expect((challenge.realm ?? "") == realm)
        #expect(challenge.scheme == "basic" && challenge.malformed.isEmpty)
    }

    @Test func `values of every parameter may lack their quotes`() throws {
        let line = "Digest domain=, realm=my realm, nonce=n0n/ce==, qop=auth,auth-int, opaque=a b"
        let challenge = try #require(AuthenticateChallenge.parse([line]).first)
        #expect(
            challenge.parameters
                == ["domain": "", "realm": "my realm", "nonce": "n0n/ce==", "qop": "auth,auth-int", "opaque": "a b"])
        #expect(try DigestChallenge(challenge).realm == "my realm")
        let bearer = AuthenticateChallenge.parse([
            "Bearer resource_metadata=http://h/.well-known/x, Basic realm=a, Negotiate"
        ])
        #expect(bearer.map(\.scheme) == ["bearer", "basic", "negotiate"])
        #expect(bearer.first?.parameters == ["resource_metadata": "http://h/.well-known/x"])
    }

    @Test(arguments: [
        #"realm="my "big" realm""#, #"realm="my" realm"#, #"realm="one"two"#, #"realm=it"s"#, "realm='a, b'",
        #"realm="unclosed"#, #"realm=x "y""#,
    ])
    func `a value whose end cannot be told is never used in part, and the other challenges count`(realm: String) throws
    {
        let line = #"Digest nonce="n", \#(realm), Basic realm="good", Negotiate"#
        let found = AuthenticateChallenge.parse([line]).filter { ["digest", "basic", "negotiate"].contains($0.scheme) }
        try #require(found.map(\.scheme) == ["digest", "basic", "negotiate"])
        #expect(found[0].realm == nil && found[0].malformed == ["realm"] && found[1].realm == "good")
        #expect(throws: DigestChallenge.Unusable.malformed("where its realm ends cannot be told")) {
            try DigestChallenge(found[0])
        }
    }

    @Test(arguments: [
        (
            #"Bearer realm="https://auth.example/token",service="registry.example""#,
            "https://auth.example/token?service=registry.example"
        ),
        (
            #"Bearer service="a b", realm="https://r.example/jwt/auth?x=y",scope="repository:z:pull""#,
            "https://r.example/jwt/auth?x=y&service=a%20b"
        ),
        (#"Bearer realm="https://auth.example/token""#, nil), (#"Bearer realm="notes", service="x""#, nil),
        (#"Basic realm="https://auth.example/token", service="x""#, nil),
        (#"Bearer realm="https://x", service="x", resource_metadata="https://x/.well-known/y""#, nil),
    ])
    func `a container registry is told by the realm and the service of its Bearer challenge`(
        line: String, tokens: String?
    ) {
        #expect(AuthenticateChallenge.parse([line]).registryTokens == tokens)
    }

    @Test func `a comma in a value without quotes belongs to it where a parameter follows`() {
        let found = AuthenticateChallenge.parse(["Digest realm=a, b, nonce=n", "Basic, realm=x"])
        #expect(found.map(\.parameters) == [["realm": "a, b", "nonce": "n"], ["realm": "x"]])
    }
}
