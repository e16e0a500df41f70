@testable import LoginKit

/// Every reachable state of a `LoginFlow` under one policy, with every event at each.
///
/// Beside the flow goes a shadow that counts by itself, from events and effects alone. What the promises say is held
/// against the shadow, so that the flow cannot vouch for itself.
struct LoginFlowWalk: Sendable {
    /// What a reader of the events and effects so far would know.
    struct Shadow: Equatable, Sendable {
        /// Credentials that a person typed.
        var sent = 0
        /// Blank answers since the last one that was sent.
        var blanks = 0
        /// Of what was typed or stored.
        var refusals = 0
        var retries = 0
        var lastName: String?
        var trustQuestions = 0
        var codesSent = 0
        var suppliedCodes = 0
        var secondsWaited = 0
        /// What a person or an option said yes to.
        var accepted: ServerTrust?
        var isLasting = false
        /// Whether a person said that the login of another person may take the place of what is stored.
        var mayReplace = false
    }

    struct Place: Equatable, Sendable {
        var flow: LoginFlow
        var shadow: Shadow
    }

    /// One event at one place, and what came of it. There are half a million, so the places are not copied into them.
    struct Step: Sendable {
        let event: LoginFlow.Event
        let effect: LoginFlow.Effect
        let index: (from: Int, to: Int)
        fileprivate let found: Found

        // Lent, not copied: a place has some hundred references to count.
        var from: Place { _read { yield found.places[index.from] } }
        var to: Place { _read { yield found.places[index.to] } }
    }

    /// Changed by the walk alone, before anybody else has it.
    fileprivate final class Found: @unchecked Sendable {
        var places: [Place] = []
    }

    let policy: LoginFlow.Policy
    private let found = Found()
    var places: [Place] { _read { yield found.places } }
    private(set) var steps: [Step] = []
    private var known: [Key: [Int]] = [:]

    /// So that a place is compared with few others.
    private struct Key: Hashable {
        let state: String
        let sent: Int
        let blanks: Int
        let refusals: Int
        let retries: Int
        let name: String?
        let exitCode: Int32
        let trustQuestions: Int
        let codes: Int
        let secondsWaited: Int

        init(_ place: Place) {
            state = place.flow.state.name
            sent = place.shadow.sent
            blanks = place.shadow.blanks
            refusals = place.shadow.refusals
            retries = place.shadow.retries
            name = place.shadow.lastName
            trustQuestions = place.shadow.trustQuestions
            codes = place.shadow.codesSent * 2 + place.shadow.suppliedCodes
            secondsWaited = place.shadow.secondsWaited
            exitCode =
                if case .finished(.failed(let error)) = place.flow.state { error.exitCode.rawValue } else { 0 }
        }
    }

    static let events: [LoginFlow.Event] =
        [.begun]
        + LoginFlow.Found.allCases.map { .lookedUp($0) }
        + [.lookedUp(.session, endedAt: 7), .lookedUp(.both, endedAt: 7)]
        + TrustAnswer.allCases.map { .answered(.trust($0)) }
        + [
            .prepared(SomeLogin.namedSpace), .prepared(SomeLogin.ticketSpace),
            .answered(.credential(username: "bert")), .answered(.credential(username: nil)),
            .answered(.leftBlank(.username)), .answered(.leftBlank(.password)), .answered(.cancelled),
            .answered(.yes), .answered(.no),
            .confirmed(SomeLogin.identity, isRefreshed: true), .confirmed(SomeLogin.identity, isRefreshed: false),
            .refused(SomeLogin.refusal), .refused(SomeLogin.unnamed), .unconfirmed(SomeLogin.unconfirmed),
            .unconfirmed(SomeLogin.undecided), .failed(.forbidden(SomeLogin.doubted)), .rejected,
            .saved,
            .refreshed, .notRefreshable, .foundRefused(SomeLogin.refusal),
            .failed(SomeLogin.network), .failed(SomeLogin.busyForLong), .failed(SomeLogin.forbidden),
            .failed(.untrusted(.certificate(SomeLogin.trust))),
            .failed(.untrusted(.certificate(SomeLogin.hopelessTrust))),
            .failed(.untrusted(.certificateChanged(SomeLogin.origin, now: nil))), .trusted,
            .failed(.untrusted(.plainHTTP)), .failed(.store(.notSetUp(.file))), .failed(.promptExpired(seconds: 300)),
        ]

