import LoginCore

/// Reads big-endian numbers and counted bytes, never past the end.
struct BinaryReader {
    /// There are fewer bytes than the format wants, or other ones.
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The bytes that were not read yet.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    /// Everything that was read so far.
    var consumed: [UInt8] { Array(bytes[..<position]) }

    mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        guard count >= 0, count <= bytes.count - position else { throw Malformed() }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) throws(Malformed) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
    }

    /// UTF-8 with two bytes of length before it.
    mutating func text() throws(Malformed) -> String {
        let bytes = try take(Int(number(UInt16.self)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }
}

/// Writes what `BinaryReader` reads.
struct BinaryWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    mutating func append<Number: FixedWidthInteger>(number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    /// - Precondition: at most 65,535 bytes; `EncryptedFileStore` refuses longer names before.
    mutating func append(text: String) {
        append(number: UInt16(text.utf8.count))
        bytes += Array(text.utf8)
    }

    mutating func append(_ account: AccountID) {
        append(text: account.profile)
        append(text: account.origin.scheme)
        append(text: account.origin.host)
        append(number: UInt32(truncatingIfNeeded: account.origin.port))
        append(text: account.username)
    }
}

extension BinaryReader {
    mutating func account() throws(Malformed) -> AccountID {
        let profile = try text()
        let scheme = try text()
        let host = try text()
        let port = Int(try number(UInt32.self))
        return AccountID(
            profile: profile, origin: Origin(scheme: scheme, host: host, port: port), username: try text())
    }
}
