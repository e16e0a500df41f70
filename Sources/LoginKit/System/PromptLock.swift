import Glibc
import Synchronization

/// The lock for asking: there is one person, and the next login may find that they have logged in meanwhile.
final class PromptLock: Sendable {
    private let isTaken = Mutex(false)

    /// The pause between two looks, in microseconds.
    private static let pause: UInt32 = 20_000

    /// Waits for the lock.
    /// - Throws: `cancelled` once the caller has cancelled.
    func take(unless isCancelled: () -> Bool) throws(LoginFault) {
        while !takeAtOnce() {
            if isCancelled() { throw .cancelled }
            usleep(Self.pause)
        }
    }

    func give() { isTaken.withLock { $0 = false } }

    private func takeAtOnce() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}
