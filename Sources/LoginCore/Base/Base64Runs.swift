/// Finds base64 and base64url in a text (RFC 4648, sections 4 and 5), at any offset.
enum Base64Runs {
    /// The bytes of each run of its alphabet, read from each of its first four characters on: of what is encoded together with
    /// something before it, nobody knows where its groups begin.
    /// - Parameter least: runs that cannot hold so many bytes are left out.
    static func decoded(_ text: [UInt8], least: Int) -> [[UInt8]] {
        guard least <= text.count else { return [] }
        var all: [[UInt8]] = [], start = 0
        for index in 0...text.count where index == text.count || value(text[index]) == nil {
            let run = text[start..<index]
            start = index + 1
            guard run.count * 6 / 8 >= least else { continue }
            all += (0..<4).map { bytes(run.dropFirst($0)) }
        }
        return all
    }

    /// A last group that is not whole has whole bytes, too.
    private static func bytes(_ run: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = [], bits: UInt32 = 0, count = 0
        result.reserveCapacity(run.count * 3 / 4)
        for character in run {
            bits = bits << 6 | (value(character) ?? 0)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return result
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 0x41
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 0x61 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
