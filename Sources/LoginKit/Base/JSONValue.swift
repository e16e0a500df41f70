/// Any JSON value (RFC 8259). `JSONReader` reads one.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value that a JSON pointer names (RFC 6901).
    package subscript(pointer: JSONPointer) -> JSONValue? {
        var value = self
        for step in pointer.steps {
            switch value {
            case .object(let members):
                guard let member = members[step] else { return nil }
                value = member
            case .array(let elements):
                guard let element = elements.element(at: step) else { return nil }
                value = element
            case .null, .bool, .integer, .number, .string:
                return nil
            }
        }
        return value
    }

    /// A member of an object.
    func member(_ name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }

    /// The elements of an array.
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// A text, and nothing else.
    var string: String? { if case .string(let text) = self { text } else { nil } }

    /// Its text, or those among its elements.
    var strings: [String] { (elements ?? [self]).compactMap(\.string) }

    /// A scalar as text; `nil` for `null`, arrays and objects.
    var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): String(flag)
        case .null, .array, .object: nil
        }
    }
}

extension [JSONValue] {
    /// An index, or `[member=text]` for the first object with that member, which RFC 6901 does not know: there it could name
    /// nothing.
    fileprivate func element(at step: String) -> JSONValue? {
        if let index = Int(step) { return indices.contains(index) && String(index) == step ? self[index] : nil }
        guard step.hasPrefix("["), step.hasSuffix("]"), let equals = step.firstIndex(of: "=") else { return nil }
        let member = String(step[step.index(after: step.startIndex)..<equals])
        let text = String(step[step.index(after: equals)...].dropLast())
        return first { if case .object(let members) = $0 { members[member]?.text == text } else { false } }
    }
}

extension JSONValue: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

/// A path into a JSON value (RFC 6901), such as `/user/name`.
package struct JSONPointer: Hashable, Sendable {
    /// Names of members and indices of elements, unescaped; none for the whole value.
    let steps: [String]

    /// The whole value.
    static let root = JSONPointer(steps: [])

    /// - Parameter steps: unescaped.
    init(steps: [String]) {
        self.steps = steps
    }

    /// - Returns: `nil` if `text` neither is empty nor starts with a slash.
    package init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        steps = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    /// As RFC 6901, section 3, writes it.
    var escaped: String {
        steps.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}

/// The ambiguity of a text that is not accepted as JSON, in a sentence.
package enum JSONFault: String, Error, Equatable, Sendable {
    /// It is none, or no array and no object.
    case malformed = "it is not JSON"
    /// It would be JSON in another encoding than UTF-8, or begins with a byte order mark (RFC 8259, section 8.1).
    case otherEncoding = "it is not in UTF-8"
    /// An object has two members of one name (RFC 8259, section 4).
    case repeatedMember = "an object has two members of the same name"
    /// A comma with nothing behind it.
    case trailingComma = "it has a trailing comma"
    /// It is nested too deeply, or has too many values.
    case tooMuch = "it is nested too deeply, or has too many values"
}

/// Writes JSON (RFC 8259) in one line, with the members in the order in which they are given.
struct JSONText: Equatable {
    private var text = "{"
    private var isEmpty = true

    mutating func add(_ name: String, _ value: String) { add(name, raw: Self.quoted(value)) }

    mutating func add(_ name: String, _ value: Int64) { add(name, raw: String(value)) }

    mutating func add(_ name: String, _ value: Bool) { add(name, raw: String(value)) }

    mutating func add(_ name: String, _ values: [String]) {
        add(name, raw: "[" + values.map { Self.quoted($0) }.joined(separator: ",") + "]")
    }

    mutating func add(_ name: String, _ objects: [JSONText]) {
        add(name, raw: "[" + objects.map(\.finished).joined(separator: ",") + "]")
    }

    mutating func add(_ name: String, _ object: JSONText) { add(name, raw: object.finished) }

    /// - Parameter value: JSON.
    mutating func add(_ name: String, raw value: String) {
        text += (isEmpty ? "" : ",") + Self.quoted(name) + ":" + value
        isEmpty = false
    }

    /// The whole object, without a line end.
    var finished: String { text + "}" }

    /// Escapes also what no terminal should obey.
    static func quoted(_ value: String) -> String {
        var quoted = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            default:
                quoted += SafeText.escape(for: scalar) == nil ? String(scalar) : scalar.escapedForJSON
            }
        }
        return quoted + "\""
    }
}

extension Unicode.Scalar {
    /// As JSON writes a character that is not to stand there itself: a `\u` for each of its units (RFC 8259, section 7).
    package var escapedForJSON: String {
        utf16.map { "\\u" + Hexadecimal.text([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }.joined()
    }
}
