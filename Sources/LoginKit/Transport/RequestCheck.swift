import CCurl
import Glibc
import Secrets

extension HTTPRequest {
    /// Checks it before it may touch the network: libcurl hands on whatever it is given, line breaks included
    /// (libcurl-security(3)).
    func check() throws(UsageFault) {
        // CONNECT makes a tunnel, and TRACE sends back what it was sent, with the credential in it (RFC 9110, section 9.3.8).
        guard method.isHeaderName, !["CONNECT", "TRACE"].contains(method.uppercased()) else {
            throw .badValue(option: "method", problem: "it is not an HTTP method")
        }
        guard method != "HEAD" || (body == nil && streamedBodies?.source == nil) else {
            throw .badValue(option: "body", problem: "HEAD has no body")
        }
        for field in headers { try check(field) }
        for name in withoutHeaders { try check(name: name) }
        for cookie in cookies { try check(cookie) }
        if let basic {
            // Checked by the callers already; a second time where it would go out.
            try BasicCredential.check(username: basic.username)
            try BasicCredential.check(password: basic.password)
        }
    }

    /// RFC 9110, section 5.5: visible characters, blanks, tabs and bytes of 128 and above.
    private func check(_ field: HTTPRequestField) throws(UsageFault) {
        try check(name: field.name)
        guard field.value.isHeaderSafe else {
            throw .badValue(option: "header \(field.name)", problem: "its value contains a control character")
        }
    }

    private func check(name: String) throws(UsageFault) {
        guard name.isHeaderName else {
            throw .badValue(option: "header", problem: "its name is invalid (RFC 9110)")
        }
        // They decide where a message ends and whom it is for.
        guard !["host", "content-length", "transfer-encoding"].contains(name.lowercased()) else {
            throw .badValue(option: "header \(name)", problem: "it is set from the URL and the body")
        }
    }

    /// What it holds could be read as a header line.
    private func check(_ cookie: Cookie) throws(UsageFault) {
        guard CookieRecord.isOne(cookie.record),
            [cookie.record, Secret(cookie.name), cookie.value].allSatisfy(\.isHeaderSafe)
        else {
            throw .badValue(option: "cookie \(cookie.name)", problem: "it is not a valid stored cookie")
        }
    }
}

extension TransportSettings {
    /// Requires a regular file, since libcurl would block on a FIFO.
    static func check(caFile: String) throws(UsageFault) {
        let descriptor = openNamed(caFile)
        guard descriptor >= 0 else {
            let problem = "\(SafeText.quoted(caFile)) cannot be read: \(String(cString: strerror(errno)))"
            throw .badValue(option: "ca-file", problem: problem)
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw .badValue(option: "ca-file", problem: "\(SafeText.quoted(caFile)) is not a regular file")
        }
    }
}

extension ProxyChoice {
    /// Checks its URL before anything is connected.
    func check(_ library: CurlLibrary) throws(UsageFault) {
        guard let url, let problem = Self.problem(with: url, library) else { return }
        throw .badValue(option: source.name, problem: problem)
    }

    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// As CURLOPT_PROXY(3) takes it, which calls what it cannot parse a name that does not resolve: without a scheme it is http.
    /// - Returns: never the text, which may hold a password.
    private static func problem(with url: String, _ library: CurlLibrary) -> String? {
        guard let parsed = CurlURL(library) else { return "out of memory" }
        if let mark = url.firstRange(of: "://"), !schemes.contains(url[..<mark.lowerBound].lowercased()) {
            return "its scheme is not one of \(schemes.joined(separator: ", "))"
        }
        let advice = url.contains("@") ? "; in its user name and password, write @ as %40, / as %2F and # as %23" : ""
        if let problem = parsed.set(CURLUPART_URL, url, flags: CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME) {
            return problem.lowercased() + advice
        }
        guard parsed.text(CURLUPART_PATH) == "/", !url.contains("?"), !url.contains("#") else {
            return "a proxy has no path, query or fragment" + advice
        }
        // libcurl goes on without the proxy where it cannot decode these, which is so with control characters alone.
        for part in [CURLUPART_USER, CURLUPART_PASSWORD]
        where parsed.has(part) && parsed.text(part, flags: CURLU_URLDECODE) == nil {
            return "its user name or password has a control character"
        }
        return (parsed.text(CURLUPART_HOST) ?? "").utf8.count > 255 ? "its host is too long" : nil
    }
}
