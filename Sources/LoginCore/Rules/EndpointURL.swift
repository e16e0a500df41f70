/// An http or https URL in its parts, as the program's one parser has read it (RFC 3986). It has no user information.
package struct EndpointURL: Hashable, Sendable {
    /// With the port filled in.
    package let origin: Origin
    /// From the first slash on, still percent-encoded, without dot segments.
    package let path: String
    /// Without the question mark.
    package let query: String?

    /// Takes parts as a parser has read them; nothing is checked here.
    package init(origin: Origin, path: String, query: String? = nil) {
        self.origin = origin
        self.path = path
        self.query = query
    }

    /// The whole URL, as it is sent and shown.
    package var text: String { "\(origin)\(target)" }

    /// Path and query.
    package var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// Returns true if `text`, which was read as this URL, is printable ASCII and writes scheme and host as they are sent, but for the
    /// case of letters: in no other alphabet, not percent-encoded, no address in another notation.
    func isSpelledPlainly(in text: String) -> Bool {
        let prefix = "\(origin.scheme)://\(origin.host)".utf8, rest = text.utf8.dropFirst(prefix.count)
        return text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            && text.utf8.prefix(prefix.count).elementsEqual(prefix) {
                (0x41...0x5a).contains($0) ? $0 | 0x20 == $1 : $0 == $1
            }
            && rest.first.map { ":/?#".utf8.contains($0) } ?? true
    }

    /// Whether its query has a name that authctl sends itself: it would be there twice (RFC 6749, section 3.1), or hidden by an
    /// encoding.
    var hasReservedQuery: Bool {
        (query ?? "").split(separator: "&").contains { pair in
            let name = pair.prefix { $0 != "=" }
            return name.contains("%") || OAuthParameter(name: String(name), value: "").isReserved
        }
    }

    /// Another path on the same origin.
    package func at(_ path: String) -> EndpointURL { EndpointURL(origin: origin, path: path) }

    /// The path without slashes at its end: where a well-known path is put in (RFC 8414, section 3.1).
    var pathWithoutSlash: String {
        var path = path[...]
        while path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }
}

/// Reads an absolute URL. Nothing for what is none, for another scheme than http and https, and for user information.
package typealias URLReading = (String) -> EndpointURL?

/// Decides which URLs of others may be requested or shown (RFC 8252, section 8.3; RFC 9700, section 2.6).
package struct EndpointRule: Equatable, Sendable {
    /// The origin to which plain http is allowed, although it is not on this machine.
    package let plainOrigin: Origin?

    /// - Parameter plainOrigin: that of a profile with `allow-http`.
    package init(plainOrigin: Origin? = nil) {
        self.plainOrigin = plainOrigin
    }

    /// - Parameter document: where the document is from that names the URL; one that came by https leads to no plain http.
    package func permits(_ url: EndpointURL, namedBy document: Origin? = nil) -> Bool {
        if url.origin.scheme == "https" { return true }
        guard document?.scheme != "https" else { return false }
        return url.origin.isLoopback || url.origin == plainOrigin
    }

    /// A URL that is shown to a person or handed to a browser: nothing in it ends a word or begins an escape sequence.
    /// - Throws: `unusableURL`, with nothing of it but its scheme.
    /// - Parameter document: where it is from, if others name it.
    package func shown(
        _ text: String, namedBy document: Origin? = nil, read: URLReading
    ) throws(OAuthFault) -> EndpointURL {
        guard let url = read(text), permits(url, namedBy: document), url.text.utf8.allSatisfy(Self.isPlain) else {
            throw .unusableURL(scheme: Self.scheme(of: text))
        }
        return url
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"'`<>\\".utf8.contains(byte)
    }

    /// RFC 3986, section 3.1; `nil` if there is none, or none of a reasonable length.
    static func scheme(of text: String) -> String? {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < text.utf8.count, (1...20).contains(scheme.count),
            scheme.allSatisfy({ $0.isUnreserved && $0 != UInt8(ascii: "~") && $0 != UInt8(ascii: "_") })
        else { return nil }
        return String(scheme)
    }
}
