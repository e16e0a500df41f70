@testable import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

/// The promises of `LoginFlow`, proved on every reachable state with every event, under each policy.
struct LoginFlowWalkTests {
    /// A policy, and all that can happen under it.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let policy: LoginFlow.Policy
        let isOfAnother: Bool
        private let made: Once<LoginFlowWalk>

        var walk: LoginFlowWalk { made.value }

        var testDescription: String { name }

        init(
            _ name: String, _ policy: LoginFlow.Policy, blanks: Int = 2, ofAnother: Bool = false,
            hasSecondFactor: Bool = false
        ) {
            var policy = policy
            (policy.maxBlanks, policy.patience) = (blanks, 5)
            self.name = name
            self.isOfAnother = ofAnother
            self.policy = policy
            made = Once { [policy] in
                LoginFlowWalk(
                    policy, storing: ofAnother ? [SomeLogin.formerIdentity] : [], hasSecondFactor: hasSecondFactor)
            }
        }
    }

    /// The policies with the most states, which take two thirds of the time, only where everything is tried.
    static let cases = usual + (Thoroughness.isFull ? large : [])

    private static let usual = [
        Case("1 attempt", LoginFlow.Policy(maxAttempts: 1), blanks: 10),
        Case("no attempt", LoginFlow.Policy(maxAttempts: 0)),
        Case("nobody to ask", LoginFlow.Policy(mayAsk: false)),
        Case("force, nobody to ask", LoginFlow.Policy(mayAsk: false, force: true)),
        Case("refreshes first", LoginFlow.Policy(mayAsk: false, refreshesFirst: true)),
        Case("a ticket, nobody to ask", LoginFlow.Policy(mayAsk: false, mayUseTicket: true)),
        Case("proves itself, nobody to ask", .provingItself(mayAsk: false)),
        Case("proves itself, refreshes first", .provingItself(mayAsk: false, refreshesFirst: true)),
        Case("proves itself, another person", .provingItself(mayAsk: true), ofAnother: true),
        Case("given", LoginFlow.Policy(hasSuppliedCredential: true)),
        Case(
            "given, force, nobody to ask", LoginFlow.Policy(mayAsk: false, force: true, hasSuppliedCredential: true)),
        Case(
            "given, trust asked", LoginFlow.Policy(hasSuppliedCredential: true, trust: TrustPolicy(mayAsk: true))),
        Case(
            "nobody to ask, fingerprint",
            LoginFlow.Policy(mayAsk: false, trust: TrustPolicy(fingerprint: SomeLogin.fingerprint(7)))),
        Case("another person", LoginFlow.Policy(maxAttempts: 1), ofAnother: true),
        Case(
            "another person, nobody to ask", LoginFlow.Policy(mayAsk: false, mayUseTicket: true), ofAnother: true),
        Case(
            "another person, given", LoginFlow.Policy(hasSuppliedCredential: true), ofAnother: true),
        Case(
            "a second factor, nobody to ask", LoginFlow.Policy(mayAsk: false), hasSecondFactor: true),
        Case(
            "a second factor, force", LoginFlow.Policy(maxAttempts: 1, force: true), hasSecondFactor: true),
        Case("a code that was given", .withCode(), hasSecondFactor: true),
        Case(
            "refreshes first, trust asked",
            LoginFlow.Policy(maxAttempts: 0, refreshesFirst: true, trust: TrustPolicy(mayAsk: true))),
    ]

    private static var large: [Case] {
        [
            Case(
                "another fingerprint",
                LoginFlow.Policy(
                    maxAttempts: 1, trust: TrustPolicy(fingerprint: SomeLogin.fingerprint(8), mayAsk: true))),
            Case(
                "a session that was refused", LoginFlow.Policy(maxAttempts: 1, sessionRefusal: SomeLogin.refusal)),
            Case("2 attempts", LoginFlow.Policy(maxAttempts: 2)),
            Case("force", LoginFlow.Policy(maxAttempts: 3, force: true)),
            Case(
                "1 attempt, trust asked", LoginFlow.Policy(maxAttempts: 1, trust: TrustPolicy(mayAsk: true))),
            Case(
                "a second factor", LoginFlow.Policy(maxAttempts: 1), hasSecondFactor: true),
        ]
    }

    @Test(arguments: cases) func `every path ends, in a bounded number of steps`(_ walked: Case) throws {
        #expect(walked.walk.places.count < 25_000)
        let longest = try #require(walked.walk.longestPath, "a path leads back to where it was")
        #expect(longest < 60)
    }

    @Test func `every state of the table is reached by some policy`() {
        let reached = Set(Self.cases.flatMap { $0.walk.places.map(\.flow.state.kind) })
        #expect(Set(LoginFlow.State.Kind.allCases).subtracting(reached) == [])
    }

    @Test(arguments: cases) func `a login is saved only when it was just confirmed or refreshed`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .save(let approval) = step.effect else { continue }
            switch step.event {
            case .confirmed: #expect(step.from.flow.state.isJudging)
            case .answered(.yes):
                guard case .awaiting(.replacement, _) = step.from.flow.state else {
                    Issue.record("saved on an answer while \(step.from.flow.state.name)")
                    continue
                }
            case .refreshed: #expect(step.from.flow.state.sessionStep == .refreshing && approval == .refresh)
            default: Issue.record("saved on \(step.event.name) while \(step.from.flow.state.name)")
            }
        }
    }

    @Test(arguments: cases) func `another person's login takes no place unless a person says so`(_ walked: Case) {
        let saves = walked.walk.steps.filter { if case .save(.login) = $0.effect { true } else { false } }
        #expect(saves.allSatisfy { $0.to.shadow.mayReplace } || !walked.isOfAnother)
        let isAsked = walked.walk.steps.contains { if case .ask(.replacement) = $0.effect { true } else { false } }
        #expect(isAsked == (walked.isOfAnother && walked.policy.mayAsk && !walked.policy.hasSuppliedCredential))
    }

    @Test(arguments: cases) func `only what a person gave makes an account the active one`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .save(.login) = step.effect else { continue }
            let source: LoginFlow.Source? =
                switch step.from.flow.state {
                case .authenticating(let source), .resuming(let source, _): source
                case .awaiting(_, then: .save(_, let source)): source
                default: nil
                }
            #expect([.supplied, .typed, .ticket].contains(source))
        }
    }

    @Test(arguments: cases) func `a stored login is rejected only when the server has refused it`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .reject(let part) = step.effect else { continue }
            switch (part, step.event) {
            case (.credential, .foundRefused): #expect(step.from.flow.state == .lookingUp)
            case (.credential, .refused): #expect(step.from.flow.state == .authenticating(.stored))
            case (.session, .refused): #expect(step.from.flow.state.sessionStep != nil)
            case (.session, .notRefreshable): #expect(step.from.flow.state.isRefusedSession)
            default: Issue.record("rejected on \(step.event.name) while \(step.from.flow.state.name)")
            }
        }
    }

    @Test(arguments: cases) func `any failure ends it at once, with that very failure`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .failed(let error) = step.event, !step.from.flow.state.isFinished else { continue }
            if case .untrusted(.certificate) = error { continue }
            // It says nothing of what is stored, so another login is asked for.
            if error == .forbidden(SomeLogin.doubted) { continue }
            if step.effect != .ask(.retry(RetryRequest(error))) { #expect(step.effect == .finish(.failed(error))) }
            #expect(step.to.flow.previousFailureCount == step.from.flow.previousFailureCount)
        }
    }

    @Test(arguments: cases) func `only a refusal is told as one`(_ walked: Case) {
        for step in walked.walk.steps where !step.from.flow.state.isFinished {
            guard case .finish(.failed(.rejected)) = step.effect else { continue }
            if case .refused = step.event { continue }
            if step.isLastBlank(walked.policy), step.from.shadow.refusals > 0 { continue }
            guard case .rejectingCredential = step.from.flow.state, step.event == .rejected else {
                Issue.record("told as refused on \(step.event.name) while \(step.from.flow.state.name)")
                continue
            }
        }
    }

    @Test(arguments: cases)
    func `a person sends as many credentials as allowed, with a bounded number of blank answers between two`(
        _ walked: Case
    ) {
        let allowed = walked.policy.asksAPerson ? walked.policy.maxAttempts : 0
        #expect(walked.walk.places.map(\.shadow.sent).max() == allowed)
        #expect(walked.walk.places.allSatisfy { $0.shadow.blanks <= walked.policy.maxBlanks })
        for step in walked.walk.steps where step.isLastBlank(walked.policy) {
            guard case .finish(.failed(let error)) = step.effect else {
                Issue.record("asked again after too many blank answers")
                continue
            }
            let isCode = if case .awaiting(.code, _) = step.from.flow.state { true } else { false }
            let expected: ExitCode =
                isCode ? .secondFactor : step.from.shadow.refusals > 0 ? .rejected : .loginRequired
            #expect(error.exitCode == expected)
        }
    }

    @Test(arguments: cases) func `a login that verify does not confirm ends, and nothing is refused or marked for it`(
        _ walked: Case
    ) {
        for step in walked.walk.steps where step.event == .unconfirmed(SomeLogin.unconfirmed) {
            guard !step.from.flow.state.isFinished else { continue }
            #expect(step.to.flow.previousFailureCount == step.from.flow.previousFailureCount)
            guard case .finish(.failed(let error)) = step.effect else {
                Issue.record("went on with \(step.effect) while \(step.from.flow.state.name)")
                continue
            }
            #expect(error == .usage(.unconfirmed(SomeLogin.unconfirmed)) || error.exitCode == .failure)
        }
        let isReached = walked.walk.steps.contains {
            $0.effect == .finish(.failed(.usage(.unconfirmed(SomeLogin.unconfirmed))))
        }
        let canLogIn =
            walked.policy.hasSuppliedCredential || walked.policy.mayUseTicket || walked.policy.provesItself
            || !walked.policy.force
        #expect(isReached == (canLogIn || walked.policy.mayAsk))
    }

    @Test(arguments: cases) func `What is stored is neither marked nor erased by a response that judges nothing`(
        _ walked: Case
    ) {
        let doubts: [LoginFlow.Event] = [.refused(SomeLogin.unnamed), .failed(.forbidden(SomeLogin.doubted))]
        for step in walked.walk.steps where doubts.contains(step.event) {
            switch step.from.flow.state {
            case .authenticating(.stored), .judging: break
            default: continue
            }
            if case .reject = step.effect, step.from.flow.state.sessionStep != .refreshing { Issue.record("rejected") }
            #expect(step.to.flow.previousFailureCount == step.from.flow.previousFailureCount)
        }
    }

    @Test(arguments: cases) func `after the end nothing changes any more`(_ walked: Case) {
        // One expectation for all: a macro for each of a hundred thousand steps takes longer than the walk.
        let changed = walked.walk.steps.first { step in
            guard case .finished(let outcome) = step.from.flow.state else { return false }
            let isMoved = step.index.to != step.index.from
            return step.effect != .finish(outcome) || isMoved && step.to.flow != step.from.flow
        }
        #expect(changed?.event.name == nil)
    }

    @Test(arguments: cases) func `whoever is asked can cancel, and nothing is saved then`(_ walked: Case) {
        for step in walked.walk.steps where step.from.flow.state.isAsking && step.event == .answered(.cancelled) {
            #expect(step.effect == .finish(.failed(.cancelled)))
            #expect(step.to.flow.state == .finished(.failed(.cancelled)))
        }
    }

    @Test(arguments: cases) func `only what was typed and not judged may be sent again, and only after a yes`(
        _ walked: Case
    ) {
        for step in walked.walk.steps {
            if case .ask(.retry(let request)) = step.effect {
                let error = request.fault
                #expect(step.from.flow.state.isSendingWhatWasTyped)
                switch step.event {
                case .failed(error): #expect(error == SomeLogin.network)
                case .unconfirmed(SomeLogin.undecided): #expect(error == .usage(.unconfirmed(SomeLogin.undecided)))
                default: Issue.record("asked on \(step.event.name)")
                }
                #expect(step.to.shadow.sent == step.from.shadow.sent)
                #expect(step.to.shadow.refusals == step.from.shadow.refusals)
            }
            if case .awaiting(.retry, _) = step.from.flow.state, !step.to.flow.state.isFinished {
                #expect(step.event == .answered(.yes))
            }
        }
        let allowed = walked.policy.asksAPerson ? walked.policy.maxAttempts : 0
        #expect(walked.walk.places.map(\.shadow.retries).max() == allowed)
    }

    @Test(arguments: cases) func `whoever does not want to try again gets the fault that there was`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .awaiting(.retry(let request), _) = step.from.flow.state, step.event == .answered(.no) else {
                continue
            }
            #expect(step.effect == .finish(.failed(request.fault)))
        }
    }

    @Test(arguments: cases) func `only a refusal of what was typed or stored counts as a failed attempt`(
        _ walked: Case
    ) {
        for place in walked.walk.places {
            #expect(place.flow.previousFailureCount == place.shadow.refusals)
        }
    }

    @Test(arguments: cases) func `the count and the name typed last reach the question`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .ask(.credential(let challenge)) = step.effect else { continue }
            #expect(challenge.previousFailureCount == step.from.shadow.refusals + step.addedRefusal)
            #expect(challenge.proposedUsername == step.from.shadow.lastName)
            #expect(challenge.attempt == step.to.shadow.sent + 1)
            #expect(challenge.maxAttempts == walked.policy.maxAttempts)
            #expect(challenge.protectionSpace == SomeLogin.namedSpace)
            #expect(challenge.fields == SomeLogin.subject.fields && challenge.profile == "blog")
        }
    }

    @Test(arguments: cases) func `what is typed is sent at once`(_ walked: Case) {
        for step in walked.walk.steps {
            guard step.effect == .authenticate(.typed) else { continue }
            switch (step.from.flow.state, step.event) {
            case (.awaiting(.credential, _), .answered(.credential)), (.awaiting(.retry, _), .answered(.yes)): break
            default: Issue.record("sent on \(step.event.name) while \(step.from.flow.state.name)")
            }
        }
    }

    @Test(arguments: cases) func `a wrong code is no wrong password, and a second factor marks nothing`(_ walked: Case)
    {
        for step in walked.walk.steps where step.from.flow.state.wantsSecondFactor {
            #expect(step.to.shadow.refusals == step.from.shadow.refusals)
            if case .reject = step.effect { Issue.record("rejected on \(step.event.name)") }
            if case .finish(.failed(.rejected)) = step.effect { Issue.record("told as a wrong password") }
        }
    }

    @Test(arguments: cases) func `at most as many codes are sent as allowed, and a given one is sent once`(
        _ walked: Case
    ) {
        let codes = walked.walk.places.map(\.shadow.codesSent).max() ?? 0
        #expect(codes <= (walked.policy.mayAsk && !walked.policy.hasSuppliedCode ? walked.policy.maxAttempts : 0))
        let supplied = walked.walk.places.map(\.shadow.suppliedCodes).max() ?? 0
        #expect(supplied <= (walked.policy.hasSuppliedCode ? 1 : 0))
        #expect(walked.walk.places.allSatisfy { $0.shadow.secondsWaited <= walked.policy.patience })
        for step in walked.walk.steps {
            guard case .ask(.code(let request)) = step.effect else { continue }
            #expect(request.attempt == step.to.shadow.codesSent + 1 && request.profile == "blog")
        }
    }

    @Test(arguments: cases) func `a given credential and force leave what is stored alone`(_ walked: Case) {
        guard walked.policy.force || walked.policy.hasSuppliedCredential else { return }
        let touching: [LoginFlow.Effect] = [
            .lookUp, .verifySession, .refreshSession, .authenticate(.stored), .reject(.session), .reject(.credential),
        ]
        #expect(walked.walk.steps.allSatisfy { !touching.contains($0.effect) })
    }

    @Test(arguments: cases) func `no state holds a secret`(_ walked: Case) {
        let holding = Thoroughness.sample(walked.walk.places, 20, ofEach: \.flow.state.name).first {
            String(reflecting: $0.flow).contains("canary") || holdsSecret($0.flow)
        }
        #expect(holding == nil)
    }

    @Test func `the search for secrets finds them`() {
        #expect(holdsSecret(SomeLogin.login))
        #expect(holdsSecret(Answer.credential(SomeLogin.credential)))
        #expect(!holdsSecret(SomeLogin.identity))
    }
}

