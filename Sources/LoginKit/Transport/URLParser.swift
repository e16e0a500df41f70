import CCurl
package import LoginCore
import Secrets

/// The only URL parser of the program: libcurl's, so that what is checked here and what is sent there cannot be read
/// in two ways (RFC 3986; curl_url(3)).
package struct URLParser: Sendable {
    private let library: CurlLibrary

    /// Opens libcurl.
    /// - Throws: `OtherFailure.libraryMissing`.
    init() throws(LoginFault) {
        library = try CurlLibrary()
    }

    /// Reads an absolute http or https URL.
    ///
    /// The host comes out in lower case, as A-label or normalized address. Blanks, control characters, hosts that end
    /// with a dot, IPv6 zones and backslashes before the query are refused. Faults never repeat user information.
    package func parse(_ text: String) throws(UsageFault) -> ParsedURL {
        let fault = URLFault(text: text)
        try fault.checkCharacters()
        try fault.checkScheme()
        guard let url = CurlURL(library) else { throw fault.bad("out of memory") }
        if let problem = url.set(CURLUPART_URL, text, flags: CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE) {
            throw fault.bad(problem)
        }
        let (user, password) = try userInformation(of: url, fault)
        return ParsedURL(
            origin: try origin(of: url, fault), path: url.text(CURLUPART_PATH) ?? "/",
            query: url.text(CURLUPART_QUERY), user: user, password: password)
    }

    /// Refuses a part that cannot be decoded, instead of treating it as missing.
    private func userInformation(
        of url: borrowing CurlURL, _ fault: URLFault
    ) throws(UsageFault) -> (user: String?, password: Secret?) {
        let user = url.text(CURLUPART_USER, flags: CURLU_URLDECODE), password = url.password()
        let isDecoded =
            (user != nil) == url.has(CURLUPART_USER) && (password != nil) == url.has(CURLUPART_PASSWORD)
        let isClean = user.map { Secret($0).isFreeOfControls && !$0.contains("\u{FFFD}") } ?? true
        guard isDecoded, isClean, password?.isFreeOfControls ?? true else {
            throw fault.bad("its user name or password contains a control character or is not UTF-8")
        }
        return (user, password)
    }

    /// Makes a `Location` absolute (RFC 9110, section 10.2.2). User information and the fragment are dropped.
    /// - Returns: a redirect without an origin where it leads to another scheme, or cannot be read; the latter has an
    ///   empty URL, and so has one that programs read in different ways.
    func resolve(_ location: String, against base: ParsedURL) -> Redirect {
        let lenient = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE
        let unreadable = Redirect(url: "", origin: nil, target: location)
        guard !Redirect.isUnclear(location), let url = CurlURL(library), url.set(CURLUPART_URL, base.text) == nil,
            url.set(CURLUPART_URL, location, flags: lenient) == nil
        else { return unreadable }
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] { _ = url.set(part, nil) }
        guard let text = url.text(CURLUPART_URL) else { return unreadable }
        if let parsed = try? parse(text) {
            return Redirect(url: parsed.text, origin: parsed.origin, target: parsed.target)
        }
        // A URL of ours that is too long, say, is not another origin.
        if ["http", "https"].contains(url.text(CURLUPART_SCHEME)?.lowercased()) { return unreadable }
        return Redirect(url: text, origin: nil, target: url.text(CURLUPART_PATH) ?? text)
    }

    /// Reads `Location` among the fields, if there is one.
    func redirect(in fields: [HTTPResponseField], from url: ParsedURL) -> Redirect? {
        let location = fields.first { $0.name.lowercased() == "location" }
        guard let location, !location.value.isEmpty else { return nil }
        return resolve(location.value, against: url)
    }

    private func origin(of url: borrowing CurlURL, _ fault: URLFault) throws(UsageFault) -> Origin {
        guard let scheme = url.text(CURLUPART_SCHEME)?.lowercased(), scheme == "https" || scheme == "http" else {
            throw fault.bad("only https and http are supported")
        }
        guard let port = url.text(CURLUPART_PORT, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) }), port > 0 else {
            throw fault.bad("invalid port")
        }
        guard let host = url.host()?.lowercased(), HostName.isUsable(host) else {
            throw fault.bad("invalid host")
        }
        guard url.text(CURLUPART_ZONEID) == nil else { throw fault.bad("an IPv6 zone cannot be part of an origin") }
        return Origin(scheme: scheme, host: host, port: port)
    }
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
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isIPv6(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || isName(byte)
    }
}
