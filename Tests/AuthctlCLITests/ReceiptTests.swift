@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// The words of a receipt, for every combination of facts.
struct ReceiptTests {
    @Test func `no sentence says ended unless the old session was asked, and each tells how long a token stays valid`()
    {
        let place = Origin(scheme: "https", host: "api.example", port: 443)
        for request in LogoutFacts.Request.allCases {
            for session in LogoutFacts.Reply.allCases {
                for refreshToken in [nil] + LogoutFacts.Reply.allCases.map({ Optional($0) }) {
                    for check in LogoutFacts.Check.allCases {
                        var facts = LogoutFacts(request: request, isToken: true, end: .later)
                        (facts.session, facts.refreshToken, facts.check) = (session, refreshToken, check)
                        let receipt = Receipt(profile: "api", place: place, username: "ann", facts: facts, expires: 200)
                        let words = receipt.words(now: 100)
                        #expect(!words.contains("ended at the server") || check == .refused, "\(words)")
                        #expect(!words.contains("stays valid") || check != .refused, "\(words)")
                        guard facts.livesOn.contains(.accessToken) else { continue }
                        #expect(
                            words.contains("The access token stays valid at the server for 100 seconds."), "\(words)")
                    }
                }
            }
        }
    }
}
