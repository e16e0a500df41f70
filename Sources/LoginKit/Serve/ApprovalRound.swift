package import LoginCore

/// `authctl approve`: shows one question at a time, until the person has had enough.
package struct ApprovalRound {
    private let approver: Approver
    private let terminal: ApprovalTerminal
    private let profile: String?
    private let context: LoginContext

    /// - Parameter profile: whose questions; `nil` for all.
    /// - Throws: `usage` if there is no terminal.
    package init(_ context: LoginContext, profile: String?) throws(LoginFault) {
        guard context.mayAsk, let terminal = ApprovalTerminal() else {
            throw .usage(.other(ApprovalWords.needsTerminal))
        }
        (self.context, self.profile, self.terminal) = (context, profile, terminal)
        approver = Approver(RuntimeFolder(context.dependencies.environment, context.paths), profile: profile)
    }

    /// - Throws: `cancelled` for Ctrl-D; Ctrl-C ends the process.
    package func run() throws(LoginFault) {
        terminal.say([ApprovalWords.ready(profile)])
        var hasWarned = false
        while true {
            try approver.look()
            approver.receive()
            if approver.hasMetOtherVersion, !hasWarned {
                hasWarned = true
                terminal.say([ApprovalWords.otherVersion])
            }
            if let pending = approver.next {
                try ask(pending)
            } else if terminal.idle(1000, beside: approver.descriptors) == .cancelled {
                throw .cancelled
            }
        }
    }

    private func ask(_ pending: Approver.Pending) throws(LoginFault) {
        show(pending)
        while true {
            approver.receive()
            if case .over(let end) = approver.change(of: pending) { return terminal.end(ApprovalWords.ended(end)) }
            switch terminal.read(beside: approver.descriptors) {
            case .cancelled: throw .cancelled
            case .interrupted: try approver.look()
            case .disturbed: show(pending)
            case .answered(let answer):
                approver.receive()
                if case .over(let end) = approver.change(of: pending) { return terminal.end(ApprovalWords.ended(end)) }
                approver.answer(pending, answer)
                return terminal.end(ApprovalWords.result(answer))
            }
        }
    }

    private func show(_ pending: Approver.Pending) {
        terminal.begin { $0.lines(of: pending.question, profile: pending.profile, pid: pending.pid) }
    }
}
