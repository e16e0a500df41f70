/// Where the browser brings the response: a port on this machine (RFC 8252, section 7.3).
package struct LoopbackRedirect: Equatable, Sendable {
    /// The three names that lead here and nowhere else.
    package enum Host: String, Equatable, Sendable, CaseIterable {
        case ipv4 = "127.0.0.1"
        case ipv6 = "[::1]"
        /// Browsers take either family for it, so both are listened on.
        case localhost
    }

    /// As the client was registered with it.
    package let host: Host
    /// `nil` where the system draws one.
    package let port: Int?
    /// As written; empty where nothing follows the authority.
    package let path: String

    /// `http://127.0.0.1/callback`, with a port that is drawn.
    package init() {
        self.init(host: .ipv4, port: nil, path: "/callback")
    }

    /// - Parameter path: empty, or from a slash on; without query and fragment.
    package init(host: Host, port: Int?, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    /// Reads `http://HOST:PORT/PATH`, with or without the port.
    /// - Returns: `nil` for any other scheme or host, for a port that is none, and for what a browser would change or keep back:
    ///   user information, a query, a fragment, dot segments, and all that RFC 3986 wants to be encoded.
    package init?(_ text: String) {
        let scheme = "http://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = String(rest.dropFirst(authority.count))
        guard let host = Host.allCases.first(where: { authority.hasPrefix($0.rawValue) }) else { return nil }
        let behind = authority.dropFirst(host.rawValue.count)
        guard Self.isPlain(path) else { return nil }
        if behind.isEmpty {
            self.init(host: host, port: nil, path: path)
            return
        }
        guard behind.hasPrefix(":"), behind.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(behind.dropFirst()), (1...65535).contains(port)
        else { return nil }
        self.init(host: host, port: port, path: path)
    }

    private static func isPlain(_ path: String) -> Bool {
        let isDotted = path.split(separator: "/").contains { $0 == "." || $0 == ".." }
        return !isDotted && path.utf8.allSatisfy { $0.isUnreserved || "/!$&()*+,;=:@%".utf8.contains($0) }
    }

    /// The whole redirect URI once the port is known, exactly as it is sent (RFC 6749, section 3.1.2).
    package func uri(port: Int) -> String { "http://\(host.rawValue):\(port)\(path)" }

    /// The values of `Host` that browsers may send (RFC 9110, section 7.2): without the port only if it is 80.
    package func authorities(port: Int) -> [String] {
        ["\(host.rawValue):\(port)"] + (port == 80 ? [host.rawValue] : [])
    }

    /// Where the browser is led once its response was taken, so that no code stays in its address line.
    package static let donePath = "/done"

    /// The path that a browser asks for: it never sends an empty one (RFC 9112, section 3.2.1).
    package var requestPath: String { path.isEmpty ? "/" : path }
}

extension UInt8 {
    /// RFC 3986, section 2.3.
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
