/// A text that may hold a secret in disguise: what it says once its escapes are undone.
enum RepeatedText {
    /// The bytes as they are, with one kind of escape undone, and with all of them.
    static func forms(of text: String) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        let single: [[UInt8]] = [
            undone(bytes, [percent, plus]), undone(bytes, [backslash]), undone(bytes, [entity]),
        ]
        // Such as HTML in JSON.
        let nested = undone(undone(undone(bytes, [backslash]), [entity]), [percent])
        return ([bytes] + single + [nested]).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Reads an escape at the beginning of the bytes: what it stands for, and how many bytes it takes.
    private typealias Escape = (ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)?

    private static func undone(_ bytes: [UInt8], _ escapes: [Escape]) -> [UInt8] {
        var result: [UInt8] = [], rest = bytes[...]
        while let first = rest.first {
            let isPlain = first > UInt8(ascii: "+") && first != UInt8(ascii: "\\")
            if !isPlain, let found = escapes.lazy.compactMap({ $0(rest) }).first {
                result += found.bytes
                rest = rest.dropFirst(found.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// RFC 3986, section 2.1.
    private static func percent(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard bytes.first == UInt8(ascii: "%"), let code = number(bytes.dropFirst().prefix(2), digits: 2) else {
            return nil
        }
        return ([UInt8(truncatingIfNeeded: code)], 3)
    }

    /// A blank in a form.
    private static func plus(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        bytes.first == UInt8(ascii: "+") ? ([UInt8(ascii: " ")], 1) : nil
    }

    /// RFC 8259, section 7, and `\xHH` as C and Python write a byte.
    private static func backslash(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard bytes.first == UInt8(ascii: "\\"), let letter = bytes.dropFirst().first else { return nil }
        switch letter {
        case UInt8(ascii: "b"): return ([0x08], 2)
        case UInt8(ascii: "f"): return ([0x0c], 2)
        case UInt8(ascii: "n"): return ([0x0a], 2)
        case UInt8(ascii: "r"): return ([0x0d], 2)
        case UInt8(ascii: "t"): return ([0x09], 2)
        case UInt8(ascii: "x"):
            return number(bytes.dropFirst(2).prefix(2), digits: 2).map { ([UInt8(truncatingIfNeeded: $0)], 4) }
        case UInt8(ascii: "u"): return unicode(bytes)
        default: return ([letter], 2)
        }
    }

    private static func unicode(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard let high = number(bytes.dropFirst(2).prefix(4), digits: 4) else { return nil }
        if let scalar = Unicode.Scalar(high) { return (Array(String(Character(scalar)).utf8), 6) }
        guard bytes.dropFirst(6).starts(with: "\\u".utf8), let low = number(bytes.dropFirst(8).prefix(4), digits: 4),
            (0xd800..<0xdc00).contains(high), (0xdc00..<0xe000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
        else { return nil }
        return (Array(String(Character(scalar)).utf8), 12)
    }

    private static let names: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]

    /// HTML, section 13.5, as far as templates escape with it.
    private static func entity(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard bytes.first == UInt8(ascii: "&"), let end = bytes.prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            return nil
        }
        let name = bytes[..<end].dropFirst(), count = bytes[...end].count
        guard name.first == UInt8(ascii: "#") else {
            return names[String(decoding: name, as: UTF8.self)].map { ([$0], count) }
        }
        let written = String(decoding: name.dropFirst(), as: UTF8.self).lowercased()
        let code = written.hasPrefix("x") ? UInt32(written.dropFirst(), radix: 16) : UInt32(written)
        guard let scalar = code.flatMap({ Unicode.Scalar($0) }) else { return nil }
        return (Array(String(Character(scalar)).utf8), count)
    }

    private static func number(_ written: ArraySlice<UInt8>, digits: Int) -> UInt32? {
        guard written.count == digits, written.first != UInt8(ascii: "+"), written.first != UInt8(ascii: "-") else {
            return nil
        }
        return UInt32(String(decoding: written, as: UTF8.self), radix: 16)
    }
}
