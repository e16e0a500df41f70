internal import LoginCore

/// What a browser gets: one of two fixed texts, and nothing of what it sent. It names nobody, and leads nowhere.
struct LoopbackPage: Equatable {
    let status: Int
    let text: String

    static let answered = LoopbackPage(status: 200, text: "authctl has the answer. Go back to the terminal.")

    /// The reason why is in the status alone.
    static func refused(_ forgery: Forgery) -> LoopbackPage {
        LoopbackPage(status: forgery.status, text: "This is not the answer to a login that is under way.")
    }

    /// The whole response (RFC 9112, section 4).
    /// - Parameter hasBody: not in the response to HEAD (RFC 9110, section 9.3.2).
    func response(hasBody: Bool = true) -> [UInt8] {
        let body = text + "\n"
        var lines = [
            "HTTP/1.1 \(status) \(phrase)", "Content-Type: text/plain; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
            "Content-Security-Policy: default-src 'none'",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        // RFC 9110, section 15.5.6.
        if status == 405 { lines.append("Allow: GET") }
        return Array((lines + ["", hasBody ? body : ""]).joined(separator: "\r\n").utf8)
    }

    private var phrase: String {
        switch status {
        case 200: "OK"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        default: "Bad Request"
        }
    }
}
