import Foundation

/// A chat server in the manner of Matrix: a nested body, 403 for a wrong password, milliseconds, and refresh tokens
/// that rotate. A refresh token is good once; using it again ends the whole family (RFC 9700, 4.14.2).
struct ChatService: Service {
    static let routes = [
        "POST /_matrix/client/v3/login [?ttl=SECONDS]   nested JSON; 403 refuses",
        "POST /_matrix/client/v3/refresh        a new pair for a refresh token, once",
        "GET  /_matrix/client/v3/account/whoami Bearer",
        "POST /_matrix/client/v3/logout         Bearer; ends the family",
    ]

    private static let base = "/_matrix/client/v3"
    private var families = ChatFamilies()

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("POST", Self.base + "/login") { return login(call, door: &door) }
        if call.isFor("POST", Self.base + "/refresh") { return refresh(call) }
        if call.isFor("GET", Self.base + "/account/whoami") { return whoami(call) }
        if call.isFor("POST", Self.base + "/logout") { return logout(call) }
        return nil
    }

    func living(at now: Date) -> [String: Int] { ["chat": families.living(at: now)] }

    mutating func expire(_ call: Call, youngest: TimeInterval) {
        if let token = call.bearer { families.expire(access: token, youngest: youngest, now: call.now) }
    }

    private mutating func login(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let asked = call.json(ChatLogin.self), let lifetime = call.lifetime(usual: 300) else {
            return .json(400, ChatError("M_BAD_JSON", "This is not a login request"))
        }
        guard asked.type == "m.login.password", asked.identifier.type == "m.id.user" else {
            return .json(400, ChatError("M_UNKNOWN", "Only m.login.password with m.id.user is known"))
        }
        let name = asked.identifier.user
        let who = Doorkeeper.account(named: name)?.name
        switch door.judge(name: name, password: asked.password) {
        case .refused: return .json(403, ChatError("M_FORBIDDEN", "Invalid username or password"), who: who)
        case .turnedAway(let away): return trouble(away, who: who)
        case .accepted(let account):
            let grant = families.begin(
                account, lifetime: lifetime, refreshable: asked.refreshToken ?? false, now: call.now)
            return .json(200, grant, who: who)
        }
    }

    private mutating func refresh(_ call: Call) -> Reply {
        guard let asked = call.json(ChatRefresh.self) else {
            return .json(400, ChatError("M_BAD_JSON", "refresh_token is needed"))
        }
        guard let grant = families.rotate(asked.refreshToken, now: call.now) else {
            return .json(401, ChatError("M_UNKNOWN_TOKEN", "This refresh token is unknown or was used before"))
        }
        return .json(200, grant, who: families.account(of: grant.accessToken)?.name)
    }

    private func whoami(_ call: Call) -> Reply {
        guard let token = call.bearer else { return missing }
        guard let account = families.account(of: token) else { return unknown }
        guard families.isFresh(token, now: call.now) else { return expired(who: account.name) }
        if account.trait == .suspended { return trouble(Doorkeeper.suspended, who: account.name) }
        return .json(200, ["user_id": ChatFamilies.identifier(account)], who: account.name)
    }

    private mutating func logout(_ call: Call) -> Reply {
        guard let token = call.bearer else { return missing }
        guard let account = families.account(of: token) else { return unknown }
        guard families.isFresh(token, now: call.now) else { return expired(who: account.name) }
        families.end(access: token)
        return .json(200, [String: String](), who: account.name)
    }

    private var missing: Reply { .json(401, ChatError("M_MISSING_TOKEN", "Missing access token")) }
    private var unknown: Reply { .json(401, ChatError("M_UNKNOWN_TOKEN", "Unknown access token")) }

    private func expired(who: String) -> Reply {
        .json(401, ChatError("M_UNKNOWN_TOKEN", "The access token has expired", softLogout: true), who: who)
    }

    private func trouble(_ away: Doorkeeper.TurnedAway, who: String?) -> Reply {
        let codes = [429: "M_LIMIT_EXCEEDED", 403: "M_FORBIDDEN", 423: "M_USER_LOCKED"]
        let code = codes[away.status] ?? "M_UNKNOWN"
        return .json(away.status, ChatError(code, away.words), who: who)
            .with("Retry-After", away.retryAfter.map { "\($0)" })
    }
}
