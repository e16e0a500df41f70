import LoginCore
import LoginStores
import Secrets
import Testing

@Suite struct StoredLoginCodecTests {
    private static let credential = Credential(username: "caf\u{E9}\0", secret: Secret(" p\u{7F}ss\n "))
    private static let bytes = Secret(count: 256) { for i in 0..<256 { $0[i] = UInt8(i) } }

    static let logins: [StoredLogin] = [
        StoredLogin(),
        StoredLogin(session: .credential(credential)),
        StoredLogin(session: .credential(Credential(username: nil, secret: nil))),
        StoredLogin(session: .token(Token(value: bytes, refreshToken: nil, expires: nil))),
        StoredLogin(
            session: .token(Token(value: Secret("t"), refreshToken: bytes, expires: .max)), credential: credential),
        StoredLogin(session: .cookies([])),
        StoredLogin(
            session: .cookies([
                Cookie(name: "a", value: bytes, record: Secret("Set-Cookie: a=1"), expires: 7),
                Cookie(name: "", value: Secret(""), record: bytes, expires: nil),
            ])),
        StoredLogin(credential: credential),
    ]

    @Test(arguments: logins)
    func `a stored login reads back`(login: StoredLogin) throws {
        #expect(try StoredLoginCodec.decode(StoredLoginCodec.encode(login)) == login)
    }

    @Test(arguments: [
        "", "{}", "null", #"{"version":2}"#, #"{"version":1,"session":{"token":{"_0":{"value":"?"}}}}"#,
        #"{"version":1,"session":{"token":{"_0":{"value":"QQ="}}}}"#, #"{"version":1,"session":{"other":{}}}"#,
        #"{"version":1,"credential":{"secret":"Q Q="}}"#,
    ])
    func `anything else is malformed`(text: String) {
        #expect(throws: StoredLoginCodec.Malformed.self) { try StoredLoginCodec.decode(Secret(text)) }
    }
}
