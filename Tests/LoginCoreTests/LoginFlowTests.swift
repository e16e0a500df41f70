@testable import LoginKit
import Testing

/// The table of `LoginFlow`, read along whole logins: event → effect.
struct LoginFlowTests {
    private typealias Row = (event: LoginFlow.Event, effect: LoginFlow.Effect)

    private let accepted = LoginFlow.Event.confirmed(SomeLogin.identity, isRefreshed: false)
    private let refreshed = LoginFlow.Event.confirmed(SomeLogin.identity, isRefreshed: true)
    private let refused = LoginFlow.Event.refused(SomeLogin.refusal)
    private let typed = LoginFlow.Event.answered(.credential(username: "bert"))
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
            .credential(
                Challenge(
                    profile: "blog", protectionSpace: SomeLogin.namedSpace, fields: [.username, .password],
                    proposedUsername: name, previousFailureCount: failures, attempt: attempt ?? failures + 1,
                    maxAttempts: attempts, reason: reason)))
    }

    @Test
    func `a stored credential that was refused just now is marked, not sent once more, and a person is asked`() {
        walk(
            SomeLogin.flow(proposing: "ann"), (.begun, .lookUp),
            (.foundRefused(SomeLogin.refusal), .reject(.credential)), (.rejected, .prepare),
            (prepared, question(.storedRefused(SomeLogin.refusal), failures: 1, attempt: 1, name: "ann")))
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp),
            (.foundRefused(SomeLogin.refusal), .reject(.credential)),
            (.rejected, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    @Test func `an answer may go on without a login, cancel, or decline the protection space`() {
        let declined = LoginFault.loginRequired(LoginNeed(why: .declined(SomeLogin.namedSpace.method)))
        for (answer, outcome) in [
            (LoginFlow.Reply.continueWithout, LoginFlow.Outcome.continuedWithout), (.cancelled, .failed(.cancelled)),
            (.declined, .failed(declined)),
        ] {
            walk(
                SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
                (.answered(answer), .finish(outcome)), (typed, .finish(outcome)))
        }
    }

    @Test func `after a fault what was typed may be sent again, which is no attempt`() {
        let failed = LoginFlow.Event.failed(SomeLogin.network),
            ask = LoginFlow.Effect.ask(.retry(RetryRequest(SomeLogin.network)))
        walk(
            SomeLogin.flow(LoginFlow.Policy(maxAttempts: 2)), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(attempts: 2)), (typed, .authenticate(.typed)), (failed, ask),
            (.answered(.yes), .authenticate(.typed)),
            (.failed(SomeLogin.busy), .ask(.retry(RetryRequest(SomeLogin.busy)))),
            (.answered(.yes), .authenticate(.typed)),
            (refused, question(.refused(SomeLogin.refusal), failures: 1, name: "bert", attempts: 2)),
            (typed, .authenticate(.typed)), (failed, .finish(.failed(SomeLogin.network))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
            (typed, .authenticate(.typed)), (failed, ask),
            (.answered(.no), .finish(.failed(SomeLogin.network))))
    }

    @Test(arguments: [
        LoginFault.busy(BusyFault(status: 429, retryAfter: 3600, words: nil)), .failure(.libraryMissing("libcurl")),
        .forbidden(Refusal(status: 403)), .untrusted(.plainHTTP), .store(.notSetUp(.file)),
    ])
    func `nobody is asked to try again where that cannot help, or would take an hour`(_ error: LoginFault) {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
            (typed, .authenticate(.typed)), (.failed(error), .finish(.failed(error))))
    }

    @Test(arguments: [
        (LoginFlow.Event.lookedUp(.nothing), Challenge.Reason.notLoggedIn),
        (.lookedUp(.nothing, endedAt: 1_700_000_000), .sessionEnded(at: 1_700_000_000)),
        (.lookedUp(.refusedCredential), .passwordRefusedBefore),
    ])
    func `every question says why it is put`(_ event: LoginFlow.Event, _ reason: Challenge.Reason) {
        walk(SomeLogin.flow(), (.begun, .lookUp), (event, .prepare), (prepared, question(reason)))
    }

    @Test func `a session that the server does not know any more is the reason, with its end if that is past`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.notRefreshable, .reject(.session)), (.rejected, .prepare), (prepared, question(.sessionEnded(at: nil))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session, endedAt: 7), .refreshSession),
            (.notRefreshable, .verifySession), (refused, .refreshSession), (.notRefreshable, .reject(.session)),
            (.rejected, .prepare),
            (prepared, question(.sessionEnded(at: 7))))
        walk(SomeLogin.flow(LoginFlow.Policy(force: true)), (.begun, .prepare), (prepared, question(.forced)))
    }

    @Test func `what is stored and still good asks nobody`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (accepted, .finish(.alreadyLoggedIn(SomeLogin.identity))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.credential), .authenticate(.stored)),
            (accepted, .finish(.alreadyLoggedIn(SomeLogin.identity))))
    }

    @Test func `a session that the server refreshed is saved`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (refreshed, .save(.refresh)), (.saved, .finish(.alreadyLoggedIn(SomeLogin.identity))))
    }

    @Test func `a session that is over is refreshed, kept, and verified again`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.refreshed, .save(.refresh)), (.saved, .verifySession),
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
            (.credential, .authenticate(.stored)), (.session, .verifySession), (.both, .verifySession),
        ] as [(LoginFlow.Found, LoginFlow.Effect)] {
            var flow = flow
            for (event, effect) in first { #expect(flow.handle(event) == effect) }
            #expect(flow.handle(.lookedUp(found)) == effect)
        }
    }

    @Test func `a session is refreshed twice at most, then rejected`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.session), .verifySession), (refused, .refreshSession),
            (.refreshed, .save(.refresh)), (.saved, .verifySession),
            (refused, .refreshSession),
            (.refreshed, .save(.refresh)), (.saved, .verifySession),
            (refused, .reject(.session)))
    }

    @Test func `a session near its end is refreshed first, and stays where it cannot be`() {
        let flow = SomeLogin.flow(LoginFlow.Policy(mayAsk: false, refreshesFirst: true))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.session), .refreshSession),
            (.refreshed, .save(.refresh)), (.saved, .verifySession))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.session), .refreshSession),
            (
                .notRefreshable,
                .finish(
                    .failed(.loginRequired(LoginNeed(why: .sessionExpired, missing: [.username, .password]))))
            ))
        walk(
            flow, (.begun, .lookUp), (.lookedUp(.both), .refreshSession), (.notRefreshable, .authenticate(.stored)),
            (refreshed, .save(.refresh)))
        walk(flow, (.begun, .lookUp), (.lookedUp(.both), .refreshSession), (refused, .reject(.session)))
    }

    @Test
    func `a session that has ended is refreshed before the server sees it, which has the last word where it cannot be`()
    {
        let ended = LoginFlow.Event.lookedUp(.session, endedAt: 7)
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (ended, .refreshSession), (.refreshed, .save(.refresh)),
            (.saved, .verifySession), (accepted, .finish(.alreadyLoggedIn(SomeLogin.identity))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (ended, .refreshSession), (.notRefreshable, .verifySession),
            (accepted, .finish(.alreadyLoggedIn(SomeLogin.identity))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.both, endedAt: 7), .refreshSession),
            (.notRefreshable, .authenticate(.stored)))
    }

    @Test func `where nothing is stored, the store and the server come before the person`() {
        walk(
            SomeLogin.flow(proposing: "anna"), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(name: "anna")), (typed, .authenticate(.typed)),
            (accepted, .save(.login(SomeLogin.namedSpace.method))),
            (.saved, .finish(.loggedIn(SomeLogin.identity))))
    }

    @Test func `a refused session is erased, then the stored password is tried, then the person asked`() {
        let flow = walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.both), .verifySession), (refused, .refreshSession),
            (.notRefreshable, .reject(.session)), (.rejected, .authenticate(.stored)), (refused, .reject(.credential)),
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
            (typed, .authenticate(.typed)),
            (refused, question(.refused(SomeLogin.refusal), failures: 1, name: "bert")),
            (typed, .authenticate(.typed)),
            (refused, question(.refused(SomeLogin.refusal), failures: 2, name: "bert")),
            (typed, .authenticate(.typed)), (refused, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    private let blank = LoginFlow.Event.answered(.leftBlank(.password))

    @Test func `Blank answers cost no attempt`() {
        walk(
            SomeLogin.flow(LoginFlow.Policy(maxAttempts: 2)), (.begun, .lookUp), (.lookedUp(.nothing), .prepare),
            (prepared, question(attempts: 2)), (blank, question(.leftBlank(.password), attempts: 2)),
            (blank, question(.leftBlank(.password), attempts: 2)), (typed, .authenticate(.typed)),
            (refused, question(.refused(SomeLogin.refusal), failures: 1, name: "bert", attempts: 2)),
            (blank, question(.leftBlank(.password), failures: 1, name: "bert", attempts: 2)),
            (typed, .authenticate(.typed)), (refused, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    @Test func `Ten blank answers in a row end a login without a refusal, if there was none`() {
        var flow = SomeLogin.flow(LoginFlow.Policy(maxAttempts: 1))
        for event in [.begun, .lookedUp(.nothing), prepared] { _ = flow.handle(event) }
        for _ in 1...9 { #expect(flow.handle(blank) == question(.leftBlank(.password), attempts: 1)) }
        let need = LoginNeed(why: .leftBlank(.password), missing: [.username, .password])
        #expect(flow.handle(blank) == .finish(.failed(.loginRequired(need))))
    }

    @Test func `Ten blank answers after a refusal end a login with that refusal`() {
        var flow = SomeLogin.flow()
        for event in [.begun, .lookedUp(.nothing), prepared, blank, typed, refused] { _ = flow.handle(event) }
        for _ in 1...9 { _ = flow.handle(blank) }
        #expect(flow.handle(blank) == .finish(.failed(.rejected(SomeLogin.refusal))))
    }

    @Test func `A login that verify does not confirm ends at once, without another question`() {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()),
            (typed, .authenticate(.typed)),
            (.unconfirmed(SomeLogin.unconfirmed), .finish(.failed(.usage(.unconfirmed(SomeLogin.unconfirmed))))))
    }

    @Test func `A password that nothing has judged may be typed again, which is no attempt`() {
        let unconfirmed = LoginFlow.Event.unconfirmed(SomeLogin.undecided)
        let fault = LoginFault.usage(.unconfirmed(SomeLogin.undecided))
        let asked: [(LoginFlow.Event, LoginFlow.Effect)] = [
            (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, question()), (typed, .authenticate(.typed)),
            (unconfirmed, .ask(.retry(RetryRequest(fault)))),
        ]
        for (answer, effect) in [
            (LoginFlow.Reply.yes, question(.unjudged, name: "bert")), (.no, .finish(.failed(fault))),
        ] {
            var flow = SomeLogin.flow()
            for (event, effect) in asked { #expect(flow.handle(event) == effect) }
            #expect(flow.handle(.answered(answer)) == effect)
            #expect(flow.previousFailureCount == 0 && flow.credentialsSent == 0)
        }
        // What nobody has typed is not asked for again.
        walk(
            SomeLogin.flow(LoginFlow.Policy(hasSuppliedCredential: true)), (.begun, .prepare),
            (prepared, .authenticate(.supplied)), (unconfirmed, .finish(.failed(fault))))
    }

    @Test func `A stored session is refreshed and never erased where verify answers it as it answers anybody`() {
        let doubt = Refusal(status: 404, doubt: .sameForAnybody)
        let need = LoginNeed(why: .undecided(doubt), missing: [.username, .password])
        let policy = LoginFlow.Policy(mayAsk: false)
        walk(
            SomeLogin.flow(policy), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (.refused(doubt), .refreshSession), (.notRefreshable, .finish(.failed(.loginRequired(need)))))
        walk(
            SomeLogin.flow(policy), (.begun, .lookUp), (.lookedUp(.both), .verifySession),
            (.refused(doubt), .refreshSession), (.notRefreshable, .authenticate(.stored)))
        walk(
            SomeLogin.flow(policy), (.begun, .lookUp), (.foundRefused(doubt), .finish(.failed(.loginRequired(need)))))
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false, sessionRefusal: doubt)), (.begun, .lookUp),
            (.lookedUp(.session), .refreshSession), (.notRefreshable, .finish(.failed(.loginRequired(need)))))
    }

    @Test func `A stored session that gets a 403 without a rule is asked about, and neither erased nor refreshed`() {
        let forbidden = LoginFlow.Event.failed(.forbidden(SomeLogin.doubted))
        let need = LoginNeed(why: .undecided(SomeLogin.doubted), missing: [.username, .password])
        for found in [LoginFlow.Found.session, .both] {
            walk(
                SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp), (.lookedUp(found), .verifySession),
                (forbidden, .finish(.failed(.loginRequired(need)))))
            walk(
                SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(found), .verifySession), (forbidden, .prepare),
                (prepared, question(.undecided(SomeLogin.doubted))))
        }
        let plain = LoginFault.forbidden(Refusal(status: 403))
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (.failed(plain), .finish(.failed(plain))))
    }

    @Test func `A session that has ended is asked about, and not erased, where its refresh was not judged`() {
        let fault = BusyFault(status: 403, retryAfter: nil, words: nil, isDoubtful: true)
        let need = LoginNeed(why: .refreshNotJudged(fault), missing: [.username, .password])
        let failed = LoginFlow.Event.failed(.busy(fault))
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (.refused(SomeLogin.refusal), .refreshSession), (failed, .finish(.failed(.loginRequired(need)))))
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp), (.lookedUp(.both), .verifySession),
            (.refused(SomeLogin.refusal), .refreshSession), (failed, .authenticate(.stored)))
        // Where it is only near its end, it is as good as before.
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false, refreshesFirst: true)), (.begun, .lookUp),
            (.lookedUp(.session), .refreshSession), (failed, .finish(.failed(.busy(fault)))))
    }

    @Test func `A stored session for which verify names somebody else is not used`() {
        let known = Identity(username: "ann", serverName: "ann"), now = Identity(username: "ann", serverName: "mallory")
        guard let other = Replacement(of: known, by: now) else { return _ = Issue.record("the same") }
        let confirmed = LoginFlow.Event.confirmed(now, isRefreshed: false)
        let need = LoginNeed(why: .sessionOfAnother(other), missing: [.username, .password])
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false), storing: [known]), (.begun, .lookUp),
            (.lookedUp(.session), .verifySession), (confirmed, .finish(.failed(.loginRequired(need)))))
        walk(
            SomeLogin.flow(storing: [known]), (.begun, .lookUp), (.lookedUp(.session), .verifySession),
            (confirmed, .prepare))
        walk(
            SomeLogin.flow(storing: [known]), (.begun, .lookUp), (.lookedUp(.both), .verifySession),
            (confirmed, .authenticate(.stored)))
    }

    @Test func `A stored password is asked for again, not marked, when verify names nobody`() {
        let refused = LoginFlow.Event.refused(SomeLogin.unnamed)
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.credential), .authenticate(.stored)), (refused, .prepare),
            (prepared, question(.undecided(SomeLogin.unnamed))))
        let need = LoginNeed(why: .undecided(SomeLogin.unnamed), missing: [.username, .password])
        walk(
            SomeLogin.flow(LoginFlow.Policy(mayAsk: false)), (.begun, .lookUp),
            (.lookedUp(.credential), .authenticate(.stored)), (refused, .finish(.failed(.loginRequired(need)))))
    }

    @Test func `nobody is asked for a protection space that is declined, what is stored goes first`() {
        let policy = LoginFlow.Policy(declines: [.basic])
        let declined = LoginFlow.Effect.finish(.failed(.loginRequired(LoginNeed(why: .declined(.basic)))))
        walk(SomeLogin.flow(policy), (.begun, .lookUp), (.lookedUp(.nothing), .prepare), (prepared, declined))
        walk(SomeLogin.flow(policy), (.begun, .lookUp), (.lookedUp(.credential), .authenticate(.stored)))
        #expect(LoginFlow.Policy().declines == [.certificate])
    }

    @Test(arguments: [SomeLogin.network, SomeLogin.busy, SomeLogin.forbidden])
    func `what is no refusal ends a login without a second question and without erasing`(error: LoginFault) {
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.both), .verifySession),
            (.failed(error), .finish(.failed(error))))
        walk(
            SomeLogin.flow(), (.begun, .lookUp), (.lookedUp(.credential), .authenticate(.stored)),
            (.failed(error), .finish(.failed(error))))
    }

    @Test func `a given password is tried once, before what is stored, with no question after it`() {
        let supplied = SomeLogin.flow(LoginFlow.Policy(hasSuppliedCredential: true))
        walk(
            supplied, (.begun, .prepare), (prepared, .authenticate(.supplied)),
            (refused, .finish(.failed(.rejected(SomeLogin.refusal)))))
        walk(
            supplied, (.begun, .prepare), (prepared, .authenticate(.supplied)),
            (accepted, .save(.login(SomeLogin.namedSpace.method))),
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
            flow, (.begun, .lookUp), (.lookedUp(.credential), .authenticate(.stored)), (refused, .reject(.credential)),
            (.rejected, .finish(.failed(.rejected(SomeLogin.refusal)))))
    }

    @Test func `an event that cannot be is told by its name and without what is in it`() {
        let lost = LoginFault.failure(.unexpectedEvent("answered while starting"))
        walk(SomeLogin.flow(), (typed, .finish(.failed(lost))), (.begun, .finish(.failed(lost))))
    }
}

