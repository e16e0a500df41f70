import CReadline
import Glibc

/// The line that is being typed: readline's buffer, edited without readline's own commands.
///
/// Those keep what they delete (kill ring, undo list) and hand it to the next prompt. These zero it. The buffer is made
/// large enough beforehand, because growing leaves a copy in freed memory.
struct LineBuffer {
    /// In bytes: a password, a token.
    static let limit = 4096
    /// In bytes: the most that any question takes, which there is always room for.
    static let capacity = 16 << 10

    var count: Int { Int(creadline_count()) }
    var cursor: Int { Int(creadline_cursor()) }

    /// All bytes typed so far. Valid until the next change.
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: storage.prefix(count)) }

    /// Makes room; a question cannot begin without.
    func prepare() {
        creadline_make_room(Int32(Self.capacity + 8))
        wipe()
    }

    /// - Parameter limit: in bytes, of the whole line.
    /// - Returns: whether there was room.
    func insert(_ byte: UInt8, limit: Int) -> Bool {
        let (count, cursor) = (count, cursor)
        guard count < min(limit, Self.capacity), let base = storage.baseAddress else { return false }
        memmove(base + cursor + 1, base + cursor, count - cursor)
        base[cursor] = byte
        setPosition(count: count + 1, cursor: cursor + 1)
        return true
    }

    /// Whether `byte` makes a C1 control character (U+0080 to U+009F) of the byte before the cursor. Those are not
    /// typed by anybody; the others, below a blank, are keys.
    func completesControlCharacter(_ byte: UInt8) -> Bool {
        cursor > 0 && storage[cursor - 1] == 0xC2 && (0x80..<0xA0).contains(byte)
    }

    func erase(_ range: Range<Int>) {
        let count = count
        guard !range.isEmpty, let base = storage.baseAddress else { return }
        memmove(base + range.lowerBound, base + range.upperBound, count - range.upperBound)
        explicit_bzero(base + count - range.count, range.count)
        setPosition(count: count - range.count, cursor: range.lowerBound)
    }

    func move(to cursor: Int) {
        setPosition(count: count, cursor: cursor)
    }

    /// Where the character before the cursor begins.
    var previousCharacter: Int {
        Characters.boundaries(of: bytes).last { $0 < cursor } ?? 0
    }

    /// Where the character under the cursor ends.
    var nextCharacter: Int {
        Characters.boundaries(of: bytes).first { $0 > cursor } ?? count
    }

    /// Where the word before the cursor begins, as blanks part words.
    var previousWord: Int {
        let blank = UInt8(ascii: " ")
        let word = bytes.prefix(cursor).lastIndex { $0 != blank } ?? 0
        return bytes.prefix(word).lastIndex(of: blank).map { $0 + 1 } ?? 0
    }

    /// Zeroes the whole buffer, also what lies beyond the end of the line.
    func wipe() {
        guard let base = storage.baseAddress else { return }
        explicit_bzero(base, storage.count)
        setPosition(count: 0, cursor: 0)
    }

    private var storage: UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableRawBufferPointer(start: creadline_line(), count: Self.capacity + 8).assumingMemoryBound(
            to: UInt8.self)
    }

    /// The byte after the line is its terminator; it is within the eight spare ones.
    private func setPosition(count: Int, cursor: Int) {
        storage[count] = 0
        creadline_set_position(Int32(count), Int32(cursor))
    }
}

/// Draws the line in the place of readline, which would keep a copy of what it draws.
enum LineDisplay {
    /// Fewer columns for the text than this, and the label gets a line of its own.
    private static let leastRoom = 6

    /// Writes the label at the left edge.
    static func begin(_ label: String, on screen: Screen) {
        let room = screen.columns - 1 - label.count
        screen.write(room < leastRoom ? label + "\n" : label)
    }

    /// Says in the label how many other processes wait for their turn.
    static func show(waiting: Int) {
        let isNew = CurrentLine.with { session in
            defer { session.waiting = waiting }
            return session.waiting != waiting
        }
        if isNew == true { drawAgain() }
    }

