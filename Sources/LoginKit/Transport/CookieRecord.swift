import Glibc
import Secrets

/// A cookie as one line of the Netscape format, which libcurl gives and takes: domain, whether subdomains match, path,
/// whether https is needed, expiry, name, value, with tabs between them. The domain of an HttpOnly cookie begins with
/// `#HttpOnly_`. See CURLOPT_COOKIELIST(3).
enum CookieRecord {
    private static let tab = UInt8(ascii: "\t")

    /// Whether the line has seven fields; the value alone may be empty.
    static func isOne(_ record: Secret) -> Bool { record.withUnsafeBytes { fields($0) != nil } }

    /// Reads one line of libcurl's list.
    /// - Parameter defaultPath: in the place of one that does not begin with a slash, or is empty (RFC 6265, section 5.2.4):
    ///   libcurl lists what the server wrote, and would not take it back.
    static func cookie(_ line: UnsafeRawBufferPointer, defaultPath: String = "/") -> Cookie? {
        let fields = split(line)
        if fields.count == 7, fields[1].elementsEqual("TRUE".utf8), hasOneLabel(fields[0]) {
            let alone = replacing(fields[1], in: line, by: "FALSE")
            return alone.withUnsafeBytes { line in
                let domain = split(line)[0]
                let name = String(decoding: domain, as: UTF8.self).replacing(".", with: "")
                return replacing(domain, in: line, by: name).withUnsafeBytes { cookie($0, defaultPath: defaultPath) }
            }
        }
        if fields.count == 7, fields[2].first != UInt8(ascii: "/") {
            return replacing(fields[2], in: line, by: defaultPath).withUnsafeBytes { read($0) }
        }
        return read(line)
    }

    private static func read(_ line: UnsafeRawBufferPointer) -> Cookie? {
        guard let fields = fields(line) else { return nil }
        let expires = Int64(String(decoding: fields[4], as: UTF8.self)) ?? 0
        return Cookie(
            name: String(decoding: fields[5], as: UTF8.self),
            value: Secret(copying: UnsafeRawBufferPointer(rebasing: fields[6])),
            record: Secret(copying: line), expires: expires == 0 ? nil : expires)
    }

    /// The cookie, expiring at `end` (seconds of Unix time) if it would live longer.
    static func ending(_ cookie: Cookie, at end: Int64) -> Cookie {
        guard cookie.expires ?? .max > end else { return cookie }
        return cookie.record.withUnsafeBytes { line in
            guard let fields = fields(line) else { return cookie }
            let record = replacing(fields[4], in: line, by: "\(end)")
            return Cookie(name: cookie.name, value: cookie.value, record: record, expires: end)
        }
    }

    /// The cookie with another value.
    static func valued(_ cookie: Cookie, _ value: String) -> Cookie {
        let record = cookie.record.withUnsafeBytes { line in fields(line).map { replacing($0[6], in: line, by: value) }
        }
        return Cookie(
            name: cookie.name, value: Secret(value), record: record ?? cookie.record, expires: cookie.expires)
    }

    /// Whether a domain is a name such as `localhost`. To say it is to say nothing: no other host is below it for browsers, which count
    /// it as a public suffix (RFC 6265, section 5.3, step 5).
    private static func hasOneLabel(_ domain: Slice<UnsafeRawBufferPointer>) -> Bool {
        let dot = UInt8(ascii: ".")
        return domain.lastIndex(of: dot).map { domain[..<$0].isEmpty || domain[..<$0].elementsEqual(httpOnly.utf8) }
            ?? true
    }

    private static let httpOnly = "#HttpOnly_"

    /// Returns what identifies a cookie: its name, domain and path (RFC 6265, section 5.3, step 11).
    static func place(of cookie: Cookie) -> [String] {
        cookie.record.withUnsafeBytes { line in
            let fields = split(line).prefix(3).map { String(decoding: $0, as: UTF8.self) }
            return [cookie.name, fields[0].replacing(httpOnly, with: "").lowercased()] + fields[1...]
        }
    }

    /// Whether libcurl sends the cookie of an origin with a request to this path of it (RFC 6265, section 5.1.4).
    static func isSent(_ cookie: Cookie, to path: String) -> Bool {
        var folder = place(of: cookie).dropFirst(3).joined()[...]
        if folder.hasSuffix("/") { folder.removeLast() }
        return path == folder || path.hasPrefix(folder + "/")
    }

    private static func replacing(
        _ field: Slice<UnsafeRawBufferPointer>, in line: UnsafeRawBufferPointer, by text: String
    ) -> Secret {
        let (before, after) = (line[..<field.startIndex], line[field.endIndex...])
        return Secret(count: before.count + text.utf8.count + after.count) { place in
            for (index, byte) in (Array(before) + Array(text.utf8)).enumerated() { place[index] = byte }
            UnsafeMutableRawBufferPointer(rebasing: place[(before.count + text.utf8.count)...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: after))
        }
    }

    private static func split(_ line: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
        line.split(separator: tab, maxSplits: 6, omittingEmptySubsequences: false)
    }

