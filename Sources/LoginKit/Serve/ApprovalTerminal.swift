import LoginCore

/// The terminal of `authctl approve`: quiet for as long as this lives, with single keys instead of lines, so that nothing that
/// was typed or pasted before a question answers it.
final class ApprovalTerminal {
    /// What has ended a wait.
    enum Reply: Equatable {
        case answered(ServeAnswer)
        /// Ctrl-D, or the terminal is gone.
        case cancelled
        /// One of the others wants to be looked at, or the time is up.
        case interrupted
        /// The question has to be shown again: the window has another size, or something else was on the screen.
        case disturbed
    }

    private let conversation: Conversation
    private var keys = ApprovalKeys()
    private var last = ContinuousClock.now
    /// Milliseconds in which a question is only read; what is typed meanwhile is dropped. The last question may have gone just before
    /// its answer was typed.
    private static let pause: Int32 = 1000

    /// - Returns: `nil` if there is no terminal.
    init?() {
        guard let conversation = Conversation(timeout: 0) else { return nil }
        self.conversation = conversation
    }

    /// Writes lines; text of others only as `SafeText` made it fit.
    func say(_ lines: [String]) { conversation.say(lines.map { TerminalLook.plain($0) }) }

    /// Waits without a question; keys are dropped.
    func idle(_ milliseconds: Int32, beside descriptors: [Int32]) -> Reply {
        switch conversation.key(within: milliseconds, beside: descriptors) {
        case .byte(0x04), .hungUp: .cancelled
        case .byte, .other, .nothing, .resumed: .interrupted
        }
    }

    /// Shows a question that is laid out for the screen as it is now, rings the bell, and drops what was typed so far.
    func begin(_ lines: (ApprovalScreen) -> [String]) {
        repeat {
            conversation.clearLine()
            let size = TerminalLook.size(of: conversation.terminal.screen.descriptor)
            let screen = ApprovalScreen(columns: size.columns, rows: size.rows, isUnicode: TerminalLook.isUnicode)
            conversation.say(lines(screen), isLaidOut: true)
            conversation.ring()
        } while !conversation.drop(for: Self.pause)
        keys = ApprovalKeys()
        draw()
    }

    /// Takes the question away that stands there.
    func end(_ line: String) {
        conversation.clearLine()
        say([line])
    }

    /// Waits for the answer.
    func read(beside descriptors: [Int32]) -> Reply {
        while true {
            switch conversation.key(within: 1000, beside: descriptors) {
            case .nothing, .other: return .interrupted
            case .hungUp: return .cancelled
            case .resumed: return .disturbed
            case .byte(let byte):
                let now = ContinuousClock.now
                let gap = Int((now - last) / .milliseconds(1))
                last = now
                switch keys.take(byte, after: gap) {
                case .none: draw()
                case .answered(let answer): return .answered(answer)
                case .cancelled: return .cancelled
                case .unclear:
                    conversation.clearLine()
                    say([ApprovalWords.unclear])
                    draw()
                }
            }
        }
    }

    private func draw() { conversation.prompt(ApprovalWords.label + (keys.letter.map { "\($0)" } ?? "")) }
}