    /// Brings the screen up to date with the line. While more is waiting to be read, that is left for later.
    static func draw() {
        CurrentLine.with { session in
            guard !KeyReader.isMoreWaiting(on: session.screen.descriptor) else { return }
            session.draw()
        }
    }

    /// Brings the screen up to date for the last time, also if what follows the line is there already.
    static func finish() {
        CurrentLine.with { $0.draw() }
    }

    /// Writes label and line again, because something else stands there now.
    static func drawAgain() {
        CurrentLine.with { session in
            session.drawn.forget()
            session.screen.clearLine()
            begin(session.label, on: session.screen)
            session.draw()
        }
    }

    fileprivate static func room(for label: String, columns: Int) -> Int {
        let room = columns - 1 - label.count
        return room < leastRoom ? max(1, columns - 1) : room
    }
}

extension LineSession {
    fileprivate mutating func draw() {
        let line = LineBuffer()
        let starts = Characters.boundaries(of: line.bytes)
        let cells = cells(of: line.bytes, starts: starts)
        let cursor = min(starts.count { $0 < line.cursor }, cells.count)
        let room = LineDisplay.room(for: label, columns: screen.columns)
        screen.write(drawn.update(to: cells, cursor: cursor, columns: room))
    }

    private func cells(of bytes: UnsafeBufferPointer<UInt8>, starts: [Int]) -> [Cell] {
        switch question.style {
        case .masked(let mark):
            guard let mark else { return [] }
            return Array(repeating: mark, count: starts.count - 1)
        case .shown:
            return zip(starts, starts.dropFirst()).map { Self.cell(bytes[$0..<$1]) }
        }
    }

    private static func cell(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Cell {
        let text = String(decoding: bytes, as: UTF8.self)
        let isHarmless = text.unicodeScalars.allSatisfy { SafeText.escape(for: $0) == nil }
        if isHarmless { return Cell(text) }
        let escaped = SafeText.escaped(text)
        return Cell(escaped, width: escaped.count)
    }
}

/// One character as it stands on the screen.
struct Cell: Equatable, Sendable {
    let text: String
    /// In columns.
    let width: Int

    init(_ text: String, width: Int? = nil) {
        self.text = text
        self.width = width ?? text.first.map { TextWidth.of($0) } ?? 0
    }
}

/// The part of a line that is being typed which is on the screen now.
///
/// Works out the fewest characters that turn what is shown into what shall be shown: a new mark costs one mark. It uses
/// backspace and blanks alone, so any terminal will do, and it never touches the last column, where terminals differ.
struct ScreenLine: Sendable {
    private var shown: [Cell] = []
    private var cursor = 0

    /// Returns the text to write so that `cells` are shown with the cursor before the one at `cursor`. Of a line wider than
    /// `columns`, the part around the cursor is shown.
    mutating func update(to cells: [Cell], cursor: Int, columns: Int) -> String {
        let window = Self.window(of: cells, cursor: cursor, columns: columns)
        return change(to: Array(cells[window]), cursor: cursor - window.lowerBound)
    }

    /// Takes note that the screen was overwritten; the next update writes everything, beginning at the cursor.
    mutating func forget() {
        shown = []
        cursor = 0
    }

    private mutating func change(to cells: [Cell], cursor target: Int) -> String {
        defer { (shown, cursor) = (cells, target) }
        guard cells != shown else { return Self.step(from: cursor, to: target, in: cells) }
        let common = zip(shown, cells).prefix { $0 == $1 }.count
        let gap = max(0, Self.width(shown[common...]) - Self.width(cells[common...]))
        return Self.step(from: cursor, to: common, in: shown) + Self.text(cells[common...])
            + String(repeating: " ", count: gap)
            + String(repeating: "\u{8}", count: gap + Self.width(cells[target...]))
    }

    private static func step(from: Int, to: Int, in cells: [Cell]) -> String {
        from <= to ? text(cells[from..<to]) : String(repeating: "\u{8}", count: width(cells[to..<from]))
    }