    private static func fields(_ line: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>]? {
        let fields = split(line)
        return fields.count == 7 && fields.prefix(6).allSatisfy { !$0.isEmpty } ? fields : nil
    }

    /// - Parameter domain: begins with a dot where hosts below it get the cookie, too.
    static func cookie(
        _ name: String, _ value: Secret, expires: Int64?, domain: String, path: String = "/", isSecure: Bool,
        isHTTPOnly: Bool = false
    ) -> Cookie {
        let fields = [
            (isHTTPOnly ? httpOnly : "") + domain, domain.hasPrefix(".") ? "TRUE" : "FALSE", path,
            isSecure ? "TRUE" : "FALSE", "\(expires ?? 0)", name, "",
        ]
        let record = Secret(fields.joined(separator: "\t"), followedBy: value)
        return Cookie(name: name, value: value, record: record, expires: expires)
    }
}

extension [Cookie] {
    /// The cookies of these names as they were offered: what would replace them is ignored. So is a cookie whose name differs only in
    /// case from that of another one, whose place it has taken in libcurl's list.
    func keeping(_ names: Set<String>, asIn offered: [Cookie]) -> [Cookie] {
        let known = Set(offered.map(\.name)), lowercased = Set(map(\.name)).subtracting(known).map { $0.lowercased() }
        let replaced = known.subtracting(map(\.name)).filter { lowercased.contains($0.lowercased()) }
        let kept = names.union(replaced), others = replaced.map { $0.lowercased() }
        guard !kept.isEmpty else { return self }
        return filter { !kept.contains($0.name) && !others.contains($0.name.lowercased()) }
            + offered.filter { kept.contains($0.name) }
    }

    /// These after `former`, without the changes that a request to `path` cannot prove: the request has to carry the cookie, and no other
    /// value of its name, which the service might read instead.
    /// - Parameter isFree: whether a cookie of this name may change unproved.
    func proved(byRequestTo path: String, after former: [Cookie], unless isFree: (String) -> Bool) -> [Cookie] {
        let sent = filter { CookieRecord.isSent($0, to: path) }
        let unproved = filter { cookie in
            !isFree(cookie.name)
                && !(sent.contains(cookie) && sent.allSatisfy { $0.name != cookie.name || $0.value == cookie.value })
                && !former.contains {
                    $0.value == cookie.value && CookieRecord.place(of: $0) == CookieRecord.place(of: cookie)
                }
        }
        guard !unproved.isEmpty else { return self }
        let places = unproved.map { CookieRecord.place(of: $0) }
        return filter { !unproved.contains($0) } + former.filter { places.contains(CookieRecord.place(of: $0)) }
    }
}

/// The limits for the cookies of one origin, so that a server cannot fill a store.
struct CookieLimits {
    /// RFC 6265, section 6.1 asks for at least 50 of 4096 bytes for each domain.
    static let count = 50
    /// The size of one cookie's name and value with the `=`, and of the line that sets it: libcurl drops longer ones.
    static let longest = 4097, longestLine = 4990
    /// The size of the header line that takes them back; libcurl leaves out what goes beyond, and one of those may be the session.
    static let bytes = 8180

    /// More than libcurl takes from one answer, or a longer one: what it drops may be the session.
    static func check(count: Int, hasOversized: Bool) throws(LoginFault) {
        guard count <= Self.count else { throw tooMany }
        guard !hasOversized else { throw .network(.brokenResponse("a cookie of more than \(longest - 1) bytes")) }
    }

    /// Whether one request can carry them all.
    static func hold(_ cookies: [Cookie]) -> Bool {
        cookies.count <= count && cookies.allSatisfy { $0.name.utf8.count + $0.value.count < longest }
            && cookies.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 3 } <= bytes
    }

    private static var tooMany: LoginFault { .network(.brokenResponse("more than \(count) cookies")) }

    /// All cookies of the list that have not expired: libcurl lists those that an answer took back, too, and judges
    /// by the same clock which ones it sends.
    /// - Parameter defaultPath: of those that name no usable one.
    /// - Returns: the newest first, one of a name, domain and path.
    static func cookies(
        in list: CurlList, after offered: [Cookie] = [], defaultPath: String = "/"
    ) throws(LoginFault) -> [Cookie] {
        var listed: [Cookie] = []
        try list.forEach { (line) throws(LoginFault) in
            if let cookie = CookieRecord.cookie(line, defaultPath: defaultPath) { listed.append(cookie) }
        }
        let now = Int64(time(nil))
        var places: Set<[String]> = []
        // They are listed as they came, and a rule looks for the newest of a name: what is not as it was offered was set by the answer.
        let newestFirst = listed.filter { !offered.contains($0) }.reversed() + offered.filter(listed.contains)
        let cookies = newestFirst.filter {
            places.insert(CookieRecord.place(of: $0)).inserted && $0.expires ?? .max > now
        }
        guard cookies.count <= count else { throw tooMany }
        // As in 'name=value; '.
        let total = cookies.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 3 }
        guard total <= bytes else { throw .network(.brokenResponse("more cookies than one request can hold")) }
        return cookies
    }
}
