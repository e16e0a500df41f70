import Secrets

/// Reads a JSON text (RFC 8259) as only one reader could, in one pass and within bounds.
///
/// The decoder of Foundation takes more than JSON, guesses the encoding, and its work grows with depth times values: a server
/// could keep it busy for minutes with a few kilobytes.
package struct JSONReader {
    /// The largest depth of nested arrays and objects.
    static let deepest = 64
    /// The largest number of values.
    static let mostValues = 20_000
    /// In characters.
    private static let longestNumber = 1000

    private let text: UnsafeRawBufferPointer
    private var place = 0
    private var values = 0
    private let mostValues: Int
    private var deepest = Self.deepest
    /// The depth down to which values are kept; 0 is the whole text alone.
    private var kept = Int.max
    /// Whether the text is only checked and passed on: numbers of any size are `null`, long strings that nobody looks at too, and half a
    /// pair of surrogates, which other programs write, is U+FFFD.
    private var isLenient = false
    /// Whether an object may have two members of one name.
    private var allowsRepeats = false

    /// The longest string that is kept of a text that is passed on, and the pieces in which others are checked, in bytes.
    private static let (longestKept, piece) = (64 << 10, 64 << 10)

    /// Returns the members of an object; `nil` for any other text.
    static func members(_ text: UnsafeRawBufferPointer) -> [String: JSONValue]? {
        guard case .object(let members)? = try? read(text) else { return nil }
        return members
    }

    /// Reads an array or an object. What it copies on the way is short-lived, and wiped by the program's `free`.
    /// - Parameter mostValues: how many there may be; a file of our own may have as many as it has bytes.
    package static func read(
        _ text: UnsafeRawBufferPointer, mostValues: Int = Self.mostValues
    ) throws(JSONFault) -> JSONValue {
        // Readers may ignore a byte order mark (RFC 8259, section 8.1).
        let text = text.withoutByteOrderMark
        if let rest = unmarked(text) {
            // Another encoding of something else is a page, say.
            let first = rest.first { $0 > 0x20 && $0 < 0x80 }
            throw first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .otherEncoding : .malformed
        }
        return try JSONReader(text: text, mostValues: mostValues).whole()
    }

    /// Checks a text that is passed on as it is, of any number of values, and reads only those that are needed for that.
    /// - Parameters:
    ///   - deepest: the largest depth of nested arrays and objects.
    ///   - kept: the depth down to which values are kept; below, arrays and objects are empty, and other values are `null`, as are
    ///     strings of more than 64 KiB, and numbers that no type of ours holds.
    static func skim(
        _ text: UnsafeRawBufferPointer, deepest: Int, keeping kept: Int
    ) throws(JSONFault) -> JSONValue {
        if unmarked(text) != nil { throw .otherEncoding }
        return try JSONReader(
            text: text, mostValues: .max, deepest: deepest, kept: kept, isLenient: true
        ).whole()
    }

    /// Finds the members or elements of a value, in a text that was checked before.
    /// - Parameter steps: the names of the members that lead to it.
    static func places(
        _ text: UnsafeRawBufferPointer, at steps: [String]
    ) throws(JSONFault) -> [(name: String, range: Range<Int>)] {
        var reader = JSONReader(text: text, mostValues: .max, deepest: .max, kept: 0, isLenient: true)
        return try reader.places(at: steps[...])
    }

    /// Returns the values of a member of the outermost object, as far as the text can be read at all.
    static func readable(_ name: String, in text: UnsafeRawBufferPointer) -> [JSONValue] {
        var reader = JSONReader(
            text: text, mostValues: .max, deepest: deepest, kept: 1, isLenient: true, allowsRepeats: true)
        var found: [JSONValue] = []
        guard reader.take("{") else { return [] }
        repeat {
            reader.skipBlanks()
            guard reader.next == UInt8(ascii: "\""), let member = try? reader.string(), reader.take(":"),
                let value = try? reader.value(depth: 1)
            else { break }
            if member == name { found.append(value) }
        } while reader.take(",")
        return found
    }

    private func whole() throws(JSONFault) -> JSONValue {
        var reader = self
        reader.skipBlanks()
        guard reader.next == UInt8(ascii: "{") || reader.next == UInt8(ascii: "[") else { throw .malformed }
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.next == nil else { throw .malformed }
        return value
    }

    /// The bytes behind the byte order mark of another encoding, or all of them where there are NULs as UTF-16 and UTF-32 have them.
    private static func unmarked(_ text: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        let marks: [[UInt8]] = [[0xfe, 0xff], [0xff, 0xfe], [0, 0, 0xfe, 0xff]]
        if let mark = marks.first(where: { text.starts(with: $0) }) { return text.dropFirst(mark.count) }
        return text.prefix(4).contains(0) ? text[...] : nil
    }

    private var next: UInt8? { place < text.count ? text[place] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
    }

    /// Takes this byte, after blanks, if it is there.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: byte) else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        values += 1
        guard values <= mostValues, depth <= deepest else { throw .tooMuch }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "\""):
            let most = !isLenient ? .max : depth <= kept ? Self.longestKept : 0
            return try string(most: most).map { .string($0) } ?? .null
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number(isKept: depth <= kept)
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        let count = word.utf8CodeUnitCount
        let expected = UnsafeRawBufferPointer(start: word.utf8Start, count: count)
        guard text[place...].starts(with: expected) else { throw .malformed }
        place += count
        return value
    }

    private mutating func members(depth: Int) throws(JSONFault) -> [String: JSONValue] {
        guard depth <= deepest else { throw .tooMuch }
        var members: [String: JSONValue] = [:], others: Set<String> = []
        place += 1
        if take("}") { return members }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw next == UInt8(ascii: "}") ? .trailingComma : .malformed }
            let name = try string()
            guard take(":") else { throw .malformed }
            let value = try value(depth: depth)
            let isNew =
                depth <= kept ? members.updateValue(value, forKey: name) == nil : others.insert(name).inserted
            guard isNew || allowsRepeats else { throw .repeatedMember }
        } while take(",")
        guard take("}") else { throw .malformed }
        return members
    }

    private mutating func elements(depth: Int) throws(JSONFault) -> [JSONValue] {
        guard depth <= deepest else { throw .tooMuch }
        var elements: [JSONValue] = []
        place += 1
        if take("]") { return elements }
        repeat {
            skipBlanks()
            guard next != UInt8(ascii: "]") else { throw .trailingComma }
            let value = try value(depth: depth)
            if depth <= kept { elements.append(value) }
        } while take(",")
        guard take("]") else { throw .malformed }
        return elements
    }

    private mutating func places(
        at steps: ArraySlice<String>
    ) throws(JSONFault) -> [(name: String, range: Range<Int>)] {
        skipBlanks()
        guard let opening = next, opening == UInt8(ascii: "{") || opening == UInt8(ascii: "[") else { return [] }
        let isObject = opening == UInt8(ascii: "{")
        place += 1
        if take(isObject ? "}" : "]") { return [] }
        var found: [(name: String, range: Range<Int>)] = []
        repeat {
            skipBlanks()
            let name = isObject ? try string() : String(found.count)
            if isObject, !take(":") { throw .malformed }
            skipBlanks()
            if name == steps.first { return try places(at: steps.dropFirst()) }
            let start = place
            _ = try value(depth: 1)
            if steps.isEmpty { found.append((name, start..<place)) }
        } while take(",")
        return found
    }

    private mutating func digits() -> Bool {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place > start
    }

    /// - Parameter isKept: whether it is wanted; else it may be beyond all bounds.
    private mutating func number(isKept: Bool) throws(JSONFault) -> JSONValue {
        let start = place
        if next == UInt8(ascii: "-") { place += 1 }
        if next == UInt8(ascii: "0") { place += 1 } else if !digits() { throw .malformed }
        var isWhole = true
        if next == UInt8(ascii: ".") {
            (place, isWhole) = (place + 1, false)
            guard digits() else { throw .malformed }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            (place, isWhole) = (place + 1, false)
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
            guard digits() else { throw .malformed }
        }
        guard isKept else { return .null }
        guard place - start <= Self.longestNumber else {
            if isLenient { return .null }
            throw .tooMuch
        }
        let written = String(decoding: text[start..<place], as: UTF8.self)
        if isWhole, let integer = Int64(written) { return .integer(integer) }
        guard let number = Double(written), number.isFinite else {
            if isLenient { return .null }
            throw .malformed
        }
        // Beyond 64 bits it is rounded, perhaps to the last that fits.
        return isWhole ? .number(number) : Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
}

