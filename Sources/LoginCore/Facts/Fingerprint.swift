/// SHA-256 of a certificate in DER, as `openssl x509 -fingerprint -sha256` tells it.
public struct Fingerprint: Hashable, Sendable {
    /// 32 of them.
    package let bytes: [UInt8]

    /// `nil` unless there are 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads 64 hexadecimal digits in any case, with or without colons between the pairs, after `sha256:`.
    package init?(_ text: String) {
        let name = "sha256:"
        guard text.lowercased().hasPrefix(name) else { return nil }
        let rest = text.dropFirst(name.count).utf8
        let pairs =
            rest.contains(UInt8(ascii: ":"))
            ? rest.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Array($0) }
            : stride(from: 0, to: rest.count, by: 2).map { Array(rest.dropFirst($0).prefix(2)) }
        let isHexadecimal = { (pair: [UInt8]) in pair.count == 2 && pair.allSatisfy { Character(.init($0)).isHexDigit }
        }
        guard pairs.allSatisfy(isHexadecimal) else { return nil }
        self.init(bytes: pairs.compactMap { UInt8(String(decoding: $0, as: UTF8.self), radix: 16) })
    }

    /// Reads a typed fingerprint, with or without `sha256:`.
    package init?(typed text: String) {
        let name = "sha256:"
        self.init(text.lowercased().hasPrefix(name) ? text : name + text)
    }

    /// 64 hexadecimal digits.
    package var digits: String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension Fingerprint: CustomStringConvertible {
    /// `sha256:` and 64 digits, as `--trust-fingerprint` takes it.
    public var description: String { "sha256:" + digits }
}

extension Fingerprint: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let fingerprint = Fingerprint(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a fingerprint")
        }
        self = fingerprint
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
