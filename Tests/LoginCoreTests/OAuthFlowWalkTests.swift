@testable import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

/// The promises of `AuthorizationFlow`, proved on every reachable state with every event, under each policy.
struct OAuthFlowWalkTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let policy: AuthorizationFlow.Policy
        let clientID: String?
        private let made: Once<OAuthFlowWalk>

        var walk: OAuthFlowWalk { made.value }
        var testDescription: String { name }

        init(_ name: String, _ policy: AuthorizationFlow.Policy, clientID: String? = nil) {
            self.name = name
            self.policy = policy
            self.clientID = clientID
            made = Once { OAuthFlowWalk(policy, clientID: clientID) }
        }
    }

    /// These reach every kind of state.
    private static let usual = [
        Case("a browser, no client", .init(choice: .init(canStartBrowser: true))),
        Case("--device, nobody to ask", .init(choice: .init(option: .device), mayAsk: false), clientID: "authctl"),
        Case("flow = device", .init(choice: .init(profile: .device, canStartBrowser: true))),
    ]

    static let cases = usual + (Thoroughness.isFull ? others : [])

    private static let others = [
        Case("a browser, a client", .init(choice: .init(canStartBrowser: true)), clientID: "authctl"),
        Case("no browser", .init()),
        Case("--no-browser, nobody to ask", .init(choice: .init(option: .browser(starts: false)), mayAsk: false)),
    ]

    @Test(arguments: cases) func `every path ends`(_ walked: Case) throws {
        #expect(walked.walk.places.count < 20_000)
        let longest = try #require(walked.walk.longestPath)
        #expect(longest < 200)
    }

    @Test func `every state of the table is reached by some policy`() {
        let reached = Set(Self.cases.flatMap { $0.walk.places.map(\.flow.state.kind) })
        #expect(Set(AuthorizationFlow.State.Kind.allCases).subtracting(reached) == [])
    }

    @Test(arguments: cases)
    func `only the wait for the browser leads back to itself, and only for what is sent to it`(
        _ walked: Case
    ) {
        for step in walked.walk.steps where step.index.from == step.index.to && !step.from.flow.state.isFinished {
            switch (step.effect, step.event) {
            case (.awaitAnswer, .heard(.notAnAddress, _)), (.awaitAnswer, .heard(.stray, _)): break
            default: Issue.record("\(step.event.name) while \(step.from.flow.state.name)")
            }
        }
    }

    @Test(arguments: cases) func `no wait is longer than what is left of its time`(_ walked: Case) {
        for step in walked.walk.steps {
            switch step.effect {
            case .awaitAnswer(let wait):
                #expect(wait.seconds > 0 && wait.seconds <= walked.policy.patience)
                #expect(wait.hears || wait.asks)
                if case .awaitingAnswer(let before) = step.from.flow.state { #expect(wait.seconds <= before.seconds) }
            case .wait(let milliseconds, let left):
                #expect(milliseconds > 0 && milliseconds <= (left + 1) * 1000)
                guard case .waiting(let polling) = step.to.flow.state else { continue }
                #expect(milliseconds <= polling.left)
            default: break
            }
        }
    }

    @Test(arguments: cases) func `a code is exchanged once at most, and only after the right response`(
        _ walked: Case
    ) {
        #expect(walked.walk.places.allSatisfy { $0.shadow.exchanges <= 1 })
        for step in walked.walk.steps where step.effect == .exchange {
            guard case .heard(.right, _) = step.event, case .awaitingAnswer = step.from.flow.state else {
                Issue.record("exchanged on \(step.event.name) while \(step.from.flow.state.name)")
                continue
            }
        }
    }

    @Test(arguments: cases) func `it is granted only after the exchange, or by a poll`(_ walked: Case) {
        for step in walked.walk.steps where step.effect == .finish(.granted) && !step.from.flow.state.isFinished {
            switch (step.from.flow.state, step.event) {
            case (.exchanging, .exchanged), (.polling, .polled(.granted, _)): break
            default: Issue.record("granted on \(step.event.name) while \(step.from.flow.state.name)")
            }
        }
    }

    @Test(arguments: cases) func `every poll has a wait before it`(_ walked: Case) {
        for step in walked.walk.steps where step.effect == .poll {
            guard case .waiting = step.from.flow.state, case .waited = step.event else {
                Issue.record("polled on \(step.event.name) while \(step.from.flow.state.name)")
                continue
            }
        }
        #expect(walked.walk.places.allSatisfy { $0.shadow.polls <= $0.shadow.waits })
    }

    @Test(arguments: cases) func `gaps only grow`(_ walked: Case) {
        for step in walked.walk.steps {
            guard case .polling(let before) = step.from.flow.state, case .waiting(let after) = step.to.flow.state else {
                continue
            }
            #expect(after.gap >= before.gap && after.elapsed >= before.elapsed)
        }
    }

    @Test(arguments: cases) func `a server elsewhere is asked for nothing before the person has agreed`(
        _ walked: Case
    ) {
        for step in walked.walk.steps where step.to.shadow.isForeign && !step.to.shadow.hasAgreed {
            switch step.effect {
            case .ask, .finish: break
            default: Issue.record("\(step.event.name) while \(step.from.flow.state.name)")
            }
        }
        let asks = walked.walk.steps.contains { $0.effect == .ask(OAuthFlowWalk.foreign) }
        #expect(asks == walked.policy.mayAsk)
    }

    @Test(arguments: cases)
    func `a code that is typed on another origin is neither shown nor polled for before the person has agreed`(
        _ walked: Case
    ) {
        for step in walked.walk.steps where step.to.shadow.isPageForeign && !step.to.shadow.hasAgreedToPage {
            switch step.effect {
            case .ask, .finish: break
            default: Issue.record("\(step.event.name) while \(step.from.flow.state.name)")
            }
        }
        let isIssued = walked.walk.places.contains { $0.shadow.isPageForeign }
        let asks = walked.walk.steps.contains { $0.effect == .ask(OAuthFlowWalk.foreignPage) }
        #expect(asks == (isIssued && walked.policy.mayAsk))
    }

    @Test(arguments: cases) func `the port is known before a client is registered and a URL is shown`(_ walked: Case) {
        for step in walked.walk.steps {
            switch step.effect {
            case .register(.browser), .push, .show, .awaitAnswer:
                #expect(step.from.shadow.knowsPort || step.to.shadow.knowsPort)
            default: break
            }
        }
    }

    @Test(arguments: cases) func `a client is registered only where the profile has none`(_ walked: Case) {
        let most = walked.walk.places.map(\.shadow.registrations).max() ?? 0
        // Twice where a device code is refused: the browser needs another grant and a redirect.
        #expect(most <= (walked.clientID == nil ? 2 : 0))
    }

    @Test(arguments: cases)
    func `any failure ends it at once, with that very failure, but for a fault between two polls`(
        _ walked: Case
    ) {
        for step in walked.walk.steps {
            guard case .failed(let error) = step.event, !step.from.flow.state.isFinished else { continue }
            if case .polling = step.from.flow.state, DevicePolling.Answer(error) != nil { continue }
            #expect(step.effect == .finish(.failed(error)))
        }
    }

    @Test(arguments: cases) func `after the end nothing changes any more`(_ walked: Case) {
        let changed = walked.walk.steps.first { step in
            guard case .finished(let outcome) = step.from.flow.state else { return false }
            return step.effect != .finish(outcome) || step.to.flow != step.from.flow
        }
        #expect(changed?.event.name == nil)
    }

    @Test(arguments: cases) func `whoever is asked can say no`(_ walked: Case) {
        for step in walked.walk.steps {
            switch (step.from.flow.state, step.event) {
            case (.asking, .declined), (.askingPage, .declined), (.awaitingAnswer, .heard(.cancelled, _)):
                #expect(step.effect == .finish(.failed(.cancelled)))
            default: break
            }
        }
    }

    @Test(arguments: cases) func `no state, event or effect holds a secret`(_ walked: Case) {
        let places = Thoroughness.sample(walked.walk.places, 20, ofEach: \.flow.state.name)
        #expect(!places.contains { holdsSecret($0.flow) })
        let steps = Thoroughness.sample(walked.walk.steps, 2000)
        #expect(!steps.contains { holdsSecret($0.effect) || holdsSecret($0.event) })
        #expect(holdsSecret(AuthorizationResponse.right(code: Secret("canary"))))
    }
}

extension AuthorizationFlow.State {
    fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }
}

extension AuthorizationFlow.State {
    /// The states of the table, so that the compiler tells where one is missing.
    fileprivate enum Kind: CaseIterable {
        case starting, discovering, asking, listening, registering, pushing, showing, awaitingAnswer, requestingCode
        case askingPage, showingCode, waiting, polling, exchanging, finished
    }

    fileprivate var kind: Kind {
        switch self {
        case .starting: .starting
        case .discovering: .discovering
        case .asking: .asking
        case .listening: .listening
        case .registering: .registering
        case .pushing: .pushing
        case .showing: .showing
        case .awaitingAnswer: .awaitingAnswer
        case .requestingCode: .requestingCode
        case .askingPage: .askingPage
        case .showingCode: .showingCode
        case .waiting: .waiting
        case .polling: .polling
        case .exchanging: .exchanging
        case .finished: .finished
        }
    }
}
