import CProcess
import Glibc

/// Has the questions of a command that lends a login answered by whoever runs `authctl approve`. Creates its socket for the first one.
package final class ApprovalDesk: ServeApprover, @unchecked Sendable {
    /// A question that waits for its answer.
    final class Waiting {
        let question: ServeQuestion
        fileprivate(set) var deadline: ContinuousClock.Instant
        var answer: ServeAnswer?
        /// Whether an approver has it now.
        var isShown = false

        init(_ question: ServeQuestion, until deadline: ContinuousClock.Instant) {
            (self.question, self.deadline) = (question, deadline)
        }
    }

    /// Approvers at once.
    private static let most = 8
    /// The time in which an approver that is there already finds the socket.
    private static let quiet = Duration.milliseconds(2500)

    let profile: String
    private let path: String
    private let seconds: Int
    private let tell: @Sendable (String) -> Void
    private let monitor = Monitor()
    private var socket: SocketFile?
    private var waiting: [Waiting] = []
    private let threads = CountedThreads()
    private var approvers = 0
    private var (isStopped, hasTold, hasFailed) = (false, false, false)

    /// - Parameters:
    ///   - path: of the socket, in the folder that approvers look into.
    ///   - seconds: for each answer.
    ///   - tell: prints a message for the person, here.
    package init(_ path: String, profile: String, seconds: Int, tell: @escaping @Sendable (String) -> Void) {
        (self.path, self.profile, self.seconds, self.tell) = (path, profile, seconds, tell)
    }

    package func answer(to question: ServeQuestion, unless isWithdrawn: () -> Bool) -> ServeAnswer {
        guard open() else { return isOver ? .withdrawn : .timedOut }
        let begun = ContinuousClock.now
        let item = Waiting(question, until: begun + .seconds(seconds))
        monitor.locked { waiting.append(item) }
        while true {
            if isWithdrawn() { return settle(item, .withdrawn) }
            let answer = monitor.locked {
                if item.answer == nil { monitor.wait(100) }
                // A person sees one question at a time: until this one's turn comes, its time does not run.
                if !item.isShown, waiting.contains(where: \.isShown) { item.deadline = .now + .seconds(seconds) }
                return isStopped ? .withdrawn : item.answer
            }
            if let answer { return settle(item, answer) }
            if item.deadline <= .now { return settle(item, .timedOut) }
            if ContinuousClock.now - begun > Self.quiet { tellOnce() }
        }
    }

    /// Closes the socket, and waits for its threads.
    package func stop() {
        monitor.locked {
            isStopped = true
            monitor.tell()
        }
        threads.wait()
        guard let socket else { return }
        socket.remove()
        close(socket.descriptor)
    }

    /// - Returns: the first answer that it has got.
    private func settle(_ item: Waiting, _ answer: ServeAnswer) -> ServeAnswer {
        monitor.locked {
            waiting.removeAll { $0 === item }
            let first = item.answer ?? answer
            item.answer = first
            monitor.tell()
            return first
        }
    }

    private func tellOnce() {
        let isNews = monitor.locked {
            if hasTold || approvers > 0 { return false }
            hasTold = true
            return true
        }
        if isNews { tell(ApprovalWords.waiting(profile)) }
    }

    /// - Returns: whether there is a socket; a failure is told once.
    private func open() -> Bool {
        do {
            try monitor.locked { () throws(LoginFault) in
                if socket != nil || hasFailed { return }
                hasFailed = true
                let socket = try SocketFile(path, creating: true)
                guard threads.start({ [self] in listen() }) else {
                    socket.remove()
                    close(socket.descriptor)
                    throw .failure("the system has no thread left")
                }
                (self.socket, hasFailed) = (socket, false)
            }
        } catch {
            tell(ApprovalWords.cannotAsk(error.message().what))
        }
        return monitor.locked { socket != nil && !isStopped }
    }

    private func listen() {
        guard let listening = monitor.locked({ socket?.descriptor }) else { return }
        while !isOver {
            var look = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
            guard poll(&look, 1, 250) > 0 else { continue }
            let connection = cprocess_accept(listening)
            guard connection >= 0 else { continue }
            var user = uid_t()
            let isOwn = cprocess_socket_user(connection, &user) != 0 && user == geteuid()
            // An approver that is closed tries again.
            let isServed =
                isOwn && threads.count <= Self.most
                && threads.start { [self] in ApproverConnection(desk: self, stream: ApprovalStream(connection)).run() }
            if !isServed { close(connection) }
        }
    }
}

// What the thread of an approver asks for.
extension ApprovalDesk {
    var isOver: Bool { monitor.locked { isStopped } }

    func arrive() { monitor.locked { approvers += 1 } }
    func leave() { monitor.locked { approvers -= 1 } }

    /// The question whose turn it is.
    func next() -> Waiting? {
        monitor.locked {
            guard let item = waiting.first(where: { !$0.isShown && $0.answer == nil }) else { return nil }
            (item.isShown, item.deadline) = (true, .now + .seconds(seconds))
            return item
        }
    }

    /// The approver has gone: it is another's turn.
    func giveBack(_ item: Waiting) { monitor.locked { item.isShown = false } }

    func end(of item: Waiting) -> ServeAnswer? { monitor.locked { item.answer } }

    /// Takes the person's answer; one for a rule answers all that wait for the same, whose bytes count and not its characters.
    func take(_ answer: ServeAnswer, for item: Waiting) {
        monitor.locked {
            if item.answer == nil { item.answer = answer }
            if item.answer == .yesForRule {
                for other in waiting where other.answer == nil && other.question.isCovered {
                    if other.question.rule.isSame(as: item.question.rule) { other.answer = .yesForRule }
                }
            }
            monitor.tell()
        }
    }
}

/// The connection of one approver, on a thread of its own. It has one question at a time.
struct ApproverConnection {
    let desk: ApprovalDesk
    let stream: ApprovalStream

    /// Until either side has had enough.
    func run() {
        stream.send(.serving(profile: desk.profile, pid: getpid()))
        guard isApprover() else { return }
        desk.arrive()
        defer { desk.leave() }
        while !desk.isOver, !stream.isClosed {
            if let item = desk.next() {
                ask(item)
            } else {
                stream.wait(100)
                // Without a question there is nothing to say.
                if !stream.receive().isEmpty { return }
            }
        }
    }

    private func isApprover() -> Bool {
        let deadline = ContinuousClock.now + .seconds(5)
        while !desk.isOver, !stream.isClosed, ContinuousClock.now < deadline {
            stream.wait(100)
            if let first = stream.receive().first { return first == .approver }
        }
        return false
    }

    private func ask(_ item: ApprovalDesk.Waiting) {
        let left = (item.deadline - .now).components.seconds
        stream.send(.question(item.question, seconds: max(0, left)))
        while true {
            if let end = desk.end(of: item) {
                return stream.send(.ended(id: item.question.id, end))
            }
            guard !desk.isOver, !stream.isClosed else { return desk.giveBack(item) }
            stream.wait(100)
            for case .answer(item.question.id, let answer) in stream.receive() {
                return desk.take(answer, for: item)
            }
        }
    }
}