/// Whether a secret is anywhere in a value. Slow, so walks ask it of a sample.
func holdsSecret(_ value: Any) -> Bool {
    value is Secret || Mirror(reflecting: value).children.contains { holdsSecret($0.value) }
}

extension LoginFlowWalk.Step {
    /// Whether this very step refused what was typed.
    fileprivate var addedRefusal: Int { to.shadow.refusals - from.shadow.refusals }

    /// Whether it is one blank answer too many.
    fileprivate func isLastBlank(_ policy: LoginFlow.Policy) -> Bool {
        to.shadow.blanks == policy.maxBlanks && from.shadow.blanks < to.shadow.blanks
    }
}

extension LoginFlow.Policy {
    /// One password and one code, both given.
    fileprivate var asksAPerson: Bool { mayAsk && !hasSuppliedCredential && !provesItself }

    fileprivate static func provingItself(mayAsk: Bool, refreshesFirst: Bool = false) -> LoginFlow.Policy {
        var policy = LoginFlow.Policy(maxAttempts: 1, mayAsk: mayAsk, refreshesFirst: refreshesFirst)
        policy.provesItself = true
        return policy
    }

    fileprivate static func withCode() -> LoginFlow.Policy {
        var policy = LoginFlow.Policy(hasSuppliedCredential: true)
        policy.hasSuppliedCode = true
        return policy
    }
}

