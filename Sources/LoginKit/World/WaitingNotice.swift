import LoginCore
import LoginHTTP
import Synchronization

/// Names the server that a command waits for, on the terminal alone, once it has waited for half a second.
final class WaitingNotice: Sendable {
    /// In seconds.
    private static let patience = 0.5
    private let line: World.NoticeLine
    private let origin: Origin
    private let isShown = Mutex(false)

    init(_ line: World.NoticeLine, _ origin: Origin) {
        self.line = line
        self.origin = origin
    }

    func note(_ wait: WaitForAnswer) {
        isShown.withLock { isShown in
            switch wait {
            case .waiting(let seconds):
                if !isShown, seconds >= Self.patience { isShown = line.show("Waiting for \(origin)…") }
            case .over:
                if isShown { line.hide() }
                isShown = false
            }
        }
    }
}
