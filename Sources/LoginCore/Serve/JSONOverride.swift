/// Finds a member such as `_method` in a JSON body.
///
/// A whole text is read as JSON, and members count at any depth. What cannot be read so (cut, malformed, with a member twice, or too
/// much) is searched for the name in any spelling that some reader of JSON takes for one; text that only looks like a member counts too.
enum JSONOverride {
    /// - Parameter isJSON: whether the body is said to be JSON, and not merely may be.
    static func methods(in bytes: [UInt8], isWhole: Bool, isJSON: Bool) throws(ServeObjection) -> [String] {
        if isJSON, bytes.contains(0) || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw .unreadableBody(.otherCharset)
        }
        if isWhole, let value = read(bytes) { return try methods(in: value) }
        return try search(unescaped(bytes), isWhole: isWhole)
    }

    /// - Returns: `nil` for what is to be searched.
    private static func read(_ bytes: [UInt8]) -> JSONValue? {
        bytes.withUnsafeBytes { text in
            do throws(JSONFault) {
                return try JSONReader.read(text)
            } catch {
                return nil
            }
        }
    }

    private static func methods(in value: JSONValue) throws(ServeObjection) -> [String] {
        var methods: [String] = []
        switch value {
        case .null, .bool, .integer, .number, .string: break
        case .array(let elements):
            for element in elements { methods += try Self.methods(in: element) }
        case .object(let members):
            for (name, value) in members {
                if FormMember.isOverride(Array(name.utf8)) {
                    guard case .string(let text) = value else { throw .unreadableOverride }
                    methods.append(try FormMember.method(Array(text.utf8)))
                }
                methods += try Self.methods(in: value)
            }
        }
        return methods.sorted()
    }

    /// The text without its escapes, those of JSON5 among them; what is not ASCII becomes a word's letter.
    private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\\")) else { return bytes }
        var plain: [UInt8] = [], place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count else {
                plain.append(bytes[place])
                place += 1
                continue
            }
            let letter = bytes[place + 1] | 0x20, digits = letter == UInt8(ascii: "u") ? 4 : 2
            if letter == UInt8(ascii: "u") || letter == UInt8(ascii: "x"), place + 2 + digits <= bytes.count,
                let low = Hexadecimal.byte(bytes[place + digits], bytes[place + digits + 1])
            {
                let isASCII = digits == 2 || bytes[place + 2] == 0x30 && bytes[place + 3] == 0x30
                plain.append(isASCII ? low : 0xFF)
                place += 2 + digits
            } else {
                // A line that goes on (JSON5, section 5.1) is one.
                if ![0x0A, 0x0D].contains(bytes[place + 1]) { plain.append(bytes[place + 1]) }
                place += 2
            }
        }
        return plain
    }

    /// In small letters; one that begins as another one does comes first.
    private static let names = ServedBody.overrides.map { Array($0.utf8).caseFolded }.sorted { $0.count > $1.count }

    private static func search(_ text: [UInt8], isWhole: Bool) throws(ServeObjection) -> [String] {
        var methods: [String] = []
        for place in text.indices {
            guard let name = names.first(where: { text.hasName($0, at: place) }) else { continue }
            // What is not ASCII may be a blank, or a byte order mark.
            if place > 0, text[place - 1].isWord, text[place - 1] < 0x80 { continue }
            let rest = text[(place + name.count)...].drop { !$0.isWord && !":,{}".utf8.contains($0) }
            if rest.isEmpty {
                // Cut before it shows what this is.
                if isWhole { continue }
                throw .unreadableOverride
            }
            guard rest.first == UInt8(ascii: ":") else {
                // A name, and then a comment, which some readers pass over.
                let isQuoted =
                    place > 0 && text[place - 1].isQuote && text[(place + name.count)...].first?.isQuote == true
                if isQuoted, rest.first?.isWord == true { throw .unreadableOverride }
                continue
            }
            methods.append(try method(rest.dropFirst()))
        }
        return methods
    }

    /// - Parameter rest: from behind the colon on.
    private static func method(_ rest: ArraySlice<UInt8>) throws(ServeObjection) -> String {
        let value = rest.drop { $0 <= 0x20 }
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = value.dropFirst().firstIndex(of: quote)
        else { throw .unreadableOverride }
        return try FormMember.method(Array(value[(value.startIndex + 1)..<end]))
    }
}

extension [UInt8] {
    /// - Parameter name: in small letters.
    fileprivate func hasName(_ name: [UInt8], at place: Int) -> Bool {
        place + name.count <= count
            && name.indices.allSatisfy { index in
                let byte = self[place + index]
                return ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == name[index]
            }
    }
}

extension UInt8 {
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

    /// A letter, a digit, `_`, `$`, or a byte of a character that is not ASCII.
    fileprivate var isWord: Bool {
        (0x30...0x39).contains(self) || (0x61...0x7A).contains(self | 0x20) || self == 0x5F || self == 0x24
            || self >= 0x80
    }
}
