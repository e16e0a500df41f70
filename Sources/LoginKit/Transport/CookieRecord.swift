import Secrets

/// A cookie as one line of the Netscape format: domain, whether subdomains match, path,
/// whether https is needed, expiry, name, value, with tabs between them. The domain of an HttpOnly cookie begins with
/// `#HttpOnly_`.
enum CookieRecord {
    private static let tab = UInt8(ascii: "\t")

    /// Whether the line has seven fields; the value alone may be empty.
    static func isOne(_ record: Secret) -> Bool { record.withUnsafeBytes { fields($0) != nil } }

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

    private static let httpOnly = "#HttpOnly_"

    /// Returns what identifies a cookie: its name, domain and path (RFC 6265, section 5.3, step 11).
    static func place(of cookie: Cookie) -> [String] {
        cookie.record.withUnsafeBytes { line in
            let fields = split(line).prefix(3).map { String(decoding: $0, as: UTF8.self) }
            return [cookie.name, fields[0].replacing(httpOnly, with: "").lowercased()] + fields[1...]
        }
    }

    static func path(of cookie: Cookie) -> String { place(of: cookie).dropFirst(3).joined() }

    static func isSecure(_ cookie: Cookie) -> Bool {
        cookie.record.withUnsafeBytes { split($0).dropFirst(3).first?.elementsEqual("TRUE".utf8) == true }
    }

    /// Whether a request to this path of its host carries the cookie.
    static func isSent(_ cookie: Cookie, to path: String) -> Bool { path.matches(cookiePath: Self.path(of: cookie)) }

    /// Whether a request to this host may carry it (RFC 6265, section 5.4).
    static func isSent(_ cookie: Cookie, toHost host: String) -> Bool {
        let place = place(of: cookie), domain = place[1].drop { $0 == "." }
        return domain == host || place.dropFirst(2).first == "TRUE" && host.hasSuffix(".\(domain)")
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

extension Cookie {
    /// The domain in lower case; begins with a dot where hosts below it get the cookie, too.
    package var domain: String { CookieRecord.place(of: self)[1] }
    /// The path below which it is sent.
    package var path: String { CookieRecord.path(of: self) }
    /// Whether it is sent over https alone.
    package var isSecure: Bool { CookieRecord.isSecure(self) }
}

extension [Cookie] {
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
