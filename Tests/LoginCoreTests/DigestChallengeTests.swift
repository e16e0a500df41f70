@testable import LoginKit
import Testing

/// Reading Digest challenges (RFC 7616, section 3.3).
struct DigestChallengeTests {
    private func challenge(_ line: String) throws -> DigestChallenge {
        let parsed = try #require(AuthenticateChallenge.parse([line]).first)
        return try DigestChallenge(parsed)
    }

    @Test func `the example of RFC 7616 is read`() throws {
        let read = try challenge(
            "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=SHA-256, "
                + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
                + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"")
        #expect(read.realm == "http-auth@example.org" && read.opaque?.hasPrefix("FQhe/") == true)
        #expect(read.algorithm == DigestAlgorithm(hash: .sha256) && read.qop == .auth)
        #expect(!read.isStale && !read.hashesUsername && !read.isUTF8)
    }

    @Test(arguments: [
        ("MD5", DigestAlgorithm.Hash.md5, false), ("md5-sess", .md5, true), ("SHA-256", .sha256, false),
        ("Sha-256-Sess", .sha256, true), ("SHA-512-256", .sha512256, false), ("sha-512-256-SESS", .sha512256, true),
    ])
    func `every algorithm of RFC 7616 is known, in any case`(name: String, hash: DigestAlgorithm.Hash, isSession: Bool)
        throws
    {
        #expect(DigestAlgorithm(name) == DigestAlgorithm(hash: hash, isSession: isSession))
        #expect(
            try challenge("Digest realm=r, nonce=n, algorithm=\"\(name)\"").algorithm
                == DigestAlgorithm(hash: hash, isSession: isSession))
    }

    @Test(arguments: ["SHA", "SHA-512", "MD5-", "", "-sess", "SHA-512-256-sess-sess", "md 5"])
    func `no other one is`(name: String) { #expect(DigestAlgorithm(name) == nil) }

    @Test(arguments: ["nonce", "realm", "opaque", "algorithm", "qop"])
    func `a challenge with a parameter that comes twice is not answered`(name: String) {
        #expect(throws: DigestChallenge.Unusable.malformed("its \(name) is there twice")) {
            try challenge("Digest realm=r, nonce=n, opaque=o, algorithm=MD5, qop=auth, \(name)=x")
        }
    }

    @Test func `auth is chosen where both are offered, and auth-int where it is alone`() throws {
        #expect(try challenge("Digest realm=r, nonce=n, qop=\"auth-int,auth\"").qop == .auth)
        #expect(try challenge("Digest realm=r, nonce=n, qop=\"AUTH-INT\"").qop == .authInt)
        #expect(try challenge("Digest realm=r, nonce=n").qop == nil)
        #expect(throws: DigestChallenge.Unusable.notUnderstood(parameter: "qop", value: "")) {
            try challenge("Digest realm=r, nonce=n, qop=\"\"")
        }
    }

    @Test func `of several challenges the strongest that can be answered is taken`() throws {
        let names = ["MD5", "SHA-1024", "SHA-256", "SHA-512-256-sess", "SHA-512-256", "MD5-sess"]
        let offered = AuthenticateChallenge.parse(
            names.map { "Digest realm=r, nonce=\"\($0)\", algorithm=\($0)" } + ["Digest realm=r", "Basic"])
        let (best, unusable) = DigestChallenge.strongest(of: offered)
        #expect(best?.nonce == "SHA-512-256-sess")
        #expect(
            unusable == [
                .notUnderstood(parameter: "algorithm", value: "SHA-1024"), .malformed("it has no nonce"),
            ])
    }

    @Test func `values are taken out of their quotes`() throws {
        let read = try challenge("Digest realm=\"a \\\"b\\\" \\\\ c\", nonce=\"x,y=z\", stale=TRUE, userhash=true")
        #expect(read.realm == "a \"b\" \\ c" && read.nonce == "x,y=z" && read.isStale && read.hashesUsername)
    }

    @Test func `a realm that is not UTF-8 cannot be hashed, and is refused`() {
        #expect(throws: DigestChallenge.Unusable.self) { try challenge("Digest realm=\"caf\u{FFFD}\", nonce=n") }
    }

    @Test func `Authentication-Info is read like a challenge without a scheme`() {
        let info = AuthenticateChallenge.info(["rspauth=\"ab\", nc=00000001,cnonce=\"c\"", "nextnonce=n"]).parameters
        #expect(info == ["rspauth": "ab", "nc": "00000001", "cnonce": "c", "nextnonce": "n"])
    }
}
