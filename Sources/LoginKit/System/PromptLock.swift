import Glibc
import Synchronization

/// The lock for asking: there is one person, and the next login may find that they have logged in meanwhile.
final class PromptLock: Sendable {
    private let isTaken = Atomic(false)

    /// The pause between two looks, in microseconds.
    private static let pause: UInt32 = 20_000

    /// Waits for the lock.
    /// - Throws: `cancelled` once the caller has cancelled.
    func take(unless isCancelled: () -> Bool) throws(LoginFault) {
        while isTaken.exchange(true, ordering: .acquiring) {
            if isCancelled() { throw .cancelled }
            usleep(Self.pause)
        }
    }

    func give() { isTaken.store(false, ordering: .releasing) }
}
