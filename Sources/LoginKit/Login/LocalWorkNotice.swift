import Synchronization

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

    func end() {
        monitor.locked {
            if case .shown = state { line.hide() }
            state = .idle
            monitor.tell()
        }
    }
}

/// Names the server that a command waits for, on the terminal alone, once it has waited for half a second.
///
/// It is told of the wait by the transfer itself, about four times a second: that is what makes its spinner turn, and that of a
/// login's own notice. There is no other thread and no timer.
final class WaitingNotice: Sendable {
    /// In seconds.
    private static let patience = 0.5
    private let line: Dependencies.NoticeLine
    private let origin: Origin
    private let spinner: Spinner?
    private let state = Mutex((isShown: false, turns: 0))

    /// - Parameter spinner: `nil` if the line stands still.
    init(_ line: Dependencies.NoticeLine, _ origin: Origin, spinner: Spinner? = nil) {
        self.line = line
        self.origin = origin
        self.spinner = spinner
    }

    func note(_ wait: ResponseTimeout) {
        state.withLock { state in
            switch wait {
            case .waiting(let seconds):
                guard seconds >= Self.patience else { return }
                if !state.isShown { state.isShown = line.show("Waiting for \(origin)…") }
                guard let spinner else { return }
                // A notice that is not this one is that of the login which waits.
                line.move(spinner.text(turns: state.turns, seconds: seconds))
                state.turns += 1
            case .over:
                if state.isShown { line.hide() }
                state.isShown = false
            }
        }
    }
}
