import LoginCore
import Secrets

/// Checks a request before it may touch the network: libcurl hands on whatever it is given, line breaks included
/// (libcurl-security(3)).
struct RequestCheck {
    let request: HTTPRequest

    func run() throws(UsageFault) {
        guard Self.isToken(request.method), !Self.refused.contains(request.method.uppercased()) else {
            throw .badValue(option: "method", problem: "it is not an HTTP method")
        }
        guard request.method != "HEAD" || (request.body == nil && request.streamedBodies?.source == nil) else {
            throw .badValue(option: "body", problem: "HEAD has no body")
        }
        for field in request.headers { try check(field) }
        for name in request.withoutHeaders { try check(name: name) }
        for cookie in request.cookies { try check(cookie) }
        if let basic = request.basic { try check(basic) }
    }

    /// RFC 9110, section 5.5: visible characters, blanks, tabs and bytes of 128 and above.
    private func check(_ field: HTTPRequestField) throws(UsageFault) {
        try check(name: field.name)
        guard field.value.isHeaderSafe else {
            throw .badValue(option: "header \(field.name)", problem: "its value contains a control character")
        }
    }

    private func check(name: String) throws(UsageFault) {
        guard Self.isToken(name) else {
            throw .badValue(option: "header", problem: "its name is invalid (RFC 9110)")
        }
        // They decide where a message ends and whom it is for.
        guard !["host", "content-length", "transfer-encoding"].contains(name.lowercased()) else {
            throw .badValue(option: "header \(name)", problem: "it is set from the URL and the body")
        }
    }

    /// A record that is no Netscape line could be read as a header line or as a command; see CURLOPT_COOKIELIST(3).
    private func check(_ cookie: Cookie) throws(UsageFault) {
        guard cookie.record.isHeaderSafe, CookieRecord.isOne(cookie.record) else {
            throw .badValue(option: "cookie \(cookie.name)", problem: "it is not a valid stored cookie")
        }
    }

    /// Checked by the callers already; a second time where it would go out.
    private func check(_ basic: BasicCredential) throws(UsageFault) {
        try BasicCredential.check(username: basic.username)
        try BasicCredential.check(password: basic.password)
    }

    /// CONNECT makes a tunnel, and TRACE sends back what it was sent, with the credential in it (RFC 9110, section 9.3.8).
    private static let refused: Set<String> = ["CONNECT", "TRACE"]

    /// RFC 9110, section 5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                        || "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar))
            }
    }
}
