/// The body of a request, as far as services look in it for another method: a member `_method` of a form, of multipart or of JSON.
struct ServedBody: Equatable, Sendable {
    /// In bytes: the beginning that is searched. What is behind it passes by the request's own method.
    static let searched = 64 << 10
    /// The members that name another method, in a query and in a body, compared without case: Rails' and Laravel's, Salesforce's, those of
    /// ASP.NET and others, which read the names of headers there, too. The manual has the same list.
    static let overrides = [
        "_method", "_HttpMethod", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Tunneled-Method",
    ]

    /// The reason why a body cannot be searched.
    enum Fault: Equatable, Sendable, CaseIterable {
        /// It has a `Content-Encoding`.
        case encoded
        /// It is not in UTF-8.
        case otherCharset
        /// `Content-Type` is there twice, or its parameters can be read in two ways.
        case ambiguousType
        /// The parts of a multipart body can be told apart in two ways.
        case ambiguousParts
    }

    /// The readings of a body that a service may choose.
    private enum Kind: Equatable, Sendable {
        case form, json
        case multipart(boundary: [UInt8], isForm: Bool)
    }

    private let kinds: [Kind]
    /// Whether nothing says what the body is: it need not be any of these.
    private let isUntyped: Bool

    /// - Returns: `nil` for a body of another type.
    init?(_ fields: [ServedField]) throws(ServeObjection) {
        let types = fields.filter { $0.mayBe("content-type") }
        guard types.count <= 1 else { throw .unreadableBody(.ambiguousType) }
        let text = types.first?.text ?? ""
        guard text.utf8.allSatisfy({ $0 < 0x7F }) else { throw .unreadableBody(.ambiguousType) }
        // Services also find a type somewhere in the header.
        let lower = text.lowercased(),
            bare = String(lower.drop { $0 == " " || $0 == "\t" }.prefix { !"; ,\t".contains($0) })
        isUntyped = bare.isEmpty
        // Browsers send forms as plain text, and JSON where they may send no other type; services read both as what they are.
        let isAny = isUntyped || lower.contains("text/plain")
        var kinds: [Kind] = []
        if isAny || lower.contains("urlencoded") || lower.contains("url-encoded") { kinds.append(.form) }
        if isAny || lower.contains("json") { kinds.append(.json) }
        if lower.contains("multipart/") { kinds.append(try Self.multipart(text)) }
        self.kinds = kinds
        if kinds.isEmpty { return nil }
        let codings = fields.filter { $0.mayBe("content-encoding") }.map { $0.text.lowercased() }
        guard codings.allSatisfy({ $0 == "identity" || $0.isEmpty }) else { throw .unreadableBody(.encoded) }
        guard Self.isUTF8(lower) else { throw .unreadableBody(.otherCharset) }
    }

    /// The methods that the body names.
    /// - Parameters:
    ///   - beginning: the first `searched` bytes.
    ///   - isWhole: whether that is all of it.
    func methods(in beginning: [UInt8], isWhole: Bool) throws(ServeObjection) -> [String] {
        var methods: [String] = []
        for kind in kinds {
            switch kind {
            case .form: methods += try formMethods(in: beginning, isWhole: isWhole)
            case .json: methods += try JSONOverride.methods(in: beginning, isWhole: isWhole, isJSON: !isUntyped)
            case .multipart(let boundary, let isForm):
                methods += try MultipartOverride(boundary: boundary, isForm: isForm)
                    .methods(in: beginning, isWhole: isWhole)
            }
        }
        return methods
    }

    private func formMethods(in beginning: [UInt8], isWhole: Bool) throws(ServeObjection) -> [String] {
        // Some read UTF-16 where a byte order mark says so.
        if !isUntyped, beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]) {
            throw .unreadableBody(.otherCharset)
        }
        let members = FormMember.members(of: beginning)
        var methods: [String] = []
        for (index, member) in members.enumerated() where member.isOverride {
            // The value goes on behind what is searched.
            if !isWhole, index == members.count - 1 { throw .unreadableOverride }
            methods.append(try FormMember.method(member.value))
        }
        return methods
    }

    private static func multipart(_ text: String) throws(ServeObjection) -> Kind {
        // PHP and Rack look for the word, wherever it stands, and read up to the next comma.
        guard text.lowercased().ranges(of: "boundary").count == 1, let header = HeaderParameters(text),
            header.names.isSubset(of: ["boundary", "charset", "type", "start", "start-info"]),
            let boundary = header["boundary"], boundary.isBoundary
        else { throw .unreadableBody(.ambiguousType) }
        return .multipart(boundary: Array(boundary.utf8), isForm: header.value.lowercased() == "multipart/form-data")
    }

    /// - Parameter type: in lower case.
    private static func isUTF8(_ type: String) -> Bool {
        type.ranges(of: "charset").allSatisfy { range in
            let rest = type[range.upperBound...].drop { $0 == " " || $0 == "\t" }
            guard rest.first == "=" else { return false }
            let value = rest.dropFirst().drop { " \t\"'".contains($0) }.prefix { !" \t\"';,".contains($0) }
            return ["utf-8", "utf8", "us-ascii"].contains(value)
        }
    }
}

