package import LoginCore

/// Names work of this machine on the terminal once it has taken half a second.
///
/// The work blocks its thread, so another one shows the line; without one, the work is not named. That one is done with the
/// terminal when `end` returns.
final class LocalWorkNotice: @unchecked Sendable {
    private static let patience = Duration.milliseconds(500)

    private enum State { case idle, begun(Int), shown }

    private let line: Dependencies.NoticeLine
    private let monitor = Monitor()
    private var state = State.idle
    private var count = 0

    init(_ line: Dependencies.NoticeLine) {
        self.line = line
    }

    func begin(_ words: String) {
        let number = monitor.locked {
            count += 1
            state = .begun(count)
            return count
        }
        _ = DetachedThread.start { [self] in show(words, unlessEnded: number) }
    }

    private func show(_ words: String, unlessEnded number: Int) {
        let end = ContinuousClock.now + Self.patience
        monitor.locked {
            while case .begun(number) = state {
                guard ContinuousClock.now < end else {
                    if line.show(words) { state = .shown }
                    return
                }
                monitor.wait(100)
            }
        }
    }

    package func end() {
        monitor.locked {
            if case .shown = state { line.hide() }
            state = .idle
            monitor.tell()
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