extension JSONReader {
    private mutating func string() throws(JSONFault) -> String { try string(most: .max) ?? "" }

    /// - Parameter most: the bytes above which it is only checked, piece by piece.
    /// - Returns: `nil` for a longer one.
    private mutating func string(most: Int) throws(JSONFault) -> String? {
        place += 1
        var plain = takePlain(most)
        if next == UInt8(ascii: "\""), plain.count <= most {
            // Most have no escape, and need no copy.
            place += 1
            return try Self.string(plain)
        }
        var bytes: [UInt8] = [], isKept = true
        while true {
            bytes.append(contentsOf: plain)
            if bytes.count > most {
                _ = try Self.string(bytes)
                bytes.removeAll(keepingCapacity: true)
                isKept = false
            }
            guard let byte = next, byte >= 0x20 else { throw .malformed }
            if !Self.isPlain(byte) {
                place += 1
                if byte == UInt8(ascii: "\"") {
                    let string = try Self.string(bytes)
                    return isKept ? string : nil
                }
                try unescape(into: &bytes)
            }
            plain = takePlain(most)
        }
    }

    /// Takes what stands there as it is: all of it, or a piece that ends with a character where there is a most.
    private mutating func takePlain(_ most: Int) -> UnsafeRawBufferPointer {
        let start = place, end = most == .max ? text.count : min(text.count, start + Self.piece)
        while place < end, Self.isPlain(text[place]) { place += 1 }
        if place == end { while place < text.count, text[place] & 0xC0 == 0x80 { place += 1 } }
        return UnsafeRawBufferPointer(rebasing: text[start..<place])
    }

