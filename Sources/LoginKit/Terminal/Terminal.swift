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

    /// Whether the locale has more than ASCII: the first of these variables that is set decides (setlocale(3)).
    static var isUnicode: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap { getenv($0) }.first { $0.pointee != 0 }.map { String(cString: $0) } ?? "C"
        return ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
    }

    /// Text of ours, or of others after `SafeText`. A terminal that is gone is noticed when it is read.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
        }
    }

    static var understandsEscapes: Bool {
        guard let name = getenv("TERM") else { return false }
        return strcmp(name, "dumb") != 0 && name.pointee != 0
    }
}
