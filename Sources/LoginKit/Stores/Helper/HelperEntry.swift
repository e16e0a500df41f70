import CSodium
import LoginCore
import Secrets

/// Under which server URL and user name a helper keeps one account.
///
/// Helpers ask for the URL alone, make names of files of both, and compare letters as they like. So both are short, of plain
/// letters, and end with a digest of the whole account: that is what tells accounts apart, and what stands before it is
/// for people. The host is one that nobody has, since docker offers the entries of its helper to hosts of the same name.
struct HelperEntry {
    let url: String
    let username: String

    init(_ account: AccountID) {
        let digest = Self.digest(account)
        let origin = account.origin
        let profile = Self.plain(account.profile, limit: 30)
        let person = Self.plain(account.username, limit: 30)
        let place = Self.plain(origin.host, limit: 46) + ":\(origin.port)"
        url = "https://authctl.invalid/\(profile)/\(place)/\(person)/\(digest)"
        username = "authctl-\(profile)-\(person)-\(digest)"
    }

    /// BLAKE2b of 160 bits in hexadecimal, over the parts with their lengths, so that no two accounts give the same bytes.
    private static func digest(_ account: AccountID) -> String {
        let origin = account.origin
        var bytes: [UInt8] = []
        for part in [account.profile, origin.scheme, origin.host, String(origin.port), account.username] {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { bytes += $0 }
            bytes += part.utf8
        }
        var digest = [UInt8](repeating: 0, count: 20)
        precondition(csodium_open() == nil, "libsodium could not be set up")
        csodium_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
        return Hexadecimal.text(digest)
    }

    /// Replaces what does not fit a path or a file's name by an underscore.
    private static func plain(_ text: String, limit: Int) -> String {
        let shown = text.unicodeScalars.prefix(limit).enumerated().map { place, scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "@": Character(scalar)
            case "." where place > 0: "."
            default: "_"
            }
        }
        return shown.isEmpty ? "_" : String(shown)
    }
}

/// A login as the text that a helper keeps: a mark, by which it is known in what a helper says, and base64.
enum HelperSecret {
    /// In bytes. Helpers that are written with docker's own library read lines of less than 64 KiB.
    static let largest = 45 * 1024
    static let mark = "authctl-login:"

    /// The input of `store`: one line of JSON. None of the texts has a character that JSON would escape.
    static func request(_ secret: Secret, for entry: HelperEntry) -> Secret {
        var line = SecretBuilder(limit: 64 * 1024)
        do throws(SecretBuilder.LimitExceeded) {
            try line.append("{\"ServerURL\":\"\(entry.url)\",\"Username\":\"\(entry.username)\",\"Secret\":\"\(mark)")
            try line.append(secret.base64)
            try line.append("\"}\n")
        } catch {
            preconditionFailure("a login that was not measured")
        }
        return line.finish()
    }

    /// - Returns: `nil` if authctl did not write it.
    static func decode(_ text: String) -> Secret? {
        guard text.hasPrefix(mark) else { return nil }
        return Base64.decode(String(text.dropFirst(mark.count)))
    }
}
