import Glibc
import LoginKit

/// A line on the terminal about a transfer that takes long, gone when it is over.
final class TransferProgress: TransferWatcher {
    private let streams: Streams
    private let columns: Int
    private var start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private var done: Int64 = 0
    private var whole: Int64?

    /// Seconds before the line appears; shorter transfers have none.
    private static let patience = Duration.seconds(1)
    private static let pace = Duration.milliseconds(200)

    /// - Parameter columns: of the terminal.
    init(_ streams: Streams, columns: Int) {
        self.streams = streams
        self.columns = columns
    }

    /// Another body begins.
    /// - Parameter count: in bytes; `nil` if it is not known.
    func expect(_ count: Int64?) {
        (whole, done, start) = (count, 0, ContinuousClock.now)
    }

    func advance(by count: Int) {
        done += Int64(count)
        let now = ContinuousClock.now
        guard now - start > Self.patience, lastDrawn.map({ now - $0 > Self.pace }) ?? true else { return }
        lastDrawn = now
        let seconds = max((now - start) / .seconds(1), 0.001)
        draw(ProgressLine(done: done, whole: whole, seconds: seconds).text(columns: columns))
    }

    func end() {
        if lastDrawn != nil { draw("") }
        lastDrawn = nil
    }

    /// Carriage return, the line, and what is left of the one before erased.
    private func draw(_ line: String) {
        // A standard error that is gone is no reason to fail.
        try? streams.send("\r\(line)\u{1B}[K", to: STDERR_FILENO)
    }
}

/// The progress of a transfer, in one line.
struct ProgressLine {
    let done: Int64
    let whole: Int64?
    let seconds: Double

    private var speed: Double { Double(done) / seconds }

    func text(columns: Int) -> String {
        let pace = "\(Self.size(speed))/s"
        guard let whole, whole > 0 else { return fitted("\(Self.size(Double(done)))  \(pace)", columns) }
        let share = min(Double(done) / Double(whole), 1)
        // The length is the server's word: it may be beyond all times.
        let seconds = speed > 0 ? (Double(whole - done) / speed).rounded(.up) : .infinity
        let left = seconds < 100 * 86_400 ? Duration.inWords(Int64(seconds)) : "?"
        let percent = "\(Int(share * 100))%"
        let words = "\(percent) of \(Self.size(Double(whole)))  \(pace)  \(left) left"
        // As wide as with three digits, so that the bar stands still.
        let gap = String(repeating: " ", count: 6 - percent.count)
        let room = min(columns - 1 - gap.count - words.count - 2, 40)
        guard room >= 10 else { return fitted(words, columns) }
        let full = Int(share * Double(room))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: room - full)
        return "[\(bar)]\(gap)\(words)"
    }

    private func fitted(_ text: String, _ columns: Int) -> String { String(text.prefix(max(0, columns - 1))) }

    /// In units of a thousand, with three digits.
    static func size(_ count: Double) -> String {
        var value = count, unit = 0
        let units = ["B", "kB", "MB", "GB", "TB"]
        while value >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        let tenths = Int((value * 10).rounded())
        return value < 99.95 && unit > 0
            ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(Int(value.rounded())) \(units[unit])"
    }
}
