import Foundation

/// A login that a person approves at a page of the service, which the client opens and then asks about, as Nextcloud's Login Flow v2:
/// the result is a password for this client alone.
struct CloudService: Service {
    static let routes = [
        "POST /cloud/login                      {\"login\": the page to approve at, \"poll\": {\"token\"}}",
        "GET  /cloud/flow                       that page; its form goes to POST /cloud/approve",
        "POST /cloud/poll                       form token=…; 404 until then {\"name\", \"password\"}, once",
        "GET  /cloud/me                         Basic with that password",
        "POST /cloud/logout                     ends it",
    ]

    /// By the secret of the page; `account` once it was approved.
    private var flows: [String: (poll: String, account: Account?)] = [:]
    private var passwords: [String: Account] = [:]

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("POST", "/cloud/login") { return begin(call) }
        if call.isFor("GET", "/cloud/flow") { return page(call.query["request"] ?? "") }
        if call.isFor("POST", "/cloud/approve") { return approve(call, door: &door) }
        if call.isFor("POST", "/cloud/poll") { return poll(call) }
        if call.isFor("GET", "/cloud/me") { return me(call) }
        if call.isFor("POST", "/cloud/logout") { return logout(call) }
        return nil
    }

    private struct Begun: Encodable {
        struct Poll: Encodable { let token: String }
        let poll: Poll
        let login: String
    }

    private mutating func begin(_ call: Call) -> Reply {
        let request = Token.fresh("flow"), poll = Token.fresh("poll")
        flows[request] = (poll, nil)
        let host = call.header("Host") ?? "127.0.0.1"
        return .json(200, Begun(poll: .init(token: poll), login: "http://\(host)/cloud/flow?request=\(request)"))
    }

    private func page(_ request: String, words: String = "") -> Reply {
        guard flows[request] != nil else {
            return BrowserPage.message(404, "Cloud", "There is nothing to approve here.")
        }
        let html = """
            <p>A program wants to log in as you.</p>
            \(BrowserPage.alert(words))
            <form method="post" action="/cloud/approve">
            <input type="hidden" name="request" value="\(BrowserPage.escaped(request))">
            <p><label>User name <input name="username" autofocus></label></p>
            <p><label>Password <input type="password" name="password"></label></p>
            <p><button name="decision" value="approve">Approve</button></p>
            </form>
            """
        return BrowserPage.page(200, "Approve a login", html)
    }

    private mutating func approve(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let form = call.form(), let request = form["request"], flows[request] != nil else {
            return page("")
        }
        let name = form["username"] ?? ""
        switch door.judge(name: name, password: form["password"] ?? "") {
        case .refused: return page(request, words: "Wrong user name or password.")
        case .turnedAway(let away): return .trouble(away, who: Doorkeeper.account(named: name)?.name)
        case .accepted(let account):
            flows[request]?.account = account
            return BrowserPage.message(
                200, "Cloud", "The program is logged in; you can close this page.", who: account.name)
        }
    }

    private mutating func poll(_ call: Call) -> Reply {
        guard let token = call.form()?["token"], let flow = flows.first(where: { $0.value.poll == token }),
            let account = flow.value.account
        else { return .json(404, [String: String]()) }
        flows[flow.key] = nil
        let password = Token.fresh("app")
        passwords[password] = account
        return .json(200, ["name": account.name, "password": password], who: account.name)
    }

    private func account(_ call: Call) -> Account? {
        guard let pair = call.basic, let account = passwords[pair.password], account.name == pair.name else {
            return nil
        }
        return account
    }

    private func me(_ call: Call) -> Reply {
        guard let account = account(call) else { return .json(401, ErrorWords(error: "Not logged in")) }
        return .json(200, ["name": account.name], who: account.name)
    }

    private mutating func logout(_ call: Call) -> Reply {
        guard let account = account(call), let password = call.basic?.password else {
            return .json(401, ErrorWords(error: "Not logged in"))
        }
        passwords[password] = nil
        return Reply(status: 204, who: account.name)
    }
}
