/// Bytes as hexadecimal digits, two for each, so that no two texts are written alike.
enum Hexadecimal {
    /// In small letters.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Percent-encoded, byte by byte, in capitals as RFC 3986 has it; `isPlain` says what stays as it is.
    static func percentEncoded(_ text: some Sequence<UInt8>, where isPlain: (UInt8) -> Bool) -> String {
        text.reduce(into: "") { encoded, byte in
            if isPlain(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Self.text([byte]).uppercased()
            }
        }
    }
}
