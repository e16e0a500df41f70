import CCurl
import Glibc
import Secrets

/// The cookies of one origin, and what the responses to a request change in them (RFC 6265, section 5).
///
/// Not libcurl's engine: of several long cookies that sends some, drops one whose `Max-Age` is no number, and takes `/a` and `/a/` for
/// one path. Its reader of dates is in use.
struct CookieJar {
    /// RFC 6265, section 6.1 asks for at least 50 of 4096 bytes, which are those of name and value.
    static let (most, longest) = (50, 4096)
    /// Bytes of an attribute; browsers ignore a longer one.
    private static let longestAttribute = 1024
    /// Seconds that a cookie may live.
    private static let longestLife = Int64(Int32.max)

    /// Those that hold, of a name, domain and path one; the newest first, since a rule looks for the newest of a name.
    private(set) var cookies: [Cookie] = []
    /// The names of those that were set, and not ended again.
    private(set) var taken: Set<String> = []
    /// The names of those that are too large, each of which is left out alone.
    private(set) var tooLarge: Set<String> = []
    /// Whether there were more than all limits allow.
    private(set) var isOverfull = false
    private let url: ParsedURL
    private let now = Int64(time(nil))

    /// - Parameter offered: the newest first.
    init(_ offered: [Cookie], at url: ParsedURL) {
        self.url = url
        for cookie in offered.reversed() where cookie.expires ?? .max > now { put(cookie) }
    }

    /// Whether one request can carry them all.
    static func holds(_ cookies: [Cookie]) -> Bool {
        cookies.count <= most && cookies.allSatisfy { $0.name.utf8.count + $0.value.count <= longest }
    }

    /// Takes the value of a `Set-Cookie`. What the RFC has ignored is ignored.
    mutating func take(_ text: Slice<UnsafeRawBufferPointer>) {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0.isBlank }),
            let sign = parts[0].firstIndex(of: UInt8(ascii: "="))
        else { return }
        let name = parts[0][..<sign].trimmed, value = parts[0][(sign + 1)...].trimming(\.isBlank)
        let attributes = Self.attributes(parts.dropFirst())
        let named = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil }, path = named ?? url.directory
        let isSecure = attributes["secure"] != nil
        // A tab would end a field of the record.
        guard !name.isEmpty, !(name + path).contains("\t"), let domain = domain(attributes["domain"]),
            isSecure ? url.origin.keepsSecureCookies : !Self.promises(name, "__secure-", "__host-"),
            !Self.promises(name, "__host-") || attributes["domain"] == nil && named == "/"
        else { return }
        guard name.utf8.count + value.count <= Self.longest else {
            tooLarge.insert(name)
            return
        }
        let cookie = CookieRecord.cookie(
            name, Secret(copying: UnsafeRawBufferPointer(rebasing: value)), expires: end(attributes), domain: domain,
            path: path, isSecure: isSecure, isHTTPOnly: attributes["httponly"] != nil)
        if put(cookie) { taken.insert(name) } else { taken.remove(name) }
    }

    /// Section 5.3, step 11. A cookie that is set as it is stays where it is.
    /// - Returns: whether it holds from now on.
    @discardableResult private mutating func put(_ cookie: Cookie) -> Bool {
        let place = CookieRecord.place(of: cookie)
        if let index = cookies.firstIndex(where: { CookieRecord.place(of: $0) == place }) {
            if cookies[index] == cookie { return true }
            cookies.remove(at: index)
        }
        guard cookie.expires ?? .max > now else { return false }
        if cookies.count < Self.most { cookies.insert(cookie, at: 0) } else { isOverfull = true }
        return !isOverfull
    }

    /// What a cookie says of itself (section 5.2): of several attributes of one name the last one that can be read counts.
    private static func attributes(_ parts: some Sequence<Slice<UnsafeRawBufferPointer>>) -> [String: String] {
        var attributes: [String: String] = [:]
        for part in parts where part.count <= longestAttribute {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].trimmed.lowercased(), value = pair.count > 1 ? pair[1].trimmed : ""
            let isRead =
                switch name {
                case "domain": !value.isEmpty
                case "max-age": seconds(value) != nil
                case "expires": date(value) != nil
                default: true
                }
            if isRead { attributes[name] = value }
        }
        return attributes
    }

    private func end(_ attributes: [String: String]) -> Int64? {
        if let life = attributes["max-age"].flatMap(Self.seconds) { return life > 0 ? now + life : 1 }
        return attributes["expires"].flatMap(Self.date).map { max($0, 1) }
    }

    /// - Returns: `nil` for what is no number (section 5.2.2).
    private static func seconds(_ text: String) -> Int64? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.count < text.count ? 0 : min(Int64(digits) ?? .max, longestLife)
    }

    /// In seconds of Unix time; see curl_getdate(3).
    static func date(_ text: String) -> Int64? {
        let date = ccurl_getdate(text)
        return date == -1 ? nil : Int64(date)
    }

    /// The domain of a record, with a dot before it where hosts below it get the cookie, too.
    /// - Returns: `nil` for one that the host does not belong to (section 5.3, steps 5 and 6). No host is below an address, or for browsers
    ///   below a name of one label.
    private func domain(_ named: String?) -> String? {
        let host = url.origin.bareHost
        guard let domain = named.map({ ($0.hasPrefix(".") ? $0.dropFirst() : $0[...]).lowercased() }) else {
            return host
        }
        let isAlone = !domain.contains(".") || PeerAddress(text: host) != nil
        if isAlone { return domain == host ? host : nil }
        return ".\(host)".hasSuffix(".\(domain)") ? ".\(domain)" : nil
    }

    /// Whether a name promises what its attributes have to keep (RFC 6265bis, section 4.1.3).
    private static func promises(_ name: String, _ prefixes: String...) -> Bool {
        prefixes.contains { name.lowercased().hasPrefix($0) }
    }
}

extension [Cookie] {
    /// Those that a request to the URL carries, in their order (section 5.4).
    func sent(to url: ParsedURL) -> [Cookie] {
        let now = Int64(time(nil))
        let own = reversed().filter { cookie in
            (!CookieRecord.isSecure(cookie) || url.origin.keepsSecureCookies) && cookie.expires ?? .max > now
                && CookieRecord.isSent(cookie, to: url.path) && CookieRecord.isSent(cookie, toHost: url.origin.bareHost)
        }
        let lengths = own.map { CookieRecord.path(of: $0).utf8.count }
        return own.indices.sorted { (lengths[$1], $0) < (lengths[$0], $1) }.map { own[$0] }
    }
}
