import Glibc
import LoginKit

/// Where the bytes of an answer end up: standard output, exact in a pipe, readable and harmless on a terminal, or a file.
final class BodyWriter: ResponseReceiver {
    private let streams: Streams
    private var file: OutputFile?
    private var filter: TerminalFilter?
    /// Whether the terminal's last line has text: the prompt of a shell would stand behind it.
    private var isWithinLine = false
    /// Whether the person said by `-o -` that a terminal is to show whatever comes.
    private let isForced: Bool
    private var head: HTTPResponse?
    /// JSON for a terminal, until it is whole; `nil` for anything else.
    private var json: [UInt8]?

    /// Longer JSON is shown as it comes, in bytes.
    private static let longestJSON = 1 << 20

    /// - Parameters:
    ///   - path: of a file; nothing or `-` for standard output.
    ///   - isTerminal: whether standard output is one.
    ///   - patience: how long one wait for the reader of a named pipe may take, in seconds.
    /// - Throws: `usage` for a file that cannot be written to, which is better known before anything is sent.
    init(_ streams: Streams, path: String?, isTerminal: Bool, patience: Int) throws(LoginFault) {
        self.streams = streams
        if let path, path != "-" { file = try OutputFile(path, patience: patience) }
        filter = file?.isTerminal ?? isTerminal ? TerminalFilter() : nil
        isForced = path != nil
    }

    /// Whether a person sees the bytes as they come.
    var isShownOnTerminal: Bool { filter != nil }

    func begin(_ head: HTTPResponse) {
        self.head = head
        json = isShownOnTerminal && head.isJSON ? [] : nil
    }

    /// - Throws: `failure` for binary data at a terminal, unless `-o -` asks for it.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        guard filter != nil else { return try send(bytes) }
        if !isForced, bytes.contains(0) { throw refusal }
        guard let collected = json else { return try show(filter?.shown(bytes) ?? []) }
        json = nil
        let all = collected + bytes
        if all.count <= Self.longestJSON {
            json = all
        } else {
            try all.lend { (all) throws(LoginFault) in try write(all) }
        }
    }

    /// No text has a NUL in it.
    private var refusal: LoginFault {
        let status = head.map { " (status \($0.status))" } ?? ""
        return .failure(
            """
            the request was sent, but its response\(status) is binary and is not shown on a terminal; to save the \
            response of another request, use -o FILE
            """)
    }

    private func showJSON() throws(LoginFault) {
        guard let body = json.take() else { return }
        try (JSONLayout.text(body) ?? body).lend { (bytes) throws(LoginFault) in try write(bytes) }
    }

    private func show(_ text: [UInt8]) throws(LoginFault) {
        guard let last = text.last else { return }
        isWithinLine = last != UInt8(ascii: "\n")
        try send(text)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        if let file { return try file.write(bytes) }
        try streams.write(STDOUT_FILENO, bytes)
    }

    private func send(_ bytes: [UInt8]) throws(LoginFault) {
        try bytes.lend { (bytes) throws(LoginFault) in try send(bytes) }
    }

    /// An answer without a byte makes an empty file too.
    func finish() throws(LoginFault) {
        try showJSON()
        try file?.write(UnsafeRawBufferPointer(start: nil, count: 0))
        if let rest = filter?.rest() { try show(rest) }
        try endLine()
    }

    /// Whether an answer has come or not. What is said next does not stand behind one that broke off.
    func close() {
        try? showJSON()
        try? endLine()
        file?.close()
    }

    private func endLine() throws(LoginFault) {
        if isWithinLine { try show([UInt8(ascii: "\n")]) }
    }
}

extension HTTPResponse {
    /// Whether the body is JSON by its media type (RFC 6838, section 4.2.8; RFC 8259).
    fileprivate var isJSON: Bool {
        guard let field = headers.first(where: { $0.name.lowercased() == "content-type" }) else { return false }
        let type = field.value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json")
    }
}

extension Invocation {
    /// The time limit for one wait for a pipe, in seconds: that of the request.
    func patience(_ profile: Profile) -> Int {
        options.timeout ?? profile.settings.timeout ?? TransportSettings.longestTransfer
    }

    /// Only for a terminal that may have a line that moves.
    func transferProgress() -> TransferProgress? {
        guard !options.quiet, context.dependencies.isTerminal(STDERR_FILENO),
            context.dependencies.environment.allowsMovement
        else { return nil }
        return TransferProgress(streams, columns: context.dependencies.columns(STDERR_FILENO))
    }
}

/// The file of `-o`. One that is there is opened before anything is sent, and emptied by the first byte of an answer; one that
/// is not there is made by that byte. Nothing is ever removed: by then the name may be another's.
final class OutputFile {
    private let path: String
    /// The time limit for a pipe, in seconds.
    private let patience: Int
    private var descriptor: Int32
    private var isPipe = false
    private var hasBegun = false

    /// - Parameter patience: how long the reader of a pipe may take to open it, and for each further step, in seconds.
    init(_ path: String, patience: Int) throws(LoginFault) {
        self.path = path
        self.patience = patience
        descriptor = Self.opened(path, patience: patience)
        if descriptor < 0, errno == ENOENT {
            if let code = Self.obstacle(path) { throw Self.unusable(path, code) }
        } else if descriptor < 0 {
            throw Self.unusable(path, errno)
        } else {
            lookAtKind()
        }
    }

