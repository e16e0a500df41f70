import Secrets

/// Changes header fields on their way through the loopback address: those of one connection end there (RFC 9110,
/// section 7.6.1), and what carries the session is added on the one side and taken away on the other.
struct ServedHeaders: Sendable {
    /// Where the command sends its requests, without a slash at the end.
    private let root: String
    private let origin: Origin
    /// As CGI and its kin compare names: the session has its own values for these.
    private let taken: Set<String>

    private static let ofOneConnection: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Set anew for the service, or with a meaning for this address alone.
    private static let notSent: Set<String> = [
        "host", "content-length", "expect", "authorization", "cookie", "cookie2", "destination", "origin", "referer",
        "http2-settings",
    ]

    /// Cookies are the session's, and so is what proves the server's half of Digest; the others would lead past this address,
    /// or speak of pages of other sites, which nothing here is for.
    private static let notReturned: Set<String> = [
        "set-cookie", "set-cookie2", "authentication-info", "content-length", "alt-svc", "strict-transport-security",
    ]

    /// - Parameter hasUserAgent: whether the profile names one, to which the session may be bound.
    init(root: String, origin: Origin, rule: SessionRule, hasUserAgent: Bool = false) {
        (self.root, self.origin) = (root, origin)
        let names = (rule.headers + rule.writeHeaders).map(\.shownName)
        taken = Set((names + (hasUserAgent ? ["user-agent"] : [])).map { ServedField($0, "").foldedName })
    }

    /// The fields of the command's request that go on to the service.
    func sent(_ fields: [ServedField]) -> [HTTPRequestField] {
        let named = Self.named(fields)
        var sent: [HTTPRequestField] = []
        for field in fields {
            let name = field.name.lowercased()
            if name == "referer" || name == "destination", let url = away(field.text) {
                sent.append(HTTPRequestField(name: field.name, value: Secret(url)))
            } else if name == "origin" {
                sent.append(HTTPRequestField(name: field.name, value: Secret(origin.description)))
            }
            // A service may take `Content_Length` for the length of the body, and read the rest as another request.
            let folded = field.foldedName
            guard !Self.ofOneConnection.contains(folded), !Self.notSent.contains(folded), !named.contains(name),
                !taken.contains(folded)
            else { continue }
            let value = field.bytes.withUnsafeBytes { Secret(copying: $0) }
            sent.append(HTTPRequestField(name: field.name, value: value))
        }
        return sent
    }

    /// The fields that are for this connection alone, as `Connection` says.
    private static func named(_ fields: [ServedField]) -> Set<String> {
        Set(fields.filter { $0.hasName("Connection") }.flatMap(\.text.tokens))
    }

    /// The fields that rules judge: those that the service gets from the command, and `Destination`.
    func judged(_ fields: [ServedField]) -> [ServedField] {
        let named = Self.named(fields)
        if named.isEmpty { return fields }
        return fields.filter { !named.contains($0.name.lowercased()) || $0.hasName("Destination") }
    }

    /// The fields of the service's response that go on to the command.
    /// - Parameter hides: whether a line repeats a secret.
    func returned(_ fields: [HTTPResponseField], hides: (String) -> Bool) -> [HTTPResponseField] {
        let named = Set(fields.filter { $0.name.lowercased() == "connection" }.flatMap(\.value.tokens))
        return fields.compactMap { field in
            let name = field.name.lowercased()
            guard !Self.ofOneConnection.contains(name), !Self.notReturned.contains(name), !named.contains(name),
                !name.hasPrefix("access-control-"), !hides("\(field.name): \(field.value)")
            else { return nil }
            switch name {
            case "location", "content-location":
                return HTTPResponseField(name: field.name, value: here(field.value))
            case "link": return HTTPResponseField(name: field.name, value: links(field.value))
            // The library takes no tabs in a value; a blank means the same (RFC 9110, section 5.6.3).
            default: return HTTPResponseField(name: field.name, value: field.value.replacing("\t", with: " "))
            }
        }
    }

    /// A URL at the service's origin, rewritten to the loopback address; others as they are.
    func here(_ url: String) -> String {
        // Programs that go to the origin itself need no other one.
        if root == origin.description { return url }
        if let rest = rest(of: url, behind: "//\(origin.authority)") { return root + rest }
        if url.hasPrefix("//") { return url }
        if url.hasPrefix("/") { return root + url }
        for written in [origin.authority, "\(origin.host):\(origin.port)"] {
            if let rest = rest(of: url, behind: "\(origin.scheme)://\(written)") { return root + rest }
        }
        return url
    }

    /// Rewrites a URL at the served address to the service's origin; `nil` for any other URL.
    func away(_ url: String) -> String? {
        rest(of: url, behind: root).map { origin.description + $0 }
    }

    /// The path and query of a `Destination` (RFC 4918, section 10.3) at the service; `nil` for another place.
    func awayPath(_ field: ServedField) -> String? {
        guard let text = String(validating: field.bytes, as: UTF8.self) else { return nil }
        return rest(of: text, behind: root).flatMap { $0.contains("#") ? nil : $0 }
    }

    /// - Returns: what follows the place, from a slash on; `nil` if the URL is elsewhere.
    private func rest(of url: String, behind place: String) -> String? {
        guard url.utf8.count >= place.utf8.count, url.lowercased().hasPrefix(place.lowercased()) else { return nil }
        let rest = String(decoding: url.utf8.dropFirst(place.utf8.count), as: UTF8.self)
        if rest.isEmpty || rest.hasPrefix("/") { return rest.isEmpty ? "/" : rest }
        return rest.hasPrefix("?") || rest.hasPrefix("#") ? "/\(rest)" : nil
    }

    /// `<URL>; rel="next", <URL>; rel="last"` (RFC 8288, section 3).
    private func links(_ value: String) -> String {
        value.split(separator: "<", omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index > 0, let end = part.firstIndex(of: ">") else { return String(part) }
            return here(String(part[..<end])) + part[end...]
        }.joined(separator: "<")
    }
}
