import Secrets

/// The question for an address that a browser may bring as well: the terminal is quiet for as long as this lives, and what was typed
/// so far stays when something else has to be looked at.
final class AddressQuestion {
    /// The end of a line.
    enum Reply {
        case typed(Secret)
        case cancelled
        /// The time is up.
        case expired
        /// One of the others wants to be looked at. The line still stands there.
        case interrupted
    }

    private let conversation: Conversation
    private let mask: Cell?
    private var rest: LineRest?
    private var isDrawn = false

    /// - Parameter mask: as for `TerminalPrompt`.
    /// - Throws: `loginRequired` if there is no terminal.
    init(mask: String = "*", isCancelled: (@Sendable () -> Bool)? = nil) throws(LoginFault) {
        let prompt = TerminalPrompt(mask: mask, isCancelled: isCancelled)
        self.mask = prompt.mask
        conversation = try prompt.begin(missing: [])
    }

    deinit {
        clear()
    }

    /// Columns of the terminal.
    var columns: Int { conversation.columns }

    /// Writes lines above the question; text of others only as `SafeText` made it fit.
    func say(_ lines: [String]) {
        clear()
        conversation.say(lines.map { TerminalLook.plain($0) })
    }

    /// Takes the question away without a trace.
    func clear() {
        if isDrawn { conversation.clearLine() }
        isDrawn = false
    }

    /// Asks, or goes on asking. What cannot be an address is said, and asked for again.
    /// - Parameters:
    ///   - label: what stands before the answer; it has to fit in a line.
    ///   - deadline: it does not move, whatever is typed.
    func read(_ label: String, until deadline: ContinuousClock.Instant, beside others: OtherWait) -> Reply {
        while true {
            var line = LineRequest(label: label, style: .masked(mask), timeout: 0)
            (line.limit, line.until, line.beside, line.rest) = (LineBuffer.capacity, deadline, others, rest)
            line.joinsLines = true
            clear()
            rest = nil
            do {
                switch try conversation.line(line) {
                case .typed(let text): return .typed(text)
                case .wentBack, .cancelled: return .cancelled
                case .interrupted(let rest):
                    (self.rest, isDrawn) = (rest, true)
                    return .interrupted
                }
            } catch .expired {
                isDrawn = true
                return .expired
            } catch {
                conversation.say([error.words])
            }
        }
    }
}
