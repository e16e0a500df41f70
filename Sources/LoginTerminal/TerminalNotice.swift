internal import CProcess
import LoginWords

/// A line on the terminal that says what is waited for, and is gone afterwards, also if the process is stopped or ended by a
/// signal. It goes to the terminal alone, wherever the program's output goes.
package enum TerminalNotice {
    /// Shows a line, unless a question or another notice is there.
    /// - Returns: whether it stands there now: not without a terminal, nor in the background.
    package static func show(_ text: String) -> Bool { show(text, onlyIfFree: true) }

    /// Writes lines that stay; text of others only as `SafeText` made it fit.
    /// - Returns: whether there is a terminal.
    package static func say(_ lines: [String]) -> Bool {
        guard let terminal = Terminal() else { return false }
        for line in lines { terminal.screen.write(TerminalLook.plain(line) + "\n") }
        return true
    }

    /// Puts the same words there again, if a notice stands there, with something behind them that moves.
    package static func move(_ words: String, _ tail: String) {
        guard let terminal = Terminal() else { return }
        let columns = max(1, terminal.screen.columns - TextWidth.of(tail) - 1)
        let line = TextLine.fitted(TerminalLook.plain(words), columns: columns)
        _ = cprocess_terminal_replace("\r\(line) \(tail)\u{1B}[K")
    }

    /// Takes the line away.
    package static func hide() { cprocess_terminal_disarm() }

    /// - Parameter onlyIfFree: otherwise it takes the place of another.
    @discardableResult
    static func show(_ text: String, onlyIfFree: Bool) -> Bool {
        guard let terminal = Terminal() else { return false }
        let screen = terminal.screen
        let plain = TerminalLook.plain(text)
        // One that wraps could not be taken away.
        let line = screen.emptyLine + TextLine.fitted(plain, columns: screen.columns)
        return cprocess_terminal_show(screen.descriptor, line, screen.emptyLine, onlyIfFree ? 1 : 0) == 0
    }
}
