/// Scheme, host and port: what every secret is bound to (RFC 6454).
///
/// Values come from libcurl's URL parser, in lower case and with the port filled in; this type does not parse.
public struct Origin: Hashable, Sendable, Codable {
    /// `https` or `http`.
    public let scheme: String
    /// A name as A-label, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    /// Never left out, also where it is the usual one of the scheme.
    public let port: Int

    /// Takes parts that are in this form already; nothing is checked here.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Reads what `encode` wrote.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        scheme = try members.decode(String.self, forKey: "scheme")
        host = try members.decode(String.self, forKey: "host")
        port = try members.decode(Int.self, forKey: "port")
    }

    /// Whether the port is the usual one of the scheme.
    var hasDefaultPort: Bool {
        (scheme == "https" && port == 443) || (scheme == "http" && port == 80)
    }

    /// The host, with `:port` unless it is the usual one.
    var authority: String { hasDefaultPort ? host : "\(host):\(port)" }

    /// The host, without the brackets of an IPv6 address.
    var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

    /// Whether `Secure` cookies are taken from it and go to it: over https, and within this machine.
    var keepsSecureCookies: Bool {
        scheme == "https" || ["localhost", "127.0.0.1", "::1"].contains(bareHost)
    }

    /// Whether the host is this machine by its very name (RFC 6761, section 6.3) or address.
    package var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || PeerAddress(text: bareHost)?.isLoopback == true
    }
}

extension Origin: CustomStringConvertible {
    /// As RFC 6454, section 6.2 serializes it: the port only where it is not the usual one.
    public var description: String {
        "\(scheme)://\(authority)"
    }
}

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
    var quoted: String { SafeText.quoted(withoutUserInformation) }

    /// The URL with the scheme that is probably missing: http on this machine, else https.
    var proposal: String {
        let rest = text.lastIndex(of: "@").map { text[text.index(after: $0)...] } ?? text[...]
        let scheme = ["https:", "http:", "https/", "http/"].first { rest.hasPrefix($0) } ?? ""
        let place = rest.dropFirst(scheme.count).drop { $0 == "/" }
        let isIPv6 = place.hasPrefix("[")
        let host = place.prefix { isIPv6 ? $0 != "]" : $0 != ":" && $0 != "/" } + (isIPv6 ? "]" : "")
        let isLocal = Origin(scheme: "http", host: String(host), port: 80).isLoopback
        return "\(isLocal ? "http" : "https")://\(SafeText.escaped(String(place)))"
    }
}
