internal import LoginCore
internal import Secrets

/// What must hold before a request may touch the network: libcurl hands on whatever it is given, line breaks included
/// (libcurl-security(3)).
struct RequestCheck {
    let request: HTTPRequest

    func run() throws(UsageFault) {
        guard Self.isToken(request.method), request.method != "CONNECT" else {
            throw .badValue(option: "method", problem: "it is not a verb of HTTP")
        }
        guard request.method != "HEAD" || request.body == nil else {
            throw .badValue(option: "body", problem: "HEAD has none")
        }
        for field in request.headers { try check(field) }
        for cookie in request.cookies { try check(cookie) }
        if let basic = request.basic { try check(basic) }
    }

    /// RFC 9110, section 5.5: visible characters, blanks, tabs and bytes of 128 and above.
    private func check(_ field: HTTPRequestField) throws(UsageFault) {
        guard Self.isToken(field.name) else {
            throw .badValue(option: "header", problem: "its name is not a token of RFC 9110")
        }
        // They decide where a message ends and whom it is for.
        guard !["host", "content-length", "transfer-encoding"].contains(field.name.lowercased()) else {
            throw .badValue(option: "header \(field.name)", problem: "it follows from the URL and the body")
        }
        guard Self.isClean(field.value, allowingTabs: true) else {
            throw .badValue(option: "header \(field.name)", problem: "its value holds a control character")
        }
    }

    /// A record that is no Netscape line could be read as a header line or as a command; see CURLOPT_COOKIELIST(3).
    private func check(_ cookie: Cookie) throws(UsageFault) {
        guard Self.isClean(cookie.record, allowingTabs: true), CookieRecord.isOne(cookie.record) else {
            throw .badValue(option: "cookie \(cookie.name)", problem: "it is not in the form of a stored cookie")
        }
    }

    /// RFC 7617, section 2: no colon in the user name, no control characters at all.
    private func check(_ basic: BasicCredential) throws(UsageFault) {
        let username = Secret(basic.username)
        guard Self.isClean(username, allowingTabs: false) else { throw .controlCharacter(.username) }
        guard !basic.username.utf8.contains(UInt8(ascii: ":")) else { throw .usernameHasColon }
        guard Self.isClean(basic.password, allowingTabs: false) else { throw .controlCharacter(.password) }
    }

    private static func isClean(_ secret: Secret, allowingTabs: Bool) -> Bool {
        secret.withUnsafeBytes { bytes in
            bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || (allowingTabs && $0 == UInt8(ascii: "\t")) }
        }
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                        || "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar))
            }
    }
}