/// A second factor, read along whole logins.
struct LoginFlowSecondFactorTests {
    private static let needs = LoginFlow.Event.needsCode(words: "Enter the code")
    private static let refused = LoginFlow.Event.refused(SomeLogin.refusal)
    private static let confirmed = LoginFlow.Event.confirmed(SomeLogin.identity, isRefreshed: true)

    private func asked(_ attempt: Int, _ refusal: Refusal? = nil, words: String? = "Enter the code") -> LoginFlow.Effect
    {
        .ask(
            .code(
                CodeRequest(
                    profile: "blog", origin: SomeLogin.origin, words: words, refusal: refusal, attempt: attempt,
                    maxAttempts: 3)))
    }

    /// A flow in which what was stored or typed is being judged.
    private func authenticating(_ policy: LoginFlow.Policy = LoginFlow.Policy(), stored: Bool = false) -> LoginFlow {
        var flow = SomeLogin.flow(policy)
        _ = flow.handle(.begun)
        let effect = flow.handle(.lookedUp(stored ? .credential : .nothing))
        if !stored { _ = flow.handle(.prepared(SomeLogin.namedSpace)) }
        if !stored { _ = flow.handle(.answered(.credential(username: "bert"))) }
        if stored { #expect(effect == .authenticate(.stored)) }
        return flow
    }

    @Test func `a code is asked for, three times at most after a wrong one, without touching the password`() {
        var flow = authenticating()
        #expect(flow.handle(Self.needs) == asked(1))
        #expect(flow.handle(.answered(.code)) == .resume(.typed))
        #expect(flow.handle(Self.refused) == asked(2, SomeLogin.refusal, words: "no"))
        #expect(flow.handle(.answered(.leftBlank(.code))) == asked(2, SomeLogin.refusal, words: "no"))
        #expect(flow.handle(.answered(.code)) == .resume(.typed))
        #expect(flow.handle(Self.refused) == asked(3, SomeLogin.refusal, words: "no"))
        #expect(flow.handle(.answered(.code)) == .resume(.typed))
        #expect(flow.handle(Self.refused) == .finish(.failed(.secondFactor(.refused(SomeLogin.refusal)))))
        #expect(flow.previousFailureCount == 0)
    }

    @Test func `a kept password that meets it is neither refused nor marked`() {
        var flow = authenticating(LoginFlow.Policy(mayAsk: false), stored: true)
        #expect(flow.handle(Self.needs) == .finish(.failed(.secondFactor(.required(words: "Enter the code")))))
        flow = authenticating(stored: true)
        #expect(flow.handle(Self.needs) == asked(1))
        #expect(flow.handle(.answered(.code)) == .resume(.typed))
        #expect(flow.handle(Self.confirmed) == .save(.refresh))
        #expect(flow.handle(.saved) == .finish(.alreadyLoggedIn(SomeLogin.identity)))
    }

    @Test func `a code that was given is tried once, and no question follows it`() {
        var policy = LoginFlow.Policy()
        policy.hasSuppliedCode = true
        var flow = authenticating(policy)
        #expect(flow.handle(Self.needs) == .resume(.supplied))
        #expect(flow.handle(Self.refused) == .finish(.failed(.secondFactor(.refused(SomeLogin.refusal)))))
    }

    @Test func `an approval is waited for, as long as the policy says`() {
        var policy = LoginFlow.Policy()
        policy.patience = 9
        var flow = authenticating(policy)
        #expect(flow.handle(.pending(seconds: 5)) == .wait(seconds: 5))
        #expect(flow.handle(.waited) == .resume(.none))
        var patient = flow
        #expect(patient.handle(.pending(seconds: 4)) == .wait(seconds: 4))
        #expect(patient.handle(.waited) == .resume(.none))
        #expect(patient.handle(Self.confirmed) == .save(.login(.basic)))
        var slow = flow
        #expect(flow.handle(.pending(seconds: 5)) == .finish(.failed(.promptExpired(seconds: 9))))
        // What the server needs to say so counts as well.
        #expect(slow.handle(.pending(seconds: 4, took: 1)) == .finish(.failed(.promptExpired(seconds: 9))))
    }

    @Test func `a code that a fault kept from being judged may be sent once more`() {
        var flow = authenticating()
        _ = flow.handle(Self.needs)
        _ = flow.handle(.answered(.code))
        #expect(flow.handle(.failed(SomeLogin.network)) == .ask(.retry(RetryRequest(SomeLogin.network))))
        #expect(flow.handle(.answered(.yes)) == .resume(.typed))
    }
}
