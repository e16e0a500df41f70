import Secrets

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
    var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// The path of a cookie that names none (RFC 6265, section 5.1.4).
    var directory: String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// The whole URL without user information.
    var text: String { "\(origin)\(target)" }
}

extension String {
    /// Whether a request for this path carries a cookie of that one (RFC 6265, section 5.1.4).
    func matches(cookiePath folder: String) -> Bool {
        let slash = UInt8(ascii: "/"), next = utf8.dropFirst(folder.utf8.count).first ?? slash
        return utf8.starts(with: folder.utf8) && (next == slash || folder.utf8.last == slash)
    }
}

/// The checks that come before libcurl's, and the faults, which must not repeat a password.
struct URLFault {
    let text: String

    func bad(_ problem: String) -> UsageFault { .badURL(url: shown, problem: problem) }

    /// libcurl would let blanks pass in some places, and C1 controls in all.
    func checkCharacters() throws(UsageFault) {
        guard text.utf8.count <= 8192 else { throw .badURL(url: "\(shown.prefix(60))…", problem: "it is too long") }
        let clean = text.unicodeScalars.allSatisfy { $0.value > 0x20 && !(0x7f...0x9f).contains($0.value) }
        guard clean else { throw bad("it contains a blank or a control character") }
        // A browser reads it as a slash: behind a host, and before an `@`, it would name another server to a person.
        guard !text.prefix(while: { $0 != "?" && $0 != "#" }).contains("\\") else {
            throw bad("it contains a backslash (%5C in a path)")
        }
    }

    /// libcurl would take `https:/host` and `https:///host` for `https://host`.
    func checkScheme() throws(UsageFault) {
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let rest = text.dropFirst(scheme.count)
        guard let first = scheme.first ?? rest.first, first != "/" else { throw bad("there is no host") }
        if rest.hasPrefix("://") {
            guard let next = rest.dropFirst(3).first, !"/\\?#".contains(next) else { throw bad("there is no host") }
        } else if rest.hasPrefix(":"), ["http", "https"].contains(scheme.lowercased()) {
            throw bad("the scheme must be followed by two slashes")
        } else {
            throw .missingScheme(host: shown)
        }
    }

    private var shown: String { SuppliedURL(text).withoutUserInformation }
}

/// Checks the host of an `Origin`; libcurl allows more.
enum HostName {
    /// A name of DNS (RFC 1035, section 2.3.4, and underscores) that does not end with a dot, or an address.
    static func isUsable(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.hasSuffix("]") && host.utf8.dropFirst().dropLast().allSatisfy(isIPv6) }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { (1...63).contains($0.count) && $0.allSatisfy(isName) }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        return byte.isAlphanumeric && !isCapital || "-_".utf8.contains(byte)
    }

    private static func isIPv6(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || isName(byte)
    }
}
