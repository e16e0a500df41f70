import Foundation
import Testing

/// Runs the tests of a suite on threads of their own.
///
/// Swift has as many threads as the machine has cores, and a test that waits for another program keeps one of them from
/// everybody else. These may wait: two for each core run at once. A test that has begun goes on before another one begins, so
/// that what it has at a server, a session of five minutes, is not over by then.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    fileprivate let threads: WaitingThreads

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(threads) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// For tests that mostly wait for other programs.
    static var onOwnThreads: Self { Self(threads: .shared) }

    /// For tests of how long something takes, which must not wait for a thread either: so many, which no other suite has.
    static func onThreads(_ count: Int) -> Self { Self(threads: WaitingThreads(count: count)) }
}

private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
    static let shared = WaitingThreads(count: 2 * ProcessInfo.processInfo.activeProcessorCount)

    private let changed = NSCondition()
    private var jobs: [UnownedJob] = []

    init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        changed.withLock {
            jobs.append(job)
            changed.signal()
        }
    }

    private func next() -> UnownedJob {
        changed.withLock {
            while jobs.isEmpty { changed.wait() }
            return jobs.removeLast()
        }
    }
}