extension String {
    /// Whether it is a boundary (RFC 2046, section 5.1.1) that every reader takes whole; what clients make has no other characters.
    fileprivate var isBoundary: Bool {
        (1...70).contains(utf8.count)
            && utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "_-.".utf8.contains(byte)
            }
    }
}

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
        if isWhole, let value = bytes.withUnsafeBytes({ try? JSONReader.read($0) }) { return try methods(in: value) }
        return try search(unescaped(bytes), isWhole: isWhole)
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
        let folded = text.map(\.small)
        var methods: [String] = []
        for place in text.indices {
            guard let name = names.first(where: { folded[place...].starts(with: $0) }) else { continue }
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
        guard let quote = value.first, quote.isQuote, let end = value.dropFirst().firstIndex(of: quote)
        else { throw .unreadableOverride }
        return try FormMember.method(Array(value[(value.startIndex + 1)..<end]))
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

/// Finds a part that is called `_method` in a multipart body (RFC 2046, section 5.1; RFC 7578). A body whose parts two readers could
/// tell apart in two ways is refused.
struct MultipartOverride {
    let boundary: [UInt8]
    /// Whether each part must have a name.
    let isForm: Bool

    private static let lineEnd = Array("\r\n".utf8)

    func methods(in bytes: [UInt8], isWhole: Bool) throws(ServeObjection) -> [String] {
        let delimiter = Array("--".utf8) + boundary
        var methods: [String] = [], part: Int?, isOver = false
        for place in bytes.ranges(of: delimiter).map(\.lowerBound) {
            guard !isOver, place == 0 || bytes[..<place].suffix(2).elementsEqual(Self.lineEnd),
                part != nil || place == 0
            else { throw Self.ambiguous }
            if let start = part { methods += try method(ofPart: bytes[start..<max(start, place - 2)], isWhole: true) }
            let rest = bytes[(place + delimiter.count)...]
            isOver = rest.starts(with: "--".utf8)
            part = place + delimiter.count + 2
            // At the end of what is searched it may be cut.
            if rest.count < 2, !isWhole { return methods }
            if isOver, rest.dropFirst(2).allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { continue }
            guard !isOver, rest.starts(with: Self.lineEnd) else { throw Self.ambiguous }
        }
        guard let start = part, !isOver else {
            // All of it is there, or it has not begun.
            guard part != nil || bytes.isEmpty else { throw Self.ambiguous }
            return methods
        }
        guard !isWhole else { throw Self.ambiguous }
        return methods + (try method(ofPart: bytes[min(start, bytes.count)...], isWhole: false))
    }

    private static let ambiguous = ServeObjection.unreadableBody(.ambiguousParts)

    /// - Parameter isWhole: whether all of the part is there.
    private func method(ofPart part: ArraySlice<UInt8>, isWhole: Bool) throws(ServeObjection) -> [String] {
        let (fields, value) = try fields(of: part, isWhole: isWhole)
        guard let fields else { return [] }
        guard fields.allSatisfy(\.isUsual) else { throw Self.ambiguous }
        let dispositions = fields.filter { $0.name == "content-disposition" }
        guard dispositions.count <= 1, dispositions.count == 1 || !isForm else { throw Self.ambiguous }
        // Rack takes the one for the other.
        var names = fields.filter { $0.name == "content-id" }.map(\.value)
        if let disposition = dispositions.first {
            guard let header = HeaderParameters(disposition.value),
                header.names.isSubset(of: ["name", "filename", "filename*"]),
                // Some look for the word in the whole line.
                ["filename", "filename*"].allSatisfy({ header[$0]?.lowercased().contains("name=") != true })
            else { throw Self.ambiguous }
            let name = header["name"]
            guard name != nil || !isForm, name?.contains("\\") != true, name?.contains("=?") != true else {
                throw Self.ambiguous
            }
            names += [name].compactMap { $0 }
        }
        guard names.contains(where: Self.isOverride) else { return [] }
        guard isWhole, fields.allSatisfy(\.isPlain) else { throw .unreadableOverride }
        return [try FormMember.method(Array(value))]
    }

    private static func isOverride(_ name: String) -> Bool {
        let bytes = Array(name.utf8).filter { !"<>'".utf8.contains($0) }
        return FormMember.members(of: bytes + [UInt8(ascii: "=")]).contains(where: \.isOverride)
            || FormMember.isOverride(bytes)
    }

    private struct Field {
        /// In lower case.
        let name: String
        let value: String

        /// Whether it is one of the fields that parts have, and no reader finds another field or a name in its value: Rack searches the
        /// whole head for them.
        var isUsual: Bool {
            let lower = value.lowercased()
            switch name {
            case "content-disposition": return !lower.contains("content-")
            case "content-type", "content-transfer-encoding", "content-length", "content-id":
                return !lower.contains("content-") && !lower.contains("name=")
            default: return false
            }
        }

        /// Whether the value of a part is as it stands there.
        var isPlain: Bool {
            switch name {
            case "content-transfer-encoding": ["7bit", "8bit", "binary"].contains(value.lowercased())
            case "content-type":
                !value.lowercased().contains("charset") || value.lowercased().hasSuffix("charset=utf-8")
            default: true
            }
        }
    }

    /// - Returns: no fields where the end of what is searched cuts them.
    private func fields(
        of part: ArraySlice<UInt8>, isWhole: Bool
    ) throws(ServeObjection) -> (fields: [Field]?, value: ArraySlice<UInt8>) {
        var fields: [Field] = [], rest = part
        while true {
            guard let end = rest.firstIndex(where: { $0 == 0x0D || $0 == 0x0A }) else {
                // Without a line's end it is no part, or it is cut.
                if isWhole { throw Self.ambiguous }
                return (nil, [])
            }
            let line = rest[..<end], behind = rest[end...]
            if behind.count == 1, !isWhole { return (nil, []) }
            guard behind.starts(with: Self.lineEnd) else { throw Self.ambiguous }
            rest = behind.dropFirst(2)
            if line.isEmpty { return (fields, rest) }
            guard let text = String(validating: line, as: UTF8.self), let colon = text.firstIndex(of: ":"),
                String(text[..<colon]).isHeaderName
            else { throw Self.ambiguous }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append(Field(name: text[..<colon].lowercased(), value: String(value)))
        }
    }
}
