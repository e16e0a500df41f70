import Testing

@testable import LoginKit

/// What is promised about certificates that do not verify, proved on the same walks.
struct LoginFlowTrustWalkTests {
    typealias Case = LoginFlowWalkTests.Case

    @Test(arguments: LoginFlowWalkTests.cases) func `nothing is trusted that nobody accepted`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .trust(let exception) = step.effect else { continue }
            #expect(step.to.shadow.accepted?.exception == exception)
            #expect(step.to.shadow.accepted?.isAcceptable == true)
        }
    }

    @Test(arguments: LoginFlowWalkTests.cases) func `a no, or no answer, ends it as untrusted`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .awaiting(.certificate(let trust), _) = step.from.flow.state else { continue }
            switch step.event {
            case .answered(.trust(.once)), .answered(.trust(.always)):
                #expect(step.effect == .trust(trust.exception))
            case .answered(.trust(.reject)):
                #expect(step.effect == .finish(.failed(.untrusted(.certificateRejected))))
            default:
                guard case .finish(.failed) = step.effect else {
                    Issue.record("went on with \(step.event.name)")
                    continue
                }
            }
        }
    }

    @Test(arguments: LoginFlowWalkTests.cases) func `a certificate that was not accepted never lets it go on`(
        _ walked: Case
    ) {
        for step in walked.walk.steps where !step.from.isFinished {
            guard case .failed(.untrusted(.certificate(let trust))) = step.event else { continue }
            switch step.effect {
            case .ask(.certificate(trust)):
                #expect(walked.policy.trust.mayAsk && trust.isAcceptable && walked.policy.trust.fingerprint == nil)
            case .trust(trust.exception): #expect(walked.policy.trust.fingerprint == trust.fingerprint)
            case .finish(.failed(.untrusted(.certificate(trust)))): break
            case .finish(.failed(.untrusted(.otherFingerprint(trust)))):
                #expect(walked.policy.trust.fingerprint != nil)
            default: Issue.record("\(step.effect) while \(step.from.flow.state.name)")
            }
        }
    }

    @Test(arguments: LoginFlowWalkTests.cases) func `at most one question about a certificate, and none unless allowed`(
        _ walked: Case
    ) {
        let allowed = walked.policy.trust.mayAsk && walked.policy.trust.fingerprint == nil ? 1 : 0
        let reaches = !(walked.policy.force && !walked.policy.mayAsk && !walked.policy.hasSuppliedCredential)
        #expect(walked.walk.places.map(\.shadow.trustQuestions).max() == (reaches ? allowed : 0))
    }

    @Test(arguments: LoginFlowWalkTests.cases) func `an exception is remembered only after a login, if it is to last`(
        _ walked: Case
    ) {
        for step in walked.walk.steps {
            guard case .rememberTrust(let exception) = step.effect else { continue }
            #expect(step.to.shadow.accepted?.exception == exception && step.to.shadow.isLasting)
            switch step.event {
            case .saved, .confirmed(_, isRefreshed: false): break
            default: Issue.record("remembered on \(step.event.name)")
            }
        }
        let remembered = Set(
            walked.walk.steps.filter { $0.from.flow.state.name.hasPrefix("remember") }.map(\.index.to))
        for (index, place) in walked.walk.places.enumerated() where place.shadow.isLasting {
            if case .finished(.loggedIn) = place.flow.state { #expect(remembered.contains(index)) }
        }
    }

    @Test(arguments: LoginFlowWalkTests.cases) func `the interrupted step is taken again, and nothing else`(
        _ walked: Case
    ) {
        for step in walked.walk.steps {
            guard case .trusting(let interruption) = step.from.flow.state, step.event == .trusted else { continue }
            switch (interruption, step.effect) {
            case (.preparing, .prepare), (.authenticatingStored, .authenticate(.stored)): break
            case (.judging(let session), .verifySession): #expect(session.step == .verifying)
            case (.judging(let session), .refreshSession): #expect(session.step == .refreshing)
            default: Issue.record("\(step.effect) after \(interruption)")
            }
            #expect(Interruption(step.to.flow.state) == interruption)
        }
    }

    @Test func `nobody is asked with a password in hand`() {
        var flow = SomeLogin.flow(LoginFlow.Policy(trust: TrustPolicy(mayAsk: true)))
        for event in [
            LoginFlow.Event.begun, .lookedUp(.nothing), .prepared(SomeLogin.namedSpace),
            .answered(.credential(username: "bert")),
        ] { _ = flow.handle(event) }
        let error = LoginFault.untrusted(.certificate(SomeLogin.trust))
        #expect(flow.handle(.failed(error)) == .finish(.failed(error)))
    }

    @Test func `what was accepted before the login is remembered with it, and not asked about again`() {
        let acceptance = TrustAcceptance(SomeLogin.trust.exception, isLasting: true)
        var flow = LoginFlow(
            subject: SomeLogin.subject, policy: LoginFlow.Policy(trust: TrustPolicy(mayAsk: true)),
            acceptance: acceptance)
        for event in [LoginFlow.Event.begun, .lookedUp(.session)] { _ = flow.handle(event) }
        let confirmed = flow.handle(.confirmed(SomeLogin.identity, isRefreshed: false))
        #expect(confirmed == .rememberTrust(SomeLogin.trust.exception))
        #expect(flow.handle(.saved) == .finish(.alreadyLoggedIn(SomeLogin.identity)))
    }
}

extension LoginFlowWalk.Place {
    fileprivate var isFinished: Bool { if case .finished = flow.state { true } else { false } }
}
