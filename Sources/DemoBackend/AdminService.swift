import Foundation

/// A web application with a login page, as the common frameworks make one: a token against forged requests in a hidden
/// field and in a cookie, a redirect where a login worked, the form again where it did not.
struct AdminService: Service {
    static let routes = [
        "GET  /login/                           the login page",
        "POST /login/                           its form: username, password and the hidden token; 302, or 200 again",
        "GET  /api/me/                          302 to /login/ when logged out",
        "POST /logout/                          header X-CSRFToken, as in the cookie",
    ]

    private var sessions: [String: Account] = [:]

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("GET", "/login/") { return page(csrf: call.cookie("csrftoken") ?? Token.fresh("csrf")) }
        if call.isFor("POST", "/login/") { return login(call, door: &door) }
        if call.isFor("GET", "/api/me/") { return me(call) }
        if call.isFor("POST", "/logout/") { return logout(call) }
        return nil
    }

    func living(at now: Date) -> [String: Int] { ["admin": sessions.count] }

    private func page(csrf: String, words: String = "Please log in") -> Reply {
        let html = """
            <!doctype html>
            <title>Admin</title>
            <form action="/search/"><input name="q"><button>Search</button></form>
            <p>\(words)</p>
            <form method="post" action="/login/?next=/api/me/">
            <input type="hidden" name="csrfmiddlewaretoken" value="\(csrf)">
            <label>User name <input name="username" autofocus></label>
            <label>Password <input type="password" name="password"></label>
            <button>Log in</button>
            </form>

            """
        var reply = Reply(status: 200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(html.utf8))
        reply.cookies = ["csrftoken=\(csrf); Path=/; SameSite=Lax; Max-Age=31449600"]
        return reply
    }

    private mutating func login(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let form = call.form(), let csrf = call.cookie("csrftoken"), form["csrfmiddlewaretoken"] == csrf,
            isFromHere(call)
        else { return forged }
        let name = form["username"] ?? ""
        switch door.judge(name: name, password: form["password"] ?? "") {
        case .refused:
            var reply = page(csrf: csrf, words: "Please enter the correct user name and password")
            reply.who = Doorkeeper.account(named: name)?.name
            return reply
        case .turnedAway(let away): return .trouble(away, who: Doorkeeper.account(named: name)?.name)
        case .accepted(let account):
            let session = Token.fresh("admin")
            sessions[session] = account
            var reply = Reply(status: 302, headers: ["Location": "/api/me/"], who: account.name)
            // Both are new, so that nobody who knew them before is logged in now.
            reply.cookies = [
                "sessionid=\(session); Path=/; HttpOnly; SameSite=Lax",
                "csrftoken=\(Token.fresh("csrf")); Path=/; SameSite=Lax; Max-Age=31449600",
            ]
            return reply
        }
    }

    private func me(_ call: Call) -> Reply {
        guard let account = loggedIn(call) else {
            return Reply(status: 302, headers: ["Location": "/login/?next=/api/me/"])
        }
        if account.trait == .suspended { return .trouble(Doorkeeper.suspended, who: account.name) }
        return .json(200, ["username": account.name], who: account.name)
    }

    private mutating func logout(_ call: Call) -> Reply {
        guard let csrf = call.cookie("csrftoken"), call.header("X-CSRFToken") == csrf else { return forged }
        let who = loggedIn(call)?.name
        if let session = call.cookie("sessionid") { sessions[session] = nil }
        var reply = Reply(status: 204, who: who)
        reply.cookies = ["sessionid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"]
        return reply
    }

    /// What a browser says of where a form came from.
    private func isFromHere(_ call: Call) -> Bool {
        let origin = "http://\(call.header("Host") ?? "")"
        return call.header("Origin") == origin && call.header("Referer")?.hasPrefix(origin + "/login/") == true
    }

    private var forged: Reply { .json(403, ErrorWords(error: "CSRF verification failed")) }

    private func loggedIn(_ call: Call) -> Account? {
        call.cookie("sessionid").flatMap { sessions[$0] }
    }
}
