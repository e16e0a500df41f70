import CReadline
import Glibc
import Secrets

/// The text that a person typed in one line.
enum Line {
    case typed(Secret)
    /// Back to the question before.
    case wentBack
    case cancelled
    /// Something else happened; the line still stands there.
    case interrupted(LineRest)
}

/// The reason why a line is of no use.
enum LineFault: Error {
    case expired(seconds: Int)
    case tooLong
    case notUTF8
    /// More than one was pasted.
    case severalLines
}

/// Has readline read one line from a terminal that is already quiet.
struct LineReader {
    /// Debian's package libreadline8.
    private static let library = "libreadline.so.8"

    let terminal: Terminal

    /// Opens readline, which a line is read with.
    static func open() throws(LoginFault) {
        if let problem = creadline_open(library) { throw .failure(.libraryMissing(String(cString: problem))) }
    }

    func read(_ question: LineRequest) throws(LineFault) -> Line {
        Self.initializeReadline()
        guard let keymap = KeyBindings.makeKeymap(editable: question.isShown) else { return .cancelled }
        defer { creadline_free_keymap(keymap) }
        CurrentLine.begin(question, on: terminal.screen)
        LineDisplay.begin(question.label, on: terminal.screen)
        let typed = Self.run(settings(keymap))
        let session = CurrentLine.finish()
        if session?.leavesLine != true { terminal.screen.write("\n") }
        return try Self.line(typed, of: session, timeout: question.timeout)
    }

    private static func run(_ settings: creadline_settings) -> UnsafeMutablePointer<CChar>? {
        let before = creadline_exchange(settings)
        let typed = creadline_read()
        // It would be drawn once more in the clean-up.
        creadline_set_redisplay {}
        creadline_forget_line()
        LineBuffer().wipe()
        _ = creadline_exchange(before)
        return typed
    }

    private func settings(_ keymap: Keymap) -> creadline_settings {
        creadline_settings(
            input: terminal.stream, output: terminal.stream, keymap: keymap,
            read_key: { stream in stream.map { KeyReader.read(from: fileno($0)) } ?? EOF },
            redisplay: { LineDisplay.draw() },
            // Settings and signals are CProcess's, from before the first question to after the last.
            prepare_terminal: { _ in }, restore_terminal: {},
            start: {
                insertProposal(); return 0
            },
            catches_signals: 0, catches_resize: 0, inhibits_completion: 1)
    }

    /// Takes the line over into guarded memory, and wipes what readline made of it.
    private static func line(
        _ typed: UnsafeMutablePointer<CChar>?, of session: LineSession?, timeout: Int
    ) throws(LineFault) -> Line {
        let bytes = UnsafeMutableRawBufferPointer(start: typed, count: typed.map { strlen($0) } ?? 0)
        defer {
            if let typed { explicit_bzero(typed, bytes.count) }
            free(typed)
        }
        switch session?.ending {
        case .expired: throw .expired(seconds: timeout)
        case .cancelled, .hungUp, nil: return .cancelled
        case .wentBack: return .wentBack
        case .accepted: break
        case .interrupted:
            let text = Secret(copying: UnsafeRawBufferPointer(bytes))
            return .interrupted(
                LineRest(text: text, paste: session?.paste ?? Paste(), isOverfull: session?.isOverfull ?? false))
        }
        guard session?.paste.hasSeveralLines == false else { throw .severalLines }
        guard session?.isOverfull == false else { throw .tooLong }
        let text = Secret(copying: UnsafeRawBufferPointer(bytes))
        guard text.isUTF8 else { throw .notUTF8 }
        return .typed(text)
    }

    /// A person's inputrc may bind keys to text, start macros or name a pipe; none of it is for a password (P18).
    private static func initializeReadline() {
        let before = getenv("INPUTRC").map { String(cString: $0) }
        setenv("INPUTRC", "/dev/null", 1)
        creadline_initialize()
        if let before { setenv("INPUTRC", before, 1) } else { unsetenv("INPUTRC") }
        // Each of them is on, or may be, without an inputrc. A byte of a character is a key, never Escape and a letter.
        let variables = [
            ("enable-bracketed-paste", "off"), ("disable-completion", "on"), ("echo-control-characters", "off"),
            ("bell-style", "none"), ("bind-tty-special-chars", "off"), ("convert-meta", "off"), ("input-meta", "on"),
        ]
        for (name, value) in variables { creadline_set_variable(name, value) }
        LineBuffer().prepare()
    }
}

/// Called by readline when the line is ready, before the first key.
private func insertProposal() {
    guard let question = CurrentLine.with(\.question) else { return }
    question.rest?.text.withUnsafeBytes { bytes in
        for byte in bytes where !LineBuffer().insert(byte, limit: question.limit) { return }
    }
}
