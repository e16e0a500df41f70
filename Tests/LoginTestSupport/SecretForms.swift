import Foundation
import Synchronization

/// The forms in which a secret can turn up where it does not belong.
struct SecretForms {
    /// One form: what it is called, and the bytes to look for.
    struct Form {
        let name: String
        let bytes: [UInt8]
    }

    private let bytes: [UInt8]

    init(_ secret: String) {
        bytes = Array(secret.utf8)
    }

    init(_ key: [UInt8]) {
        bytes = key
    }

    /// The forms of bytes that are no text.
    var ofBytes: [Form] {
        [Form(name: "plain", bytes: bytes)]
            + (base64 + hex).map { Form(name: $0.0, bytes: Array($0.1.utf8)) }
    }

    /// Every form once, the plain one first.
    /// - Throws: where the programs for the digests cannot be run.
    func all() throws -> [Form] {
        var forms = [Form(name: "plain", bytes: bytes)]
        forms += (base64 + percent + hex + escaped).map { Form(name: $0.0, bytes: Array($0.1.utf8)) }
        forms += [utf16(\.bigEndian), utf16(\.littleEndian)].map { Form(name: "UTF-16", bytes: $0) }
        forms += try digests().map { Form(name: $0.0, bytes: Array($0.1.utf8)) }
        var known: Set<[UInt8]> = [[]]
        return forms.filter { known.insert($0.bytes).inserted }
    }

    /// Without padding, which finds it with padding too; and the part that stays the same when the secret stands
    /// somewhere inside a longer text, at each of the three ways it can fall.
    private var base64: [(String, String)] {
        let whole = Data(bytes).base64EncodedString().prefix { $0 != "=" }
        var found = [("base64", String(whole)), ("base64url", Self.forURL(String(whole)))]
        for offset in 0..<3 {
            let text = Data(Array(repeating: 0, count: offset) + bytes).base64EncodedString()
            let (start, end) = ((offset * 8 + 5) / 6, (offset + bytes.count) * 8 / 6)
            guard end - start >= 8 else { continue }
            let core = String(text.prefix(end).dropFirst(start))
            found += [("base64 of a longer text", core), ("base64url of a longer text", Self.forURL(core))]
        }
        return found
    }

    private static func forURL(_ base64: String) -> String {
        base64.replacing("+", with: "-").replacing("/", with: "_")
    }

    /// RFC 3986, with blanks as `%20` and as the `+` of forms, and with every byte encoded.
    private var percent: [(String, String)] {
        ["%02X", "%02x"].flatMap { digits in
            let encode = { (byte: UInt8) in "%" + String(format: digits, Int(byte)) }
            let usual = bytes.map { Self.isUnreserved($0) ? Self.character($0) : encode($0) }
            let form = zip(bytes, usual).map { $0 == UInt8(ascii: " ") ? "+" : $1 }
            return [
                ("percent-encoded", usual.joined()), ("form-encoded", form.joined()),
                ("percent-encoded", bytes.map(encode).joined()),
            ]
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        let character = Unicode.Scalar(byte)
        return character.isASCII && (character.properties.isAlphabetic || (0x30...0x39).contains(byte))
            || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~")].contains(byte)
    }

    private static func character(_ byte: UInt8) -> String {
        String(Unicode.Scalar(byte))
    }

    /// As ICU and others hold text in memory, without a mark of the order.
    private func utf16(_ order: (UInt16) -> UInt16) -> [UInt8] {
        String(decoding: bytes, as: UTF8.self).utf16.flatMap { unit in
            withUnsafeBytes(of: order(unit)) { Array($0) }
        }
    }

    private var hex: [(String, String)] {
        ["%02x", "%02X"].map { digits in ("hex", bytes.map { String(format: digits, Int($0)) }.joined()) }
    }

    /// JSON (RFC 8259) with and without `\u`, `\/`; and the octal of C, as strace and ls print it.
    private var escaped: [(String, String)] {
        let text = String(decoding: bytes, as: UTF8.self)
        let quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let slashes = [quoted, quoted.replacing("/", with: "\\/")]
        let units = slashes.flatMap { text in ["%04x", "%04X"].map { Self.unicodeEscaped(text, digits: $0) } }
        let octal = quoted.utf8.map { $0 < 0x80 ? Self.character($0) : "\\" + String($0, radix: 8) }.joined()
        return (slashes + units).map { ("JSON", $0) } + [("octal", octal)]
    }

    private static func unicodeEscaped(_ text: String, digits: String) -> String {
        text.utf16.map { $0 < 0x80 ? character(UInt8($0)) : "\\u" + String(format: digits, Int($0)) }.joined()
    }

    private func digests() throws -> [(String, String)] {
        if let known = Self.known.withLock({ $0[bytes] }) { return known }
        let digests = try ["md5sum", "sha1sum", "sha256sum"].flatMap { program in
            let printed = try Command.tool(program, input: bytes).output
            let digest = String(printed.prefix { $0 != " " })
            return [(program, digest), (program, digest.uppercased())]
        }
        Self.known.withLock { $0[bytes] = digests }
        return digests
    }

    /// The digests of secrets that were looked for before: most tests have the same ones.
    private static let known = Mutex<[[UInt8]: [(String, String)]]>([:])
}
