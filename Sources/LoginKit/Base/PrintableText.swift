/// A name as printable ASCII without blanks, for stores that take only some characters or compare them in ways of their
/// own.
enum PrintableText {
    /// Everything else percent-encoded, byte by byte, so that no two names share a text.
    static func encode(_ name: String) -> String {
        Hexadecimal.percentEncoded(name.utf8) { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }
    }
}
