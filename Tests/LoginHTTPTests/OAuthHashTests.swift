@testable import LoginKit
import Secrets
import Testing

/// PKCE with the program's own hash.
struct OAuthHashTests {
    @Test func `the challenge is that of RFC 7636, appendix B`() throws {
        let random: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240,
            91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let attempt = try AuthorizationAttempt(
            random: { Secret(count: $0) { $0.copyBytes(from: random) } }, hash: HashLibrary.digest)
        #expect(attempt.verifier == Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(attempt.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }
}
