import LoginCore

/// A page for the browser, one of a few fixed ones. None repeats what the browser sent, names anybody, has a script or leads elsewhere.
struct LoopbackPage: Equatable {
    let status: Int
    let title: String
    let text: String

    private static let goodbye = "You can close this tab and return to the terminal."

    /// For the response to this login: it leads to the page without code and state.
    static let moved = LoopbackPage(status: 303, title: "authctl", text: goodbye)

    /// The code is there; the rest of the login goes on without the browser.
    static let answered = LoopbackPage(status: 200, title: "authctl: response received", text: goodbye)
    static let denied = LoopbackPage(
        status: 200, title: "authctl: login denied", text: "The server denied the login. \(goodbye)")

    /// The reason why is in the status alone.
    static func refused(_ forgery: Forgery) -> LoopbackPage {
        LoopbackPage(
            status: forgery.status, title: "authctl: no login is waiting",
            text: "No login is waiting for this response.")
    }

    /// The whole response (RFC 9112, section 4).
    /// - Parameter hasBody: not in the response to HEAD (RFC 9110, section 9.3.2).
    func response(hasBody: Bool = true) -> [UInt8] {
        let body = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(title)</title>
            <p>\(text)</p>

            """
        var lines = [
            "HTTP/1.1 \(status) \(phrase)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
            "Content-Security-Policy: default-src 'none'",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        if status == 303 { lines.append("Location: \(LoopbackRedirect.donePath)") }
        // RFC 9110, section 15.5.6.
        if status == 405 { lines.append("Allow: GET") }
        return Array((lines + ["", hasBody ? body : ""]).joined(separator: "\r\n").utf8)
    }

    private var phrase: String {
        switch status {
        case 200: "OK"
        case 303: "See Other"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        default: "Bad Request"
        }
    }
}
