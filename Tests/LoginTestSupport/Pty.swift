import CProcess
import Foundation

/// A program on a real pseudo-terminal of its own, with this process at the keyboard and the screen.
final class Pty {
    /// Seconds; generous, since the machine may be busy, and a test that passes never waits for it.
    static let patience = 60.0

    let child: Child
    /// Every byte that the terminal showed.
    private(set) var transcript: [UInt8] = []
    private var master: Int32
    /// Kept open, so that settings and output survive the child.
    private var slave: Int32
    private var searched = 0

    /// TIOCGPTPEER, ioctl_tty(2): a macro that Swift does not see.
    private static let openPeer: UInt = 0x5441

    init(_ spec: ChildSpec, rows: UInt16 = 24, columns: UInt16 = 80) throws {
        var pid: Int32 = 0, master: Int32 = -1
        let problem = spec.withC { cprocess_spawn_on_pty($0, rows, columns, &pid, &master) }
        guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EINVAL) }
        self.master = master
        child = Child(pid: pid)
        slave = ioctl(master, Self.openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
    }

    deinit {
        hangUp()
    }

    // MARK: The keyboard

    func type(_ text: String) { type(bytes: Array(text.utf8)) }

    func type(bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(master, $0.baseAddress, min($0.count, 1024)) }
            // A key must not be lost for a terminal that is busy.
            if written < 0, errno == EINTR || errno == EAGAIN {
                pump(milliseconds: 5)
                continue
            }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
            pump(milliseconds: 0)
        }
    }

    /// Types one key after the other, as a person does, each after the program has had time to answer.
    func typeSlowly(_ text: String) {
        for scalar in text.unicodeScalars {
            type(String(scalar))
            pump(milliseconds: 15)
        }
    }

    /// Types keys of several bytes, each in one piece, as a terminal sends them.
    func type(keys: [String], pause milliseconds: Int32) {
        for key in keys {
            type(key)
            watch(milliseconds: milliseconds)
        }
    }

    /// Closes the terminal under the program, as a lost connection does.
    func hangUp() {
        if slave >= 0 { close(slave) }
        if master >= 0 { close(master) }
        (master, slave) = (-1, -1)
    }

    func resize(rows: UInt16 = 24, columns: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    // MARK: The screen

    var text: String { String(decoding: transcript, as: UTF8.self) }

    /// Waits until `text` has been shown after what was waited for before.
    @discardableResult
    func wait(for text: String, within seconds: Double = Pty.patience) throws -> Self {
        let wanted = Array(text.utf8), deadline = Date(timeIntervalSinceNow: seconds)
        var isLast = false
        while true {
            if let end = firstEnd(of: wanted, from: searched) {
                searched = end
                return self
            }
            guard !isLast else { throw DeadlineExceeded(waitingFor: text, seen: self.text) }
            // The machine may have stood still while the clock went on: then the program has not had its time.
            isLast = deadline.timeIntervalSinceNow <= 0
            pump(milliseconds: isLast ? 2000 : 20)
        }
    }

    /// Waits until the program has ended, and reads what it showed last.
    @discardableResult
    func waitForEnd(within seconds: Double = Pty.patience) throws -> Ending {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while !child.hasEnded() {
            guard deadline.timeIntervalSinceNow > 0 else { throw DeadlineExceeded(waitingFor: "its end", seen: text) }
            if master >= 0 { pump(milliseconds: 5) } else { usleep(5000) }
        }
        pump(milliseconds: 0)
        guard let ending = child.ending else { throw DeadlineExceeded(waitingFor: "its end", seen: text) }
        return ending
    }

    /// Reads for so long, for tests that something does *not* appear.
    func watch(milliseconds: Int32) {
        let deadline = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
        while deadline.timeIntervalSinceNow > 0 { pump(milliseconds: 10) }
    }

    // MARK: The settings

    /// What every new one is set to: a program that was started on it may have changed that before anybody looks.
    static let usualSettings: [UInt8] = {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(master) }
        return settings(of: master)
    }()

    /// The terminal's settings, byte for byte.
    var settings: [UInt8] { Self.settings(of: slave) }

    private static func settings(of terminal: Int32) -> [UInt8] {
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { return [] }
        return withUnsafeBytes(of: &settings) { Array($0) }
    }

    /// How many bytes were typed that nobody has read.
    var unread: Int {
        var count: Int32 = 0
        return ioctl(slave, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
    }

    var echoes: Bool {
        var settings = termios()
        return tcgetattr(slave, &settings) == 0 && settings.c_lflag & UInt32(ECHO) != 0
    }

    private func firstEnd(of wanted: [UInt8], from start: Int) -> Int? {
        guard transcript.count >= start + wanted.count else { return nil }
        for offset in start...(transcript.count - wanted.count)
        where transcript[offset..<offset + wanted.count].elementsEqual(wanted) {
            return offset + wanted.count
        }
        return nil
    }

    private func pump(milliseconds: Int32) {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        var patience = milliseconds
        while poll(&waiting, 1, patience) > 0, waiting.revents & Int16(POLLIN) != 0 {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let got = read(master, &bytes, bytes.count)
            guard got > 0 else { return }
            transcript += bytes[..<got]
            patience = 0
        }
    }
}
