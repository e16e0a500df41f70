@testable import LoginKit
import Secrets
import Testing

/// The digits of Digest, against those of the RFCs and of other programs.
struct DigestVectorTests {
    private static let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let mufasa = BasicCredential(username: "Mufasa", password: Secret("Circle of Life"))

    private func session(_ parameters: String) throws -> DigestSession {
        let parsed = try #require(AuthenticateChallenge.parse(["Digest \(parameters)"]).first)
        return DigestSession(try DigestChallenge(parsed))
    }

    private func mufasas(_ more: String) throws -> DigestSession {
        try session(
            "realm=\"http-auth@example.org\", nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
                + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\", \(more)")
    }

    private func answer(
        _ session: inout DigestSession, _ pair: BasicCredential = mufasa, method: String = "GET",
        uri: String = "/dir/index.html", body: String? = nil, cnonce: String = cnonce
    ) throws -> DigestResponse {
        try session.answer(
            DigestSession.Request(method: method, uri: uri, body: body.map { Secret($0) }), pair, clientNonce: cnonce,
            hash: HashLibrary.digits)
    }

    private func fields(_ answer: DigestResponse) throws -> [String: String] {
        let value = try answer.authorization(hash: HashLibrary.digits).text
        return try #require(AuthenticateChallenge.parse([value]).first).parameters
    }

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `RFC 7616, section 3_9_1 comes out to the same digits`(algorithm: String, response: String) throws {
        var session = try mufasas("qop=\"auth, auth-int\", algorithm=\(algorithm)")
        let answer = try answer(&session)
        #expect(
            try answer.authorization(hash: HashLibrary.digits).text
                == "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", "
                + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", uri=\"/dir/index.html\", "
                + "algorithm=\(algorithm), response=\"\(response)\", qop=auth, nc=00000001, "
                + "cnonce=\"\(Self.cnonce)\", opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"")
    }

