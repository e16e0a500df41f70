import Glibc
import LoginCore

/// The connection of one approver, on a thread of its own. It has one question at a time.
final class ApproverConnection {
    private let desk: ApprovalDesk
    private let stream: ApprovalStream

    /// - Parameter descriptor: taken over.
    init(_ desk: ApprovalDesk, _ descriptor: Int32) {
        (self.desk, stream) = (desk, ApprovalStream(descriptor))
    }

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
