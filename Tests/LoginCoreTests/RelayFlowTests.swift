@testable import LoginKit
import Testing

/// Every state of a request with every event.
@Suite struct `The flow of a request` {
    private static let judgements: [RelayJudgement] = [
        .passed, .loggedOut, .forbidden, .undecided, .likeAnonymous, .refusedPassword, .otherRealm("B"),
    ]
    private static let events: [RelayFlow.Event] =
        judgements.map { .answered($0) } + [
            .verified(isKnown: true), .verified(isKnown: false), .entered(sendsAhead: true),
            .entered(sendsAhead: false),
        ]
    private static let beginnings: [RelayFlow.Attachment] = [
        .nothing, .withheld(isConfirmed: false), .withheld(isConfirmed: true), .session(isConfirmed: false),
        .session(isConfirmed: true),
    ]

    /// The events that can follow an effect.
    private static func possible(after effect: RelayFlow.Effect) -> [RelayFlow.Event] {
        switch effect {
        case .verify: [.verified(isKnown: true), .verified(isKnown: false)]
        case .enter: [.entered(sendsAhead: true), .entered(sendsAhead: false)]
        case .send: judgements.map { .answered($0) }
        case .finish: []
        }
    }

    private struct Path {
        let beginning: RelayFlow.Attachment
        let canVerify: Bool
        var events: [RelayFlow.Event] = []
        var effects: [RelayFlow.Effect] = []

        /// What went out, in this order.
        var sent: [RelayFlow.Attachment] {
            [beginning] + effects.compactMap { if case .send(let attachment) = $0 { attachment } else { nil } }
        }

        func place(of effect: RelayFlow.Effect) -> Int? { effects.firstIndex(of: effect) }
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
                return path.effects.count > 8 ? [path] : walk(flow, path, possible(after: effect))
            }
        }
        return [true, false].flatMap { canVerify in
            beginnings.flatMap { beginning in
                walk(
                    RelayFlow(sending: beginning, canVerify: canVerify),
                    Path(beginning: beginning, canVerify: canVerify), judgements.map { .answered($0) })
            }
        }
    }

    @Test func `every path ends, in a few steps, and none is lost`() {
        for path in Self.paths() {
            #expect(path.effects.count <= 6, "\(path)")
            #expect(path.effects.last.map { if case .finish = $0 { true } else { false } } == true)
            #expect(!path.effects.contains(.finish(.lost)))
        }
    }

    @Test func `verify is asked once at most, a login comes once at most, and a session goes out twice at most`() {
        for path in Self.paths() {
            #expect(path.effects.count { $0 == .verify } <= 1, "\(path)")
            #expect(path.effects.count { $0 == .enter } <= 1, "\(path)")
            let sessions = path.sent.count { if case .session = $0 { true } else { false } }
            #expect(sessions <= 2, "\(path)")
            if !path.effects.contains(.enter) { #expect(sessions <= 1, "\(path)") }
            #expect(path.canVerify || !path.effects.contains(.verify))
        }
    }

    @Test func `where there is a verify endpoint, no rule alone leads to a login`() {
        for path in Self.paths() where path.canVerify {
            guard let place = path.place(of: .enter) else { continue }
            switch path.events[place] {
            case .verified(isKnown: false), .answered(.refusedPassword): break
            case .answered: #expect(path.sent.first == .nothing && place == 0, "\(path)")
            case .verified(isKnown: true), .entered: Issue.record("\(path)")
            }
        }
    }

    @Test func `a password that the server has refused is judged no second time`() {
        for path in Self.paths() {
            guard let place = path.events.firstIndex(of: .answered(.refusedPassword)) else { continue }
            #expect(path.effects[place] != .verify, "\(path)")
        }
    }

    @Test func `nobody goes first only where nobody was ever there, and then any refusal is a login`() {
        for path in Self.paths() where path.beginning == .nothing {
            #expect(path.sent.dropFirst().allSatisfy { $0 != .nothing })
            if path.events.first != .answered(.passed) { #expect(path.effects.first == .enter) }
        }
        for path in Self.paths() where path.beginning != .nothing { #expect(!path.sent.contains(.nothing)) }
    }

    @Test
    func `a password that was withheld goes out only after the server has asked for it, never to another realm`() {
        for path in Self.paths() {
            for (place, event) in path.events.enumerated() where event == .answered(.otherRealm("B")) {
                if path.beginning == .nothing && place == 0 { continue }
                #expect(path.effects[place] == .finish(.otherRealm("B")), "\(path)")
            }
            guard case .withheld = path.beginning, path.sent.count > 1 else { continue }
            #expect(path.events.first != .answered(.passed))
        }
    }

    @Test func `what anonymous clients get is the answer of whoever is logged in, unless it is a 401 or 403`() {
        for path in Self.paths() {
            for (place, event) in path.events.enumerated() where event == .verified(isKnown: true) {
                let isRedirect = path.events[place - 1] == .answered(.likeAnonymous)
                #expect(path.effects[place] == .finish(isRedirect ? .answered : .forbidden), "\(path)")
            }
        }
    }

    @Test func `what passes is the answer, what is forbidden stays forbidden`() {
        for path in Self.paths() {
            let last = path.events.last, end = path.effects.last
            if last == .answered(.passed) { #expect(end == .finish(.answered)) }
            if last == .answered(.forbidden) { #expect(end == .finish(.forbidden)) }
            guard path.effects.contains(.enter) else { continue }
            if last == .answered(.loggedOut) { #expect(end == .finish(.forbidden)) }
            if last == .answered(.likeAnonymous) { #expect(end == .finish(.answered)) }
        }
    }

    @Test func `nothing happens after the end, whatever comes`() {
        for event in Self.events {
            var flow = RelayFlow(sending: .session(isConfirmed: false))
            _ = flow.handle(.answered(.passed))
            #expect(flow.handle(event) == .finish(.lost) && flow.state == .ended)
        }
    }
}
