import Synchronization

/// Tells whether the task is cancelled, and postpones that while a refresh is under way.
final class CancellationHold: Sendable {
    private static let patience = Duration.seconds(5)
    /// The number of holds, and the time when one of them first saw the task cancelled.
    private let state = Mutex((holds: 0, cancelled: ContinuousClock.Instant?.none))

    /// Whether the task is cancelled and no hold postpones that any more.
    var isCancelled: Bool {
        guard Task.isCancelled else { return false }
        return state.withLock { state in
            guard state.holds > 0 else { return true }
            let first = state.cancelled ?? .now
            state.cancelled = first
            return first.duration(to: .now) >= Self.patience
        }
    }

    func begin() { state.withLock { $0.holds += 1 } }

    func end() { state.withLock { $0.holds -= 1 } }
}
