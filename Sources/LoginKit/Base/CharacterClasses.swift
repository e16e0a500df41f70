// Classes of ASCII characters, by their bytes.
extension UInt8 {
    /// A letter or a digit.
    var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// A space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// RFC 3986, section 2.3.
    var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }

    /// A character of a token (RFC 9110, section 5.6.2).
    var isTokenCharacter: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension BidirectionalCollection {
    /// Without the elements at both ends that are of this class.
    func trimming(_ isOutside: (Element) -> Bool) -> SubSequence {
        let rest = drop(while: isOutside)
        return rest.lastIndex { !isOutside($0) }.map { rest[...$0] } ?? rest
    }
}

extension String {
    /// Without blanks and line ends at its ends.
    var trimmed: String { String(unicodeScalars.trimming { $0.value <= 0x20 && $0.properties.isWhitespace }) }
}