    /// Leaves a third of the room for what follows the cursor.
    private static func window(of cells: [Cell], cursor: Int, columns: Int) -> Range<Int> {
        guard width(cells[...]) > columns else { return cells.indices }
        var start = min(cells.count, cursor + columns / 3)
        var room = columns
        while start > 0, cells[start - 1].width <= room {
            start -= 1
            room -= cells[start].width
        }
        start = min(start, cursor)
        var end = start
        room = columns
        while end < cells.count, cells[end].width <= room {
            room -= cells[end].width
            end += 1
        }
        return start..<max(end, cursor)
    }

    private static func width(_ cells: ArraySlice<Cell>) -> Int { cells.reduce(0) { $0 + $1.width } }
    private static func text(_ cells: ArraySlice<Cell>) -> String { cells.map(\.text).joined() }
}

/// Finds what a person sees as one character in raw bytes: a secret must not become a `String`.
///
/// A simplified reading of Unicode's grapheme clusters (UAX #29): a code point and whatever is put on it, parts of an
/// emoji that are joined, and the two letters of a flag. Bytes that are not UTF-8 count as one character each.
enum Characters {
    /// One code point at the start of `bytes`, and how many bytes it takes; `nil` if they are not UTF-8 (RFC 3629).
    private static func decode(_ bytes: some Collection<UInt8>) -> (scalar: Unicode.Scalar, length: Int)? {
        var decoder = UTF8(), rest = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return nil }
        return (scalar, UTF8.width(scalar))
    }

    /// Where each character begins, and the end.
    fileprivate static func boundaries(of bytes: some RandomAccessCollection<UInt8>) -> [Int] {
        var starts: [Int] = [], offset = 0, before: Unicode.Scalar?, flagLetters = 0
        while offset < bytes.count {
            let decoded = decode(bytes.dropFirst(offset))
            // A regional indicator, of which two make a flag.
            let isFlagLetter = decoded.map { (0x1F1E6..<0x1F200).contains($0.scalar.value) } ?? false
            flagLetters = isFlagLetter ? flagLetters + 1 : 0
            let endsFlag = isFlagLetter && flagLetters.isMultiple(of: 2)
            if !(endsFlag || continues(decoded?.scalar, after: before)) { starts.append(offset) }
            before = decoded?.scalar
            offset += decoded?.length ?? 1
        }
        return starts + [offset]
    }

    private static func continues(_ scalar: Unicode.Scalar?, after before: Unicode.Scalar?) -> Bool {
        guard let scalar, let before else { return false }
        let joiner: Unicode.Scalar = "\u{200D}"
        return scalar == joiner || scalar.properties.isGraphemeExtend || scalar.properties.isEmojiModifier
            || scalar.properties.generalCategory == .spacingMark
            || (before == joiner && scalar.properties.isEmoji)
    }
}

/// Lines with text of others in them. None is wider than the terminal: what wraps would stand at the left edge, where it could
/// pass for a line of ours.
enum TextLine {
    /// Our own words, and the text between quotes.
    static func quoting(_ text: String, after words: String, columns: Int) -> String {
        fitted("\(words) \(SafeText.quoted(text))", columns: columns)
    }

    /// The words of a server, if it has said anything.
    static func saying(_ words: String?, columns: Int) -> [String] {
        guard let words, !words.isEmpty else { return [] }
        return [quoting(words, after: "The server says:", columns: columns)]
    }

    /// A name and a value that is escaped already, below each other where one line has no room for them.
    static func pair(_ name: String, _ value: String, columns: Int) -> [String] {
        let line = "\(name) \(value)"
        return TextWidth.of(line) < columns ? [line] : [name, fitted("  \(value)", columns: columns)]
    }

    /// The text, or as much of it as leaves the last column free; the cut is seen.
    static func fitted(_ text: String, columns: Int) -> String {
        guard TextWidth.of(text) >= columns else { return text }
        let mark = TerminalLook.isUnicode ? "…" : "..."
        var left = columns - 1 - mark.count, shown = ""
        for character in text {
            left -= TextWidth.of(character)
            guard left >= 0 else { break }
            shown.append(character)
        }
        return shown + mark
    }
}
