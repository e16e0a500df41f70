@testable import LoginKit

/// Every reachable state of an `AuthorizationFlow` under one policy, with every event at each; beside it a shadow that counts by
/// itself, from events and effects alone.
struct OAuthFlowWalk: Sendable {
    struct Shadow: Hashable, Sendable {
        var exchanges = 0
        var registrations = 0
        var hasAgreed = false
        /// Whether the code that came is typed on another origin, and whether the person has agreed to that.
        var isPageForeign = false
        var hasAgreedToPage = false
        /// Whether the port is open, or known to be in use.
        var knowsPort = false
        var isForeign = false
        var polls = 0
        var waits = 0
    }

    struct Place: Equatable, Sendable {
        var flow: AuthorizationFlow
        var shadow: Shadow
    }

    struct Step: Sendable {
        let event: AuthorizationFlow.Event
        let effect: AuthorizationFlow.Effect
        let from: Place
        let to: Place
        let index: (from: Int, to: Int)
    }

    private(set) var places: [Place]
    private(set) var steps: [Step] = []
    private var known: [String: [Int]] = [:]

    static let foreign = ForeignServer(
        resource: SomeOAuth.url("https://notes.example/mcp"), issuer: SomeOAuth.url(SomeOAuth.issuer).origin,
        others: [],
        evidence: [], registers: true)

    static let foreignPage = ForeignServer(
        resource: SomeOAuth.url("https://notes.example/mcp"), issuer: SomeOAuth.url("https://notes.example").origin,
        others: [], evidence: [], registers: true, elsewhere: [SomeOAuth.url("https://page.example").origin])

    private static let servers: [AuthorizationFlow.Server] = [
        .init(endpoints: Set(OAuthEndpoint.allCases)), .init(endpoints: Set(OAuthEndpoint.allCases), toAsk: foreign),
        .init(endpoints: [.authorization, .token]), .init(endpoints: [.deviceAuthorization, .token, .registration]),
        .init(endpoints: [.authorization, .deviceAuthorization, .token, .registration]), .init(endpoints: []),
    ]

    private static let replies: [AuthorizationFlow.Reply] = [
        .right, .denied(OAuthRefusal(.accessDenied, at: .authorization)), .forged, .stray,
        .notAnAddress(.otherState), .cancelled,
    ]

    private static let polls: [DevicePolling.Answer] = [
        .pending, .slowDown(interval: 30), .tooMany(retryAfter: nil), .unavailable(retryAfter: nil), .granted,
        .refused(OAuthRefusal(.invalidGrant, at: .token, status: 400)),
    ]

    private static let events: [AuthorizationFlow.Event] =
        [
            .begun, .agreed, .declined, .listened(redirect: SomeOAuth.redirect),
            .portTaken(8250, redirect: SomeOAuth.redirect),
            .registered, .pushed, .shown, .nothingHeard, .codeIssued(.init(lifetime: 30, interval: 5)),
            .codeIssued(.init(lifetime: 30, interval: 5), toAsk: foreignPage),
            .codeRefused(OAuthRefusal(.unauthorizedClient, at: .deviceAuthorization, status: 400)),
            .codeRefused(OAuthRefusal(.invalidScope, at: .deviceAuthorization, status: 400)),
            // A clock that stands still, and one that went on while the machine slept.
            .waited(total: 0), .waited(total: 28_800_000), .exchanged, .failed(SomeLogin.network),
            .failed(SomeLogin.busy),
            .failed(.cancelled), .failed(.untrusted(.plainHTTP)),
        ]
        + replies.flatMap { [.heard($0, after: 0), .heard($0, after: 300)] }
        + polls.map { .polled($0, total: 0) }

    /// - Parameter clientID: the client that the servers know; `nil` where one has to be registered.
    init(_ policy: AuthorizationFlow.Policy, clientID: String?) {
        let discoveries = Self.servers.map {
            AuthorizationFlow.Event.discovered(.init(endpoints: $0.endpoints, toAsk: $0.toAsk, clientID: clientID))
        }
        places = [Place(flow: AuthorizationFlow(policy: policy), shadow: Shadow())]
        var next = 0
        // A flow that never ends fails the test instead of never ending it.
        while next < places.count, places.count < 20_000 {
            for event in Self.events + discoveries { take(event, at: next) }
            next += 1
        }
    }

    private mutating func take(_ event: AuthorizationFlow.Event, at index: Int) {
        let from = places[index]
        var to = from
        let effect = to.flow.handle(event)
        to.shadow.note(event, effect, in: from.flow.state)
        let target = to == from ? index : number(of: to)
        steps.append(Step(event: event, effect: effect, from: from, to: to, index: (index, target)))
    }

    private mutating func number(of place: Place) -> Int {
        let key = "\(place.flow.state.name) \(place.shadow.hashValue)"
        if let present = known[key, default: []].last(where: { places[$0] == place }) { return present }
        places.append(place)
        known[key, default: []].append(places.count - 1)
        return places.count - 1
    }
}

extension OAuthFlowWalk.Shadow {
    fileprivate mutating func note(
        _ event: AuthorizationFlow.Event, _ effect: AuthorizationFlow.Effect, in state: AuthorizationFlow.State
    ) {
        if case .finished = state { return }
        if case .discovering = state, case .discovered(let server) = event { isForeign = server.toAsk != nil }
        if case .asking = state, event == .agreed { hasAgreed = true }
        if case .requestingCode = state, case .codeIssued(_, let page) = event { isPageForeign = page != nil }
        if case .askingPage = state, event == .agreed { hasAgreedToPage = true }
        if case .listening = state {
            switch event {
            case .listened, .portTaken: knowsPort = true
            default: break
            }
        }
        switch effect {
        case .exchange: exchanges += 1
        case .register: registrations += 1
        case .poll: polls += 1
        case .wait: waits += 1
        case .discover, .ask, .listen, .push, .show, .awaitAnswer, .requestCode, .showCode, .finish: break
        }
    }
}

extension OAuthFlowWalk {
    /// The length of the longest path to an end; nothing if some path never ends. Steps that lead back to where they began are
    /// left out: whoever sends a wrong address makes them, and each has to be one of the wait for the browser.
    var longestPath: Int? {
        LoginCoreTests.longestPath(
            among: places.count, steps.lazy.map(\.index).filter { $0.from != $0.to }.map { ($0.from, $0.to) })
    }
}
