import CProcess
import Glibc
import Secrets

/// A terminal that is quiet for as long as this value lives: no echo, no line mode, no type-ahead from before; and
/// whatever ends the process puts the settings back first.
struct Conversation: ~Copyable {
    let terminal: Terminal
    let timeout: Int
    let isCancelled: (@Sendable () -> Bool)?
    private let turn: TerminalTurn

    /// Keeps the terminal without echo after this.
    var hold: Hold?

    /// The time for which the terminal stays without echo after a secret was typed.
    enum Hold {
        /// Until the next call of `cprocess_terminal_hide`.
        case untilJudged
        /// Until the process ends or another program gets the terminal; questions and notices do not end it.
        case untilEnd
    }

    /// Waits until no other process asks at the terminal; `nil` if there is none, or none that can be asked.
    /// - Parameters:
    ///   - timeout: in seconds, for the wait and for each line.
    ///   - isCancelled: whether nobody waits for the answer any more.
    /// - Throws: `libraryMissing` without readline; `promptExpired` if another process has asked all that time; `cancelled`.
    init?(timeout: Int, isCancelled: (@Sendable () -> Bool)? = nil) throws(LoginFault) {
        guard let terminal = Terminal() else { return nil }
        try LineReader.open()
        guard let turn = try TerminalTurn(terminal, timeout: timeout, isCancelled),
            cprocess_terminal_arm(terminal.screen.descriptor, Screen.bracketsNoPastes + "\n") == 0
        else { return nil }
        self.terminal = terminal
        self.turn = turn
        self.timeout = timeout
        self.isCancelled = isCancelled
        // What was typed ahead stands there, echoed by the terminal.
        terminal.screen.write(Screen.bracketsPastes + terminal.screen.emptyLine)
    }

    deinit {
        terminal.screen.write(Screen.bracketsNoPastes)
        if let hold { cprocess_terminal_hold(hold == .untilEnd ? 1 : 0) } else { cprocess_terminal_hide() }
    }

    var columns: Int { terminal.screen.columns }

    /// - Parameter isLaidOut: breaks no line.
    func say(_ lines: [String], isLaidOut: Bool = false) {
        let look = TerminalLook(columns: columns)
        for line in lines.flatMap({ $0.split(separator: "\n", omittingEmptySubsequences: false) }) {
            terminal.screen.write((isLaidOut ? String(line) : look.hanging(String(line))) + "\n")
        }
    }

    /// - Parameter field: what is asked for, for the error.
    /// - Returns: `nil` if the person cancelled.
    func read(
        _ label: String, style: LineRequest.Style, for field: CredentialField
    ) throws(LoginFault) -> Secret? {
        switch try line(LineRequest(label: label, style: style, timeout: timeout), for: field) {
        case .typed(let secret): secret
        case .wentBack, .cancelled, .interrupted: nil
        }
    }

    /// One line, as it comes.
    func line(_ question: LineRequest) throws(LineFault) -> Line {
        var question = question
        question.isCancelled = isCancelled
        return try LineReader(terminal: terminal).read(question)
    }

    /// Clears the line that the cursor is in.
    func clearLine() { terminal.screen.clearLine() }

    /// The result of a wait for one key.
    enum Key: Equatable {
        case byte(UInt8)
        /// One of the other descriptors has something to read.
        case other
        /// The process was resumed, or the window was resized.
        case resumed
        case nothing, hungUp
    }

    /// Reads one byte, as the terminal sends it.
    func key(within milliseconds: Int32, beside descriptors: [Int32]) -> Key {
        let seen = descriptors.withUnsafeBufferPointer {
            cprocess_terminal_wait(milliseconds, $0.baseAddress, $0.count)
        }
        if seen & Int32(CPROCESS_RESUMED | CPROCESS_RESIZED) != 0 {
            terminal.screen.write(Screen.bracketsPastes)
            return .resumed
        }
        if seen & Int32(CPROCESS_READABLE) != 0 {
            var byte: UInt8 = 0
            let got = Glibc.read(terminal.screen.descriptor, &byte, 1)
            return got == 1 ? .byte(byte) : got < 0 && errno == EINTR ? .nothing : .hungUp
        }
        return seen & Int32(CPROCESS_OTHER) != 0 ? .other : .nothing
    }

