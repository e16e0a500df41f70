import Testing

@testable import LoginKit

/// A login with a Kerberos ticket, for which nobody is asked.
struct LoginFlowTicketTests {
    private func prepared(_ policy: LoginFlow.Policy) -> LoginFlow {
        var flow = SomeLogin.flow(policy)
        #expect(flow.handle(.begun) == .lookUp)
        #expect(flow.handle(.lookedUp(.nothing)) == .prepare)
        return flow
    }

    @Test(arguments: [true, false])
    func `a ticket that is accepted is saved like any other login, whether somebody could be asked or not`(mayAsk: Bool)
    {
        var flow = prepared(LoginFlow.Policy(mayAsk: mayAsk, mayUseTicket: true))
        #expect(flow.handle(.prepared(SomeLogin.ticketSpace)) == .authenticate(.ticket))
        #expect(
            flow.handle(.confirmed(SomeLogin.identity, isRefreshed: true)) == .save(.login(.negotiate)))
        #expect(flow.handle(.saved) == .finish(.loggedIn(SomeLogin.identity)))
    }

    @Test func `a ticket that is refused ends the login: another question would send the same ticket`() {
        var flow = prepared(LoginFlow.Policy(mayUseTicket: true))
        _ = flow.handle(.prepared(SomeLogin.ticketSpace))
        #expect(flow.handle(.refused(SomeLogin.refusal)) == .finish(.failed(.rejected(SomeLogin.refusal))))
        #expect(flow.previousFailureCount == 0)
    }

    @Test func `where the server wants a password and nobody can be asked, it is told what is missing`() {
        var flow = prepared(LoginFlow.Policy(mayAsk: false, mayUseTicket: true))
        let need = LoginNeed(why: .nothingStored, missing: [.username, .password])
        #expect(flow.handle(.prepared(SomeLogin.namedSpace)) == .finish(.failed(.loginRequired(need))))
    }
}