    private static func string(_ bytes: some Sequence<UInt8>) throws(JSONFault) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else { throw .otherEncoding }
        return string
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// RFC 8259, section 7; half a pair of surrogates is no character.
    private mutating func unescape(into bytes: inout [UInt8]) throws(JSONFault) {
        guard let letter = next else { throw .malformed }
        place += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0c)
        case UInt8(ascii: "n"): bytes.append(0x0a)
        case UInt8(ascii: "r"): bytes.append(0x0d)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes += String(try scalar()).utf8
        default: throw .malformed
        }
    }

    private mutating func scalar() throws(JSONFault) -> Character {
        var code = try fourDigits()
        if (0xd800..<0xdc00).contains(code) {
            let mark = place, low = word("\\u") ? try fourDigits() : 0
            if (0xdc00..<0xe000).contains(low) {
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            } else {
                place = mark
            }
        }
        guard let scalar = Unicode.Scalar(code) ?? (isLenient ? "\u{FFFD}" : nil) else { throw .malformed }
        return Character(scalar)
    }

    private mutating func word(_ word: String) -> Bool {
        guard text[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    private mutating func fourDigits() throws(JSONFault) -> UInt32 {
        let written = text[place...].prefix(4)
        let isHex = written.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }
        guard written.count == 4, isHex, let code = UInt32(String(decoding: written, as: UTF8.self), radix: 16) else {
            throw .malformed
        }
        place += 4
        return code
    }
}
