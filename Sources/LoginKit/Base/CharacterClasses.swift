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

    /// RFC 3986, section 2.3.
    var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }

    /// A character of a token (RFC 9110, section 5.6.2).
    var isTokenCharacter: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
