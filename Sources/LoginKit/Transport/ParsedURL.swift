package import LoginCore
package import Secrets

/// An http or https URL in its parts, as `URLParser` reads it. The fragment is dropped: it is never sent.
package struct ParsedURL: Equatable, Sendable {
    /// With the port filled in.
    package let origin: Origin
    /// From the first slash on, still percent-encoded, without dot segments (RFC 3986, section 5.2.4).
    package let path: String
    /// Without the question mark, still percent-encoded; empty where a question mark ends the URL.
    let query: String?
    /// Decoded. URLs that are sent have none.
    package let user: String?
    /// Decoded. As with `user`, only what a person typed may have one.
    package let password: Secret?

    /// Path and query.
    package var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// The path up to its last slash, without that unless it is the only one: what a cookie without a path of its own is for
    /// (RFC 6265, section 5.1.4).
    var directory: String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// The whole URL without user information.
    var text: String { "\(origin)\(target)" }
}
