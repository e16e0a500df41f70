import CProcess
import Glibc

/// The controlling terminal, opened apart from stdin, stdout and stderr so that all three can be piped.
final class Terminal {
    let screen: Screen
    /// The same descriptor, as readline wants it.
    let stream: UnsafeMutablePointer<FILE>

    /// `nil` if the process has no terminal.
    init?() {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        guard let stream = fdopen(descriptor, "r+") else {
            close(descriptor)
            return nil
        }
        self.stream = stream
        screen = Screen(descriptor: descriptor)
    }

    deinit {
        fclose(stream)
    }
}

/// Writes to a terminal that somebody else keeps open.
struct Screen: Sendable {
    let descriptor: Int32

    /// As the terminal reports it; 80 where it reports nothing.
    var columns: Int { TerminalLook.columns(of: descriptor) }

    /// Goes back to the left edge and makes the line empty, whatever stands there.
    func clearLine() { write(emptyLine) }

    var emptyLine: String {
        if Self.understandsEscapes { return "\r\u{1B}[K" }
        return "\r" + String(repeating: " ", count: max(0, columns - 1)) + "\r"
    }

    /// Asks the terminal to tell pasted text from keys, and to do so no more: xterm's mode 2004.
    static var bracketsPastes: String { understandsEscapes ? "\u{1B}[?2004h" : "" }
    static var bracketsNoPastes: String { understandsEscapes ? "\u{1B}[?2004l" : "" }

    /// Text of ours, or of others after `SafeText`. A terminal that is gone is noticed when it is read.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = UnsafeRawBufferPointer($0).writeAll(to: descriptor) }
    }

    fileprivate static var understandsEscapes: Bool {
        guard let name = getenv("TERM") else { return false }
        return strcmp(name, "dumb") != 0 && name.pointee != 0
    }
}

/// The abilities of a terminal.
struct TerminalLook: Equatable, Sendable {
    /// Characters in a line.
    var columns: Int = 80
    /// Whether there is more than ASCII.
    var isUnicode: Bool = Self.isUnicode
    /// Whether it obeys escape sequences, colours among them, even where the person wants no coloured words.
    var hasColors: Bool = false

    /// The look of the controlling terminal; `nil` if there is none.
    static var current: TerminalLook? {
        guard let terminal = Terminal() else { return nil }
        return TerminalLook(columns: terminal.screen.columns, hasColors: Screen.understandsEscapes)
    }

    /// Sentences without a word that is broken at the edge. What is to be copied is no sentence.
    func wrapped(_ lines: [String]) -> [String] {
        let look = TextLook(columns: columns, hasColors: false, isUnicode: isUnicode, isSeen: true)
        return lines.flatMap { look.text(StyledText($0)).split(separator: "\n", omittingEmptySubsequences: false) }
            .map { String($0) }
    }

    /// As much of a line as leaves the last column free: what wraps would stand at the left edge, where it could pass for a line of ours.
    func fitted(_ line: String) -> String { TextLine.fitted(line, columns: columns) }

    /// A line in as many as it needs, of which only the first begins at the left edge: what another began there could pass for a
    /// line of ours. Where blanks may mean something, it is left as it is.
    func hanging(_ line: String) -> String {
        let text = StyledText(line), look = TextLook.plain
        let indentation = line.prefix { $0 == " " }.count
        guard TextWidth.of(line) > columns, !line.dropFirst(indentation).contains("  ") else { return line }
        guard indentation == 0 else { return wrapped([line]).joined(separator: "\n") }
        return look.text(text.wrapped(for: look, columns: columns - 2, below: 2))
    }

    /// The width of the terminal behind a descriptor, as it reports them; 80 where it reports nothing.
    static func columns(of descriptor: Int32) -> Int { size(of: descriptor).columns }

    /// Its height as well; 24 where it reports nothing.
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (80, 24) }
        return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Whether the locale has more than ASCII: the first of these variables that is set decides (setlocale(3)).
    static var isUnicode: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap { getenv($0) }.first { $0.pointee != 0 }.map { String(cString: $0) } ?? "C"
        return ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
    }

    /// The lines about a refusal, with its mark where the locale has it.
    static func refused(_ lines: [String]) -> [String] {
        guard isUnicode, let first = lines.first else { return lines }
        return ["✗ \(first)"] + lines.dropFirst()
    }

    /// A line with the ellipsis that the locale has.
    static func plain(_ line: String) -> String { isUnicode ? line : line.replacing("…", with: "...") }
}

/// The key that cancels a question.
enum CancelKey: String {
    case interrupt = "Ctrl-C", end = "Ctrl-D"

    /// The first does nothing where SIGINT is ignored, as below nohup or in the background of a script.
    static var working: CancelKey { cprocess_was_ignored(SIGINT) == 0 ? .interrupt : .end }

    /// Stands behind a notice, during which no key is read.
    static var hint: String { working == .interrupt ? " (Ctrl-C cancels)" : "" }
}

/// A line on the terminal that says what is waited for, and is gone afterwards, also if the process is stopped or ended by a
/// signal. It goes to the terminal alone, wherever the program's output goes.
enum TerminalNotice {
    /// Writes lines that stay; text of others only as `SafeText` made it fit.
    /// - Returns: whether there is a terminal.
    static func say(_ lines: [String]) -> Bool {
        guard let terminal = Terminal() else { return false }
        for line in lines { terminal.screen.write(TerminalLook.plain(line) + "\n") }
        return true
    }

    /// Puts the same words there again, if a notice stands there, with something behind them that moves.
    /// - Parameter tail: for a terminal that obeys escape sequences.
    static func move(_ tail: String) {
        _ = cprocess_terminal_move("\(String(tail.prefix(room - 1)))\u{1B}[K")
    }

    /// Columns for what moves and the blank before it.
    private static let room = 12

    /// Takes the line away.
    static func hide() { cprocess_terminal_hide() }

    /// Shows a line.
    /// - Parameter onlyIfFree: unless a question or another notice is there; otherwise it takes the place of the notice.
    /// - Returns: whether it stands there now: not without a terminal, nor in the background.
    @discardableResult
    static func show(_ text: String, onlyIfFree: Bool = true) -> Bool {
        guard let terminal = Terminal() else { return false }
        let screen = terminal.screen
        let plain = TerminalLook.plain(text)
        // One that wraps could not be taken away.
        let line = screen.emptyLine + TextLine.fitted(plain, columns: max(room, screen.columns - room))
        return cprocess_terminal_show(screen.descriptor, line, screen.emptyLine, onlyIfFree ? 1 : 0) == 0
    }
}
