/// A name as printable ASCII without blanks, for stores that take only some characters or compare them in ways of their
/// own.
enum PrintableText {
    /// Everything else percent-encoded, byte by byte, so that no two names share a text.
    static func encode(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return name.utf8.reduce(into: "") { text, byte in
            if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
