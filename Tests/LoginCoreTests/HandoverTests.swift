@testable import LoginKit
import Secrets
import Synchronization
import Testing

/// What is postponed while a login has sessions that are neither kept nor ended.
struct HandoverTests {
    private final class Count: Sendable {
        let holds = Mutex(0)
        let isPending = Mutex(false)
    }

    private let count = Count()
    private var holds: Int { count.holds.withLock { $0 } }

    private func handover() -> Handover {
        Handover(
            Postponement(
                begin: { [count] _ in count.holds.withLock { $0 += 1 } },
                end: { [count] in count.holds.withLock { $0 -= 1 } },
                isPending: { [count] in count.isPending.withLock { $0 } }))
    }

    private let given = Handover.Given(
        session: .token(Token(value: Secret("t"), refreshToken: nil, expires: nil)), username: "ann", extraSecrets: [:])

    @Test func `nothing is postponed once a response has brought no session`() {
        let handover = handover()
        handover.expect()
        handover.expect()
        #expect(holds == 1)
        handover.settle()
        handover.settle()
        #expect(holds == 0)
    }

    @Test func `what would end the program waits for the last session`() {
        let handover = handover()
        handover.expect()
        handover.given.append(given)
        handover.settle()
        #expect(holds == 1)
        handover.given.removeAll()
        handover.settle()
        #expect(holds == 0 && handover.given.isEmpty)
    }

    @Test func `a signal breaks off only what waits while a session may be handed out`() {
        let handover = handover()
        count.isPending.withLock { $0 = true }
        #expect(!handover.isInterrupted)
        handover.expect()
        #expect(handover.isInterrupted)
        handover.settle()
        #expect(!handover.isInterrupted)
    }

    private static let anybodys = [Cookie(name: "lang", value: Secret("de"), record: Secret("lang"), expires: nil)]

    private func cookies(_ sid: String) -> Session {
        .cookies([Cookie(name: "sid", value: Secret(sid), record: Secret("sid"), expires: nil)] + Self.anybodys)
    }

    private func token(_ value: String, refresh: String) -> Session {
        .token(Token(value: Secret(value), refreshToken: Secret(refresh), expires: nil))
    }

    @Test func `two sessions are tied by a value that not everybody gets`() {
        #expect(cookies("one").isTied(to: cookies("one"), besides: Self.anybodys))
        #expect(!cookies("one").isTied(to: cookies("two"), besides: Self.anybodys))
        #expect(cookies("one").isTied(to: cookies("two"), besides: []))
        #expect(token("a", refresh: "r").isTied(to: token("b", refresh: "r"), besides: []))
        #expect(!token("a", refresh: "r").isTied(to: token("b", refresh: "s"), besides: []))
    }
}
