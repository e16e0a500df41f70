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
        rl_extend_line_buffer(Int32(Self.capacity + 8))
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
