import LoginCore
import Testing

/// The table of `LoginFlow`, read along whole logins: event → effect.
struct LoginFlowTests {
    private typealias Row = (event: LoginFlow.Event, effect: LoginFlow.Effect)

    private let accepted = LoginFlow.Event.confirmed(SomeLogin.login, isRefreshed: false)
    private let refreshed = LoginFlow.Event.confirmed(SomeLogin.login, isRefreshed: true)
    private let refused = LoginFlow.Event.refused(SomeLogin.refusal)
    private let typed = LoginFlow.Event.answered(.credential(SomeLogin.credential))
    private let prepared = LoginFlow.Event.prepared(SomeLogin.namedSpace)

    @discardableResult
    private func walk(_ flow: LoginFlow, _ rows: Row...) -> LoginFlow {
        var flow = flow
        for (number, row) in rows.enumerated() {
            let effect = flow.handle(row.event)
            #expect(effect == row.effect, "row \(number + 1)")
        }
        return flow
    }

    private func question(
        _ reason: Challenge.Reason = .notLoggedIn, failures: Int = 0, attempt: Int? = nil, name: String? = nil,
        attempts: Int = 3
    ) -> LoginFlow.Effect {
        .ask(
            Challenge(
                profile: "blog", protectionSpace: SomeLogin.namedSpace, fields: [.username, .password],
                proposedUsername: name, previousFailureCount: failures, attempt: attempt ?? failures + 1,
                maxAttempts: attempts, reason: reason))
    }

    @Test
    func `A1: a stored credential that was refused just now is marked, not sent once more, and a person is asked`() {
        walk(
            SomeLogin.flow(proposing: "ann"), (.begun, .lookUp),
            (.foundRefused(SomeLogin.refusal), .reject(.credential)), (.rejected, .prepare),
            (prepared, question(.storedRefused(SomeLogin.refusal), failures: 1, attempt: 1, name: "ann")))
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp),
            (.foundRefused(SomeLogin.refusal), .reject(.credential)),
            (.rejected, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    @Test func `A4: an answer may go on without a login, cancel, or decline the protection space`() {
        let declined = LoginError.loginRequired(LoginNeed(why: .declined(SomeLogin.namedSpace.method)))
        for (answer, outcome) in [
            (Answer.continueWithout, LoginFlow.Outcome.continuedWithout), (.cancelled, .failed(.cancelled)),
            (.declined, .failed(declined)),
        ] {
            walk(
                SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
                (.answered(answer), .finish(outcome)), (typed, .finish(outcome)))
        }
    }

    @Test func `A5: after a fault what was typed may be sent again, which is no attempt`() {
        let failed = LoginFlow.Event.failed(SomeLogin.network), ask = LoginFlow.Effect.askRetry(SomeLogin.network)
        walk(
            SomeLogin.flow(LoginFlow.Policy(maxAttempts: 2)), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(attempts: 2)), (typed, .authenticate(SomeLogin.credential)), (failed, ask),
            (.answeredRetry(true), .authenticateAgain), (.failed(SomeLogin.busy), .askRetry(SomeLogin.busy)),
            (.answeredRetry(true), .authenticateAgain),
            (refused, question(.refused(SomeLogin.refusal), failures: 1, name: "bert", attempts: 2)),
            (typed, .authenticate(SomeLogin.credential)), (failed, .finish(.failed(SomeLogin.network))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
            (typed, .authenticate(SomeLogin.credential)), (failed, ask),
            (.answeredRetry(false), .finish(.failed(SomeLogin.network))))
    }

    @Test(arguments: [
        LoginError.busy(BusyFault(status: 429, retryAfter: 3600, words: nil)), .network(.libraryMissing("libcurl")),
        .forbidden(Refusal(status: 403)), .untrusted(.plainHTTP), .store(.notSetUp(.file)),
    ])
    func `A5: nobody is asked to try again where that cannot help, or would take an hour`(_ error: LoginError) {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
            (typed, .authenticate(SomeLogin.credential)), (.failed(error), .finish(.failed(error))))
    }

    @Test(arguments: [
        (LoginFlow.Event.lookedUp(.nothing), Challenge.Reason.notLoggedIn),
        (.lookedUp(.nothing, endedAt: 1_700_000_000), .sessionEnded(at: 1_700_000_000)),
        (.lookedUp(.refusedCredential), .passwordRefusedBefore),
    ])
    func `A11: every question says why it is put`(_ event: LoginFlow.Event, _ reason: Challenge.Reason) {
        walk(SomeLogin.flow(), (.begun, .lookUp), (event, .prepare), (prepared, question(reason)))
    }

