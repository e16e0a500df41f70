@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Challenges and netrc files as curl's own tests have them, each written anew.
///
/// Cases that stand elsewhere: stale nonces, a wrong password, `nextnonce` and auth-int with a body (`DigestTests`), redirects to another
/// host or port, with Basic, Digest, cookies and headers of one's own (`RedirectMatrixTests`), a server that asks without end.
///
/// What differs from curl by decision: NTLM is not spoken. A password in a URL is refused, and so is a colon in a user name. Nothing is
/// sent to a URL that wants no login (`verifyProvesNothing`), no redirect is followed with a credential, and there is no
/// `--location-trusted`. A body that is read while it is sent has no auth-int. A netrc file with a fault anywhere is refused as a whole,
/// and its `default` is not used.
struct `The cases of HTTP authentication` {
    private static let credential = Credential(username: "ann", .password(Secret("correct horse")))

    enum Answer: Sendable {
        case basic
        /// With these parameters; `nil` for one that must not be there. Its digits are computed here.
        case digest([String: String?])
        /// Without another request.
        case none(ExitCode)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let offers: [String]
        let answer: Answer
        var testDescription: String { offers.joined(separator: " | ") }

        init(_ offers: String..., answer: Answer) { (self.offers, self.answer) = (offers, answer) }
    }

