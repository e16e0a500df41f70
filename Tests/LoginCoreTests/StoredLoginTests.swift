@testable import LoginKit
import Secrets
import Testing

/// What a stored login is worth, and to whom.
@Suite struct StoredLoginTests {
    private let password = Credential(username: "ann", .password(Secret("pass")))

    private func token(_ expires: Int64?, refresh: Bool = false) -> Session {
        .token(Token(value: Secret("t"), refreshToken: refresh ? Secret("r") : nil, expires: expires))
    }

    @Test func `a login is of use until its session ends, unless something outlives that`() {
        #expect(StoredLogin(session: token(9)).lastUse == 9)
        #expect(StoredLogin(session: token(9, refresh: true)).lastUse == nil)
        #expect(StoredLogin(session: token(9), credential: password).lastUse == nil)
        #expect(StoredLogin(session: token(9), extraSecrets: [.secret("PIN"): Secret("1")]).lastUse == nil)
        #expect(StoredLogin(session: .credential(password)).lastUse == nil)
        #expect(StoredLogin().lastUse == nil)
    }

    @Test func `a password that was refused is not found again, the session beside it is`() {
        let stored = StoredLogin(session: token(9), credential: password)
        #expect(
            stored.found(as: "ann", credentialWasRefused: false)
                == StoredLogin(session: token(9), credential: password, username: "ann"))
        #expect(
            stored.found(as: "ann", credentialWasRefused: true)
                == StoredLogin(session: token(9), username: "ann", credentialWasRefused: true))
        let basic = StoredLogin(session: .credential(password)).found(as: "ann", credentialWasRefused: true)
        #expect(basic == StoredLogin(username: "ann", credentialWasRefused: true))
    }
}
