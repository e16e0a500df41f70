/// Bytes as hexadecimal digits, two for each.
package enum Hexadecimal {
    /// In small letters.
    static func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: digits(bytes), as: UTF8.self) }

    /// The digits as bytes.
    static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// The byte that two digits write, in either case; `nil` if one of them is none.
    package static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = value(high), let low = value(low) else { return nil }
        return high << 4 | low
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }

    /// Percent-decoded (RFC 3986, section 2.1).
    /// - Parameter isStrict: whether a `%` without its two digits ends it all; else it stands for itself, as in browsers.
    /// - Returns: `nil` only if `isStrict`.
    static func percentDecoded(_ text: some Sequence<UInt8>, isStrict: Bool) -> [UInt8]? {
        var bytes: [UInt8] = [], rest = Array(text)[...]
        while let byte = rest.popFirst() {
            let digits = Array(rest.prefix(2))
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if digits.count == 2, let code = Self.byte(digits[0], digits[1]) {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else if isStrict {
                return nil
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Percent-encoded, byte by byte, in capitals as RFC 3986 has it; `isPlain` says what stays as it is.
    static func percentEncoded(
        _ text: some Sequence<UInt8>, where isPlain: (UInt8) -> Bool
    ) -> String {
        text.reduce(into: "") { encoded, byte in
            if isPlain(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Self.text([byte]).uppercased()
            }
        }
    }
}
