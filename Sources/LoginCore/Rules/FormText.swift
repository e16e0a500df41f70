/// A name or a value of a form, as it stands in one (WHATWG URL, section 5.1).
enum FormText {
    /// Its bytes, decoded.
    /// - Parameter isStrict: whether a `%` without its two digits ends it all; else it stands for itself, as in browsers.
    static func decoded(_ text: some Sequence<UInt8>, isStrict: Bool) -> [UInt8]? {
        let blank = UInt8(ascii: " ")
        return Hexadecimal.percentDecoded(text.lazy.map { $0 == UInt8(ascii: "+") ? blank : $0 }, isStrict: isStrict)
    }
}
