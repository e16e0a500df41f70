internal import LoginCore
internal import Secrets

/// What a helper prints, read as docker's helpers write it.
enum HelperAnswer {
    /// - Returns: the server URLs that `list` prints.
    static func urls(_ output: Secret) -> [String]? {
        if trimmed(output) == "null" { return [] }
        guard isFlat(output) else { return nil }
        return SecretJSON.decode(Listing.self, from: output)?.urls
    }

    /// Only what is listed counts, whatever stands beside it.
    private struct Listing: Decodable {
        let urls: [String]

        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }

            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            urls = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
        }
    }

    static func trimmed(_ output: Secret) -> String {
        output.withUnsafeBytes { bytes in
            let isBlank = { (byte: UInt8) in byte <= 0x20 }
            let start = bytes.drop(while: isBlank)
            let end = start.reversed().drop(while: isBlank).count
            return String(decoding: start.prefix(end), as: UTF8.self)
        }
    }

    /// Whether there is one object without others inside: Foundation's decoder takes time that grows with the product of
    /// depth and number of values.
    static func isFlat(_ output: Secret) -> Bool {
        output.withUnsafeBytes { bytes in
            var depth = 0, deepest = 0, inText = false, isEscaped = false
            for byte in bytes {
                switch (inText, byte) {
                case (true, _) where isEscaped: isEscaped = false
                case (true, UInt8(ascii: "\\")): isEscaped = true
                case (_, UInt8(ascii: "\"")): inText.toggle()
                case (false, UInt8(ascii: "{")), (false, UInt8(ascii: "[")): depth += 1
                case (false, UInt8(ascii: "}")), (false, UInt8(ascii: "]")): depth -= 1
                case (_, _): break
                }
                deepest = max(deepest, depth)
            }
            return deepest == 1
        }
    }
}