    @Test(arguments: simple + digests + several)
    func `A challenge is answered as it asks`(item: Case) throws {
        let server = try RecordingServer([
            .answer(401, item.offers.map { "WWW-Authenticate: \($0)" }),
            .answer(200, body: "{\"screen_name\":\"Ann\"}"),
        ])
        defer { server.stop() }
        let service = Service(
            profile: try SomeProfiles.wire(),
            endpoint: ServiceEndpoint(origin: server.origin, base: "\(server.origin)"),
            transport: CurlTransport(origin: server.origin), clock: WallClock { 0 }, tickets: SomeTickets.none,
            options: Service.Options(), method: Service.method(of:))
        let fault = fault { _ = try service.authenticate(Self.credential) }
        let values = server.texts.map { text in
            text.split(separator: "\n").first { $0.hasPrefix("Authorization: ") }.map { String($0.dropFirst(15)) }
        }
        switch item.answer {
        case .none(let code): #expect(fault?.exitCode == code && values == [nil], "\(String(describing: fault))")
        case .basic: #expect(fault == nil && values == [nil, "Basic YW5uOmNvcnJlY3QgaG9yc2U="])
        case .digest(let expected):
            #expect(fault == nil && values.count == 2 && values.first == .some(nil))
            let value = try #require(values.last ?? nil)
            let sent = try #require(AuthenticateChallenge.parse([value]).first).parameters
            for (name, wanted) in expected { #expect(sent[name] == wanted, "\(name)") }
            #expect(sent["uri"] == "/account/verify_credentials.json")
            #expect(try sent["response"] == digits(sent))
        }
    }

    /// RFC 7616, section 3.4.1.
    private func digits(_ sent: [String: String]) throws -> String {
        let algorithm = try #require(DigestAlgorithm(sent["algorithm"] ?? "MD5"))
        func hash(_ text: String) throws -> String { try HashLibrary.digits(algorithm.hash, of: Secret(text)).text }
        let nonce = sent["nonce"] ?? "", cnonce = sent["cnonce"] ?? ""
        var first = try hash("ann:\(sent["realm"] ?? ""):correct horse")
        if algorithm.isSession { first = try hash("\(first):\(nonce):\(cnonce)") }
        let body = sent["qop"] == "auth-int" ? ":" + (try hash("")) : ""
        let second = try hash("GET:\(sent["uri"] ?? "")\(body)")
        let middle = sent["qop"].map { "\(nonce):\(sent["nc"] ?? ""):\(cnonce):\($0)" } ?? nonce
        return try hash("\(first):\(middle):\(second)")
    }

    private static let simple: [Case] = [
        Case("Basic realm=\"r\"", answer: .basic), Case("BASIC Realm=r", answer: .basic), Case("Basic", answer: .basic),
        Case("Basic realm=\"a, b\\\"c\"", answer: .basic), Case("Basic realm=\"r\", charset=\"UTF-8\"", answer: .basic),
        Case("Unheard-of", answer: .none(.untrusted)), Case("NTLM", answer: .none(.untrusted)),
        Case("NTLM", "Negotiate", answer: .none(.loginRequired)),
    ]

    private static let digests: [Case] = [
        Case(
            "Digest realm=\"r\", nonce=\"n\"",
            answer: .digest(["qop": nil, "algorithm": nil, "nc": nil, "cnonce": nil])),
        Case("Digest realm=\"r\",nonce=\"n\",algorithm=MD5", answer: .digest(["qop": nil, "algorithm": "MD5"])),
        Case("DIGEST\tREALM=\"r\",\tNONCE=\"n\",QOP=auth", answer: .digest(["qop": "auth", "nc": "00000001"])),
        Case("Digest realm=\"\", nonce=\"n\", qop=\"auth\"", answer: .digest(["realm": ""])),
        Case("Digest realm=\"a \\\"b\\\" c\", nonce=\"n\", qop=\"auth\"", answer: .digest(["realm": "a \"b\" c"])),
        Case(
            "Digest realm=\"r\", nonce=\"a=b/c+==\", opaque=\"x, y\", qop=\"auth\"",
            answer: .digest(["nonce": "a=b/c+==", "opaque": "x, y"])),
        Case(
            "Digest realm=\"r\", domain=\"/a /b\", nonce=\"n\", qop=\"odd, auth\", stale=false",
            answer: .digest(["qop": "auth", "stale": nil])),
        Case("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int,auth\"", answer: .digest(["qop": "auth"])),
        Case("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"", answer: .digest(["qop": "auth-int"])),
        Case(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5-sess",
            answer: .digest(["algorithm": "MD5-sess"])),
        Case(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256",
            answer: .digest(["algorithm": "SHA-256"])),
        Case(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256-SESS",
            answer: .digest(["algorithm": "SHA-256-SESS"])),
        Case(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=\"SHA-512-256\"",
            answer: .digest(["algorithm": "SHA-512-256"])),
        Case(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", userhash=false",
            answer: .digest(["username": "ann", "userhash": nil])),
        Case(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", userhash=true",
            answer: .digest(["userhash": "true", "username": "d114d6393b354b83f9349268048a50ce"])),
        Case("Digest realm=\"r\", qop=\"auth\"", answer: .none(.network)),
        Case("Digest nonce=\"n\"", answer: .none(.network)),
        Case("Digest realm=\"r\", nonce=\"n\", qop=\"odd\"", answer: .none(.untrusted)),
        Case("Digest realm=\"r\", nonce=\"n\", algorithm=SHA3-256", answer: .none(.untrusted)),
        Case("Digest realm=\"r\", nonce=\"n\", nonce=\"m\"", answer: .none(.network)),
    ]

    private static let several: [Case] = [
        Case("Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"", answer: .digest(["qop": "auth"])),
        Case("Digest realm=\"r\", nonce=\"n\", qop=\"auth\"", "Basic realm=\"r\"", answer: .digest(["qop": "auth"])),
        Case("Basic realm=\"r\", Digest realm=\"d\", nonce=\"n\", qop=\"auth\"", answer: .digest(["realm": "d"])),
        Case("Digest realm=\"d\", nonce=\"n\", qop=\"auth\", Basic realm=\"r\"", answer: .digest(["realm": "d"])),
        Case("Wild-and-odd foo=bar, Basic realm=\"r\"", answer: .basic),
        Case("NTLM", "Basic realm=\"r\"", answer: .basic),
        Case("NTLM, Negotiate, Basic realm=\"r\"", answer: .basic),
        Case("Digest realm=\"r\", nonce=\"n\", algorithm=SHA3-256", "Basic realm=\"r\"", answer: .basic),
        Case(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5",
            "Digest realm=\"r\", nonce=\"m\", qop=\"auth\", algorithm=SHA-256", answer: .digest(["nonce": "m"])),
    ]

    /// - Parameters:
    ///   - username: the name that was asked for.
    ///   - found: `login:password` of the entry.
    @Test(
        arguments: [
            ("machine a.example login ann password one\nmachine a.example login bob password two", nil, "ann:one"),
            ("machine a.example login ann password one\nmachine a.example login bob password two", "bob", "bob:two"),
            ("machine a.example login ann password one\nmachine a.example login bob password two", "eve", nil),
            ("machine b.example login x password y\nmachine a.example login ann password one", nil, "ann:one"),
            ("machine b.example login x password y", nil, nil), ("default login x password y", nil, nil),
            ("machine a.example password one login ann", nil, "ann:one"),
            ("machine a.example password one", "ann", ":one"),
            ("machine a.example login \"ann\" password \"one two\"", nil, "ann:one two"),
            ("machine a.example login ann password \"o\\\"n\\\\e\"", nil, "ann:o\"n\\e"),
            ("machine a.example\nlogin ann\npassword one", nil, "ann:one"), ("", nil, nil),
            ("machine a.example login ann password \"one", nil, "refused"), ("machine a.example login", nil, "refused"),
            ("machine a.example login ann password one two", nil, "refused"),
        ] as [(String, String?, String?)])
    func `A netrc file gives its host's own login alone`(text: String, username: String?, found: String?) {
        let origin = Origin(scheme: "https", host: "a.example", port: 443)
        do throws(NetrcFault) {
            let entry = try NetrcEntry.find(for: origin, username: username, in: Secret(text))
            #expect(entry.map { "\($0.username ?? ""):\($0.password.text)" } == found)
        } catch {
            #expect(found == "refused")
        }
    }
}
