package import Secrets

/// A cookie of a browser, as its DevTools protocol describes it (`Network.Cookie`).
package struct WindowCookie: Equatable, Sendable {
    package let name: String
    package let value: Secret
    /// Begins with a dot where the cookie is for a domain and all hosts below it (RFC 6265, section 5.3).
    package let domain: String
    package let path: String
    package let isSecure: Bool
    package let isHTTPOnly: Bool
    /// Seconds of Unix time; `nil` where it lasts as long as the browser.
    package let expires: Int64?

    /// Whether other hosts of its domain get it, too: logging in at one of them may have set it.
    package func isOfParent(of host: String) -> Bool {
        domain.hasPrefix(".") && domain.dropFirst() != host.lowercased()[...]
    }

    /// The cookies in the result of `Network.getCookies` that may be kept for a host. A partitioned cookie belongs to the page that
    /// embeds the host, and is none of them.
    /// - Returns: sorted, since the browser gives them in an order that changes from one time to the next; of one name, that of the
    ///   longest path first (RFC 6265, section 5.4).
    package static func cookies(in result: JSONValue, for host: String) -> [WindowCookie] {
        guard case .object(let members) = result, case .array(let values)? = members["cookies"] else { return [] }
        return values.prefix(most).compactMap { WindowCookie($0, for: host.lowercased()) }
            .sorted { ($0.name, $1.path.utf8.count, $0.domain) < ($1.name, $0.path.utf8.count, $1.domain) }
    }

    /// More than a browser keeps for one domain.
    private static let most = 500

    private init?(_ value: JSONValue, for host: String) {
        guard case .object(let members) = value, members["partitionKey"] == nil,
            case .string(let name)? = members["name"], case .string(let text)? = members["value"],
            case .string(let domain)? = members["domain"], case .string(let path)? = members["path"],
            path.hasPrefix("/"), members["partitionKeyOpaque"] != .bool(true),
            // A tab would end a field of the record in which it is kept.
            [name, text, path].allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }), !name.isEmpty
        else { return nil }
        let lower = domain.lowercased()
        guard lower == host || lower.hasPrefix(".") && ("." + host).hasSuffix(lower) else { return nil }
        (self.name, self.value, self.domain, self.path) = (name, Secret(text), lower, path)
        isSecure = members["secure"] == .bool(true)
        isHTTPOnly = members["httpOnly"] == .bool(true)
        expires =
            switch members["expires"] {
            case .integer(let seconds)? where seconds > 0: seconds
            case .number(let seconds)? where seconds > 0: Int64(exactly: seconds.rounded(.up))
            default: nil
            }
    }
}
