import Foundation
import LoginCore
import LoginKit
import LoginTestSupport
import Secrets
import Synchronization
import Testing

/// What becomes of a login whose task is cancelled, wherever it waits.
@Suite(.onThreads(10)) struct `A cancelled login` {
    let demo: DemoBackendProcess
    let home: TemporaryHome

    init() throws {
        demo = try DemoBackendProcess()
        home = try TemporaryHome()
        try home.write("store = \"plaintext\"\n" + demo.profiles(), to: "logins/config.toml")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path + "/logins")
    }

    private func logins(_ delegate: some LoginDelegate = Ann()) throws -> Logins {
        try Logins(folder: home.path + "/logins", delegate: delegate)
    }

    /// - Parameter pause: after which it is cancelled, in seconds.
    /// - Returns: how long the end of `work` took then, in seconds.
    private func timeToEnd(
        after pause: Double = 0.5, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> Double {
        var start = ContinuousClock.now
        await #expect(throws: CancellationError.self) {
            // A child of this task has its threads, too.
            try await withThrowingTaskGroup { group in
                group.addTask(operation: work)
                usleep(UInt32(pause * 1_000_000))
                start = .now
                group.cancelAll()
                try await group.waitForAll()
            }
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// What was tried before the question leaves an empty file.
    private func keepsNothing() throws -> Bool { try !home.read("logins/plaintext.json").contains("blog") }

    @Test func `ends while somebody is asked, and so does who asks`() async throws {
        let person = Absent()
        let logins = try logins(person)
        let seconds = try await timeToEnd { try await logins.gate("blog") { _ in _ = Issue.record("ran") } }
        #expect(try seconds < 3 && keepsNothing())
        #expect(person.wasCancelled())
    }

    @Test func `ends while a server is slow`() async throws {
        let logins = try logins()
        try demo.order(DemoBackendProcess.Fault(path: "/users/login", delay: 20))
        let seconds = try await timeToEnd(after: 2) {
            try await logins.gate("blog") { _ in _ = Issue.record("ran") }
        }
        #expect(try seconds < 3 && keepsNothing())
        // Nothing of it is in the way of the next.
        try demo.reset()
        #expect(try await logins.gate("blog") { $0.identity.username } == "ann")
    }

    @Test func `ends while a request of the block waits, and the login stays`() async throws {
        let logins = try logins()
        try await logins.gate("blog") { _ in }
        try demo.order(DemoBackendProcess.Fault(path: "/posts", delay: 20))
        let seconds = try await timeToEnd(after: 2) {
            _ = try await logins.gate("blog") { try await $0.send(.get("/posts")) }
        }
        #expect(try seconds < 3 && !keepsNothing())
        #expect(try await logins.gate("blog") { $0.identity.username } == "ann")
    }

    @Test func `ends while another gate is asking`() async throws {
        let logins = try logins(Absent())
        let seconds = try await timeToEnd {
            async let first: Void = logins.gate("blog") { _ in }
            async let second: Void = logins.gate("chat") { _ in _ = Issue.record("ran") }
            _ = try await (first, second)
        }
        #expect(seconds < 3)
    }

    @Test func `ends before it begins`() async throws {
        let logins = try logins()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await logins.gate("blog") { _ in _ = Issue.record("ran") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try demo.requests().isEmpty)
    }
}

/// Knows the password.
private struct Ann: LoginDelegate {
    func answer(_ question: Question) async -> Answer {
        guard case .credential = question else { return question.no }
        return .credential(Credential(username: "ann", .password(Secret("correct horse"))))
    }
}

/// Does not answer until nobody waits any more.
private final class Absent: LoginDelegate {
    private let state = Mutex(false)

    /// Whether the question was taken back, be it in a moment.
    func wasCancelled() -> Bool {
        for _ in 1...9000 where !state.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.02) }
        return state.withLock { $0 }
    }

    func answer(_ question: Question) async -> Answer {
        try? await Task.sleep(for: .seconds(60))
        state.withLock { $0 = Task.isCancelled }
        return question.no
    }
}
