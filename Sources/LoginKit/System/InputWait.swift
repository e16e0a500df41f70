import Glibc

/// Waits for a descriptor that may never have anything to read.
package struct InputWait {
    let descriptor: Int32
    let deadline: ContinuousClock.Instant
    /// Whether nothing more will come, although the descriptor does not say so.
    let isOver: () -> Bool

    package init(descriptor: Int32, deadline: ContinuousClock.Instant, isOver: @escaping () -> Bool = { false }) {
        (self.descriptor, self.deadline, self.isOver) = (descriptor, deadline, isOver)
    }

    /// Milliseconds between two calls of `isOver`.
    private static let interval: Int32 = 50

    /// - Returns: whether a read will not block: there are bytes, or the end. Nothing more comes where it is false.
    func isReady() throws(SecretFile.Problem) -> Bool {
        while true {
            let wasOver = isOver()
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&ready, 1, wasOver ? 0 : Self.interval)
            if count > 0 { return true }
            if count < 0 && errno != EINTR { throw .cannotRead(errno: errno) }
            // What was written before the end is there to be read.
            if count == 0 && wasOver { return false }
            if ContinuousClock.now >= deadline { throw .tookTooLong }
        }
    }
}
