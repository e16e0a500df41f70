import LoginKit
import Secrets

/// Cookies in the Netscape format, as curl, wget and yt-dlp read them.
enum CookieFile {
    /// In bytes.
    private static let longest = 1600 << 10
    /// Before the domain of a cookie that no script can read. To wget, and to Python before 3.10, it begins a comment.
    private static let httpOnly = "#HttpOnly_"

    /// - Throws: `usage` for a value that would end its field or line.
    static func text(of cookies: [Cookie]) throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: longest)
        text.append("# Netscape HTTP Cookie File\n")
        for cookie in cookies {
            guard !cookie.value.withUnsafeBytes({ $0.contains { $0 < 0x20 || $0 == 0x7f } }) else {
                throw .usage(
                    "the value of the cookie \(SafeText.quoted(cookie.name)) has a tab or another control character, which a cookie file cannot hold",
                    next: "send requests with: authctl request URL")
            }
            cookie.record.withUnsafeBytes { record in
                let start = cookie.isHTTPOnly ? httpOnly.utf8.count : 0
                _ = text.append(UnsafeRawBufferPointer(rebasing: record[start...]))
            }
            text.append("\n")
        }
        guard let text = text.finish() else { throw .failure("the session is too long for a cookie file") }
        return text
    }
}

/// The storage state that a context of Playwright starts with. The values are `String`s here, as JSON needs; they live only until it is
/// printed.
struct StorageState: Encodable {
    private let cookies: [Entry]
    private let origins: [String] = []

    private struct Entry: Encodable {
        let name: String
        let value: String
        let domain: String
        let path: String
        let expires: Int64
        let httpOnly: Bool
        let secure: Bool
        /// Not kept with a session; browsers take a cookie that says nothing for this.
        let sameSite = "Lax"
    }

    /// - Throws: `usage` for a value that is not UTF-8, as JSON has to be.
    init(_ cookies: [Cookie]) throws(LoginFault) {
        self.cookies = try cookies.map { (cookie) throws(LoginFault) in
            guard cookie.value.isUTF8 else {
                throw .usage(
                    "the value of the cookie \(SafeText.quoted(cookie.name)) is not UTF-8, so JSON cannot hold it",
                    next: "print the cookies with --as cookies")
            }
            return Entry(
                name: cookie.name, value: cookie.value.unprotectedText, domain: cookie.domain, path: cookie.path,
                expires: cookie.expires ?? -1, httpOnly: cookie.isHTTPOnly, secure: cookie.isSecure)
        }
    }
}
