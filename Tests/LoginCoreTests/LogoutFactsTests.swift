@testable import LoginKit
import Testing

/// What a receipt may say, for every combination of the facts that it is made of.
struct LogoutFactsTests {
    private static let all: [LogoutFacts] = {
        var all: [LogoutFacts] = []
        for request in LogoutFacts.Request.allCases {
            for session in LogoutFacts.Reply.allCases {
                for refreshToken in [nil] + LogoutFacts.Reply.allCases.map({ Optional($0) }) {
                    for check in LogoutFacts.Check.allCases {
                        for end in LogoutFacts.End.allCases {
                            for isToken in [true, false] {
                                var facts = LogoutFacts(request: request, isToken: isToken, end: end)
                                (facts.session, facts.refreshToken, facts.check) = (session, refreshToken, check)
                                all.append(facts)
                            }
                        }
                    }
                }
            }
        }
        return all
    }()

    @Test func `no receipt says ended unless the old session was asked and refused`() {
        #expect(Self.all.count == 5 * 5 * 6 * 4 * 3 * 2)
        for facts in Self.all where [.ended, .endedBefore].contains(facts.outcome) {
            #expect(facts.check == .refused, "\(facts)")
            #expect(facts.livesOn.isEmpty && !facts.mayLiveOn && !facts.isIncomplete, "\(facts)")
        }
    }

    @Test func `what verify accepts, and what the server does not revoke, is said to live on`() {
        for facts in Self.all where facts.wasSent {
            if facts.check == .accepted { #expect(facts.livesOn.contains(facts.isToken ? .accessToken : .session)) }
            if facts.refreshToken == .unsupported { #expect(facts.livesOn.contains(.refreshToken), "\(facts)") }
            if facts.outcome == .stillAccepted { #expect(!facts.livesOn.isEmpty, "\(facts)") }
        }
    }

    @Test func `a logout that was tried is incomplete if a session or what can be refreshed lives on`() {
        for facts in Self.all {
            let livesOn = facts.livesOn
            let isByDesign = livesOn == [.accessToken] && facts.end == .later
            if !facts.wasSent || facts.outcome == .unproven {
                #expect(!facts.isIncomplete && livesOn.isEmpty, "\(facts)")
            } else if !livesOn.isEmpty, !isByDesign {
                #expect(facts.isIncomplete, "\(facts)")
            } else {
                #expect(facts.isIncomplete == (facts.outcome == .failed), "\(facts)")
            }
        }
    }

    @Test func `a logout that failed counts as failed unless the old session is refused and nothing can be refreshed`()
    {
        for facts in Self.all where facts.wasSent && facts.session == .failed && facts.check != .refused {
            #expect(facts.outcome == .failed, "\(facts)")
        }
    }

    /// The parts in the order in which they are written.
    private func facts(
        _ request: LogoutFacts.Request, _ session: LogoutFacts.Reply, _ refreshToken: LogoutFacts.Reply?,
        _ check: LogoutFacts.Check, _ end: LogoutFacts.End = .later
    ) -> LogoutFacts {
        var facts = LogoutFacts(request: request, isToken: true, end: end)
        (facts.session, facts.refreshToken, facts.check) = (session, refreshToken, check)
        return facts
    }

    @Test func `a signed token that is good until its end is no fault, and one without an end is`() {
        let signed = facts(.logout, .accepted, nil, .accepted)
        #expect(signed.outcome == .stillAccepted && signed.livesOn == [.accessToken] && !signed.isIncomplete)
        #expect(facts(.logout, .accepted, nil, .accepted, .unknown).isIncomplete)
    }

    @Test func `a revocation of one token tells which one lives on`() {
        let access = facts(.revocation, .unsupported, .accepted, .accepted)
        #expect(access.livesOn == [.accessToken] && !access.isIncomplete)
        let refresh = facts(.revocation, .accepted, .unsupported, .refused)
        #expect(refresh.livesOn == [.refreshToken] && refresh.isIncomplete)
        #expect(facts(.revocation, .accepted, .accepted, .refused).outcome == .ended)
        #expect(facts(.revocation, .accepted, .accepted, .notAsked).outcome == .unproven)
    }

    @Test func `an expired token that a logout refuses leaves the refresh token`() {
        let refused = facts(.logout, .unknown, .notTold, .refused, .past)
        #expect(refused.livesOn == [.refreshToken] && refused.isIncomplete)
        #expect(facts(.logout, .unknown, .notTold, .refused).outcome == .endedBefore)
        #expect(facts(.logout, .accepted, .notTold, .refused, .past).outcome == .unproven)
        #expect(facts(.logout, .unknown, nil, .refused, .past).outcome == .endedBefore)
    }
}
