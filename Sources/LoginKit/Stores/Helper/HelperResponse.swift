import LoginCore
import Secrets

/// Reads a helper's output as docker's helpers write it.
enum HelperResponse {
    /// - Returns: the server URLs that `list` prints.
    static func urls(_ output: Secret) -> [String]? {
        if trimmed(output) == "null" { return [] }
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
}
