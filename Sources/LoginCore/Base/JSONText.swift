/// Writes JSON (RFC 8259) in one line, with the members in the order in which they are given.
package struct JSONText {
    private var text = "{"
    private var isEmpty = true

    package init() {}

    package mutating func add(_ name: String, _ value: String) { add(name, raw: Self.quoted(value)) }

    package mutating func add(_ name: String, _ value: Int64) { add(name, raw: String(value)) }

    package mutating func add(_ name: String, _ value: Bool) { add(name, raw: String(value)) }

    package mutating func add(_ name: String, _ values: [String]) {
        add(name, raw: "[" + values.map { Self.quoted($0) }.joined(separator: ",") + "]")
    }

    package mutating func add(_ name: String, _ objects: [JSONText]) {
        add(name, raw: "[" + objects.map(\.finished).joined(separator: ",") + "]")
    }

    package mutating func add(_ name: String, _ object: JSONText) { add(name, raw: object.finished) }

    private mutating func add(_ name: String, raw value: String) {
        text += (isEmpty ? "" : ",") + Self.quoted(name) + ":" + value
        isEmpty = false
    }

    /// The whole object, without a line end.
    package var finished: String { text + "}" }

    /// Escapes also what no terminal should obey.
    private static func quoted(_ value: String) -> String {
        var quoted = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            default:
                guard SafeText.escape(for: scalar) != nil else {
                    quoted.unicodeScalars.append(scalar)
                    continue
                }
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return quoted + "\""
    }
}
