import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

/// What becomes of a login whose task is cancelled, wherever it waits.
@Suite(.onThreads(10)) struct `A cancelled login` {
    let demo: DemoBackendProcess
    let home: TemporaryHome
    let folder: String

    init() throws {
        demo = try DemoBackendProcess()
        home = try TemporaryHome()
        folder = try home.makeLogins(at: demo)
    }

    private func logins(_ delegate: some LoginDelegate = Ann()) throws -> Logins {
        try Logins(folder: folder, delegate: delegate)
    }

    /// A delegate runs where all tests do, behind those that are there already: in seconds.
    private static let longestQueue = 900.0

    /// - Parameter begun: what `work` waits for has begun; then it is cancelled.
    /// - Returns: how long the end of `work` took then, in seconds.
    private func timeToEnd(
        when begun: () throws -> Bool, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> Double {
        var start = ContinuousClock.now
        await #expect(throws: CancellationError.self) {
            // A child of this task has its threads, too.
            try await withThrowingTaskGroup { group in
                group.addTask(operation: work)
                try #require(try eventually(within: Self.longestQueue, begun))
                start = .now
                group.cancelAll()
                try await group.waitForAll()
            }
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// A request for `path` has arrived, which the server answers after a while.
    private func isSent(_ path: String) -> () -> Bool {
        // What it prints is looked at: to ask it so often would be a load of its own.
        { demo.output.contains("\(path)  ") }
    }

    @Test func `a cancelled login ends while somebody is asked, and so does who asks`() async throws {
        let person = Absent()
        let logins = try logins(person)
        let seconds = try await timeToEnd(when: person.isAsked) {
            try await logins.withSession(for: "blog") { _ in _ = Issue.record("ran") }
        }
        #expect(try seconds < 15 && !home.keepsBlog())
        #expect(eventually(within: Self.longestQueue, person.wasCancelled))
    }

    @Test func `a cancelled login ends while a server is slow`() async throws {
        let logins = try logins()
        try demo.order(DemoBackendProcess.Fault(path: "/users/login", delay: 60))
        let seconds = try await timeToEnd(when: isSent("/users/login")) {
            try await logins.withSession(for: "blog") { _ in _ = Issue.record("ran") }
        }
        #expect(try seconds < 15 && !home.keepsBlog())
        // Nothing of it is in the way of the next.
        try demo.reset()
        #expect(try await logins.withSession(for: "blog") { $0.identity.username } == "ann")
    }

    @Test func `a cancelled login ends while a request of the block waits, and the login stays`() async throws {
        let logins = try logins()
        try await logins.withSession(for: "blog") { _ in }
        try demo.order(DemoBackendProcess.Fault(path: "/posts", delay: 60))
        let seconds = try await timeToEnd(when: isSent("/posts")) {
            _ = try await logins.withSession(for: "blog") { try await $0.send(.get("/posts")) }
        }
        #expect(try seconds < 15 && home.keepsBlog())
        #expect(try await logins.withSession(for: "blog") { $0.identity.username } == "ann")
    }

    @Test func `saves the answer to a refresh that was sent before it ends`() async throws {
        let logins = try logins()
        try await logins.withSession(for: "chat") { _ in }
        let base = "/_matrix/client/v3"
        try demo.order(DemoBackendProcess.Fault(path: base + "/account/whoami", status: 401))
        try demo.order(DemoBackendProcess.Fault(path: base + "/refresh", delay: 2))
        _ = try await timeToEnd(when: isSent(base + "/refresh")) {
            try await logins.withSession(for: "chat") { _ in _ = Issue.record("ran") }
        }
        try await logins.withSession(for: "chat") { _ in }
        #expect(try demo.requests().filter { $0.path == base + "/refresh" }.map(\.status) == [200])
    }

    @Test func `a cancelled login ends while another gate is asking`() async throws {
        let person = Absent()
        let logins = try logins(person)
        let seconds = try await timeToEnd(when: person.isAsked) {
            async let first: Void = logins.withSession(for: "blog") { _ in }
            async let second: Void = logins.withSession(for: "chat") { _ in _ = Issue.record("ran") }
            _ = try await (first, second)
        }
        #expect(seconds < 15)
    }

    @Test func `a cancelled login ends before it begins`() async throws {
        let logins = try logins()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await logins.withSession(for: "blog") { _ in _ = Issue.record("ran") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try demo.requests().isEmpty)
    }
}

/// Knows the password.
private struct Ann: LoginDelegate {
    func answer(_ question: Question) async -> Answer {
        guard case .credential = question else { return question.decline }
        return .credential(Credential(username: "ann", .password(Secret("correct horse"))))
    }
}

/// Does not answer until nobody waits any more.
private final class Absent: LoginDelegate {
    private enum Progress { case notAsked, asked, cancelled }

    private let progress = Mutex(Progress.notAsked)

    func isAsked() -> Bool { progress.withLock { $0 == .asked } }
    func wasCancelled() -> Bool { progress.withLock { $0 == .cancelled } }

    func answer(_ question: Question) async -> Answer {
        progress.withLock { $0 = .asked }
        try? await Task.sleep(for: .seconds(600))
        if Task.isCancelled { progress.withLock { $0 = .cancelled } }
        return question.decline
    }
}
