@testable import LoginKit
import Testing

/// Where a password may go before the server has asked for it.
struct VerifiedSpaceTests {
    @Test(arguments: [
        ("/me", "/x", true), ("/account/me", "/account/x", true), ("/account/me", "/account/", true),
        ("/account/me", "/account/deep/er", true), ("/account/me", "/account", false),
        ("/account/me", "/accounts", false),
        ("/account/me", "/", false), ("/account/me", "/b/account/x", false), ("/v1/", "/v1/x", true),
        ("/a/me", "/A/x", false),
    ])
    func `a password is sent ahead at or below the folder of the path that verified it`(
        verified: String, asked: String, isCovered: Bool
    ) {
        #expect(VerifiedSpace(realm: "A", path: verified).covers(path: asked) == isCovered)
    }

    @Test func `another realm is one that both sides name`() {
        let space = VerifiedSpace(realm: "A", path: "/me")
        let other = AuthenticateChallenge(scheme: "basic", parameters: ["realm": "B"])
        let same = AuthenticateChallenge(scheme: "digest", parameters: ["realm": "A"])
        let nameless = AuthenticateChallenge(scheme: "negotiate")
        #expect(space.otherRealm(in: [other]) == "B")
        #expect(space.otherRealm(in: [nameless, other]) == "B")
        #expect(space.otherRealm(in: [other, same]) == nil)
        #expect(space.otherRealm(in: [nameless]) == nil && space.otherRealm(in: []) == nil)
        #expect(VerifiedSpace(realm: nil, path: "/me").otherRealm(in: [other]) == nil)
        let cut = AuthenticateChallenge(scheme: "basic", malformed: ["realm"])
        let double = AuthenticateChallenge(scheme: "basic", parameters: ["realm": "B"], repeated: ["realm"])
        let lost = AuthenticateChallenge(scheme: "basic", parameters: ["realm": "\u{FFFD}"])
        for unclear in [cut, double, lost] { #expect(space.otherRealm(in: [other, unclear]) == nil) }
        // Byte for byte, as user names are.
        #expect(
            VerifiedSpace(realm: "\u{e9}", path: "/").otherRealm(
                in: [AuthenticateChallenge(scheme: "basic", parameters: ["realm": "e\u{301}"])]) != nil)
    }
}