    /// The RFC prints digits of a SHA-512 that was cut; SHA-512/256 of FIPS 180-4 gives those of its erratum 4897.
    @Test func `RFC 7616, section 3_9_2 comes out to the digits of its erratum`() throws {
        var session = try session(
            "realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, "
                + "nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", "
                + "opaque=\"HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS\", charset=UTF-8, userhash=true")
        let jason = BasicCredential(username: "J\u{E4}s\u{F8}n Doe", password: Secret("Secret, or not?"))
        let fields = try fields(
            try answer(
                &session, jason, uri: "/doe.json", cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"))
        #expect(fields["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(fields["response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
        #expect(fields["userhash"] == "true" && fields["algorithm"] == "SHA-512-256")
    }

    /// Computed by Python's hashlib.
    @Test(arguments: [
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ("SHA-512-256-sess", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
        ("SHA-512-256", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
    ])
    func `the other digest algorithms agree with the vectors of their RFCs`(algorithm: String, response: String) throws
    {
        var session = try mufasas("qop=\"auth\", algorithm=\(algorithm)")
        #expect(try fields(try answer(&session))["response"] == response)
    }

    @Test(arguments: [
        ("MD5", "dff8e04ab77a54f88e994960ccfdd619"),
        ("SHA-256", "f8c0ad3b81a2e6674b6984ac0f147ba31710938eec6b637f4d8c3760f788da20"),
        ("SHA-512-256", "5625e700d55dfea9166fabb3c539df078c456859fcb41c9c095d6b3ef4f5917d"),
    ])
    func `auth-int hashes the body that is sent`(algorithm: String, response: String) throws {
        var session = try mufasas("qop=\"auth-int\", algorithm=\(algorithm)")
        let fields = try fields(try answer(&session, method: "POST", body: "a=b&c"))
        #expect(fields["response"] == response && fields["qop"] == "auth-int")
    }

    @Test func `RFC 2617's example, and RFC 2069's with its erratum`() throws {
        let parameters = "realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
        var newer = try session(parameters + ", qop=\"auth,auth-int\"")
        let pair = BasicCredential(username: "Mufasa", password: Secret("Circle Of Life"))
        #expect(
            try fields(try answer(&newer, pair, cnonce: "0a4f113b"))["response"] == "6629fae49393a05397450978507c4ef1")
        var older = try session(parameters)
        let glued = BasicCredential(username: "Mufasa", password: Secret("CircleOfLife"))
        let fields = try fields(try answer(&older, glued))
        #expect(fields["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(fields["nc"] == nil && fields["cnonce"] == nil && fields["qop"] == nil && fields["algorithm"] == nil)
    }

    @Test func `nc rises, and a session's key stays that of the first client nonce`() throws {
        var session = try mufasas("qop=auth, algorithm=MD5-sess")
        let first = try fields(try answer(&session, cnonce: "one")),
            second = try fields(try answer(&session, cnonce: "two"))
        #expect(first["nc"] == "00000001" && second["nc"] == "00000002")
        #expect(first["cnonce"] == "one" && second["cnonce"] == "one")
        var plain = try mufasas("qop=auth")
        _ = try answer(&plain, cnonce: "one")
        #expect(try fields(try answer(&plain, cnonce: "two"))["cnonce"] == "two")
    }

    @Test func `the next nonce is taken, and counted anew`() throws {
        var session = try mufasas("qop=auth")
        _ = try answer(&session)
        session.take(nextNonce: "n\u{7}")
        #expect(try fields(try answer(&session))["nc"] == "00000002")
        session.take(nextNonce: "another")
        let fields = try fields(try answer(&session))
        #expect(fields["nonce"] == "another" && fields["nc"] == "00000001")
    }

    @Test(arguments: [
        ("rspauth=\"9b712497bc9f91499fbcca1dfc5f09a5\"", DigestResponse.Proof.supplied),
        ("rspauth=9B712497BC9F91499FBCCA1DFC5F09A5, nc=00000001, qop=auth", .supplied),
        ("rspauth=\"0b712497bc9f91499fbcca1dfc5f09a5\"", .wrong), ("rspauth=\"\"", .wrong), ("nextnonce=\"x\"", .none),
        ("rspauth=\"9b712497bc9f91499fbcca1dfc5f09a5\", cnonce=\"other\"", .wrong),
        ("rspauth=\"9b712497bc9f91499fbcca1dfc5f09a5\", nc=00000002", .wrong),
    ])
    func `the server's own proof is checked`(info: String, expected: DigestResponse.Proof) throws {
        var session = try mufasas("qop=auth, algorithm=MD5")
        let answer = try answer(&session)
        let proof = try answer.proof(
            in: AuthenticateChallenge.info([info]).parameters, body: Secret("page"), hash: HashLibrary.digits)
        #expect(proof == expected)
    }

    @Test func `names go along as UTF-8, in username* only where the server knows charset`() throws {
        let zoe = BasicCredential(username: "zoë \"m\" \\%", password: Secret("p"))
        var old = try mufasas("qop=auth"), new = try mufasas("qop=auth, charset=UTF-8")
        let oldText = try answer(&old, zoe).authorization(hash: HashLibrary.digits).text
        #expect(oldText.hasPrefix("Digest username=\"zoë \\\"m\\\" \\\\%\", realm="))
        let newText = try answer(&new, zoe).authorization(hash: HashLibrary.digits).text
        #expect(newText.hasPrefix("Digest username*=UTF-8''zo%C3%AB%20%22m%22%20%5C%25, realm="))
        #expect(try fields(try answer(&new))["username"] == "Mufasa")
    }

    @Test func `no part of the password is in the header, in any form`() throws {
        var session = try mufasas("qop=auth")
        let text = try answer(&session).authorization(hash: HashLibrary.digits).text
        let key = try HashLibrary.digits(.md5, of: Secret("Mufasa:http-auth@example.org:Circle of Life")).text
        #expect(!text.contains("Circle") && !text.contains(key))
    }
}
