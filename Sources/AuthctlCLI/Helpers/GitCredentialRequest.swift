import LoginCore
import Secrets

/// A request of git to a credential helper: one attribute a line, up to a blank line or the end
/// (git-credential(1), "INPUT/OUTPUT FORMAT").
///
/// Stricter than git in one respect: what two readers could read in two ways is refused, since a line that was smuggled in
/// would have the credential of one host sent to another (CVE-2020-5260, CVE-2024-50338, CVE-2024-52006).
struct GitCredentialRequest: Equatable, Sendable {
    /// In bytes.
    static let limit = 64 << 10

    /// For whom, as an absolute URL that has still to be parsed; `nil` if `host` cannot be one.
    let url: String?
    /// Selects the account.
    let username: String?
    /// The credential to erase.
    let password: Secret?
    /// The same, of a token.
    let credential: Secret?
    /// Whether git takes an `authtype` and the `credential` that goes with it.
    let takesAuthtype: Bool
    /// Whether no helper is to answer any more.
    let isOver: Bool

    /// - Throws: for whatever git itself would not have written.
    init(parsing input: Secret) throws(HelperRequestFault) {
        guard input.count <= Self.limit else { throw .tooLong(limit: Self.limit) }
        var lines = GitCredentialLines(input)
        try lines.read()
        username = try lines.text("username").flatMap { $0.isEmpty ? nil : $0 }
        password = lines.value("password")
        credential = lines.value("credential")
        takesAuthtype = lines.capabilities.contains("authtype")
        isOver = lines.value("quit").map { ["1", "true", "yes", "on"].contains($0.unprotectedText) } ?? false
        url = try Self.url(lines)
    }

    private static func url(_ lines: GitCredentialLines) throws(HelperRequestFault) -> String? {
        if let url = try lines.text("url") {
            for other in ["protocol", "host"] where lines.value(other) != nil { throw .repeated(attribute: other) }
            guard !hasEncodedControl(url) else { throw .controlCharacter }
            guard let scheme = url.firstRange(of: "://"), scheme.lowerBound > url.startIndex else { throw .notAURL }
            guard let first = url[scheme.upperBound...].first, !"/?#".contains(first) else {
                throw .missing(attribute: "host")
            }
            return url
        }
        guard let scheme = try lines.text("protocol"), !scheme.isEmpty else { throw .missing(attribute: "protocol") }
        guard let host = try lines.text("host"), !host.isEmpty else { throw .missing(attribute: "host") }
        // A host alone: nothing that a parser of URLs would read as user information, a path or an escape.
        return ["https", "http"].contains(scheme) && host.utf8.allSatisfy(isOfHost) ? "\(scheme)://\(host)" : nil
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "-._:[]".utf8.contains(byte)
        }
    }

    /// git decodes the parts of a URL before it writes them, so that a `%0a` would become a line.
    private static func hasEncodedControl(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        return bytes.indices.dropLast(2).contains { index in
            guard bytes[index] == UInt8(ascii: "%") else { return false }
            return Hexadecimal.byte(bytes[index + 1], bytes[index + 2]).map { $0 < 0x20 || $0 == 0x7F } ?? false
        }
    }
}
