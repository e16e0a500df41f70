import Foundation

/// Row 4: a posted form, a token that expires, a header of the service's own name.
struct ScreencastService: Service {
    static let routes = [
        "POST /auth/login.json [?ttl=SECONDS]   form username, password; a token that expires",
        "GET  /home/index.json                  header auth_token",
    ]

    private struct Grant: Encodable {
        let authToken: String
        let expiresAt: String
    }
    private struct Home: Encodable {
        let user: [String: String]
        let message: String
    }
    private struct Session {
        let account: Account
        let end: Date
    }

    private var sessions: [String: Session] = [:]

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("POST", "/auth/login.json") { return login(call, door: &door) }
        if call.isFor("GET", "/home/index.json") { return home(call) }
        return nil
    }

    private mutating func login(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let form = call.form(), let name = form["username"], let password = form["password"],
            let lifetime = call.lifetime(usual: 3600)
        else {
            return .json(400, ErrorWords(error: "A form with username and password is needed"))
        }
        let who = Doorkeeper.account(named: name)?.name
        switch door.judge(name: name, password: password) {
        case .refused: return .json(401, ErrorWords(error: "Invalid user name or password"), who: who)
        case .turnedAway(let away): return .trouble(away, who: who)
        case .accepted(let account):
            let token = Token.fresh("auth")
            // Whole seconds, so that what is said and what is kept are the same moment.
            let end = Date(timeIntervalSince1970: (call.now.timeIntervalSince1970 + lifetime).rounded(.up))
            sessions[token] = Session(account: account, end: end)
            return .json(200, Grant(authToken: token, expiresAt: end.formatted(.iso8601)), who: who)
        }
    }

    private func home(_ call: Call) -> Reply {
        guard let token = call.header("auth_token") else {
            return .json(401, ErrorWords(error: "You are not logged in"))
        }
        guard let session = sessions[token] else { return .json(401, ErrorWords(error: "This token is unknown")) }
        let name = session.account.name
        guard session.end > call.now else {
            return .json(401, ErrorWords(error: "This token has expired"), who: name)
        }
        if session.account.trait == .suspended { return .trouble(Doorkeeper.suspended, who: name) }
        return .json(200, Home(user: ["username": name], message: "Welcome home, \(name)"), who: name)
    }
}
