import CProcess
import Glibc
import Secrets
import Synchronization

/// A question for one line, and the look of its answer.
struct LineRequest: Sendable {
    enum Style: Sendable {
        /// The text can be seen and edited.
        case shown
        /// One mark for each character, or nothing at all.
        case masked(Cell?)
    }

    let label: String
    let style: Style
    /// In seconds, for the line.
    let timeout: Int
    /// Whether Ctrl-U twice leads back to the question before.
    var mayGoBack = false
    /// Asked about ten times a second: whether nobody waits for the answer any more.
    var isCancelled: (@Sendable () -> Bool)?
    /// The most that may be typed, in bytes.
    var limit = LineBuffer.limit
    /// When the time is up, also for who was stopped meanwhile; `timeout` does not count then.
    var until: ContinuousClock.Instant?
    /// Other events that interrupt the line.
    var beside: OtherWait?
    /// The text that was typed before the line was interrupted.
    var rest: LineRest?
    /// Whether several pasted lines are one.
    var joinsLines = false

    var isShown: Bool { if case .shown = style { true } else { false } }
}

/// The end of a line.
enum LineEnding: Equatable, Sendable {
    case accepted, cancelled, wentBack, hungUp, expired, interrupted
}

/// The part of an interrupted line with which the same question goes on.
struct LineRest: Sendable {
    let text: Secret
    let paste: Paste
    let isOverfull: Bool
}

/// One line while it is being typed: everything but the text, which lies in readline's buffer.
struct LineSession: Sendable {
    let question: LineRequest
    let screen: Screen
    /// The part of the line that is on the screen.
    var drawn = ScreenLine()
    private(set) var ending: LineEnding?
    /// Whether more was typed than there is room for.
    var isOverfull = false
    /// The number of processes that wait to ask at the same terminal.
    var waiting = 0
    /// Keys that were read but belong to what follows.
    var pushedBack: [UInt8] = []
    var paste = Paste()
    /// The last two keys.
    private var keys: (before: UInt8, now: UInt8) = (0, 0)
    var lastKey = ContinuousClock.now
    private var deadline: ContinuousClock.Instant

    init(_ question: LineRequest, on screen: Screen) {
        self.question = question
        self.screen = screen
        deadline = question.until ?? .now + .seconds(question.timeout)
        paste.joinsLines = question.joinsLines
        guard let rest = question.rest else { return }
        paste = rest.paste
        isOverfull = rest.isOverfull
    }

    var label: String { waiting == 0 ? question.label : "(\(waiting) more waiting) \(question.label)" }

    /// The events that may interrupt the line now: none in the middle of a paste, unless its end was lost.
    var beside: OtherWait? {
        guard paste.isOpen, let beside = question.beside else { return question.beside }
        let end = lastKey + Paste.longestGap
        return end <= .now ? beside : OtherWait(descriptors: [], due: end)
    }

    var millisecondsLeft: Int32 { deadline.millisecondsLeft }

    /// Gives a person who comes back to a stopped question all the time again.
    mutating func restartClock() {
        deadline = question.until ?? .now + .seconds(question.timeout)
    }

    mutating func takePushedBack() -> UInt8? {
        pushedBack.isEmpty ? nil : pushedBack.removeFirst()
    }

    /// - Returns: whether the byte is one for the line.
    mutating func takes(_ byte: UInt8) -> Bool {
        let now = ContinuousClock.now
        // Its end was lost: Enter has to be Enter again.
        if paste.isOpen, now - lastKey > Paste.longestGap { paste.isOpen = false }
        (lastKey, keys) = (now, (keys.now, byte))
        return paste.takes(byte)
    }

    /// Whether this key came twice in a row, in a line that may be left by it.
    func leadsBack(_ key: Int32) -> Bool {
        question.mayGoBack && key == 0x15 && keys == (0x15, 0x15)
    }

    /// Whether the line stands there still, for whoever asked to take it away.
    var leavesLine: Bool { ending == .interrupted || ending == .expired && question.beside != nil }

    /// The first end is the end: readline turns the end of input into an Enter where something was typed.
    mutating func end(_ how: LineEnding) {
        if ending == nil { ending = how }
    }
}

/// The line that readline is working on.
///
/// The one static variable of the Swift part. Readline calls functions of C that get a key and nothing else, so what
/// belongs to the line (the mask, the deadline, what is on the screen) has to be found in a known place. It is set for
/// the time of one call of `readline` and never holds what was typed.
enum CurrentLine {
    private static let session = Mutex<LineSession?>(nil)

    static func begin(_ question: LineRequest, on screen: Screen) {
        session.withLock { $0 = LineSession(question, on: screen) }
    }

    static func finish() -> LineSession? {
        session.withLock { session in
            defer { session = nil }
            return session
        }
    }

    /// `nil` outside of `begin` and `finish`.
    static func with<Result: Sendable>(_ body: (inout LineSession) -> Result) -> Result? {
        session.withLock { session in
            guard var current = session else { return nil }
            defer { session = current }
            return body(&current)
        }
    }
}

/// Text that the terminal brackets as pasted (xterm's mode 2004): in it nothing is a key, Enter least of all.
struct Paste: Sendable {
    /// The longest gap within a paste; bytes after it were typed.
    static let longestGap = Duration.seconds(1)
    /// The sequences before and behind it, without the Escape.
    static let marks = ["[200~", "[201~"]
    /// The longest gap within one of them, in milliseconds.
    static let longestCut: Int32 = 1000

    var isOpen = false {
        didSet { lineEnd = .none }
    }
    /// Whether text follows a line break.
    var hasSeveralLines = false
    /// Whether line breaks are left out wherever they are: a terminal wraps a long address, and a mail does, too.
    var joinsLines = false

    private enum LineEnd { case none, one(UInt8), pair }
    private var lineEnd = LineEnd.none

    /// A line break is passed over: what is copied often ends with one.
    /// - Returns: whether the byte is one for the line.
    mutating func takes(_ byte: UInt8) -> Bool {
        guard isOpen, byte != 0x1B else { return true }
        if joinsLines, [UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte) { return false }
        switch (byte, lineEnd) {
        case (UInt8(ascii: "\n"), .one(UInt8(ascii: "\r"))):
            lineEnd = .pair
        case (UInt8(ascii: "\r"), .none), (UInt8(ascii: "\n"), .none):
            lineEnd = .one(byte)
        case (0..<0x20, .none), (0x7F, .none):
            break
        case (0..<0x20, _), (0x7F, _):
            hasSeveralLines = true
        case (_, .none):
            return true
        case (_, .one), (_, .pair):
            hasSeveralLines = true
            return true
        }
        return false
    }
}
