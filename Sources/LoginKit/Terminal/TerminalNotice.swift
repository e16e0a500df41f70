import CProcess

/// A line on the terminal that says what is waited for, and is gone afterwards, also if the process is stopped or ended by a
/// signal. It goes to the terminal alone, wherever the program's output goes.
enum TerminalNotice {
    /// Shows a line, unless a question or another notice is there.
    /// - Returns: whether it stands there now: not without a terminal, nor in the background.
    static func show(_ text: String) -> Bool { show(text, onlyIfFree: true) }

    /// Writes lines that stay; text of others only as `SafeText` made it fit.
    /// - Returns: whether there is a terminal.
    package static func say(_ lines: [String]) -> Bool {
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

    /// - Parameter onlyIfFree: otherwise it takes the place of another.
    @discardableResult
    static func show(_ text: String, onlyIfFree: Bool) -> Bool {
        guard let terminal = Terminal() else { return false }
        let screen = terminal.screen
        let plain = TerminalLook.plain(text)
        // One that wraps could not be taken away.
        let line = screen.emptyLine + TextLine.fitted(plain, columns: max(room, screen.columns - room))
        return cprocess_terminal_show(screen.descriptor, line, screen.emptyLine, onlyIfFree ? 1 : 0) == 0
    }
}
