import Foundation
import LoginTestSupport

/// Many processes at once.
enum Crowd {
    /// Runs all of them, each waited for by a thread of its own: as many at once as there are, however few cores the machine
    /// has.
    /// - Returns: in the order of `commands`.
    static func run(_ commands: [[String]], of authctl: Installation) async throws -> [CommandResult] {
        let (program, folder, environment) = (authctl.program, authctl.folder, authctl.environment)
        let numbered = try await withThrowingTaskGroup(of: (Int, CommandResult).self) { group in
            for (number, words) in commands.enumerated() {
                group.addTask {
                    let spec = ChildSpec(program, words, environment: environment, directory: folder)
                    return (number, try await onThread { try Command.run(spec, within: 120) })
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return numbered.sorted { $0.0 < $1.0 }.map(\.1)
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
