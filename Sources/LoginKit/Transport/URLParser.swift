import CCurl
import Glibc
import Secrets

/// The only URL parser of the program: libcurl's, so that what is checked here and what is sent there cannot be read
/// in two ways (RFC 3986; curl_url(3)).
package struct URLParser: Sendable {
    private let library: CurlLibrary

    /// Opens libcurl.
    /// - Throws: `OtherFailure.libraryMissing`.
    package init() throws(LoginFault) {
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

/// libcurl's URL handle; see curl_url(3), curl_url_set(3) and curl_url_get(3).
struct CurlURL: ~Copyable {
    private let raw: OpaquePointer

    init?(_ library: CurlLibrary) {
        guard let raw = ccurl_url() else { return nil }
        self.raw = raw
    }

    deinit {
        ccurl_url_cleanup(raw)
    }

    /// - Returns: what is wrong, in libcurl's words.
    func set(_ part: CURLUPart, _ text: String?, flags: Int32 = 0) -> String? {
        let code = ccurl_url_set(raw, part, text, UInt32(flags))
        return code == CURLUE_OK ? nil : String(cString: ccurl_url_strerror(code))
    }

    /// Whether the part exists, even if it cannot be decoded.
    func has(_ part: CURLUPart) -> Bool {
        let text = copy(of: part)
        ccurl_free(text)
        return text != nil
    }

    func text(_ part: CURLUPart, flags: Int32 = 0) -> String? { Self.taken(copy(of: part, flags: flags)) }

    /// - Returns: for `ccurl_free`.
    private func copy(of part: CURLUPart, flags: Int32 = 0) -> UnsafeMutablePointer<CChar>? {
        var text: UnsafeMutablePointer<CChar>?
        return ccurl_url_get(raw, part, &text, UInt32(flags)) == CURLUE_OK ? text : nil
    }

    /// The host as A-label (RFC 5890), if it can be one.
    func host() -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get_host(raw, &text) == CURLUE_OK else { return nil }
        return Self.taken(text)
    }

    func password() -> Secret? {
        guard let text = copy(of: CURLUPART_PASSWORD, flags: CURLU_URLDECODE) else { return nil }
        defer { ccurl_free(text) }
        return Secret(copying: UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}
