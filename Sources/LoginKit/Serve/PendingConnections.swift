import Glibc

/// The connections that have sent no request yet that was let in. Each has a few seconds for that, however busy it is, and then gives its
/// place back to others.
final class PendingConnections: @unchecked Sendable {
    private let patience: Duration
    private let monitor = Monitor()
    private var deadlines: [Int32: ContinuousClock.Instant] = [:]
    private var isWatching = false

    /// - Parameter patience: the time that each has.
    init(patience: Duration = .seconds(5)) {
        self.patience = patience
    }

    /// A connection is there.
    func arrive(_ socket: Int32) {
        let mustWatch = monitor.locked {
            deadlines[socket] = .now + patience
            defer { isWatching = true }
            return !isWatching
        }
        guard mustWatch, !DetachedThread.start({ [self] in while monitor.locked({ closeOverdue() }) {} }) else {
            return
        }
        monitor.locked { isWatching = false }
    }

    /// Its request was let in, or it is about to be closed. The number may be somebody else's from then on.
    /// - Returns: whether it still had time.
    @discardableResult
    func leave(_ socket: Int32) -> Bool { monitor.locked { deadlines.removeValue(forKey: socket) != nil } }

    /// Forgets those whose clients are still there, since this side closes them now: nobody broke them off.
    func end() { monitor.locked { deadlines = deadlines.filter { Peer.hasGone($0.key) } } }

    /// - Returns: whether there are any left, after a while.
    private func closeOverdue() -> Bool {
        let now = ContinuousClock.now
        for (socket, deadline) in deadlines where deadline <= now {
            shutdown(socket, Int32(SHUT_RDWR))
            deadlines[socket] = nil
        }
        isWatching = !deadlines.isEmpty
        if isWatching { monitor.wait(500) }
        return isWatching
    }
}