    /// Whether a person sees what is written.
    var isTerminal: Bool { descriptor >= 0 && isatty(descriptor) == 1 }

    deinit {
        close()
    }

    /// Ends the output. Without a response, the file is as it was before.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        if !hasBegun { try begin() }
        if let errno = bytes.writeAll(to: descriptor, within: isPipe ? patience : nil) { throw fault(errno) }
    }

    private func begin() throws(LoginFault) {
        hasBegun = true
        if descriptor < 0 {
            // What another process has made there meanwhile is written to as if it had been there before.
            descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o666)
            guard descriptor >= 0 else { throw fault(errno) }
            lookAtKind()
        }
        // A device or a pipe has nothing to be emptied of.
        if ftruncate(descriptor, 0) != 0, errno != EINVAL { throw fault(errno) }
    }

    private func lookAtKind() {
        var status = stat()
        isPipe = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Opens without blocking: a pipe without a reader would block forever.
    private static func opened(_ path: String, patience: Int) -> Int32 {
        let deadline = ContinuousClock.now + .seconds(patience)
        while true {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            // A pipe that nobody has opened for reading.
            guard descriptor < 0, errno == ENXIO else { return descriptor }
            guard ContinuousClock.now < deadline else {
                errno = ETIMEDOUT
                return -1
            }
            usleep(20_000)
        }
    }

    /// The error that creating a missing file would end with, as far as it can be seen beforehand.
    private static func obstacle(_ path: String) -> Int32? {
        if path.isEmpty { return ENOENT }
        if path.hasSuffix("/") { return EISDIR }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return access(folder, W_OK | X_OK) == 0 ? nil : errno
    }

    private static func unusable(_ path: String, _ code: Int32) -> LoginFault {
        let why = code == ETIMEDOUT ? "nobody has opened this pipe for reading" : SystemWords.of(code)
        return .usage(.badValue(option: "-o", problem: "\(SafeText.quoted(path)): \(why)"))
    }

    private func fault(_ errno: Int32) -> LoginFault {
        guard errno == ETIMEDOUT, isPipe else {
            return .failure(.system(call: "write to \(SafeText.quoted(path))", errno: errno))
        }
        return .failure("nobody has read from \(SafeText.quoted(path)) for \(patience) seconds")
    }
}

/// A JSON text with one member or element a line, indented by two blanks. Strings and numbers keep their bytes, and members
/// their order.
enum JSONLayout {
    /// - Returns: `nil` for what is not a JSON object or array, or is too deep.
    static func text(_ body: [UInt8]) -> [UInt8]? {
        let isJSON = body.withUnsafeBytes { (try? JSONReader.read($0, mostValues: $0.count)) != nil }
        return isJSON ? laidOut(body) : nil
    }

    /// Goes by the bytes alone: `JSONReader` has found that they are JSON.
    private static func laidOut(_ body: [UInt8]) -> [UInt8] {
        var text: [UInt8] = [], depth = 0, place = 0
        func next() -> UInt8? {
            while place < body.count, [0x20, 0x0A, 0x0D, 0x09].contains(body[place]) { place += 1 }
            return place < body.count ? body[place] : nil
        }
        while let byte = next() {
            place += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                text.append(byte)
                // What is empty stays on one line.
                if next() == byte + 2 { continue }
                depth += 1
                text += line(depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if text.last != byte - 2 {
                    depth -= 1
                    text += line(depth)
                }
                text.append(byte)
            case UInt8(ascii: ","): text += [byte] + line(depth)
            case UInt8(ascii: ":"): text += [byte, UInt8(ascii: " ")]
            case UInt8(ascii: "\""):
                let end = end(ofString: body, from: place)
                text += body[place - 1..<end]
                place = end
            default: text.append(byte)
            }
        }
        return text + [UInt8(ascii: "\n")]
    }

    private static func end(ofString body: [UInt8], from start: Int) -> Int {
        var place = start
        while place < body.count, body[place] != UInt8(ascii: "\"") {
            place += body[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return place + 1
    }

    private static func line(_ depth: Int) -> [UInt8] {
        [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: 2 * depth)
    }
}

/// A line on the terminal about a transfer that takes long, gone when it is over.
final class TransferProgress: TransferWatcher {
    private let streams: Streams
    private let columns: Int
    private let now: () -> ContinuousClock.Instant
    private var start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private var done: Int64 = 0
    private var whole: Int64?
    private var isOver = false

    /// Seconds before the line appears; shorter transfers have none.
    private static let patience = Duration.seconds(1)
    private static let pace = Duration.milliseconds(200)

    /// - Parameter columns: of the terminal.
    init(_ streams: Streams, columns: Int, now: @escaping () -> ContinuousClock.Instant = { .now }) {
        (self.streams, self.columns, self.now) = (streams, columns, now)
    }

    func expect(_ count: Int64?) { (whole, done, start, isOver) = (count, 0, now(), false) }

    func advance(by count: Int) {
        if isOver { return }
        done += Int64(count)
        let now = now()
        guard now - start > Self.patience, lastDrawn.map({ now - $0 > Self.pace }) ?? true else { return }
        lastDrawn = now
        let seconds = max((now - start) / .seconds(1), 0.001)
        draw(ProgressLine(done: done, whole: whole, seconds: seconds).text(columns: columns))
    }

    func end() {
        if lastDrawn != nil { draw("") }
        (lastDrawn, isOver) = (nil, true)
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