    /// Discards what is typed in this time, and what was typed before.
    /// - Returns: whether anything was typed; `nil` as soon as the screen is not as it was.
    func drop(for milliseconds: Int32) -> Bool? {
        var hasDropped = false
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while end > .now {
            switch key(within: 50, beside: []) {
            case .hungUp: return false
            case .resumed: return nil
            case .byte: hasDropped = true
            case .other, .nothing: continue
            }
        }
        tcflush(terminal.screen.descriptor, TCIFLUSH)
        return hasDropped
    }

    /// Writes a line that stays open, in place of what stood there.
    func prompt(_ line: String) {
        terminal.screen.write(terminal.screen.emptyLine + TextLine.fitted(line, columns: columns))
    }

    /// Rings the terminal's bell.
    func ring() { terminal.screen.write("\u{07}") }

    /// Asks once more, and not without end, where several lines were pasted: nobody knows which of them is meant.
    func line(_ question: LineRequest, for field: CredentialField) throws(LoginFault) -> Line {
        for _ in 1...Self.mostPastes {
            do {
                return try line(question)
            } catch .severalLines {
                say([LineFault.severalLines.words])
            } catch {
                throw Self.loginError(error, field)
            }
        }
        throw Self.loginError(.severalLines, field)
    }

    private static let mostPastes = 3

    private static func loginError(_ fault: LineFault, _ field: CredentialField) -> LoginFault {
        switch fault {
        case .expired(let seconds): .promptExpired(seconds: seconds)
        case .notUTF8: .usage(.invalidUTF8(field))
        case .tooLong:
            .usage(
                "the \(field.shownName) is longer than \(LineBuffer.limit) bytes; nothing was sent"
                    + ([.password, .token].contains(field) ? "; give it by --password-stdin" : ""))
        case .severalLines:
            .usage("the \(field.shownName) was pasted with more than one line; nothing was sent")
        }
    }
}

/// The turn to ask at a terminal, which one process has at a time (`make -j4`, `xargs -P4`): keys of one answer must not end
/// up in another.
struct TerminalTurn: ~Copyable {
    /// Set when the turn is there: until then there is nothing to end.
    private let terminal: Int32

    /// The pause between two looks, in microseconds.
    private static let pause: UInt32 = 50_000

    /// Waits for the turn; `nil` if nobody can be asked.
    /// - Parameter timeout: in seconds.
    init?(_ terminal: Terminal, timeout: Int, _ isCancelled: (@Sendable () -> Bool)?) throws(LoginFault) {
        let end = ContinuousClock.now + .seconds(timeout)
        var isWaiting = false
        var problem = cprocess_terminal_take_turn(terminal.screen.descriptor)
        while problem == EAGAIN {
            if !isWaiting { terminal.sayWaiting() }
            isWaiting = true
            let isOver = isCancelled?() == true
            guard !isOver, .now < end else {
                cprocess_terminal_leave_queue()
                throw isOver ? .cancelled : .promptExpired(seconds: timeout)
            }
            usleep(Self.pause)
            problem = cprocess_terminal_take_turn(terminal.screen.descriptor)
        }
        guard problem == 0 else { return nil }
        self.terminal = terminal.screen.descriptor
    }

    deinit { cprocess_terminal_end_turn() }

    /// Keeps it until `cprocess_terminal_end_turn`.
    consuming func keep() { discard self }
}

extension Terminal {
    /// Says on standard error why nothing goes on, unless that is where the other question stands.
    fileprivate func sayWaiting() {
        guard cprocess_terminal_is_same(screen.descriptor, STDERR_FILENO) == 0 else { return }
        Screen(descriptor: STDERR_FILENO).write(
            "authctl: waiting for another command to finish asking at this terminal\n")
    }
}

extension LineFault {
    /// Said where the same question is asked once more.
    var words: String {
        switch self {
        case .expired: "The time is up."
        case .notUTF8: "The pasted text is not UTF-8; nothing was sent."
        case .tooLong: "The pasted text is too long; nothing was sent."
        case .severalLines: "The pasted text has more than one line; nothing was sent."
        }
    }
}

extension String {
    /// Makes a `String` of typed text that is no secret: a user name. It is valid UTF-8, since the line reader returns nothing else.
    init(shown text: Secret) {
        self = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
