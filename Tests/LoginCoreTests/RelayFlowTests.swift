import LoginCore
import Testing

/// Every state of a request with every event.
@Suite struct `The flow of a request` {
    private static let judgements: [RelayJudgement] = [.passed, .loggedOut, .forbidden, .undecided]
    private static let events: [RelayFlow.Event] =
        judgements.map { .answered($0) } + [.verified(isKnown: true), .verified(isKnown: false), .entered]

    /// The events that can follow an effect.
    private static func possible(after effect: RelayFlow.Effect) -> [RelayFlow.Event] {
        switch effect {
        case .verify: [.verified(isKnown: true), .verified(isKnown: false)]
        case .enter: [.entered]
        case .sendAgain: judgements.map { .answered($0) }
        case .finish: []
        }
    }

    private struct Path {
        var events: [RelayFlow.Event] = []
        var effects: [RelayFlow.Effect] = []
    }

    /// All that can happen, from the first answer to the end.
    private static func paths() -> [Path] {
        func walk(_ flow: RelayFlow, _ path: Path, _ next: [RelayFlow.Event]) -> [Path] {
            if next.isEmpty { return [path] }
            return next.flatMap { event in
                var (flow, path) = (flow, path)
                let effect = flow.handle(event)
                path.events.append(event)
                path.effects.append(effect)
                return walk(flow, path, possible(after: effect))
            }
        }
        return walk(RelayFlow(), Path(), judgements.map { .answered($0) })
    }

    @Test func `every path ends, in a few steps, and none is lost`() {
        let paths = Self.paths()
        #expect(paths.count == 11)
        for path in paths {
            #expect(path.effects.count <= 4)
            #expect(path.effects.last.map { if case .finish = $0 { true } else { false } } == true)
            #expect(!path.effects.contains(.finish(.lost)))
        }
    }

    @Test func `it is sent twice at most, verified once and logged in for once`() {
        for path in Self.paths() {
            for effect in [RelayFlow.Effect.verify, .enter, .sendAgain] {
                #expect(path.effects.count { $0 == effect } <= 1, "\(path)")
            }
        }
    }

    @Test func `it is sent again only after a login, and a login comes only where the session is not known`() {
        for path in Self.paths() {
            for (place, effect) in path.effects.enumerated() {
                if effect == .sendAgain { #expect(path.events[place] == .entered) }
                if effect == .enter {
                    #expect([.answered(.loggedOut), .verified(isKnown: false)].contains(path.events[place]))
                }
            }
        }
    }

    @Test func `what passes is the answer, what is forbidden stays forbidden`() {
        for path in Self.paths() {
            let last = path.events.last, end = path.effects.last
            if last == .answered(.passed) { #expect(end == .finish(.answered)) }
            if last == .answered(.forbidden) || last == .verified(isKnown: true) {
                #expect(end == .finish(.forbidden))
            }
            if path.events.contains(.entered), last == .answered(.loggedOut) { #expect(end == .finish(.forbidden)) }
        }
    }

    @Test func `nothing happens after the end, whatever comes`() {
        for event in Self.events {
            var flow = RelayFlow()
            _ = flow.handle(.answered(.passed))
            #expect(flow.handle(event) == .finish(.lost) && flow.state == .ended)
        }
    }
}
