import Secrets

/// A name or a value of a form, as it stands in one (WHATWG URL, section 5.1).
enum FormText {
    /// Its bytes, decoded.
    /// - Parameter isStrict: whether a `%` without its two digits ends it all; else it stands for itself, as in browsers.
    static func decoded(_ text: some Sequence<UInt8>, isStrict: Bool) -> [UInt8]? {
        let blank = UInt8(ascii: " ")
        return Hexadecimal.percentDecoded(text.lazy.map { $0 == UInt8(ascii: "+") ? blank : $0 }, isStrict: isStrict)
    }

    /// The same of what may hold a secret; a `%` without its two digits stands for itself.
    /// - Parameter plus: what a `+` stands for: a blank in forms alone.
    static func decoded(_ text: Secret, plus: UInt8 = UInt8(ascii: " ")) -> Secret {
        // It is never longer than it was.
        var builder = SecretBuilder(limit: text.count)
        var index = 0
        while index < text.count {
            let (byte, count) = text.withUnsafeBytes { bytes -> (UInt8, Int) in
                let isEscape = bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count
                if isEscape, let byte = Hexadecimal.byte(bytes[index + 1], bytes[index + 2]) { return (byte, 3) }
                return (bytes[index] == UInt8(ascii: "+") ? plus : bytes[index], 1)
            }
            builder.append(byte)
            index += count
        }
        return builder.finish() ?? text
    }
}

/// A member's name in the forms that authctl keeps, whatever the type.
///
/// Each type of keys costs a search among all conformances of the program, when the first container with it is made.
struct FormKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(stringLiteral: String) {
        stringValue = stringLiteral
    }

    init?(intValue _: Int) { nil }
}
