import LoginCore
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
}
