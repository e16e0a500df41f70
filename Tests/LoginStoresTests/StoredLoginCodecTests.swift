@testable import LoginKit
import Secrets
import Testing

@Suite struct StoredLoginCodecTests {
    private static let credential = Credential(username: "caf\u{E9}\0", .password(Secret(" p\u{7F}ss\n ")))
    private static let bytes = Secret(count: 256) { for i in 0..<256 { $0[i] = UInt8(i) } }

    static let logins: [StoredLogin] = [
        StoredLogin(),
        StoredLogin(session: .credential(credential)),
        StoredLogin(session: .credential(Credential(username: nil, .ticket))),
        StoredLogin(session: .token(Token(value: bytes, refreshToken: nil, expires: nil))),
        StoredLogin(
            session: .token(Token(value: Secret("t"), refreshToken: bytes, expires: .max)), credential: credential),
        StoredLogin(
            session: .token(
                Token(value: Secret("t"), refreshToken: bytes, expires: 7).with([
                    Cookie(name: "a", value: bytes, record: Secret("Set-Cookie: a=1"), expires: 7)
                ]))),
        StoredLogin(session: .cookies([])),
        StoredLogin(
            session: .cookies([
                Cookie(name: "a", value: bytes, record: Secret("Set-Cookie: a=1"), expires: 7),
                Cookie(name: "", value: Secret(""), record: bytes, expires: nil),
            ])),
        StoredLogin(credential: credential),
        StoredLogin(session: .token(Token(value: bytes, refreshToken: bytes, expires: 7, terms: terms))),
    ]

    private static let terms = Grant.Terms(
        issuer: "https://id.example", tokenEndpoint: "https://id.example/token", revocation: nil,
        client: OAuthClient(id: "authctl"), scope: "openid", resource: nil, name: "ann", subject: "s-1",
        signOn: "o-1")

    @Test func `a grant of an older release is read, and says nothing of its subject`() throws {
        let written = try StoredLoginCodec.encode(
            StoredLogin(session: .token(Token(value: Self.bytes, refreshToken: nil, expires: nil, terms: Self.terms))))
        // The members come in any order.
        let text = written.unprotectedText
        let older = text.replacing(",\"subject\":\"s-1\"", with: "").replacing("\"subject\":\"s-1\",", with: "")
        try #require(text != older)
        guard case .token(let token) = try StoredLoginCodec.decode(Secret(older), in: .file).login.session else {
            return
        }
        #expect(token.terms?.name == "ann" && token.terms?.subject == nil)
    }

    @Test(arguments: logins)
    func `a stored login reads back`(login: StoredLogin) throws {
        #expect(try StoredLoginCodec.decode(StoredLoginCodec.encode(login), in: .file).login == login)
    }

    /// As the first release wrote them: the bytes do not say what a secret is, or that there is none.
    @Test(arguments: [
        (LoginKind.challenge([]), Credential.Kind.password(Secret("pass")), Credential.Kind.ticket),
        (.exchange(for: .token), .password(Secret("pass")), .noSecret),
        (.pasted, .token(Secret("pass")), .noSecret),
        (.certificate, .certificate(passphrase: Secret("pass")), .certificate(passphrase: nil)),
    ])
    func `what a stored secret is, the login's kind tells`(
        kind: LoginKind, secret: Credential.Kind, none: Credential.Kind
    ) throws {
        for (form, expected) in [
            (#"{"username":"ann","secret":"cGFzcw=="}"#, secret), (#"{"username":"ann"}"#, none),
        ] {
            let credential = Credential(username: "ann", expected)
            let session = Secret(#"{"version":1,"session":{"basic":{"_0":\#(form)}}}"#)
            let beside = Secret(#"{"version":1,"credential":\#(form)}"#)
            let written = try StoredLoginCodec.encode(StoredLogin(credential: credential))
            for (bytes, login) in [
                (session, StoredLogin(session: .credential(credential))),
                (beside, StoredLogin(credential: credential)), (written, StoredLogin(credential: credential)),
            ] {
                #expect(try StoredLoginCodec.decode(bytes, of: kind, in: .file).login == login)
            }
        }
    }

    @Test(arguments: [
        "", "{}", "null", #"{"version":0}"#, #"{"version":1,"session":{"token":{"_0":{"value":"?"}}}}"#,
        #"{"version":1,"session":{"token":{"_0":{"value":"QQ="}}}}"#, #"{"version":1,"session":{}}"#,
        #"{"version":1,"credential":{"secret":"Q Q="}}"#,
    ])
    func `anything else is damaged`(text: String) {
        #expect(throws: Self.damaged) { try StoredLoginCodec.decode(Secret(text), in: .file) }
    }

    static let damaged = StoreFault.damaged(path: "file", problem: "its entry for this account is not a stored login")
}