extension LoginFlow.State {
    fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }

    fileprivate var sessionStep: StoredSession.Step? {
        if case .judging(let session) = self { session.step } else { nil }
    }

    fileprivate var isRefusedSession: Bool { if case .judging(let session) = self { session.isRefused } else { false } }

    /// Whether the server is being asked.
    fileprivate var isJudging: Bool {
        switch self {
        case .authenticating, .resuming: true
        default: sessionStep == .verifying
        }
    }

    fileprivate var isAsking: Bool { if case .awaiting = self { true } else { false } }

    fileprivate var isSendingWhatWasTyped: Bool {
        switch self {
        case .authenticating(.typed), .resuming(_, .typed): true
        default: false
        }
    }

    /// Whether what was sent first is known to be good.
    fileprivate var wantsSecondFactor: Bool {
        switch self {
        case .resuming, .waiting, .awaiting(.code, _): true
        default: false
        }
    }
}

extension LoginFlow.State {
    /// The states of the table, so that the compiler tells where one is missing.
    fileprivate enum Kind: CaseIterable {
        case starting, lookingUp, judging, preparing, awaiting, authenticating, rejectingCredential, resuming, waiting
        case saving, trusting, rememberingTrust, finished
    }

    fileprivate var kind: Kind {
        switch self {
        case .starting: .starting
        case .lookingUp: .lookingUp
        case .judging: .judging
        case .preparing: .preparing
        case .awaiting: .awaiting
        case .authenticating: .authenticating
        case .rejectingCredential: .rejectingCredential
        case .resuming: .resuming
        case .waiting: .waiting
        case .saving: .saving
        case .trusting: .trusting
        case .rememberingTrust: .rememberingTrust
        case .finished: .finished
        }
    }
}
