/// A header field such as `form-data; name="x"` (RFC 9110, section 5.6.6), where every reader would read the same.
struct HeaderParameters: Equatable {
    /// What precedes the parameters.
    let value: String
    private let parameters: [String: String]

    /// The names of the parameters, in lower case.
    var names: Set<String> { Set(parameters.keys) }

    /// A parameter by its name in lower case.
    subscript(name: String) -> String? { parameters[name] }

    private typealias Bytes = Substring.UTF8View
    private static let semicolon = UInt8(ascii: ";"), quote = UInt8(ascii: "\"")

    /// - Returns: `nil` for what is not of this form, has a parameter twice, or a name or a boundary in extended notation (RFC 8187).
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        var rest = text[...].utf8, parameters: [String: String] = [:]
        value = Self.text(rest.prefix { $0 != Self.semicolon && !$0.isBlank })
        guard value.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ String($0).isHeaderName })
        else {
            return nil
        }
        rest = rest.dropFirst(value.utf8.count).drop(while: \.isBlank)
        while rest.first == Self.semicolon {
            rest = rest.dropFirst().drop(while: \.isBlank)
            // A semicolon at the end is harmless.
            if rest.isEmpty { break }
            let name = Self.text(rest.prefix { $0 != UInt8(ascii: "=") && $0 != Self.semicolon }).lowercased()
            rest = rest.dropFirst(name.utf8.count)
            let isExtended = ["name", "boundary", "charset"].contains { name.hasPrefix($0 + "*") }
            guard name.isHeaderName, !isExtended, rest.first == UInt8(ascii: "=") else { return nil }
            guard let found = Self.value(&rest), parameters.updateValue(found, forKey: name) == nil else { return nil }
            rest = rest.drop(while: \.isBlank)
        }
        guard rest.isEmpty else { return nil }
        self.parameters = parameters
    }

    /// Takes a token or a quoted string.
    private static func value(_ rest: inout Bytes) -> String? {
        rest = rest.dropFirst()
        guard rest.first == quote else {
            let token = rest.prefix { $0 != semicolon && !$0.isBlank }
            rest = rest.dropFirst(token.count)
            return token.isEmpty || token.contains(quote) ? nil : text(token)
        }
        let inner = rest.dropFirst().prefix { $0 != quote }
        rest = rest.dropFirst(inner.count + 1)
        // To some readers a quote behind a backslash is not the end.
        guard rest.first == quote, inner.last != UInt8(ascii: "\\") else { return nil }
        rest = rest.dropFirst()
        return text(inner)
    }

    private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
