import Foundation
@testable import LoginTestSupport

/// Many processes at once.
enum Crowd {
    /// Runs all of them, each waited for by a thread of its own: as many at once as there are, however few cores the machine
    /// has. The caller's thread waits, too: a test that let go of it would come back behind all the tests that are to begin,
    /// and what the commands left at the server may be over by then.
    /// - Returns: in the order of `commands`.
    static func run(_ commands: [[String]], of authctl: Installation) throws -> [CommandResult] {
        try run(commands.map { authctl.spec($0, [:]) })
    }

    /// The same for programs of whichever environment.
    static func run(_ specs: [ChildSpec]) throws -> [CommandResult] {
        let crowd = CrowdResults(count: specs.count)
        for (number, spec) in specs.enumerated() {
            Thread.detachNewThread {
                crowd.add(Result { try Command.run(spec, within: 120) }, at: number)
            }
        }
        return try crowd.all()
    }

    /// Does `work` on a new thread.
    static func onThread<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}

/// What has come of a crowd so far.
private final class CrowdResults: @unchecked Sendable {
    private let changed = NSCondition()
    private var results: [Result<CommandResult, any Error>?]

    init(count: Int) {
        results = Array(repeating: nil, count: count)
    }

    func add(_ result: Result<CommandResult, any Error>, at number: Int) {
        changed.withLock {
            results[number] = result
            changed.signal()
        }
    }

    /// Waits for the last of them.
    func all() throws -> [CommandResult] {
        try changed.withLock {
            while results.contains(where: { $0 == nil }) { changed.wait() }
            return try results.compactMap { try $0?.get() }
        }
    }
}
