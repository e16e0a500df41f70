import Glibc
import LoginCore
import Synchronization

/// The right to ask: there is one person, and whoever comes second may find that they have logged in meanwhile.
final class PromptLock: Sendable {
    private let isTaken = Mutex(false)

    /// How long is slept between two looks, in microseconds.
    private static let pause: UInt32 = 20_000

    /// Waits until nobody else has it.
    /// - Throws: `cancelled` if nobody waits for that any more.
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
