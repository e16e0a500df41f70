import Foundation

/// A site behind single sign-on: whoever asks for something is sent to a provider on another origin, and comes back with a ticket that
/// is good once. Only a browser walks that way. The site is meant to be at `intranet.localhost`, the provider at `127.0.0.1`.
struct IntranetService: Service {
    static let routes = [
        "GET  /intranet/me                      302 to the provider when logged out",
        "GET  /intranet/start                   302 to the provider; with ?by=itself its form is sent by a script",
        "GET  /intranet/callback?ticket=…       back from the provider: sets the cookie",
        "POST /intranet/logout                  ends the session",
        "GET  /sso/login                        the provider's form: username and password",
        "POST /sso/login                        302 back to the site, with a ticket",
    ]

    private var tickets: [String: Account] = [:]
    private var sessions: [String: Account] = [:]

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("GET", "/intranet/me") { return me(call) }
        if call.isFor("GET", "/intranet/start") { return toProvider(call, byItself: call.query["by"] == "itself") }
        if call.isFor("GET", "/intranet/callback") { return callback(call) }
        if call.isFor("POST", "/intranet/logout") { return logout(call) }
        if call.isFor("GET", "/sso/login") { return page(call) }
        if call.isFor("POST", "/sso/login") { return logIn(call, door: &door) }
        return nil
    }

    func living(at now: Date) -> [String: Int] { ["intranet": sessions.count] }

    private func me(_ call: Call) -> Reply {
        guard let account = call.cookie("intranet").flatMap({ sessions[$0] }) else {
            return toProvider(call, byItself: false)
        }
        if account.trait == .suspended { return .trouble(Doorkeeper.suspended, who: account.name) }
        return .json(200, ["name": account.name], who: account.name)
    }

    private func toProvider(_ call: Call, byItself: Bool) -> Reply {
        let host = call.header("Host") ?? "127.0.0.1", port = host.split(separator: ":").last.flatMap { UInt16($0) }
        var target = URLComponents(string: "http://127.0.0.1\(port.map { ":\($0)" } ?? "")/sso/login")
        target?.queryItems =
            [URLQueryItem(name: "back", value: "http://\(host)/intranet/callback")]
            + (byItself ? [URLQueryItem(name: "by", value: "itself")] : [])
        return Reply(status: 302, headers: ["Location": target?.string ?? "/sso/login"])
    }

    /// Only the demo's own site is gone back to.
    private func site(_ text: String?) -> String? {
        guard let text, let url = URLComponents(string: text), url.scheme == "http", url.path == "/intranet/callback",
            let host = url.host, host == "127.0.0.1" || host == "localhost" || host.hasSuffix(".localhost"),
            url.query == nil
        else { return nil }
        return text
    }

    private func page(_ call: Call, words: String = "") -> Reply {
        guard let back = site(call.query["back"]) else {
            return BrowserPage.message(400, "Single sign-on", "No site of this demo asks for a login.")
        }
        let html = """
            \(BrowserPage.alert(words))
            <form method="post" action="/sso/login?back=\(BrowserPage.escaped(Self.encoded(back)))">
            <p><label>User name <input name="username" autofocus></label></p>
            <p><label>Password <input type="password" name="password"></label></p>
            <p><button>Log in</button></p>
            </form>
            <p><small>This is a demo. <code>ann</code> has the password <code>correct horse</code>.</small></p>
            """
        let script = """
            const form = document.forms[0];
            [form.username.value, form.password.value] = ['ann', 'correct horse'];
            form.submit();
            """
        return BrowserPage.page(
            200, "Log in to the demo's single sign-on", html, formTarget: Self.origin(of: back),
            script: call.query["by"] == "itself" && words.isEmpty ? script : nil)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static func origin(of url: String) -> String {
        String(url.dropLast("/intranet/callback".count))
    }

    private mutating func logIn(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let back = site(call.query["back"]), let form = call.form() else { return page(call) }
        let name = form["username"] ?? ""
        switch door.judge(name: name, password: form["password"] ?? "") {
        case .refused: return page(call, words: "Wrong user name or password.")
        case .turnedAway(let away): return .trouble(away, who: Doorkeeper.account(named: name)?.name)
        case .accepted(let account):
            let ticket = Token.fresh("ticket")
            tickets[ticket] = account
            return Reply(status: 302, headers: ["Location": "\(back)?ticket=\(ticket)"], who: account.name)
        }
    }

    private mutating func callback(_ call: Call) -> Reply {
        guard let account = call.query["ticket"].flatMap({ tickets.removeValue(forKey: $0) }) else {
            return BrowserPage.message(400, "Intranet", "This ticket is invalid or has been used.")
        }
        let session = Token.fresh("intranet")
        sessions[session] = account
        var reply = BrowserPage.message(200, "Intranet", "You are logged in.", who: account.name)
        reply.cookies = ["intranet=\(session); Path=/intranet; HttpOnly; SameSite=Lax"]
        return reply
    }

    private mutating func logout(_ call: Call) -> Reply {
        let who = call.cookie("intranet").flatMap { sessions.removeValue(forKey: $0) }?.name
        return Reply(status: 204, who: who)
    }
}