    /// Of a service with a second factor; they multiply the places by ten.
    static let secondFactorEvents: [LoginFlow.Event] = [
        .needsCode(words: nil), .pending(seconds: 5), .waited, .answered(.code), .answered(.leftBlank(.code)),
    ]

    init(
        _ policy: LoginFlow.Policy, proposing name: String? = "anna", storing accounts: [Identity] = [],
        hasSecondFactor: Bool = false
    ) {
        self.policy = policy
        let events = Self.events + (hasSecondFactor ? Self.secondFactorEvents : [])
        found.places = [
            Place(flow: SomeLogin.flow(policy, proposing: name, storing: accounts), shadow: Shadow(lastName: name))
        ]
        known[Key(places[0])] = [0]
        var next = 0
        // A flow that never ends fails the test instead of never ending it.
        while next < places.count, places.count < 20_000 {
            for event in events { take(event, at: next) }
            next += 1
        }
    }

    private mutating func take(_ event: LoginFlow.Event, at index: Int) {
        let from = places[index]
        var to = from
        let effect = to.flow.handle(event)
        to.shadow.note(event, effect, in: from.flow.state, policy)
        let target = to == from ? index : number(of: to)
        steps.append(Step(event: event, effect: effect, index: (index, target), found: found))
    }

    private mutating func number(of place: Place) -> Int {
        let key = Key(place)
        if let present = known[key, default: []].last(where: { places[$0] == place }) { return present }
        found.places.append(place)
        known[key, default: []].append(places.count - 1)
        return places.count - 1
    }
}

extension LoginFlowWalk.Shadow {
    fileprivate mutating func note(
        _ event: LoginFlow.Event, _ effect: LoginFlow.Effect, in state: LoginFlow.State, _ policy: LoginFlow.Policy
    ) {
        if case .ask(let question) = effect { count(question) }
        if case .awaiting(let question, _) = state, case .answered(let reply) = event { note(reply, to: question) }
        if case .trust = effect, accepted == nil, case .failed(.untrusted(.certificate(let trust))) = event,
            trust.fingerprint == policy.trust.fingerprint
        {
            (accepted, isLasting) = (trust, true)
        }
        if case .resume(.supplied) = effect { suppliedCodes += 1 }
        if case .wait(let seconds) = effect { secondsWaited += seconds }
        if case .lookingUp = state, case .foundRefused = event { refusals += 1 }
        if case .authenticating(let source) = state, source == .typed || source == .stored,
            case .refused(let refusal) = event
        {
            // What judges nothing says nothing of a stored password.
            if source == .typed || refusal.doubt == nil { refusals += 1 }
        }
    }
}

extension LoginFlowWalk.Shadow {
    fileprivate mutating func count(_ question: Question) {
        switch question {
        case .credential, .code, .replacement: break
        case .certificate: trustQuestions += 1
        case .retry: retries += 1
        }
    }

    fileprivate mutating func note(_ reply: LoginFlow.Reply, to question: Question) {
        switch (question, reply) {
        case (.certificate(let trust), .trust(let answer)) where answer != .reject:
            (accepted, isLasting) = (trust, answer == .always)
        case (.replacement, .yes): mayReplace = true
        // Nothing has judged what was typed, so it is no attempt.
        case (.retry(RetryRequest(.usage(.unconfirmed(SomeLogin.undecided)))), .yes): sent -= 1
        case (.credential, .credential(let username)):
            (lastName, sent, blanks) = (username ?? lastName, sent + 1, 0)
        case (.code, .code): (codesSent, blanks) = (codesSent + 1, 0)
        case (.credential, .leftBlank), (.code, .leftBlank): blanks += 1
        default: break
        }
    }
}

extension LoginFlowWalk {
    /// The length of the longest path to an end; nothing if some path never ends.
    var longestPath: Int? {
        let steps = steps.lazy.filter { step in
            if case .finished = step.from.flow.state { false } else { true }
        }
        return LoginCoreTests.longestPath(among: places.count, steps.map { ($0.index.from, $0.index.to) })
    }
}
