import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Synchronization
import Testing

/// Questions of many requests, and approvers that come and go.
@Suite(.onOwnThreads) struct ApprovalDeskTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
    }

    private var path: String { home.path + "/run/approve-blog-1.sock" }

    private func desk(seconds: Int = 60, tell: @escaping @Sendable (String) -> Void = { _ in }) -> ApprovalDesk {
        ApprovalDesk(path, profile: "blog", seconds: seconds, tell: tell)
    }

    private func question(_ id: String, rule: String = "DELETE /*", isCovered: Bool = true) -> ServeQuestion {
        ServeQuestion(
            id: id, command: "agent", method: "DELETE", url: "https://blog.example/\(id)", body: .none, rule: rule,
            isCovered: isCovered)
    }

    /// A request on a thread of its own.
    private final class Asking: Sendable {
        private let state = Mutex<(answer: ServeAnswer?, isWithdrawn: Bool, isWaiting: Bool)>((nil, false, false))
        var answer: ServeAnswer? { state.withLock(\.answer) }
        /// Whether its question is among those that an answer for a rule goes to.
        var isWaiting: Bool { state.withLock(\.isWaiting) }

        init(_ desk: ApprovalDesk, _ question: ServeQuestion) {
            Thread { [self] in
                let answer = desk.answer(to: question) { [self] in
                    state.withLock {
                        $0.isWaiting = true
                        return $0.isWithdrawn
                    }
                }
                state.withLock { $0.answer = answer }
            }.start()
        }

        func withdraw() { state.withLock { $0.isWithdrawn = true } }

        func expect(_ answer: ServeAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(eventually { self.answer != nil }, sourceLocation: sourceLocation)
            #expect(self.answer == answer, sourceLocation: sourceLocation)
        }
    }

    /// An approver without a terminal.
    private final class Client {
        private let stream: ApprovalStream
        private var seen: [ApprovalMessage] = []

        init?(_ path: String, says first: ApprovalMessage? = .approver) {
            var descriptor: Int32 = -1
            guard
                eventually({
                    descriptor = UnixAddress.connect(path)
                    return descriptor >= 0
                })
            else { return nil }
            stream = ApprovalStream(descriptor)
            if let first { stream.send(first) }
        }

        var isClosed: Bool {
            seen += stream.receive()
            return stream.isClosed
        }

        func send(_ message: ApprovalMessage) { stream.send(message) }

        func next() -> ApprovalMessage? {
            _ = eventually {
                if seen.isEmpty { seen += stream.receive() }
                return !seen.isEmpty || stream.isClosed
            }
            return seen.isEmpty ? nil : seen.removeFirst()
        }

        func nextQuestion() -> String? {
            if case .question(let question, _) = next() { question.id } else { nil }
        }
    }

    @Test func `questions wait their turn, and each gets its own answer`() throws {
        let desk = desk()
        defer { desk.stop() }
        let first = Asking(desk, question("1"))
        let client = try #require(Client(path))
        #expect(client.next() == .serving(profile: "blog", pid: getpid()))
        #expect(client.nextQuestion() == "1")
        let second = Asking(desk, question("2"))
        client.send(.answer(id: "1", .no))
        first.expect(.no)
        #expect(client.nextQuestion() == "2")
        client.send(.answer(id: "1", .yes))
        client.send(.answer(id: "2", .yes))
        second.expect(.yes)
    }

    @Test func `a question's time begins when it is its turn`() throws {
        let desk = desk(seconds: 2)
        defer { desk.stop() }
        let first = Asking(desk, question("1")), client = try #require(Client(path))
        _ = client.next()
        #expect(client.nextQuestion() == "1")
        let second = Asking(desk, question("2"))
        first.expect(.timedOut)
        #expect(client.next() == .ended(id: "1", .timedOut))
        #expect(client.nextQuestion() == "2" && second.answer == nil)
        client.send(.answer(id: "2", .yes))
        second.expect(.yes)
    }

    @Test func `an approver that goes away leaves its question to the next`() throws {
        let desk = desk()
        defer { desk.stop() }
        let asking = Asking(desk, question("1"))
        do {
            let client = try #require(Client(path))
            _ = client.next()
            #expect(client.nextQuestion() == "1")
        }
        let next = try #require(Client(path))
        _ = next.next()
        #expect(next.nextQuestion() == "1" && asking.answer == nil)
        next.send(.answer(id: "1", .yes))
        asking.expect(.yes)
    }

    @Test func `a client that leaves withdraws its question, and the approver is told`() throws {
        let desk = desk()
        defer { desk.stop() }
        let asking = Asking(desk, question("1"))
        let client = try #require(Client(path))
        _ = client.next()
        #expect(client.nextQuestion() == "1")
        asking.withdraw()
        asking.expect(.withdrawn)
        #expect(client.next() == .ended(id: "1", .withdrawn))
    }

    @Test func `an answer for a rule goes for all that wait for it`() throws {
        let desk = desk()
        defer { desk.stop() }
        let all = (1...3).map { Asking(desk, question("\($0)", rule: $0 == 3 ? "PUT /*" : "DELETE /*")) }
        let client = try #require(Client(path))
        _ = client.next()
        var asked = try #require(client.nextQuestion())
        if asked == "3" {
            client.send(.answer(id: asked, .no))
            asked = try #require(client.nextQuestion())
        }
        #expect(eventually { all[0].isWaiting && all[1].isWaiting })
        client.send(.answer(id: asked, .yesForRule))
        all[0].expect(.yesForRule)
        all[1].expect(.yesForRule)
        if all[2].answer == nil {
            #expect(client.nextQuestion() == "3")
            client.send(.answer(id: "3", .no))
        }
        all[2].expect(.no)
    }

    @Test func `an answer for a rule is told where a question of that rule is shown, and is none for others`() throws {
        let desk = desk()
        defer { desk.stop() }
        let others = [("\u{E9}", true), ("e\u{301}", true), ("\u{E9}", false)]
        var all: [Asking] = [], clients: [Client] = []
        for (index, (rule, isCovered)) in others.enumerated() {
            all.append(Asking(desk, question("\(index)", rule: "DELETE /\(rule)", isCovered: isCovered)))
            clients.append(try #require(Client(path)))
            _ = clients[index].next()
            #expect(clients[index].nextQuestion() == "\(index)")
        }
        let same = Asking(desk, question("3", rule: "DELETE /\u{E9}")), client = try #require(Client(path))
        _ = client.next()
        #expect(client.nextQuestion() == "3")
        clients[0].send(.answer(id: "0", .yesForRule))
        same.expect(.yesForRule)
        #expect(client.next() == .ended(id: "3", .yesForRule))
        #expect(ApprovalWords.ended(.yesForRule).hasPrefix("Answered in another terminal. Allowed"))
        for index in 1...2 { clients[index].send(.answer(id: "\(index)", .no)) }
        for index in 1...2 { all[index].expect(.no) }
    }

    @Test func `without an approver the person is told once, and the time ends`() {
        let told = Mutex<[String]>([])
        let desk = desk(seconds: 4) { text in told.withLock { $0.append(text) } }
        let all = (1...3).map { Asking(desk, question("\($0)")) }
        for asking in all { asking.expect(.timedOut) }
        #expect(told.withLock { $0 } == ["waiting for approval: authctl approve blog"])
        desk.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `what is no approver gets no question, and keeps nobody waiting`() throws {
        let desk = desk()
        defer { desk.stop() }
        let asking = Asking(desk, question("1"))
        let strange = try #require(Client(path, says: .answer(id: "1", .yes)))
        #expect(eventually { strange.isClosed })
        let silent = try #require(Client(path, says: nil)), client = try #require(Client(path))
        _ = client.next()
        #expect(client.nextQuestion() == "1" && asking.answer == nil)
        client.send(.answer(id: "1", .no))
        asking.expect(.no)
        #expect(eventually { silent.isClosed })
    }

    @Test func `the end of the command ends its questions`() {
        let desk = desk()
        let asking = Asking(desk, question("1"))
        #expect(eventually { FileManager.default.fileExists(atPath: path) })
        desk.stop()
        asking.expect(.withdrawn)
    }

    @Test func `a folder that others can write in asks nobody, and says why once`() throws {
        try FileManager.default.createDirectory(atPath: home.path + "/run", withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home.path + "/run")
        let told = Mutex<[String]>([])
        let desk = desk { text in told.withLock { $0.append(text) } }
        #expect(desk.answer(to: question("1")) { false } == .timedOut)
        #expect(desk.answer(to: question("2")) { false } == .timedOut)
        #expect(told.withLock { $0 }.count == 1 && told.withLock { $0 }[0].contains("nobody can be asked"))
        desk.stop()
    }
}
