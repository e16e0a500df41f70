import Foundation

/// The pages that a person sees in a browser.
enum BrowserPage {
    /// Who asks for what, with a form for the person's answer.
    static func consent(
        _ client: OAuthClient, _ scope: Scope, request: String, source: ConsentSource, words: String = "",
        name: String = "", status: Int = 200
    ) -> Reply {
        let rows = Scope.known.filter { scope.contains($0.0) }.map { "<li>\($0.1) (<code>\($0.0)</code>)" }
        let html = """
            <p><strong>\(escaped(client.name))</strong> asks you to let it:</p>
            <ul>
            \(rows.joined(separator: "\n"))
            </ul>
            <p>\(source.explanation)</p>
            \(alert(words))
            <form method="post" action="\(AuthorizationServer.path)/consent">
            <input type="hidden" name="request" value="\(request)">
            <p><label>User name <input name="username" value="\(escaped(name))" autocomplete="username"></label></p>
            <p><label>Password <input type="password" name="password" autocomplete="current-password"></label></p>
            <p><button name="decision" value="approve">Approve</button> <button name="decision" value="deny">Deny</button></p>
            </form>
            <p><small>This is a demo. <code>ann</code> has the password <code>correct horse</code>.</small></p>
            """
        return page(status, "Log in to the demo", html, formTarget: source.formTarget)
    }

    /// The form for the code that a device shows.
    static func userCode(words: String = "", status: Int = 200) -> Reply {
        let html = """
            <p>Enter the code that your device shows.</p>
            \(alert(words))
            <form action="\(AuthorizationServer.path)/device">
            <p><label>Code <input name="user_code" autocomplete="off" autocapitalize="characters" autofocus></label></p>
            <p><button>Continue</button></p>
            </form>
            """
        return page(status, "Connect a device", html)
    }

    /// The last word of the server. A request that nobody may be sent back to ends here, too (RFC 6749, 4.1.2.1).
    static func message(_ status: Int, _ title: String, _ words: String, who: String? = nil) -> Reply {
        var reply = page(status, title, "<p>\(escaped(words))</p>")
        reply.who = who
        return reply
    }

    /// No scripts of others, no frames, no other origin but the one that the answer goes to. Browsers hold that one against the
    /// redirect after the form, so it has to be named.
    /// - Parameter script: of the page's own, the only one that may run.
    static func page(
        _ status: Int, _ title: String, _ html: String, formTarget: String? = nil, script: String? = nil
    ) -> Reply {
        let document = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(escaped(title))</title>
            <h1>\(escaped(title))</h1>
            \(html)
            \(script.map { "<script>\($0)</script>" } ?? "")

            """
        let forms = ["'self'", formTarget].compactMap { $0 }.joined(separator: " ")
        let headers = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; \(script == nil ? "" : "script-src 'unsafe-inline'; ")form-action \(forms); frame-ancestors 'none'; base-uri 'none'",
            "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
        ]
        return Reply(status: status, headers: headers, body: Data(document.utf8))
    }

    /// A sentence for whoever has to try again; nothing for none.
    static func alert(_ words: String) -> String {
        words.isEmpty ? "" : "<p role=\"alert\">\(escaped(words))</p>"
    }

    /// As text of HTML, or as an attribute's value.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
