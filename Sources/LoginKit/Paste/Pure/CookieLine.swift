import Secrets

// The grammar of cookies.txt (Netscape's format), as curl, wget and the extensions of browsers write and read it:
//
//     file    = [BOM] *line                   ; LF, CRLF or CR ends a line
//     line    = cookie | "#" comment | blank
//     cookie  = ["#HttpOnly_"] domain TAB subdomains TAB path TAB secure TAB expiry TAB name [TAB value]
//     domain  = a host, perhaps with a dot before it; of an IPv6 address with brackets or without
//     subdomains, secure = "TRUE" | "FALSE"   ; without case
//     path    = what begins with "/"; anything else stands for "/"
//     expiry  = seconds of Unix time, perhaps with a fraction; 0, nothing, what is negative or no number that fits: until the browser ends
//     value   = to the end of the line, without tabs and ";"
//
// Another line is passed over, as curl does. One with blanks in the place of tabs, as it comes out of some editors and chats, is
// named: which blank belongs to a value nobody can tell. What is sent to a host stands in a line of that host.

/// One cookie of a cookies.txt.
struct CookieLine: Equatable, Sendable {
    /// In lower case, without dots before it and without brackets.
    let host: String
    let includesSubdomains: Bool
    let path: String
    let isSecure: Bool
    let isHTTPOnly: Bool
    /// In seconds of Unix time; `nil` for a cookie that ends with the browser.
    let expires: Int64?
    let name: String
    let value: Secret

    /// The cookies that a browser would have for an origin: of two with one name and path the later one.
    /// - Parameters:
    ///   - path: of the request that is to be sent with one of them at least; `nil` where it is not known.
    ///   - now: in seconds of Unix time.
    /// - Throws: `unsent` where none of them would be sent, `blanksForTabs`.
    static func cookies(
        in text: Secret, for origin: Origin, path: String?, now: Int64
    ) throws(CopyFault) -> [CookieLine] {
        let own = try lines(in: text, of: origin.bareHost)
        guard !own.isEmpty else { throw .unsent(.otherHost(origin.bareHost)) }
        let alive = own.filter { $0.expires ?? .max > now }
        guard !alive.isEmpty else { throw .unsent(.expired) }
        let safe = alive.filter { !$0.isSecure || origin.keepsSecureCookies }
        guard !safe.isEmpty else { throw .unsent(.onlyHTTPS) }
        // RFC 6265, section 5.1.4.
        guard path.map({ path in safe.contains { path.matches(cookiePath: $0.path) } }) ?? true else {
            throw .unsent(.otherPath)
        }
        return safe.indices.filter { index in
            !safe[(index + 1)...].contains { $0.name == safe[index].name && $0.path == safe[index].path }
        }.map { safe[$0] }
    }

    /// Other hosts' are forgotten at once: guarded memory is scarce.
    private static func lines(in text: Secret, of host: String) throws(CopyFault) -> [CookieLine] {
        try text.withUnsafeBytes { (bytes) throws(CopyFault) in
            var cookies: [CookieLine] = []
            for line in bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
                if hasBlanksForTabs(line) { throw .blanksForTabs }
                guard let cookie = CookieLine(line), cookie.host == host else { continue }
                guard cookies.count < ShellWords.most else { throw .tooManyCookies }
                cookies.append(cookie)
            }
            return cookies
        }
    }

    /// Whether a line of the text is one of such a file.
    static func stands(in text: some StringProtocol) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            Array(line.utf8).withUnsafeBytes { CookieLine($0[...]) != nil || hasBlanksForTabs($0[...]) }
        }
    }

    /// Whether browsers take a cookie of this name for https alone (RFC 6265bis, section 4.1.3).
    static func isAlwaysSecure(_ name: String) -> Bool {
        ["__secure-", "__host-"].contains { name.lowercased().hasPrefix($0) }
    }

    private static let httpOnly = "#HttpOnly_"
    private static let tab = UInt8(ascii: "\t")

    private static func hasBlanksForTabs(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        let blank = UInt8(ascii: " "), fields = line.split(separator: tab, omittingEmptySubsequences: false)
        // The name may have blanks, and the value.
        guard line.first != UInt8(ascii: "#") || line.starts(with: httpOnly.utf8),
            fields.prefix(fields.count < 7 ? 6 : 5).contains(where: { $0.contains(blank) })
        else { return false }
        let words = line.split { $0 == blank || $0 == tab }
        return words.count >= 6 && flag(words[1]) != nil && flag(words[3]) != nil
    }

    private static func flag(_ field: some Sequence<UInt8>) -> Bool? {
        switch String(decoding: Array(field), as: UTF8.self).lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    private init?(_ line: Slice<UnsafeRawBufferPointer>) {
        isHTTPOnly = line.starts(with: Self.httpOnly.utf8)
        guard isHTTPOnly || line.first != UInt8(ascii: "#"),
            line.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == Self.tab })
        else { return nil }
        let fields = line.dropFirst(isHTTPOnly ? Self.httpOnly.utf8.count : 0)
            .split(separator: Self.tab, omittingEmptySubsequences: false)
        guard (6...7).contains(fields.count), let subdomains = Self.flag(fields[1]), let secure = Self.flag(fields[3])
        else { return nil }
        let texts = fields.prefix(6).map { String(decoding: $0, as: UTF8.self) }
        let domain = texts[0].lowercased().drop { $0 == "." }
        host = String(domain.hasPrefix("[") && domain.hasSuffix("]") ? domain.dropFirst().dropLast() : domain)
        (includesSubdomains, isSecure) = (subdomains, secure || Self.isAlwaysSecure(texts[5]))
        path = texts[2].hasPrefix("/") ? texts[2] : "/"
        let expiry = texts[4].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = expiry.dropFirst().allSatisfy { Int64($0) != nil || $0.isEmpty }
        expires = isNumber ? expiry.first.flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil } : nil
        name = texts[5]
        value =
            fields.count == 7
            ? Secret(copying: UnsafeRawBufferPointer(rebasing: fields[6])) : Secret("")
        // A replaced byte would make it another cookie.
        let isWhole = !(name + path + host).unicodeScalars.contains("\u{FFFD}")
        // With one of these it would be sent as two.
        let isOne = !line.contains(UInt8(ascii: ";")) && !name.contains("=")
        guard isWhole, isOne, !host.isEmpty, !name.isEmpty else { return nil }
    }
}
