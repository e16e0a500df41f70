/// A name or a value of a form, as it stands in one (WHATWG URL, section 5.1).
enum FormText {
    /// Its bytes, decoded.
    /// - Parameter isStrict: whether a `%` without its two digits ends it all; else it stands for itself, as in browsers.
    static func decoded(_ text: some Sequence<UInt8>, isStrict: Bool) -> [UInt8]? {
        var bytes: [UInt8] = [], rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = Array(rest.prefix(2))
                if digits.count == 2, let code = Hexadecimal.byte(digits[0], digits[1]) {
                    bytes.append(code)
                    rest = rest.dropFirst(2)
                } else if isStrict {
                    return nil
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
