/// Finds what a person sees as one character in raw bytes: a secret must not become a `String`.
///
/// A simplified reading of Unicode's grapheme clusters (UAX #29): a code point and whatever is put on it, parts of an
/// emoji that are joined, and the two letters of a flag. Bytes that are not UTF-8 count as one character each.
enum Characters {
    /// One code point at the start of `bytes`, and how many bytes it takes; `nil` if they are not UTF-8 (RFC 3629).
    static func decode(_ bytes: some Collection<UInt8>) -> (scalar: Unicode.Scalar, length: Int)? {
        guard let first = bytes.first else { return nil }
        let length: Int, smallest: UInt32
        switch first {
        case 0x00..<0x80: return (Unicode.Scalar(first), 1)
        case 0xC2..<0xE0: (length, smallest) = (2, 0x80)
        case 0xE0..<0xF0: (length, smallest) = (3, 0x800)
        case 0xF0..<0xF5: (length, smallest) = (4, 0x10000)
        default: return nil
        }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        let rest = bytes.dropFirst().prefix(length - 1)
        guard rest.count == length - 1, rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return nil }
        for byte in rest { value = value << 6 | UInt32(byte & 0x3F) }
        // Longer than needed, a surrogate, or beyond Unicode: not UTF-8.
        guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, length)
    }

    /// Where each character begins, and the end.
    static func boundaries(of bytes: some RandomAccessCollection<UInt8>) -> [Int] {
        var starts: [Int] = [], offset = 0, before: Unicode.Scalar?, flagLetters = 0
        while offset < bytes.count {
            let decoded = decode(bytes.dropFirst(offset))
            let isFlagLetter = decoded.map { isRegionalIndicator($0.scalar) } ?? false
            flagLetters = isFlagLetter ? flagLetters + 1 : 0
            let endsFlag = isFlagLetter && flagLetters.isMultiple(of: 2)
            if !(endsFlag || continues(decoded?.scalar, after: before)) { starts.append(offset) }
            before = decoded?.scalar
            offset += decoded?.length ?? 1
        }
        return starts + [offset]
    }

    static func isValidUTF8(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        var offset = 0
        while offset < bytes.count {
            guard let length = decode(bytes.dropFirst(offset))?.length else { return false }
            offset += length
        }
        return true
    }

    private static func continues(_ scalar: Unicode.Scalar?, after before: Unicode.Scalar?) -> Bool {
        guard let scalar, let before else { return false }
        let joiner: Unicode.Scalar = "\u{200D}"
        return scalar == joiner || scalar.properties.isGraphemeExtend || scalar.properties.isEmojiModifier
            || scalar.properties.generalCategory == .spacingMark
            || (before == joiner && scalar.properties.isEmoji)
    }

    private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6..<0x1F200).contains(scalar.value)
    }
}