    @Test func `A11: a session that the server does not know any more is the reason, with its end if that is past`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.notRefreshable, .reject(.session)), (.rejected, .prepare), (prepared, question(.sessionEnded(at: nil))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session, endedAt: 7), .verifySession),
            (refused, .refreshSession), (.notRefreshable, .reject(.session)), (.rejected, .prepare),
            (prepared, question(.sessionEnded(at: 7))))
        walk(SomeLogin.flow(LoginFlow.Policy(force: true)), (.begun, .prepare), (prepared, question(.forced)))
    }

    @Test func `what is stored and still good asks nobody`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (accepted, .finish(.alreadyLoggedIn(SomeLogin.identity))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.credential), .authenticateStored),
            (accepted, .finish(.alreadyLoggedIn(SomeLogin.identity))))
    }

    @Test func `a session that the server renewed is saved`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (refreshed, .save(SomeLogin.login, .refresh)), (.saved, .finish(.alreadyLoggedIn(SomeLogin.identity))))
    }

    @Test func `a session that is over is renewed, kept, and verified again`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.refreshed(SomeLogin.login), .save(SomeLogin.login, .refresh)), (.saved, .verifySession),
            (accepted, .finish(.alreadyLoggedIn(SomeLogin.identity))))
    }

    @Test func `what another process left of a session is taken as it is`() {
        let flow = SomeLogin.flow(LoginFlow.Policy(mayAsk: false))
        let first: [(LoginFlow.Event, LoginFlow.Effect)] = [
            (.begun, .lookUp), (.lookedUp(.both), .verifySession), (refused, .refreshSession),
        ]
        let needs = { (why: LoginNeed.Why) in
            LoginFlow.Effect.finish(
                .failed(.loginRequired(LoginNeed(why: why, missing: [.username, .password]))))
        }
        for (found, effect) in [
            (.nothing, needs(.sessionRefused)), (.refusedCredential, needs(.passwordRefusedBefore)),
            (.credential, .authenticateStored), (.session, .verifySession), (.both, .verifySession),
        ] as [(LoginFlow.Found, LoginFlow.Effect)] {
            var flow = flow
            for (event, effect) in first { #expect(flow.handle(event) == effect) }
            #expect(flow.handle(.lookedUp(found)) == effect)
        }
    }

    @Test func `a session is renewed twice at most, then rejected`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.refreshed(SomeLogin.login), .save(SomeLogin.login, .refresh)), (.saved, .verifySession),
            (refused, .refreshSession),
            (.refreshed(SomeLogin.login), .save(SomeLogin.login, .refresh)), (.saved, .verifySession),
            (refused, .reject(.session)))
    }

    @Test func `a session near its end is renewed first, and stays where it cannot be`() {
        let flow = SomeLogin.flow(LoginFlow.Policy(mayAsk: false, refreshesFirst: true))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.session), .refreshSession),
            (.refreshed(SomeLogin.login), .save(SomeLogin.login, .refresh)), (.saved, .verifySession))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.session), .refreshSession),
            (
                .notRefreshable,
                .finish(
                    .failed(.loginRequired(LoginNeed(why: .sessionExpired, missing: [.username, .password]))))
            ))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.both), .refreshSession), (.notRefreshable, .authenticateStored),
            (refreshed, .save(SomeLogin.login, .refresh)))
        walk(flow, (.begun, .lookUp), (.lookedUp(.both), .refreshSession), (refused, .reject(.session)))
    }

    @Test func `where nothing is stored, the store and the server come before the person`() {
        walk(
            SomeLogin.flow(proposing: "anna"), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(name: "anna")), (typed, .authenticate(SomeLogin.credential)),
            (accepted, .save(SomeLogin.login, .login(SomeLogin.namedSpace.method))),
            (.saved, .finish(.loggedIn(SomeLogin.identity))))
    }

    @Test func `a refused session is erased, then the stored password is tried, then the person asked`() {
        let flow = walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.both), .verifySession), (refused, .refreshSession),
            (.notRefreshable, .reject(.session)), (.rejected, .authenticateStored), (refused, .reject(.credential)),
            (.rejected, .prepare),
            (prepared, question(.storedRefused(SomeLogin.refusal), failures: 1, attempt: 1)))
        #expect(flow.previousFailureCount == 1)
    }

    @Test func `a refused session without a password beside it leads to the person`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.notRefreshable, .reject(.session)),
            (.rejected, .prepare), (prepared, question(.sessionEnded(at: nil))))
    }

    @Test func `a password that was refused before is not sent again`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.refusedCredential), .prepare),
            (prepared, question(.passwordRefusedBefore)))
    }

    @Test func `a wrong password is asked for again, with the name in place and the count told`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
            (typed, .authenticate(SomeLogin.credential)),
            (refused, question(.refused(SomeLogin.refusal), failures: 1, name: "bert")),
            (typed, .authenticate(SomeLogin.credential)),
            (refused, question(.refused(SomeLogin.refusal), failures: 2, name: "bert")),
            (typed, .authenticate(SomeLogin.credential)), (refused, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    @Test func `a blank answer is asked again and is no failure`() {
        walk(
            SomeLogin.flow(LoginFlow.Policy(maxAttempts: 2)), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(attempts: 2)),
            (.answered(.leftBlank(.password)), question(.leftBlank(.password), attempt: 2, attempts: 2)),
            (typed, .authenticate(SomeLogin.credential)), (refused, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    @Test func `nothing but blank answers ends without a login, not as refused`() {
        let need = LoginNeed(why: .leftBlank(.username), missing: [.username, .password])
        walk(
            SomeLogin.flow(LoginFlow.Policy(maxAttempts: 1)), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(attempts: 1)),
            (.answered(.leftBlank(.username)), .finish(.failed(.loginRequired(need)))))
    }

    @Test func `nobody is asked for a protection space that is declined, what is stored goes first`() {
        let policy = LoginFlow.Policy(declines: [.basic])
        let declined = LoginFlow.Effect.finish(.failed(.loginRequired(LoginNeed(why: .declined(.basic)))))
        walk(SomeLogin.flow(policy), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, declined))
        walk(SomeLogin.flow(policy), (.begun, .lookUp), (.lookedUp(.credential), .authenticateStored))
        #expect(LoginFlow.Policy().declines == [.certificate])
    }

    @Test func `an answer without a name goes with the name that was offered`() {
        let named = Credential(username: "anna", secret: SomeLogin.namelessCredential.secret)
        walk(
            SomeLogin.flow(proposing: "anna"), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(name: "anna")),
            (.answered(.credential(SomeLogin.namelessCredential)), .authenticate(named)))
    }

    @Test(arguments: [SomeLogin.network, SomeLogin.busy, SomeLogin.forbidden])
    func `what is no refusal ends a login without a second question and without erasing`(error: LoginError) {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.both), .verifySession),
            (.failed(error), .finish(.failed(error))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.credential), .authenticateStored),
            (.failed(error), .finish(.failed(error))))
    }

    @Test func `a given password is tried once, before what is stored, with no question after it`() {
        let supplied = SomeLogin.flow(LoginFlow.Policy(hasSuppliedCredential: true))
        walk(
            supplied, (.begun, .prepare), (prepared, .authenticateSupplied),
            (refused, .finish(.failed(.rejected(SomeLogin.refusal)))))
        walk(
            supplied, (.begun, .prepare), (prepared, .authenticateSupplied),
            (accepted, .save(SomeLogin.login, .login(SomeLogin.namedSpace.method))),
            (.saved, .finish(.loggedIn(SomeLogin.identity))))
    }

    @Test func `force asks although there is a login`() {
        walk(SomeLogin.flow(LoginFlow.Policy(force: true)), (.begun, .prepare), (prepared, question(.forced)))
    }

    @Test(arguments: [
        (LoginFlow.Found.nothing, LoginNeed.Why.nothingStored), (.refusedCredential, .passwordRefusedBefore),
    ])
    func `with nobody to ask, what is missing is told`(found: LoginFlow.Found, why: LoginNeed.Why) {
        let need = LoginNeed(why: why, missing: [.username, .password])
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp),
            (.lookedUp(found), .finish(.failed(.loginRequired(need)))))
    }

    @Test func `with nobody to ask, a refused session is a login that is required, a refused password a refusal`() {
        let need = LoginNeed(why: .sessionRefused, missing: [.username, .password])
        let flow = SomeLogin.flow(LoginFlow.Policy(mayAsk: false))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.notRefreshable, .reject(.session)),
            (.rejected, .finish(.failed(.loginRequired(need)))))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.credential), .authenticateStored), (refused, .reject(.credential)),
            (.rejected, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    @Test func `an event that cannot be is told by its name and without what is in it`() {
        let lost = LoginError.failure(.unexpectedEvent("answered while starting"))
        walk(SomeLogin.flow(), (typed, .finish(.failed(lost))), (.begun, .finish(.failed(lost))))
    }
}
