import Dispatch
package import LoginCore
import Synchronization

/// Names work of this machine on the terminal once it has taken half a second.
///
/// The work blocks its thread, so another one shows the line. It has every signal blocked, as all threads of Dispatch have, and is
/// done with the terminal when `end` returns.
final class LocalWorkNotice: Sendable {
    private static let patience = DispatchTimeInterval.milliseconds(500)

    private enum State { case idle, begun(Int), shown }

    private let line: Dependencies.NoticeLine
    private let queue = DispatchQueue(label: "notice")
    private let state = Mutex((State.idle, count: 0))

    init(_ line: Dependencies.NoticeLine) {
        self.line = line
    }

    func begin(_ words: String) {
        let number = state.withLock { state in
            state = (.begun(state.count + 1), state.count + 1)
            return state.count
        }
        queue.asyncAfter(deadline: .now() + Self.patience) { [self] in
            state.withLock { state in
                guard case .begun(number) = state.0, line.show(words) else { return }
                state.0 = .shown
            }
        }
    }

    package func end() {
        state.withLock { state in
            if case .shown = state.0 { line.hide() }
            state.0 = .idle
        }
    }
}

extension LoginContext {
    /// Names slow work of this machine on the terminal, unless nothing is to be shown there.
    package func noticing<Result>(
        _ words: String, _ work: () throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        guard showsNotice else { return try work() }
        let notice = LocalWorkNotice(dependencies.noticeLine)
        notice.begin(words)
        defer { notice.end() }
        return try work()
    }
}
