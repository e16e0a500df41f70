@testable import LoginKit
import Testing

/// Which method a credential is sent by: what the server offers against what the profile accepts.
struct MethodChoiceTests {
    private static let digest = "Digest realm=\"d\", nonce=\"n\", qop=\"auth\""
    private static let basic = "Basic realm=\"b\""
    private static let ticket = TicketFinding.valid(principal: "ann@REALM")
    private static let noTicket = TicketFinding.unusable(.missing(reason: "none"))

    private func choose(
        _ accepted: [AuthenticationMethod], _ offers: [String], ticket: TicketFinding = noTicket,
        hasPassword: Bool = false, hasLoginRequest: Bool = false
    ) throws(LoginFault) -> MethodChoice.Chosen {
        try MethodChoice(accepted: accepted, hasPassword: hasPassword, hasLoginRequest: hasLoginRequest).chosen(
            among: AuthenticateChallenge.parse(offers), url: "https://a/me", status: 401, ticket: { ticket })
    }

    private func method(
        _ accepted: [AuthenticationMethod], _ offers: [String], ticket: TicketFinding = noTicket
    ) throws -> AuthenticationMethod { try choose(accepted, offers, ticket: ticket).method }

    private func refusal(
        _ accepted: [AuthenticationMethod], _ offers: [String], ticket: TicketFinding = noTicket,
        hasPassword: Bool = false
    ) -> LoginFault? {
        do throws(LoginFault) {
            _ = try choose(accepted, offers, ticket: ticket, hasPassword: hasPassword)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        [basic, digest, "Negotiate"], ["Negotiate", digest, basic], ["\(basic), Negotiate, \(digest)"],
        ["bASIC realm=x, NEGOTIATE", "NTLM", "Bearer, dIGEST realm=\"d\", nonce=\"n\""],
    ])
    func `the strongest of the offers is taken, in whatever order and form they come`(offers: [String]) throws {
        #expect(try method([.auto], offers, ticket: Self.ticket) == .negotiate)
        #expect(try method([.auto], offers) == .digest)
        #expect(try method([.basic, .digest], offers, ticket: Self.ticket) == .digest)
        #expect(try method([.basic], offers, ticket: Self.ticket) == .basic)
    }

    @Test func `a weaker offer than accepted is refused, and named`() {
        let accepts: [(AuthenticationMethod, [String])] = [
            (.digest, [Self.basic]), (.negotiate, [Self.basic, Self.digest]), (.basic, ["NTLM", "Bearer"]),
            (.basic, [Self.digest]),
        ]
        for (method, offers) in accepts {
            let offered = AuthenticateChallenge.parse(offers).map(\.scheme)
            #expect(
                refusal([method], offers, ticket: Self.ticket)
                    == .untrusted(.weakerMethod(offered: offered, accepted: [method])))
        }
        let registry = "Bearer realm=\"https://a/token\",service=\"a\""
        #expect(
            refusal([.basic], [registry])
                == .usage(.registry(url: "https://a/me", tokens: "https://a/token?service=a")))
        #expect(
            refusal([.auto], ["NTLM", "Bearer realm=\"x\""])
                == .untrusted(.weakerMethod(offered: ["ntlm", "bearer"], accepted: [.auto])))
    }

    @Test func `Digest that cannot be done is passed over, or refused by name`() throws {
        let odd = "Digest realm=\"d\", nonce=\"n\", algorithm=SHA3-256"
        let qop = "Digest realm=\"d\", nonce=\"n\", qop=\"auth-conf\""
        #expect(try method([.auto], [odd, Self.basic]) == .basic)
        #expect(try method([.auto], [odd, qop, Self.digest]) == .digest)
        #expect(
            refusal([.auto], [odd, qop])
                == .untrusted(
                    .weakerMethod(
                        offered: ["digest with algorithm=SHA3-256", "digest with qop=auth-conf"], accepted: [.auto])))
    }

    @Test(arguments: [
        ("Digest realm=\"d\"", "it has no nonce"), ("Digest nonce=\"n\"", "it has no realm"),
        ("Digest realm=\"\(String(repeating: "r", count: 10_240))\", nonce=\"n\"", "its realm is longer"),
        ("Digest realm=\"d\", nonce=\"n\u{1}\"", "its nonce contains a control"),
        ("Digest realm=\"d\", nonce=\"n\", opaque=\"\u{7f}\"", "its opaque contains a control"),
    ])
    func `a Digest challenge that is none is a broken answer`(offer: String, problem: String) {
        guard case .network(.brokenResponse(let words)) = refusal([.auto], [offer]) else {
            Issue.record("\(offer.prefix(60)) was taken")
            return
        }
        #expect(words.contains(problem))
    }

    @Test func `a server that offers nothing is enough for a profile that names Basic, and for no other`() throws {
        #expect(try method([.basic], []) == .basic)
        for accepted in [[AuthenticationMethod.auto], [.digest], [.negotiate]] {
            let fault = refusal(accepted, [])
            #expect(fault?.exitCode == .usage)
            #expect(
                fault?.message().what
                    == "https://a/me refuses requests (status 401) but offers no authentication method")
        }
        // The login request is where the ticket goes; the page that was asked need not know of it.
        #expect(
            try choose([.negotiate], [], ticket: Self.ticket, hasLoginRequest: true)
                == .negotiate(principal: "ann@REALM"))
    }

    @Test func `a password is never overruled by somebody's ticket`() throws {
        let offers = ["Negotiate", Self.basic]
        #expect(try choose([.auto], offers, ticket: Self.ticket, hasPassword: true) == .basic(realm: "b"))
        #expect(
            refusal([.negotiate], offers, ticket: Self.ticket, hasPassword: true)
                == .usage(.takesNoPassword(method: .negotiate)))
    }

    @Test func `without a ticket a weaker offer is taken if it is accepted, else kinit is named`() throws {
        let offers = ["Negotiate", Self.basic]
        #expect(try method([.negotiate, .basic], offers) == .basic)
        let expired = TicketFinding.unusable(.expired(principal: "ann@REALM"))
        #expect(
            refusal([.negotiate], offers, ticket: expired)
                == .loginRequired(LoginNeed(why: .ticket(.expired(principal: "ann@REALM")))))
        #expect(
            refusal([.auto], ["Negotiate"]) == .loginRequired(LoginNeed(why: .ticket(.missing(reason: "none")))))
    }

    @Test func `where only a ticket would do, its lack is told before the server is asked`() {
        let choice = MethodChoice(accepted: [.negotiate])
        #expect(throws: LoginFault.loginRequired(LoginNeed(why: .ticket(.missing(reason: "none"))))) {
            try choice.check { Self.noTicket }
        }
        #expect(throws: Never.self) { try choice.check { Self.ticket } }
        #expect(throws: Never.self) { try MethodChoice(accepted: [.auto]).check { Self.noTicket } }
    }

    @Test(arguments: [
        ("ann@REALM", true), ("ann", true), ("Ann", false), ("bob", false), ("ann@OTHER", false), ("an", false),
    ])
    func `another one's ticket is not used`(wanted: String, fits: Bool) {
        let restricted = Self.ticket.restricted(to: wanted)
        #expect((restricted == Self.ticket) == fits)
        if !fits { #expect(restricted == .unusable(.ofAnother(principal: "ann@REALM", wanted: wanted))) }
        #expect(Self.ticket.restricted(to: nil) == Self.ticket)
    }
}
