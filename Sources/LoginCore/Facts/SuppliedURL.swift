/// A URL as a person typed it. It may hold a password, which no message repeats.
package struct SuppliedURL: Sendable {
    private let text: String

    /// Takes it as it was typed; nothing is checked.
    package init(_ text: String) {
        self.text = text
    }

    /// The text without what may be user information (RFC 3986, section 3.2.1): everything before the last `@` but the
    /// scheme. A password that holds a slash is covered too.
    package var withoutUserInformation: String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) } ?? ""
        return "\(scheme)…\(text[at...])"
    }

    /// The URL between quotes, for a message.
    package var quoted: String { SafeText.quoted(withoutUserInformation) }

    /// The URL with the scheme that is probably missing: http on this machine, else https.
    package var proposal: String {
        let rest = text.lastIndex(of: "@").map { text[text.index(after: $0)...] } ?? text[...]
        let scheme = ["https:", "http:", "https/", "http/"].first { rest.hasPrefix($0) } ?? ""
        let place = rest.dropFirst(scheme.count).drop { $0 == "/" }
        let isIPv6 = place.hasPrefix("[")
        let host = place.prefix { isIPv6 ? $0 != "]" : $0 != ":" && $0 != "/" } + (isIPv6 ? "]" : "")
        let isLocal = Origin(scheme: "http", host: String(host), port: 80).isLoopback
        return "\(isLocal ? "http" : "https")://\(SafeText.escaped(String(place)))"
    }
}
